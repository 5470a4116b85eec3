"""The instructors' guide: what follows from other files is as these have it, and what it names is there."""

import importlib
import re
import runpy
import sys
import textwrap
import tomllib
from pathlib import Path

import pandas as pd
import pytest

from bertlab import lessons
from bertlab_teaching import quiz, solving
from bertlab_teaching.marking import marks, usual
from exercises import EXERCISES

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "bertlab_teaching" / "instructors"
PAGES = {path.stem: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.md")}


@pytest.fixture
def guide(monkeypatch):
    monkeypatch.syspath_prepend(FOLDER)
    return importlib.import_module("guide")


@pytest.fixture
def every(guide):
    return [guide.Lesson(path) for path in lessons.paths()]


@pytest.fixture(scope="module")
def solutions(tmp_path_factory):
    """The page that the command writes, into a folder that it makes."""
    path = tmp_path_factory.mktemp("clone") / "build" / "solutions.md"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["solutions.py", str(path)])
        runpy.run_path(str(FOLDER / "solutions.py"), run_name="__main__")
    return path.read_text(encoding="utf-8")


def exercises_of(lesson):
    """Return the numbers of a lesson's exercises, in their order, with their stars."""
    headings = (re.match(r"### (\d+\.\d) .*?(★+)", cell.source) for cell in lesson.notebook.cells)
    return {heading[1]: len(heading[2]) for heading in headings if heading}


def rows(header, page):
    """Return the rows of the table that has this header, as lists of stripped cells."""
    table = re.search(rf"^\| *{re.escape(header)} *\|.*\n\|[-| ]+\|\n((?:\|.*\n)+)", page, re.M)
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table[1].splitlines()]


def part_of(lesson, name):
    """Return the text of a part of a lesson, named by how its heading begins."""
    part, text = "", {}
    for cell in (cell for cell in lesson.notebook.cells if not lessons.is_note(cell)):
        heading = re.match(r"##+ (.+)", cell.source)
        part = heading[1] if heading and cell.cell_type == "markdown" else part
        text[part] = text.get(part, "") + cell.source + "\n"
    (part,) = [part for part in text if re.match(rf"{re.escape(name)}(:|$)", part)]
    return text[part]


def test_the_pages_are_as_lessons_slides_checks_and_quiz_have_them(guide):
    for path, page in guide.written().items():
        assert path.read_text(encoding="utf-8") == page, f"run make guide: {path.name}"


@pytest.mark.parametrize("number", EXERCISES)
def test_each_mistake_that_a_check_names_is_below_the_exercises_solution(solutions, number):
    page = solutions.partition(f"### {number} ")[2]
    _, solution, mistakes = re.split(r"\n```(?:python)?\n", page.partition("\n#")[0])
    lesson = int(number.partition(".")[0])
    (answer,) = solving.tagged(lessons.read(lessons.paths()[lesson - 1]), "exercise", number)
    assert solution.startswith(answer.source.partition("    return None")[0]), "the stub, with more than nothing in it"
    (table,) = (ROOT / "bertlab" / "checks").glob(f"{lesson:02}_*.toml")
    named = tomllib.loads(table.read_text("utf-8"))[number]["wrong"]
    assert [f"- {said}" for said in named] == mistakes.split("\n")[1:-1]


def test_the_speakers_notes_take_the_minutes_of_the_lesson_and_of_its_exercises(guide, every):
    for lesson in every:
        of_exercises = {part: n for part, n in lesson.minutes.items() if part.startswith("Exercise")}
        core, more, exercises = guide.minutes_of(lesson.first)
        assert lesson.minutes.total() - sum(of_exercises.values()) == sum(core) + more
        assert sum(of_exercises.values()) == exercises
        for part, minutes in of_exercises.items():
            (heading,) = [cell.source for cell in lesson.notebook.cells if cell.source.startswith(f"### {part[9:]} ")]
            assert f"· {minutes} minutes" in heading.splitlines()[0]


def test_no_path_takes_longer_than_a_part_or_leaves_out_what_is_not_said(every):
    for lesson in every:
        for sitting in lesson.sittings:
            for part, full, short, long, left_out in lesson.rows(sitting):
                if full:
                    assert max(short, long) <= full, part
                    assert left_out or short in (0, full), f"{sitting['name']}, {part}: what is left out?"
                    assert "90" in left_out or long in (0, full), f"{sitting['name']}, {part}: and of 90 minutes?"


def test_what_a_sitting_needs_is_what_its_notes_name_and_takes_ten_minutes(every):
    decks = {deck.name: deck.path() for lesson in every for deck in lesson.decks}
    for lesson in every:
        for sitting in lesson.sittings:
            slides = {
                (name, part): [slide for slide in decks[name] if re.match(rf"{part}(?!\w)", slide.part)]
                for _, name, part in sitting.get("needs", [])
            }
            assert all(slides.values()), slides
            assert sum(map(len, slides.values())) <= 13, sitting["name"]
            assert sitting["name"] == "1" or slides
        (noted,) = [cell.source for cell in lesson.notebook.cells if "NEEDS: " in cell.source]
        said = re.search("NEEDS: (.+)", noted)[1].partition(": who")[0]
        of_lessons = {name[0] for _, name, _ in lesson.sittings[0].get("needs", [])}
        lists = re.findall(r"lessons? ((?:\d(?:, | and )?)+)", said)
        assert {number for found in lists for number in re.findall(r"\d", found)} == of_lessons, lesson.title


