"""Lessons show views of the live page that there are, and decks open them, with sentences of their own."""

import re
from urllib.parse import parse_qsl

import nbformat
import pytest

import bertlab
from bertlab import inline, lessons
from bertlab_teaching import decks, solving
from bertlab_teaching.slides import outline, plan, session
from pages import FIGURE, LIVE, VIEWS, page, sittings, slides, small_course

WITHOUT = {"05a"}  # sittings: it has as many cells as an hour holds


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
    assert asked.keys() <= inline.EVERYWHERE | inline.VIEWS[view][0], address
    for sentence in (asked.get("text", ""), asked.get("other", "")):
        for part in re.split(r"(?<=[.?]) ", sentence):
            assert part in text, f"{part!r} is not a sentence of it"
    return view, asked


def test_the_package_knows_the_views_that_the_page_has():
    assert inline.VIEWS.keys() == set(VIEWS)


@pytest.mark.parametrize("path", lessons.paths(), ids=lambda path: path.stem)
def test_each_sitting_has_a_view_or_two_in_its_core_that_is_the_same_wherever_it_runs(path):
    read = lessons.read(path)
    shown = [cell for cell in read.cells if "bertlab.live(" in cell.source]
    others = said(nbformat.v4.new_notebook(cells=[cell for cell in read.cells if cell not in shown]))
    for cell in shown:
        (output,) = cell.outputs
        frame = page(output.data["text/html"])
        address = frame.a["href"].removeprefix("live.html#")
        view, asked = assert_opens(address, f"{others} {cell.source}" if path.stem[:2] == "09" else others)
        assert frame.iframe["src"] == f"live.html#{address}&inline"
        assert output.data["text/plain"] == f"A view of the live page: live.html#{address}"
        again = bertlab.live(view, **{name: int(part) if part.isdecimal() else part for name, part in asked.items()})
        assert again._repr_html_() == output.data["text/html"]
    end = next(i for i, cell in enumerate(read.cells) if cell.source.startswith("## Recap"))
    for letter, cells in zip("abc", sittings(read.cells[:end]), strict=False):
        views = sum(cell in shown for cell in cells)
        assert views in (1, 2) or f"{path.stem[:2]}{letter}" in WITHOUT, letter


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
    monkeypatch.setattr("bertlab.page.page_parts", lambda: iter(["{}", "AAAA"]))

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
