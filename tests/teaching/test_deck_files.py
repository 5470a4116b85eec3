"""Decks as files: what is chosen on the command line, and what is written where."""

import nbformat
import pytest

from bertlab import lessons
from bertlab.__main__ import main
from pages import ASKED, FIGURE, SAID, notebook, page, slides, small_course


@pytest.fixture
def course(tmp_path, monkeypatch):
    """Three short lessons in place of the real ones, two with slides beside them; and nothing can be run."""
    both = slides(FIGURE, name="8a") + slides(ASKED, SAID, name="8b")
    entries = {"07_small": slides(FIGURE, name="7"), "08_small": both, "09_without": ""}
    monkeypatch.setattr("nbclient.NotebookClient", lambda *_, **__: pytest.fail("a notebook was run"))
    return small_course(monkeypatch, tmp_path / "course", entries)


def linked(folder):
    return [link["href"] for link in page((folder / "index.html").read_text("utf-8")).select("a")]


class TestBuild:
    def test_a_deck_for_each_sitting_and_a_page_that_links_them(self, course, tmp_path, capsys):
        folder = tmp_path / "a" / "new folder"
        assert main(["decks", str(folder)]) == 0
        assert capsys.readouterr() == (f"3 decks. Open {folder / 'index.html'} in a browser.\n", "")
        assert {path.name for path in folder.glob("[!.]*")} == {"index.html", *linked(folder)}

    @pytest.mark.parametrize(
        ("options", "made"),
        [
            ([], ["7_small.html", "8a_small.html", "8b_small.html"]),
            (["--sitting", "7", "--sitting", "8b"], ["7_small.html", "8b_small.html"]),
            (["--short", "--sitting", "8"], ["8a_small_short.html", "8b_small_short.html"]),
            (["own/07_small.ipynb"], ["8_small.html"]),
        ],
    )
    def test_what_is_chosen_on_the_command_line(self, course, tmp_path, monkeypatch, options, made):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "own").mkdir()
        nbformat.write(notebook(), "own/07_small.ipynb")
        (tmp_path / "own" / "07_small.slides.toml").write_text(slides(FIGURE, name="8"), encoding="utf-8")
        assert main(["decks", "decks", *options]) == 0
        assert linked(tmp_path / "decks") == made

    @pytest.mark.parametrize(
        ("asked", "said"),
        [
            (["--sitting", "9"], "There are no slides for sitting '9'. There are those for 7, 8a, 8b."),
            (["course/09_without.ipynb"], "09_without.ipynb: There are no slides for it."),
        ],
    )
    def test_what_does_not_exist_is_said_so(self, course, tmp_path, monkeypatch, capsys, asked, said):
        monkeypatch.chdir(tmp_path)
        assert main(["decks", "decks", *asked]) == 1
        assert said in capsys.readouterr().err

    def test_what_makes_no_deck_is_named_and_the_others_are_there(self, course, tmp_path, capsys):
        nbformat.write(lessons.without_outputs(notebook()), course / "07_small.ipynb")
        assert main(["decks", str(tmp_path / "decks")]) == 1
        said = capsys.readouterr().err
        assert "slide 'A *dot* & `x < 1`': cell 'drawn' has stored no output; run the notebook" in said
        assert "Finished: 08_small.ipynb." in said
        assert linked(tmp_path / "decks") == ["8a_small.html", "8b_small.html"]
