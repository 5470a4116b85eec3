"""What stands on the slides of each lesson agrees with its notebook, and its sittings take the minutes they should."""

import re
from itertools import pairwise

import pytest

from bertlab import lessons
from bertlab_teaching import solving
from bertlab_teaching.slides import outline, plan, stored
from bertlab_teaching.slides.cells import Cells
from typed import without_code

MINUTES = re.compile(r"^\d+ min\.")
TIMED = re.compile(r"^[^:]+: \d+ minutes\.")
AGAIN = ("Run part a again", "Run part b again")  # where a sitting goes on after a break
BESIDES = (*AGAIN, "Own lines", "Slack")  # 10 minutes for what comes up
NO_PARTS = ("You will be able to", "Open the box", "Exercises", "Further", "To read", "Where to go from here")


class Slides:
    def __init__(self, path):
        self.notebook = solving.shown(path)
        self.number = str(int(path.stem[:2]))
        self.entries = outline.sittings(outline.of(path))
        self.sittings = plan.read(outline.of(path), self.notebook)
        self.all = [slide for sitting in self.sittings for slide in sitting.slides]
        self.written = [slide for slide in self.all if not slide.kind]
        self.headings = [part for part in Cells(self.notebook).headings if part not in NO_PARTS]

    def plan(self, name):
        """Return the plan of a sitting: minutes of 50 and of 90, and what they leave out, by part."""
        (entry,) = [entry for entry in self.entries if entry["name"] == name]
        return {self.heading(part): row for part, *row in entry["plan"]}

    def heading(self, part):
        return next((heading for heading in self.headings if heading.startswith(f"{part}:")), part)


@pytest.fixture(scope="module", params=lessons.paths(), ids=lambda path: path.stem)
def lesson(request):
    return Slides(request.param)


def seen(slide):
    """Return the words of a slide, those of its table, its lines or what its picture says too."""
    words = [slide.title, slide.caption, *slide.options, *getattr(slide.figure, "columns", [])]
    for row in getattr(slide.figure, "rows", []):
        words += row if isinstance(row, list) else [row]
    for kind, lines in slide.text:
        words += [line for line, _ in lines] if kind == "code" else lines
    return " ".join([*words, getattr(slide.figure, "alt", "")])


def test_the_sittings_have_every_part_of_the_lesson_in_its_order(lesson):
    names = "".join(sitting.name for sitting in lesson.sittings)
    assert names in (lesson.number, *("".join(lesson.number + part for part in parts) for parts in ("ab", "abc")))
    planned = [part for sitting in lesson.sittings for part in lesson.plan(sitting.name) if part not in BESIDES]
    parts = [part for part in lesson.headings if not re.match(r"\d+\.\d |Part [bc]: ", part)]
    assert [part for part in planned if not part.startswith("Exercise")] == parts


@pytest.mark.parametrize(("column", "path"), [(0, 50), (1, 90)])
def test_each_path_adds_up_and_has_an_exercise_and_slack(lesson, column, path):
    for sitting in lesson.sittings:
        rows = lesson.plan(sitting.name)
        assert sum(row[column] for row in rows.values()) == path, sitting.name
        assert list(rows)[-1] == "Slack"
        assert rows["Slack"] == [10, 10, ""]
        assert any(row[column] for part, row in rows.items() if part.startswith("Exercise"))
        assert (next(iter(rows)) in AGAIN) == sitting.name.endswith(("b", "c"))


def test_parts_come_in_the_plans_order_and_the_short_path_takes_what_the_plan_takes(lesson):
    for sitting in lesson.sittings:
        rows = lesson.plan(sitting.name)
        parts = list(dict.fromkeys(slide.part for slide in sitting.slides if slide.part))
        assert [part for part in rows if part in parts] == parts, sitting.name
        missing = {part for part in rows if part not in parts and rows[part][1] and part != "Check"}
        assert missing <= {"Setup", "What now", *BESIDES}, f"{sitting.name} leaves parts out"
        for part in parts:
            short = any(slide.short for slide in sitting.slides if slide.part == part)
            assert short == (rows[part][0] > 0), f"{sitting.name}, {part}"


