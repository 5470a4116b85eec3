"""The instructors' guide and quiz agree with the lessons: minutes add up, what is named exists, links resolve."""

import importlib
import math
import os
import re
import threading
from collections import Counter
from pathlib import Path

import pytest

from bertlab.course import notebooks as lessons
from bertlab.course import quiz

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "INSTRUCTORS.md").read_text(encoding="utf-8")
SAID = " ".join(GUIDE.split())
LESSONS = {int(path.stem[:2]): lessons.read(path) for path in lessons.paths()}


def rows(markdown, header):
    """Return the rows of the tables that have this header, as lists of stripped cells."""
    pattern = rf"^\| *{re.escape(header)} *\|.*\n\|[-| ]+\|\n((?:\|.*\n)+)"
    return [
        [cell.strip() for cell in line.strip().strip("|").split("|")]
        for table in re.findall(pattern, markdown, re.M)
        for line in table.splitlines()
    ]


BESIDES = ("Run part a again", "Slack")
"""What a sitting needs besides the parts of a lesson."""
SLACK = 10


def parts(lesson):
    """Return the text of each part of a lesson by its heading's name: Look, Step 2, Exercise 1.1, ..."""
    found, name = {}, ""
    for cell in (cell for cell in lesson.cells if not lessons.is_note(cell)):
        heading = re.match(r"##+ (.+)", cell.source)
        if cell.cell_type == "markdown" and heading:
            name = re.sub(r"^(\d\.\d) .*", r"Exercise \1", heading[1])
        found[name] = found.get(name, "") + cell.source + "\n"
    return found


def minutes(lesson):
    """Return the minutes that a lesson's first cell names: of the lesson, of its exercises."""
    return [int(number) for number in re.search(r"^(\d+) \+ (\d+) minutes", lesson.cells[0].source, re.M).groups()]


def note_minutes(lesson):
    """Return the minutes that the speaker's notes name, by part; the first note is for all before the first look."""
    found, name = Counter(), "Setup"
    for cell in lesson.cells:
        heading = re.match(r"##+ (.+)", cell.source)
        if lessons.is_note(cell):
            found[name] += int(re.match(r"(\d+) min\.\n", cell.source)[1])
        elif (
            cell.cell_type == "markdown"
            and heading
            and heading[1] not in ("You will be able to", "Where to go from here")
        ):
            name = re.sub(r"^(\d\.\d) .*", r"Exercise \1", heading[1])
    return dict(found)


def place(number, part):
    """Return the text of a part, named by its heading or by the beginning of it, such as ``Step 2``."""
    (text,) = [
        text for name, text in parts(LESSONS[int(number)]).items() if name == part or name.startswith(f"{part}:")
    ]
    return text


def order():
    """Return the table of the lessons, their minutes and sittings."""
    return rows(GUIDE, "| lesson | minutes | exercises | sittings")


@pytest.fixture(scope="module")
def sittings():
    """The tables of the sittings: {'4a': {part: (full, 50, 90)}}, minutes of a part that is left out being 0."""
    found = {}
    for name, body in re.findall(r"^### Sitting (\w+)\n(.*?)(?=^##)", GUIDE, re.M | re.S):
        table = rows(body, "part | full | 50 | 90 | left out in 50 minutes")
        found[name] = {row[0]: tuple(0 if cell == "-" else int(cell) for cell in row[1:4]) for row in table}
        for part, *_, left_out in table:
            full, short, long = found[name][part]
            if part not in BESIDES:
                assert left_out or short in (0, full), f"{name}, {part}: what is left out?"
                assert "90" in left_out or long in (0, full), f"{name}, {part}: what is left out in 90 minutes?"
    return found


def seconds():
    """Return how long each lesson takes to run, from the table of memory and time."""
    table = rows(GUIDE, "lesson | seconds | MiB at most | after it | alone")
    return {int(number): int(run) for number, run, *_ in table}


