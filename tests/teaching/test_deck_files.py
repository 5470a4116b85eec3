"""Decks as files: what is chosen on the command line, and what is written where."""

import nbformat
import pytest

from bertlab import lessons
from bertlab.__main__ import main
from pages import ASKED, FIGURE, SAID, notebook, page, slides, small_course


@pytest.fixture
def course(tmp_path, monkeypatch):
    """Three short lessons in place of the real ones, two with slides beside them; and nothing can be run."""
    three = slides(FIGURE, name="10a") + slides(ASKED, SAID, name="10b") + slides(FIGURE, name="10c")
    entries = {"07_small": slides(FIGURE, name="7"), "10_small": three, "11_without": ""}
    monkeypatch.setattr("nbclient.NotebookClient", lambda *_, **__: pytest.fail("a notebook was run"))
    monkeypatch.chdir(tmp_path)
    return small_course(monkeypatch, tmp_path / "course", entries)


def linked(folder):
    return [link["href"] for link in page((folder / "index.html").read_text("utf-8")).select("a")]


@pytest.mark.parametrize(
    ("options", "made"),
    [
        ([], ["7_small", "10a_small", "10b_small", "10c_small"]),
        (["--lessons", "7, 10b"], ["7_small", "10b_small"]),
        (["--short", "--lessons", "10"], ["10a_small_short", "10b_small_short", "10c_small_short"]),
        (["own/07_small.ipynb"], ["8_small"]),
    ],
)
def test_a_deck_for_each_sitting_that_is_chosen_and_a_page_that_links_them(course, tmp_path, capsys, options, made):
    (tmp_path / "own").mkdir()
    nbformat.write(notebook(), "own/07_small.ipynb")
    (tmp_path / "own" / "07_small.slides.toml").write_text(slides(FIGURE, name="8"), encoding="utf-8")
    folder = tmp_path / "a" / "new folder"
    assert main(["decks", str(folder), *options]) == 0
    count = "1 deck" if len(made) == 1 else f"{len(made)} decks"
    assert capsys.readouterr() == (f"{count}. Open {folder / 'index.html'} in a browser.\n", "")
    assert linked(folder) == [f"{name}.html" for name in made]
    assert {path.name for path in folder.glob("[!.]*")} == {"index.html", *linked(folder)}


def test_what_does_not_exist_is_said_so(course, capsys):
    for asked, said in (
        (["--lessons", "7,1"], "There are no slides for sitting '1'. There are those for 7, 10a, 10b, 10c."),
        (["course/11_without.ipynb"], "11_without.ipynb: There are no slides for it."),
    ):
        assert main(["decks", "decks", *asked]) == 1
        assert said in capsys.readouterr().err


def test_what_makes_no_deck_is_named_and_the_others_are_there(course, tmp_path, capsys):
    nbformat.write(lessons.without_outputs(notebook()), course / "07_small.ipynb")
    assert main(["decks", "decks", "--lessons", "7,10a"]) == 1
    said = capsys.readouterr().err
    assert "slide 'A *dot* & `x < 1`': cell 'drawn' has stored no output; run the notebook" in said
    assert "Finished: 10_small.ipynb." in said
    assert linked(tmp_path / "decks") == ["10a_small.html"]
