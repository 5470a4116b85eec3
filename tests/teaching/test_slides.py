"""Slides of each lesson, and of the one session, agree with its notebook and take the minutes that they should."""

import re
from itertools import pairwise

import pytest

import bertlab
from bertlab import lessons
from bertlab_teaching import decks, solving
from bertlab_teaching.slides import outline, plan, session, stored
from bertlab_teaching.slides.cells import Cells
from pages import page
from typed import without_code

MINUTES = re.compile(r"^\d+ min\.")
TIMED = re.compile(r"^[^:]+: \d+ minutes\.")
AGAIN = ("Run part a again", "Run part b again")  # where a sitting goes on after a break
BESIDES = (*AGAIN, "Own lines", "Slack")  # 10 minutes for what comes up
NO_PARTS = ("You will be able to", "Open the box", "Exercises", "Further", "To read", "Where to go from here")


class Slides:
    def __init__(self, path):
        self.path, self.notebook = path, solving.shown(path)
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
        assert any(slide.kind == "exercise" for slide in sitting.slides)
    assert len(set(promised)) == 3, "each of the lesson's aims"


@pytest.mark.parametrize(("column", "path"), [(0, 50), (1, 90)])
def test_a_paths_minutes_are_in_the_agenda_in_the_notes_and_in_the_foot(lesson, column, path):
    sittings = plan.read(outline.of(lesson.path), lesson.notebook, short=path == 50)
    for sitting, entry in zip(sittings, lesson.entries, strict=True):
        minutes = {part: row[column] for part, *row in entry["plan"]}
        agenda, *_ = [slide for slide in sitting.slides if slide.kind == "agenda"]
        assert agenda.title.startswith(f"The plan of {path} minutes, ")
        assert agenda.figure.rows == [[lesson.heading(part), str(taken)] for part, taken in minutes.items() if taken]
        taken = {lesson.heading(part): taken for part, taken in minutes.items()}
        feet = [foot.text for foot in page(decks.deck(sitting)).select("footer")]
        beyond = [slide.part != "" and not taken[slide.part] for slide in sitting.slides]
        assert [f"beyond the {path} minutes" in foot for foot in feet] == beyond
        begun = {slide.part for slide in sitting.slides if slide.short or path == 90}
        said = [f"{part}: {n} minutes." for part, n in minutes.items() if n and lesson.heading(part) in begun]
        assert [slide.notes[0] for slide in sitting.slides if slide.notes and TIMED.match(slide.notes[0])] == said


def test_an_exercise_has_its_task_its_stub_its_first_hint_and_its_notes(lesson):
    for slide in (slide for slide in lesson.all if slide.kind == "exercise"):
        number = slide.part.split()[1]
        (stub,) = solving.tagged(lesson.notebook, "exercise", number)
        (head, docstring, *_), ((_, [task]), code, (_, [hint])) = stub.source.splitlines(), slide.text
        assert any(cell.source.startswith(f"### {number} {slide.title} · ") for cell in lesson.notebook.cells)
        assert docstring.strip().startswith(f'"""{task.replace("`", "")[:20]}')
        assert not {*re.findall(r"\w+", re.sub("`.*?`", "", task))} & {*re.findall(r"\w+", head.partition("(")[2])}
        assert code == ("code", [(head, False)])
        assert re.match(r"\*First hint\.\* [\w`]", hint)
        assert not re.search(r"</?\w|&\w+;", hint), "the lesson's markup is the slides'"
        (noted,) = [cell for cell in lesson.notebook.cells if cell.source.endswith(slide.notes[-1])]
        assert lessons.is_note(noted)


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


@pytest.fixture(scope="module")
def sitting():
    """The session about all of BERT, whose deck stands outside the lessons."""
    (only,) = plan.read(outline.of(session.path()), session.shown(session.path()))
    return only


@pytest.mark.parametrize(("column", "path"), [(1, 50), (2, 90)])
def test_both_paths_of_the_session_add_up_and_take_slides_of_the_parts_that_have_minutes(sitting, column, path):
    (entry,) = outline.sittings(outline.of(session.path()))
    minutes = {row[0]: row[column] for row in entry["plan"]}
    assert sum(minutes.values()) == path
    taken = {slide.part for slide in sitting.slides if slide.part and (slide.short or path == 90)}
    assert taken == {part for part, number in minutes.items() if number} - {"Slack"}


def test_each_guess_of_the_session_is_answered_on_both_paths_by_an_output_and_no_measurement_is_typed(sitting):
    asked = [(slide, after) for slide, after in pairwise(sitting.slides) if slide.options]
    assert len(asked) >= 6
    for slide, after in asked:
        assert after.figure or "says" in dict(after.text), slide.title
        assert (after.part, after.options) == (slide.part, []), slide.title
        assert after.short or not slide.short, slide.title
    for slide in sitting.slides:
        typed = [slide.title, slide.caption, *dict(slide.text).get("points", []), *slide.notes]
        assert not re.search(r"\d\.\d|\d ?%", " ".join(typed)), slide.title


def test_what_the_slides_of_the_session_say_holds(bert):
    """Of what no output on a slide shows: `tests/live/test_live.py` has what the page's own questions say."""
    first = bertlab.masking.fill_mask(bert, "The [MASK] sat on the mat.", top_k=5)["piece"].tolist()
    assert first == ["boy", "man", "children", "girl", "men"]


def test_the_command_writes_the_sessions_deck_first_and_the_live_page_beside_it(tmp_path, monkeypatch):
    monkeypatch.setattr("bertlab.page.page_parts", lambda: iter(["{}", "AAAA"]))
    index, *written = decks.build(tmp_path, chosen=["one", "3"])
    assert [path.name for path in written] == ["one_session.html", "3_contextual_vectors.html"]
    opening = page(written[0].read_text("utf-8")).select(".opening :is(.lesson, h1, .sitting)")
    assert [element.text for element in opening] == ["One session", "What happens inside a BERT?", ""]
    heads = [heading.text for heading in page(index.read_text("utf-8")).find_all("h2")]
    assert heads == ["One session", lessons.read(lessons.paths()[2]).cells[0].source.partition("\n")[0][2:]]
    assert (tmp_path / "live.html").is_file()


def test_a_deck_is_its_path_and_what_is_beyond_it_comes_only_when_asked(tmp_path):
    (sitting,) = plan.read(outline.of(lessons.paths()[2]), solving.shown(lessons.paths()[2]))
    beyond = sum(bool(slide.beyond) for slide in sitting.slides)
    assert beyond >= 3
    for further, more in ((False, 0), (True, beyond)):
        _, deck = decks.build(tmp_path / str(further), chosen=["3"], further=further, page="live.html")
        feet = [foot.text for foot in page(deck.read_text("utf-8")).select("footer")]
        assert sum("beyond the 90 minutes" in foot for foot in feet) == more
        count = len(sitting.slides) - beyond + more
        assert [foot.rpartition("|")[2].strip() for foot in feet] == [f"{i} / {count}" for i in range(1, count + 1)]