class TestGuide:
    def test_minutes_are_those_of_the_lessons(self):
        assert len(order()) == len(LESSONS)
        for number, title, lesson, exercises, _ in order():
            first = LESSONS[int(number)].cells[0].source
            assert first.startswith(f"# {number} · {title}\n")
            assert [int(lesson), int(exercises)] == minutes(LESSONS[int(number)])

    def test_sittings_have_every_part_of_every_lesson_in_order(self, sittings):
        for number, lesson in LESSONS.items():
            named = [part for name, table in sittings.items() if name[0] == str(number) for part in table]
            named = [part for part in named if part not in BESIDES and not part.startswith("Exercise")]
            skipped = {"", "You will be able to", "Open the box", "Exercises", "Where to go from here"}
            expected = [part for part in parts(lesson) if part not in skipped and not part.startswith("Exercise")]
            assert named == expected
        assert list(sittings) == re.findall(r"\d[ab]?", " ".join(row[4] for row in order()))

    def test_full_minutes_add_up_to_the_lesson(self, sittings):
        for number, lesson in LESSONS.items():
            tables = [table for name, table in sittings.items() if name[0] == str(number)]
            full = sum(m[0] for t in tables for part, m in t.items() if not part.startswith("Exercise"))
            assert full == minutes(lesson)[0], number

    @pytest.mark.parametrize("path", [50, 90])
    def test_each_path_adds_up(self, sittings, path):
        column = {50: 1, 90: 2}[path]
        assert {name: sum(m[column] for m in table.values()) for name, table in sittings.items()} == dict.fromkeys(
            sittings, path
        )
        for name, table in sittings.items():
            assert all(m[column] <= m[0] for part, m in table.items() if part not in BESIDES)
            assert list(table)[-1] == "Slack"
            assert table["Slack"][column] == SLACK
            assert any(m[column] for part, m in table.items() if part.startswith("Exercise")), f"{name}: no exercise"

    @pytest.mark.parametrize("path", [50, 90])
    def test_second_sittings_begin_with_the_time_that_the_first_part_takes_to_run(self, sittings, path):
        column = {50: 1, 90: 2}[path]
        for name, table in sittings.items():
            again = table.get("Run part a again")
            assert (again is not None) == name.endswith("b")
            if again:
                assert next(iter(table)) == "Run part a again"
                assert 60 * again[column] >= seconds()[int(name[0])], "the whole lesson takes longer than its part a"

    def test_the_plan_adds_up(self, sittings):
        *parts_of_it, (_, *total) = rows(GUIDE, "minutes of a course | 50 | 90")
        assert [sum(int(row[column]) for row in parts_of_it) for column in (1, 2)] == list(map(int, total))
        (row,) = [row for row in parts_of_it if "sittings" in row[0]]
        assert row[0] == f"{len(sittings)} sittings"
        assert row[1:] == [str(sum(m[c] for t in sittings.values() for m in t.values())) for c in (1, 2)]
        forms = [row for row in parts_of_it if "quiz" in row[0]]
        assert [row[1:] for row in forms] == [[str(quiz.minutes())] * 2] * len(quiz.FORMS)

    @pytest.mark.parametrize("path", [50, 90])
    @pytest.mark.parametrize("name", ["1", "8b"])
    def test_a_form_fits_into_slack_and_exercise_of_the_first_and_the_last_sitting(self, sittings, name, path):
        column = {50: 1, 90: 2}[path]
        assert (next(iter(sittings)), list(sittings)[-1]) == ("1", "8b")
        exercises = sum(m[column] for part, m in sittings[name].items() if part.startswith("Exercise"))
        assert exercises + sittings[name]["Slack"][column] >= quiz.minutes()

    def test_the_speakers_notes_take_as_long(self, sittings):
        for number, lesson in LESSONS.items():
            expected = {
                part: full for name, t in sittings.items() if name[0] == str(number) for part, (full, *_) in t.items()
            }
            expected |= {
                part: int(re.search(r"· (\d+) minutes", place(number, part))[1])
                for part in parts(lesson)
                if re.fullmatch(r"Exercise \d\.\d", part)
            }
            for name in BESIDES:
                expected.pop(name, None)
            assert note_minutes(lesson) == expected, number

    def test_exercises_take_the_minutes_that_they_say(self, sittings):
        for table in sittings.values():
            for part, (full, _, _) in table.items():
                if part.startswith("Exercise"):
                    heading = place(part.split()[1][0], part).splitlines()[0]
                    assert f"· {full} minutes" in heading

    def test_each_misconception_is_dispelled_where_it_says(self):
        found = rows(GUIDE, "students think | in truth | shown in")
        assert len(found) >= 12
        for _, _, where in found:
            number, part, words = re.fullmatch(r"lesson (\d), ([^:]+): `(.+)`", where).groups()
            assert words in place(number, part), where
            assert not set("*`_") & set(words), "so that a search in the rendered page finds them"
        assert {re.match(r"lesson (\d)", row[2])[1] for row in found} == {str(number) for number in LESSONS}

    def test_the_sum_for_a_class_is_right(self):
        sums = re.findall(r"^    ([\d+* ]+) = ([\d,]+) MiB, (\d+) GiB$", GUIDE, re.M)
        assert len(sums) == 2
        for left, total, gib in sums:
            exact = sum(math.prod(int(factor) for factor in term.split("*")) for term in left.split("+"))
            assert (int(total.replace(",", "")), int(gib)) == (exact, round(exact / 1024))
        memory = {
            int(row[0]): list(map(int, row[2:]))
            for row in rows(GUIDE, "lesson | seconds | MiB at most | after it | alone")
        }
        at_most, _, alone = memory[8]
        assert sums[1][0].startswith(f"30 * {at_most} +")
        assert f"Lesson 8 takes {at_most / 1024:.1f} GiB a kernel at most, {alone / 1024:.1f} of them alone" in SAID

    def test_the_wait_of_a_class_is_that_of_the_table(self):
        waits = re.findall(r"^    30 \* (\d+) / (\d+) = (\d+) seconds$", GUIDE, re.M)
        assert [int(run) for run, _, _ in waits] == [seconds()[2], seconds()[8]]
        for run, cores, total in waits:
            assert int(total) == round(30 * int(run) / int(cores))

    def test_solving_all_takes_as_long_as_running_all(self):
        assert f"Each takes {round(sum(seconds().values()) / 60)} minutes on one core" in SAID

    def test_commands_exist(self):
        typed = "\n".join(re.findall(r"^    .+$", GUIDE, re.M))
        targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)
        assert set(re.findall(r"\bmake (\w+)", typed)) <= set(targets)
        commands = (ROOT / "bertlab" / "__main__.py").read_text(encoding="utf-8")
        for name in set(re.findall(r"-m bertlab (\w+)", typed)):
            assert f'add_parser("{name}"' in commands
        for path in re.findall(r"\b(?:tests|notebooks)/\w+\.py", typed):
            assert (ROOT / path).is_file(), path