def test_a_sitting_opens_with_its_agenda_and_ends_with_homework(lesson):
    promised = []
    for sitting in lesson.sittings:
        opening, agenda, *_, last = sitting.slides
        assert (opening.kind, agenda.kind, last.kind) == ("opening", "agenda", "homework"), sitting.name
        promised += dict(agenda.text)["points"]
        assert agenda.figure.rows[-1] == ["Slack", "10"]
        assert any(slide.kind == "exercise" for slide in sitting.slides)
    assert len(set(promised)) == 3, "each of the lesson's aims"


def test_a_deck_takes_a_sitting_and_each_slide_says_something(lesson):
    assert all(20 <= sum(not slide.kind for slide in sitting.slides) <= 30 for sitting in lesson.sittings)
    assert sum(bool(slide.figure) for slide in lesson.written) >= len(lesson.written) / 2, "slides show something"
    for slide in lesson.all:
        assert not re.search(r"^(Step \d|Look|Predict|Check|Recap|Setup|Exercise)\b|[.:]$", slide.title), slide.title


def test_every_paragraph_of_the_notes_is_on_one_slide(lesson):
    spoken = [paragraph for slide in lesson.all for note in slide.notes for paragraph in note.split("\n\n")]
    assert len(set(spoken)) == len(spoken), "a paragraph on two slides"
    shown = {slide.part for slide in lesson.all}
    part = ""
    for cell in lesson.notebook.cells:
        if lessons.is_note(cell):
            said = [paragraph for paragraph in cell.source.split("\n\n") if not MINUTES.fullmatch(paragraph)]
            left = [re.sub("<!--.*?-->", "", paragraph) for paragraph in said]
            assert set(left) <= set(spoken) or part not in shown, cell.id
        elif heading := re.match(r"#{2,3} (.+)", cell.source):
            part = heading[1]


def test_what_a_note_points_at_is_on_its_own_slide(lesson):
    for slide in lesson.all:
        for where in re.findall(r"^POINT AT (.+)", "\n\n".join(slide.notes), re.M):
            shown = slide.figure or {"code", "says"} & dict(slide.text).keys()
            assert shown, f"{slide.title}: there is nothing to point at"
            named = re.findall(r"`([^`]+)`|[“\"]([^”\"]+)[”\"]", re.split(r"[.:](?: |$)", where)[0])
            missing = [name for pair in named for name in pair if name and name not in seen(slide)]
            if isinstance(slide.figure, stored.Picture | stored.View):  # whose letters are not words in a file
                missing = [name for name in missing if re.search(r"[a-z]\w*[(_.]| [=@+*] ", name)]
            assert not missing, f"{slide.title}: {missing}"


def test_a_question_is_noted_and_the_models_own_answer_stands_on_the_next_slide(lesson):
    asked = [(slide, after) for slide, after in pairwise(lesson.all) if slide.options]
    assert asked
    for slide, after in asked:
        assert "ASK" in " ".join(slide.notes), slide.title
        assert after.figure or "says" in dict(after.text), slide.title
        assert (after.part, after.short, after.options) == (slide.part, slide.short, []), slide.title


def test_no_measurement_is_typed(lesson):
    for slide in lesson.all:
        typed = [slide.title, slide.caption, *dict(slide.text).get("points", [])]
        typed = [without_code(text) for text in typed]
        numbers = [text for text in typed if re.search(r"\d\.\d|\d ?%", text)]
        assert all(re.search(r"\b(19|20)\d\d\)", text) for text in numbers), "whose number is it?"
        assert "bertlab-mini" not in " ".join(typed), "what holds for it is taken from an output"
