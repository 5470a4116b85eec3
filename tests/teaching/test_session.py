"""The session about all of BERT: its deck stands outside the lessons, and each of its questions is answered."""

import re
from itertools import pairwise

import pytest

import bertlab
from bertlab import lessons
from bertlab_teaching import decks
from bertlab_teaching.slides import outline, plan, session
from pages import page


@pytest.fixture(scope="module")
def sitting():
    (only,) = plan.read(outline.of(session.path()), session.shown(session.path()))
    return only


@pytest.mark.parametrize(("column", "path"), [(1, 50), (2, 90)])
def test_both_paths_add_up_and_take_slides_of_the_parts_that_have_minutes(sitting, column, path):
    (entry,) = outline.sittings(outline.of(session.path()))
    minutes = {row[0]: row[column] for row in entry["plan"]}
    assert sum(minutes.values()) == path
    taken = {slide.part for slide in sitting.slides if slide.part and (slide.short or path == 90)}
    assert taken == {part for part, number in minutes.items() if number} - {"Slack"}


def test_each_guess_is_answered_by_an_output_or_the_page_on_both_paths_and_no_measurement_is_typed(sitting):
    asked = [(slide, after) for slide, after in pairwise(sitting.slides) if slide.options]
    assert len(asked) >= 6
    for slide, after in asked:
        assert after.figure or after.live or "says" in dict(after.text), slide.title
        assert (after.part, after.options) == (slide.part, []), slide.title
        assert after.short or not slide.short, slide.title
    for slide in sitting.slides:
        typed = [slide.title, slide.caption, *dict(slide.text).get("points", []), *slide.notes]
        assert not re.search(r"\d\.\d|\d ?%", " ".join(typed)), slide.title


def test_what_its_slides_say_holds(bert):
    """Of what no output on a slide shows: `tests/live/test_live.py` has what the page's own questions say."""
    first = bertlab.masking.fill_mask(bert, "The [MASK] sat on the mat.", top_k=5)["piece"].tolist()
    assert first == ["boy", "man", "children", "girl", "men"]
    france = bertlab.masking.fill_mask(bert, "The capital of France is [MASK].", top_k=10)["piece"]
    assert "paris" not in france.tolist()


def test_the_command_writes_its_deck_first_and_the_live_page_beside_it(tmp_path, monkeypatch):
    monkeypatch.setattr("bertlab_teaching.live._parts", lambda: iter(["{}", "AAAA"]))
    index, *written = decks.build(tmp_path, sittings=["one", "1"])
    assert [path.name for path in written] == ["one_session.html", "1_embedding_layer.html"]
    opening = page(written[0].read_text("utf-8")).select(".opening :is(.lesson, h1, .sitting)")
    assert [element.text for element in opening] == ["One session", "What happens inside a BERT?", ""]
    heads = [heading.text for heading in page(index.read_text("utf-8")).find_all("h2")]
    assert heads == ["One session", lessons.read(lessons.paths()[0]).cells[0].source.partition("\n")[0][2:]]
    assert (tmp_path / "live.html").is_file()
