"""The instructors' guide: what follows from other files is as these have it, and what it names is there."""

import importlib
import math
import os
import re
import threading
from pathlib import Path

import pytest

from bertlab.course import notebooks as lessons
from bertlab.course import quiz

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "INSTRUCTORS.md").read_text(encoding="utf-8")


@pytest.fixture
def instructors(monkeypatch):
    """Import a script of the folder `instructors`."""
    monkeypatch.syspath_prepend(ROOT / "instructors")
    return importlib.import_module


@pytest.fixture
def every(instructors):
    return [instructors("guide").Lesson(path) for path in lessons.paths()]


def rows(header, markdown=GUIDE):
    """Return the rows of the table that has this header, as lists of stripped cells."""
    table = re.search(rf"^\| *{re.escape(header)} *\|.*\n\|[-| ]+\|\n((?:\|.*\n)+)", markdown, re.M)
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table[1].splitlines()]


def part_of(lesson, name):
    """Return the text of a part of a lesson, named by how its heading begins."""
    found, text = "", {}
    for cell in lesson.notebook.cells:
        heading = re.match(r"##+ (.+)", cell.source)
        if not lessons.is_note(cell):
            found = heading[1] if heading and cell.cell_type == "markdown" else found
            text[found] = text.get(found, "") + cell.source + "\n"
    (part,) = [part for heading, part in text.items() if re.match(rf"{re.escape(name)}(:|$)", heading)]
    return part


def test_the_guide_is_as_its_lessons_slides_and_quiz_have_it(instructors):
    assert instructors("guide").written(GUIDE) == GUIDE, "run make guide"


def test_the_speakers_notes_take_the_minutes_of_the_lesson_and_of_its_exercises(every):
    for lesson in every:
        planned = [part for sitting in lesson.sittings for part, *_ in lesson.rows(sitting)]
        assert lesson.minutes.keys() <= {*planned, *(f"Exercise {lesson.number}.{i}" for i in (1, 2, 3))}
        whole, exercises = map(int, re.search(r"^(\d+) \+ (\d+) minutes", lesson.first, re.M).groups())
        of_exercises = {part: n for part, n in lesson.minutes.items() if part.startswith("Exercise")}
        assert (lesson.minutes.total() - sum(of_exercises.values()), sum(of_exercises.values())) == (whole, exercises)
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


def test_each_exercise_and_question_has_its_aim(every):
    for lesson in every:
        practised = {exercise for aim in lesson.quiz["practised"] for exercise in aim}
        assert practised == {f"{lesson.number}.{i}" for i in (1, 2, 3)}
        assert all(set(question["aims"]) <= {1, 2, 3} and question["aims"] for question in lesson.quiz["question"])


def test_each_misconception_and_each_answer_of_the_quiz_has_its_place_in_a_lesson(every):
    shown = [place.replace("`", "").capitalize() for *_, place in rows("students think | in truth | shown in")]
    asked = [question.place for form in quiz.FORMS for question in quiz.questions(form)]
    for places in (shown, asked):
        assert {re.match(r"Lesson (\d),", place)[1] for place in places} == {str(lesson.number) for lesson in every}
    for place in [*asked, *(where for *_, where in rows("students think | in truth | shown in"))]:
        number, part, words = re.fullmatch(r"[Ll]esson (\d), ([^:]+): `?(.+?)`?", place).groups()
        assert words in part_of(every[int(number) - 1], part), place
        assert not set("*`_") & set(words), "so that a search in the rendered page finds them"


def test_sums_for_a_class_are_right():
    measured = {row[0]: list(map(int, row[1:])) for row in rows("lesson | seconds | MiB at most | after it | alone")}
    sums = re.findall(r"^    ([\d+* ]+) = ([\d,]+) MiB, (\d+) GiB$", GUIDE, re.M)
    for left, total, gib in sums:
        exact = sum(math.prod(int(factor) for factor in term.split("*")) for term in left.split("+"))
        assert (int(total.replace(",", "")), int(gib)) == (exact, round(exact / 1024))
    assert sums[1][0].startswith(f"30 * {measured['8'][1]} +")
    waits = re.findall(r"^    30 \* (\d+) / (\d+) = (\d+) seconds$", GUIDE, re.M)
    assert [int(seconds) for seconds, *_ in waits] == [measured["2"][0], measured["8"][0]]
    assert all(int(total) == round(30 * int(seconds) / int(cores)) for seconds, cores, total in waits)
    *tasks, (total, *_) = rows("minutes | do | with")
    assert sum(int(minutes) for minutes, *_ in tasks) == int(total)


def test_commands_exist():
    typed = "\n".join(re.findall(r"^    .+$", GUIDE, re.M))
    commands = (ROOT / "bertlab" / "__main__.py").read_text(encoding="utf-8")
    assert not [name for name in set(re.findall(r"-m bertlab (\w+)", typed)) if f'"{name}"' not in commands]


@pytest.mark.browser
def test_tomorrow_is_one_printed_page(page):
    from mistune import html

    tomorrow = GUIDE[GUIDE.index("## Tomorrow at nine") : GUIDE.index("## One week before")]
    page.set_content(f"<body style='font: 11pt/1.4 sans-serif'>{html(tomorrow)}</body>")
    printed = page.pdf(format="A4", margin=dict.fromkeys(("top", "right", "bottom", "left"), "15mm"))
    assert len(re.findall(rb"/Type */Page\b", printed)) == 1


class TestKernels:
    def test_what_is_written_stands_between_the_marks_alone(self, instructors):
        import pandas as pd

        kernels = instructors("kernels")
        columns = ["lesson", "kernels", "seconds", "processor", "MiB"]
        found = pd.DataFrame([(2, 1, 20.0, 18.0, 800.0), (2, 10, 110.0, 200.0, 7100.0)], columns=columns)
        done = kernels.section(found, "this machine")
        assert "| 2 | 1 | 20 | 18 | 800 | 1.0 | 1.0 |\n| 2 | 10 | 110 | 200 | 7,100 | 5.5 | 8.9 |" in done
        assert "    lesson 2: 30 * 20 / 8 = 75 seconds" in done
        assert "    lesson 2: 800 + 29 * 700 = 21,100 MiB" in done
        before, after = GUIDE.split("<!-- kernels -->")
        written = kernels.replaced(GUIDE, "kernels", done)
        assert written == f"{before}<!-- kernels -->\n{done}\n<!-- -->{after.partition('<!-- -->')[2]}"
        with pytest.raises(ValueError, match="0 places"):
            kernels.replaced(before, "kernels", done)

    def test_all_kernels_are_at_work_at_once_and_the_largest_memory_counts(self, instructors, monkeypatch):
        kernels = instructors("kernels")
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
