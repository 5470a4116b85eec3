"""No command replaces a file that is there, whoever wrote it."""

import re

import pytest

from bertlab.__main__ import main
from bertlab.paraphrase import __main__ as paraphrase
from bertlab_teaching import decks, live, quiz
from bertlab_teaching.book.build import place
from bertlab_teaching.marking import grading
from pages import FIGURE, slides, small_course

RIGHT = "def double(x):\n    return 2 * x"


@pytest.fixture
def course(tmp_path, monkeypatch):
    """One short lesson in place of all, with slides."""
    return small_course(monkeypatch, tmp_path / "course" / "notebooks", {"07_small": slides(FIGURE, name="7")})


@pytest.mark.parametrize(
    ("build", "names"),
    [
        (decks.build, ["index.html", "7_small.html"]),
        (quiz.build, ["form-a.html", "practice-moodle.txt"]),
        pytest.param(live.write, ["live-weights/00.js"], marks=pytest.mark.slow),
    ],
)
def test_a_file_of_mine_stays_and_what_is_as_it_was_written_is_no_hindrance(course, tmp_path, build, names):
    for name in names:
        folder = tmp_path / name
        build(folder)
        (folder / name).with_name("beside.txt").write_text("mine")
        build(folder)
        with (folder / name).open("a") as file:
            file.write("my own line")
        mine = (folder / name).read_bytes()
        with pytest.raises((FileExistsError, RuntimeError), match="is there already, and was left as it is"):
            build(folder)
        assert (folder / name).read_bytes() == mine


def test_a_book_is_placed_over_the_same_pages_and_not_at_all_over_others(tmp_path):
    book, clone, site = (tmp_path / name for name in ("book", "clone", "site"))
    for folder, content in ((book, "theirs"), (clone, "mine")):
        (folder / "notebooks").mkdir(parents=True)
        (folder / "notebooks" / "07_small.ipynb").write_text(content)
    (book / "a.html").write_text("theirs")
    with pytest.raises(FileExistsError, match=r"07_small\.ipynb' is there already"):
        place(book, clone)
    assert [path.read_text() for path in clone.rglob("*") if path.is_file()] == ["mine"]
    for _ in range(2):
        place(book, site)
    assert (site / "a.html").read_text() == "theirs"


class TestGrade:
    @pytest.fixture
    def grade(self, hand_in, tmp_path, monkeypatch):
        """Grade one notebook, handed in by anna, without running it."""
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(grading, "judged", lambda *_: ("right", "yes"))
        hand_in("anna/01_first.ipynb", RIGHT)
        return lambda *options: main(["grade", "in", "--unsafe", *options])

    @pytest.mark.parametrize("name", ["grades.csv", "in/anna/01_first.ipynb", "notes.txt"])
    def test_a_row_for_each_student_goes_over_nothing(self, grade, tmp_path, capsys, name):
        assert grade() == 0
        (tmp_path / "notes.txt").write_text("mine")
        before = (tmp_path / name).read_bytes()
        assert grade("--wide", name) == 1
        assert f"'{name}' is there already" in capsys.readouterr().err
        assert (tmp_path / name).read_bytes() == before

    def test_a_page_of_the_teachers_own_stays_and_keeps_nobody_else_from_theirs(self, grade, hand_in, tmp_path, capsys):
        for name in ("ben", "ben/feedback.txt", "zoe", "\u200b. zoe"):
            hand_in(f"{name}/01_first.ipynb", RIGHT)
        (tmp_path / "pages" / "anna").mkdir(parents=True)
        (tmp_path / "pages" / "anna" / "feedback.txt").write_text("by hand")
        assert grade("--feedback", "pages") == 0
        said = capsys.readouterr().out
        assert "2 pages of feedback: pages.\n" in said
        refused = re.findall(r"^No page for (.+)$", said, re.M)
        begins = ("anna: 'pages/anna/feedback.txt' is there", "ben/feedback.txt: ", "zoe: pages/zoe/feedback.txt is an")
        assert len(refused) == 3
        assert all(any(reason.lstrip(". ").startswith(begin) for reason in refused) for begin in begins)
        assert (tmp_path / "pages" / "anna" / "feedback.txt").read_text() == "by hand"
        assert {path.parent.name for path in (tmp_path / "pages").rglob("feedback.txt")} == {"anna", "ben", "zoe"}

    def test_a_table_that_was_handed_in_is_not_taken_for_the_teachers(self, grade, tmp_path, monkeypatch, capsys):
        monkeypatch.chdir(tmp_path / "in")
        assert main(["grade", ".", "--unsafe"]) == 1
        assert "'grades.csv' would lie among what was handed in" in capsys.readouterr().err
        for said in ("", "Going on from grades.csv, 2 rows."):
            assert main(["grade", ".", "--unsafe", "--into", "grades.csv"]) == 0
            assert said in capsys.readouterr().err


def test_a_table_of_similarities_never_replaces_the_pairs(tmp_path, monkeypatch, capsys):
    pairs = tmp_path / "pairs.csv"
    pairs.write_text("first,second,score\na,b,1\n")
    monkeypatch.setattr(paraphrase, "compared", lambda _: pytest.fail("nothing slow begins"))
    assert paraphrase.main(["bertlab-mini", str(pairs), "--csv", str(pairs)]) == 1
    assert "pairs.csv' is there already" in capsys.readouterr().err
    assert pairs.read_text() == "first,second,score\na,b,1\n"