TOMORROW = GUIDE[GUIDE.index("## Tomorrow at nine") : GUIDE.index("## One week before")]


class TestTomorrow:
    def test_the_minutes_add_up(self):
        *tasks, (total, *_) = rows(TOMORROW, "minutes | do | with")
        assert len(tasks) > 3
        assert sum(int(row[0]) for row in tasks) == int(total)

    def test_the_lesson_is_run_in_the_time_that_is_planned_for_it(self):
        (planned,) = [int(row[0]) for row in rows(TOMORROW, "minutes | do | with") if "Run All Cells" in row[1]]
        assert 60 * planned >= max(seconds().values())

    @pytest.mark.browser
    def test_it_is_one_printed_page(self, page):
        from mistune import html

        rendered = html(TOMORROW)
        assert "<td>" in rendered
        page.set_content(f"<body style='font: 11pt/1.4 sans-serif'>{rendered}</body>")
        printed = page.pdf(format="A4", margin=dict.fromkeys(("top", "right", "bottom", "left"), "15mm"))
        assert len(re.findall(rb"/Type */Page\b", printed)) == 1


class TestAims:
    table = rows(GUIDE, "lesson | aim | exercises | quiz")

    def named(self, column):
        return [(int(row[0]), name) for row in self.table for name in row[column].split(", ") if name != "-"]

    def test_the_aims_are_those_of_the_lessons_in_their_order(self):
        aims = [
            (number, re.sub(r"[*`]", "", aim))
            for number, lesson in LESSONS.items()
            for aim in re.findall(r"^\d\. (.+)$", parts(lesson)["You will be able to"], re.M)
        ]
        assert len(aims) == len(self.table) >= 3 * len(LESSONS)
        for (number, aim), row in zip(aims, self.table, strict=True):
            assert int(row[0]) == number
            assert aim.startswith(row[1]), row
            assert len(row[1].split()) >= 4

    def test_each_exercise_has_its_aim(self):
        tagged = {
            (number, tag)
            for number, lesson in LESSONS.items()
            for cell in lesson.cells
            for tag in cell.metadata.get("tags", [])
            if "exercise" in cell.metadata.tags and re.fullmatch(r"\d\.\d", tag)
        }
        assert len(tagged) == 3 * len(LESSONS)
        assert set(self.named(2)) == tagged

    @pytest.mark.parametrize("form", quiz.FORMS)
    def test_each_question_of_the_quiz_has_its_aim(self, form):
        asked = {
            (int(re.match(r"Lesson (\d+),", question.place)[1]), str(number))
            for number, question in enumerate(quiz.questions(form), 1)
        }
        assert set(self.named(3)) == asked


