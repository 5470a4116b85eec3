"""Lessons and decks open the live page at a view that there is, with sentences that they have themselves."""

import re
from urllib.parse import parse_qsl

import pytest

from bertlab import lessons
from bertlab_teaching import decks, live, solving
from bertlab_teaching.slides import outline, plan, session
from pages import FIGURE, LIVE, VIEWS, page, slides, small_course

LINK = re.compile(r"\[[^\]]+\]\(live\.html#(\S+?)\)\. `make lab` puts this page, `live\.html`, beside your copy\.")
# What a view keeps in an address, beside its own name, the sentence and the seed of an untrained twin.
PARTS = {
    "hide": {"hide"},
    "heads": {"layer", "head", "token"},
    "head": {"layer", "head", "token", "at", "step"},
    "second": {"other"},
    "swap": {"other", "words"},
    "knobs": {"knobs"},
    "learning": {"steps"},
}


def said(read):
    """Return all that a lesson's cells say, on one line."""
    outputs = [output for cell in read.cells for output in cell.get("outputs", [])]
    printed = [str(output.get("text", output.get("data", ""))) for output in outputs]
    return " ".join(" ".join([*(cell.source for cell in read.cells), *printed]).split())


def assert_opens(address, text):
    """The address names a view, what belongs to it, and sentences that stand in a text."""
    asked = dict(parse_qsl(address, strict_parsing=True))
    view = asked.pop("view")
    assert view in VIEWS
    assert asked.keys() <= {"text", "seed"} | PARTS.get(view, set()), address
    for sentence in (asked.get("text", ""), asked.get("other", "")):
        for part in re.split(r"(?<=[.?]) ", sentence):
            assert part in text, f"{part!r} is not a sentence of it"
    return view, asked


@pytest.mark.parametrize("path", lessons.paths(), ids=lambda path: path.stem)
def test_each_lesson_has_one_link_in_its_core_and_students_keep_it(path):
    read = lessons.read(path)
    linking = [cell for cell in read.cells if cell.source.startswith("**On the live page.** ")]
    (link,) = linking  # at the end of Look, unless the page would give a later guess away
    fails = next(cell for cell in read.cells if cell.source.startswith("## Where it fails"))
    assert read.cells.index(link) < read.cells.index(fails)
    address = LINK.match(link.source.removeprefix("**On the live page.** "))[1]
    view, asked = assert_opens(address, said(read).replace(link.source, ""))
    assert link.id in [cell.id for cell in lessons.handed_out(path).cells]
    if view == "heads":  # the head of the figure above it
        shown = next(str(cell.outputs) for cell in read.cells if cell.id == "l04-08")
        assert f"head {asked['head']} in layer {asked['layer']}" in shown
        assert int(asked["token"]) < len(asked["text"].split()) + 3


@pytest.mark.parametrize("deck", [*lessons.paths(), session.path()], ids=lambda path: path.stem)
def test_each_deck_has_a_slide_that_opens_the_page_with_sentences_of_its_own(deck):
    of_all = deck == session.path()  # whose sentences may be the page's, too
    read = session.shown(deck) if of_all else solving.shown(deck)
    for sitting in plan.read(outline.of(deck), read):
        opened = [slide.live for slide in sitting.slides if slide.live]
        assert opened, sitting.name
        for address in opened:
            assert_opens(address, f"{said(read)} {LIVE if of_all else ''}")


def test_the_page_lies_where_a_deck_links_to_it(tmp_path, monkeypatch):
    entry = FIGURE + 'live = "view=hide&text=A cat and [MASK].&hide=cat"\n'
    small_course(monkeypatch, tmp_path / "course", {"07_small": slides(entry, name="7")})
    monkeypatch.setattr(live, "_parts", lambda: iter(["{}", "AAAA"]))

    def link(where):
        deck = page((where / "7_small.html").read_text("utf-8"))
        (found,) = deck.select("footer a")
        return found["href"]

    decks.build(tmp_path / "decks")
    address = "#view=hide&text=A%20cat%20and%20%5BMASK%5D.&hide=cat"
    assert link(tmp_path / "decks") == f"live.html{address}"
    assert "A BERT in a page" in (tmp_path / "decks" / "live.html").read_text("utf-8")
    decks.build(tmp_path / "site", page="../live.html")
    assert link(tmp_path / "site") == f"../live.html{address}"
    assert not (tmp_path / "site" / "live.html").exists()