def test_each_exercise_and_question_has_its_aim(every):
    for lesson in every:
        practised = {exercise for aim in lesson.quiz["practised"] for exercise in aim}
        assert practised == exercises_of(lesson).keys()
        (aims,) = [cell.source for cell in lesson.notebook.cells if cell.source.startswith("## You will be able to")]
        numbers = set(map(int, re.findall(r"^(\d)\. ", aims, re.M)))
        assert len(lesson.quiz["practised"]) == len(numbers)
        asked = [*lesson.quiz["question"], *lesson.quiz["practice"]]
        assert all(set(question["aims"]) <= numbers and question["aims"] for question in asked)


def test_each_misconception_and_each_answer_of_the_quiz_has_its_place_in_a_lesson(every):
    table = rows("students think | in truth | shown in", PAGES["misconceptions"])
    shown = [where for *_, where in table]
    asked = [question.place for form in (*quiz.FORMS, quiz.PRACTICE) for question in quiz.questions(form)]
    for places in (shown, asked):
        found = [re.fullmatch(r"`?[Ll]esson (\d+), ([^:]+): `?(.+?)`?", place).groups() for place in places]
        assert {int(number) for number, *_ in found} == {lesson.number for lesson in every}
        for number, part, words in found:
            assert words in part_of(every[int(number) - 1], part), (number, part, words)
            assert not set("*`_") & set(words), "so that a search in the rendered page finds them"


def test_the_term_has_all_exercises_and_four_weeks_have_what_their_quiz_asks_about(every):
    term = PAGES["term"]
    stars = [exercises_of(lesson) for lesson in every]
    homework = re.findall(r"\b\d+\.\d\b", "\n".join(row[-1] for row in rows("week | in class | homework", term)))
    assert homework == [number for lesson in stars for number in lesson]
    said = [row[0] for row in rows("exercise | a small change | what happens", term)]
    assert set(said) <= set(homework)
    chosen = re.search(r"--lessons (\S+)", term)[1].split(",")
    table = rows("sitting | in class | homework, for the next sitting", term)
    weeks = " ".join(cell for row in table for cell in row[1:])
    named = re.findall(r"(?<![.\d])\d[abc]?(?![.\dabc])", re.sub(r"\(.+?\)", "", weeks))
    assert {name for name in named if name not in chosen} == {"4a", "4b", "4c"}  # all of 4
    assert {name for name in chosen if name not in named} == {"4"}
    assert f"{len(quiz.questions('A', chosen))} questions" in term
    assert f"{quiz.minutes(quiz.questions('A', chosen))} minutes" in term


def lines(page, first):
    """Return the lines of Python of a page, from one on."""
    return textwrap.dedent(re.search(rf"^ +{first}\n.+?\n\n?(?! |\n)", PAGES[page], re.M | re.S)[0])


def test_the_lines_for_a_term_add_up_what_was_due_and_nothing_that_came_later(tmp_path, monkeypatch, capsys):
    (tmp_path / "weeks").mkdir()
    first, second = ({"1.1": "1", "1.2": "0", "1.3": ""}, {"1.2": "2", "2.1": "0.5", "2.2": "0", "2.3": ""})
    for name, points in (("week2", first), ("week3", second)):
        each = [marks.row_of(["anna", "7", key[0], key, 2, n, "", "", "", ""]) for key, n in points.items()]
        marks.write(tmp_path / "weeks" / f"{name}.csv", {("anna", row["exercise"]): row for row in each}, b"")
    monkeypatch.chdir(tmp_path)
    add_up = lines("marks", "from pathlib import Path")
    exec(add_up, {})
    full = 6  # the stars of one lesson of two
    assert (tmp_path / "term.csv").read_text() == f"student,points,full\nanna,1.5,{full}\n"
    with pytest.raises(AssertionError, match=r"week2\.csv lacks"):
        exec(add_up.replace("1.3", "1.4"), {})
    (tmp_path / "list.csv").write_text("student,aloud,share,project\nanna,6,0.75,12\nben,,1,9\ncem,6,1,7\n")
    assert re.findall(r"anna +(\d\.\d)", capsys.readouterr().out) == ["1.3", "2.3"]  # still to decide
    exec(lines("term", "import pandas as pd"), {})
    assert re.findall("anna|ben|cem", capsys.readouterr().out) == ["ben", "cem"]  # without points
    graded = pd.read_csv(tmp_path / "final.csv")
    assert graded["grade"].tolist() == pytest.approx([20 * 1.5 / full + 20 + 60 * 9 / 18, 30, 20 + 60 * 7 / 18])
    assert graded["passes"].tolist() == [True, False, False]


def test_the_sheet_for_students_names_what_a_cell_may_import_and_what_a_person_reads_first():
    (imports,) = re.findall(r"imports anything but (.+?); uses (.+?),? or\s+names", PAGES["handout"], re.S)
    assert set(re.findall(r"\w+", imports[0])) - {"and"} == usual.MODULES
    assert set(re.findall(r"`(\w+)`", imports[1])) <= usual.BUILT_IN