class TestKernels:
    @pytest.fixture
    def kernels(self, monkeypatch):
        monkeypatch.syspath_prepend(ROOT / "instructors")
        return importlib.import_module("kernels")

    def test_what_is_written_stands_between_the_marks_alone(self, kernels):
        import pandas as pd

        found = pd.DataFrame(
            [
                {"lesson": 2, "kernels": 1, "seconds": 20.0, "processor": 18.0, "MiB": 800.0},
                {"lesson": 2, "kernels": 10, "seconds": 110.0, "processor": 200.0, "MiB": 7100.0},
            ]
        )
        done = kernels.section(found, "this machine")
        assert "| 2 | 1 | 20 | 18 | 800 | 1.0 | 1.0 |\n| 2 | 10 | 110 | 200 | 7,100 | 5.5 | 8.9 |" in done
        assert "    lesson 2: 30 * 20 / 8 = 75 seconds" in done
        assert "    lesson 2: 800 + 29 * 700 = 21,100 MiB" in done
        assert "    lesson 2: 800 + 29 * 800 = 24,000 MiB" in kernels.section(found[:1], "this machine")
        written = kernels.replaced(GUIDE, "kernels", done)
        assert written.count(done) == 1
        before, after = GUIDE.split("<!-- kernels -->")
        assert written.startswith(before)
        assert written.endswith(after.partition("<!-- -->")[2])
        with pytest.raises(ValueError, match="0 places"):
            kernels.replaced(before, "kernels", done)

    def test_all_kernels_are_at_work_at_once_and_the_largest_memory_counts(self, kernels, monkeypatch):
        started, looked_at = threading.Barrier(2, timeout=60), threading.Event()
        turn, memory = iter(range(2)), iter([10.0, 30.0, 20.0])

        def student(lesson, stack, folder):
            started.wait()  # would break if one ran after the other
            assert looked_at.wait(timeout=60)
            return os.getpid(), {0: 3.0, 1: 5.0}[next(turn)]

        def pss():
            value = next(memory, 5.0)
            if value == 20.0:
                looked_at.set()
            return value

        monkeypatch.setattr(kernels, "student", student)
        monkeypatch.setattr(kernels, "pss", pss)
        monkeypatch.setattr(kernels.time, "sleep", lambda seconds: None)
        found = kernels.at_once(Path("02.ipynb"), 2)
        assert (found["seconds"], found["MiB"]) == (5.0, 30.0)

    def test_a_student_that_fails_ends_all(self, kernels, monkeypatch):
        turn = iter(range(2))

        def student(lesson, stack, folder):
            if next(turn):
                raise RuntimeError("a cell has failed")
            return os.getpid(), 1.0

        monkeypatch.setattr(kernels, "student", student)
        with pytest.raises(RuntimeError, match="a cell has failed"):
            kernels.at_once(Path("02.ipynb"), 2)


def test_the_readme_leads_to_the_guide():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "## For instructors" in readme
    assert "](INSTRUCTORS.md)" in readme


class TestQuiz:
    @pytest.mark.parametrize("form", quiz.FORMS)
    @pytest.mark.parametrize("number", LESSONS)
    def test_each_lesson_is_asked_about_and_has_the_place_that_shows_the_answer(self, number, form):
        places = [question.place for question in quiz.questions(form) if question.place.startswith(f"Lesson {number},")]
        assert places
        for named in places:
            part, words = re.fullmatch(r"Lesson \d+, ([^:]+): (.+)", named).groups()
            assert words in place(number, part), named
            assert not set("*`_") & set(words), "so that a search in the rendered page finds them"

    @pytest.mark.parametrize("form", quiz.FORMS)
    def test_questions_follow_the_order_of_the_lessons(self, form):
        asked = [int(re.match(r"Lesson (\d+),", question.place)[1]) for question in quiz.questions(form)]
        assert asked == sorted(asked)
