"""What stands on the slides of each lesson agrees with its notebook and with the sittings of the instructors' guide."""

import re
from itertools import pairwise
from pathlib import Path

import pytest

from bertlab.course import notebooks as lessons
from bertlab.course.slides import plan, stored

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "INSTRUCTORS.md").read_text(encoding="utf-8")
PATHS = [path for path in lessons.paths() if plan.source(path)]


@pytest.fixture(scope="module", params=PATHS, ids=lambda path: path.stem)
def lesson(request):
    return request.param


@pytest.fixture(scope="module")
def sittings(lesson):
    return plan.read(plan.source(lesson), lessons.read(lesson))


def table(sitting):
    """Return the guide's table of a sitting: {part: its minutes on the short path, 0 where it is left out}."""
    body = GUIDE[GUIDE.index(f"### Sitting {sitting}\n") :].partition("\n#")[0]
    rows = re.findall(r"^\| ([^|]+) \| \d+ \| (\d+|-) \| ", body, re.M)
    return {part.strip(): int(minutes.replace("-", "0")) for part, minutes in rows if part != "part"}


def texts(slide):
    return [slide.title, slide.caption, *slide.points]


def test_the_sittings_are_those_of_the_guide(lesson, sittings):
    number = lesson.stem[1]
    assert [sitting.name for sitting in sittings] == re.findall(rf"^### Sitting ({number}[ab]?)$", GUIDE, re.M)


def test_parts_come_in_the_guides_order_and_the_short_path_takes_what_the_guide_takes(sittings):
    for sitting in sittings:
        minutes = table(sitting.name)
        parts = list(dict.fromkeys(slide.part for slide in sitting.slides if slide.part))
        assert [part for part in minutes if part in parts] == parts, sitting.name
        missing = [part for part in minutes if part not in parts and not re.match(r"Exercise|Questions|Check", part)]
        assert set(missing) <= {"Setup", "What now"}, f"{sitting.name} leaves parts out"
        for part in parts:
            short = any(slide.short for slide in sitting.slides if slide.part == part)
            assert short == (minutes[part] > 0), f"{sitting.name}, {part}"


def test_a_deck_takes_a_sitting(sittings):
    for sitting in sittings:
        assert 20 <= len(sitting.slides) <= 30
        assert sum(bool(slide.figure) for slide in sitting.slides) >= len(sitting.slides) / 2, "slides show something"


def test_every_note_is_on_one_slide(lesson, sittings):
    spoken = [note for sitting in sittings for slide in sitting.slides for note in slide.notes]
    assert len(set(spoken)) == len(spoken), "a note on two slides"
    parts = {slide.part for sitting in sittings for slide in sitting.slides}
    part, lost = "", []
    for cell in lessons.read(lesson).cells:
        heading = re.match(r"#{2,3} (.+)", cell.source)
        part = heading[1] if heading and cell.cell_type == "markdown" and not lessons.is_note(cell) else part
        if lessons.is_note(cell) and part in parts and cell.source not in spoken:
            lost.append(cell.id)
    assert lost == []


def test_a_question_is_noted_before_its_answer(sittings):
    slides = [slide for sitting in sittings for slide in sitting.slides]
    for slide, answer in pairwise(slides):
        if slide.options:
            assert "ASK" in " ".join(slide.notes), slide.title
            assert answer.says or answer.figure, "the answer is the model's own"


def test_a_title_claims_or_asks(sittings):
    for slide in (slide for sitting in sittings for slide in sitting.slides):
        assert len(slide.title.split()) >= 4, slide.title
        assert not slide.title.endswith((".", ":")), slide.title
        assert not re.match(r"(Step \d|Look|Predict|Check|Recap|Setup|Exercise)\b", slide.title), slide.title


def test_no_measurement_is_typed(sittings):
    for slide in (slide for sitting in sittings for slide in sitting.slides):
        typed = [text for text in texts(slide) if re.search(r"\d\.\d|\d ?%", text)]
        assert [text for text in typed if not re.search(r"\b(19|20)\d\d\b", text)] == [], "whose number is it?"
        assert "bertlab-mini" not in " ".join(texts(slide)), "what holds for it is taken from an output"


def test_pictures_are_those_that_are_stored_with_their_whole_captions(lesson, sittings):
    alts = [
        output.metadata["image/png"]["alt"]
        for cell in lessons.read(lesson).cells
        for output in cell.get("outputs", [])
        if "image/png" in output.get("data", {})
    ]
    pictures = [
        slide.figure for sitting in sittings for slide in sitting.slides if type(slide.figure) is stored.Picture
    ]
    assert pictures
    assert {picture.alt for picture in pictures} <= set(alts)


def test_there_are_slides_for_lessons_only():
    files = {path.stem for path in Path(plan.__file__).parent.glob("*.toml")}
    assert files <= {path.stem for path in lessons.paths()}
    assert files
