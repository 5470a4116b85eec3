"""Every lesson has the same anatomy, short cells, captions, and stored outputs that are whole."""

import ast
import re
from itertools import pairwise

import pytest
from matplotlib.font_manager import findfont
from matplotlib.ft2font import FT2Font

from bertlab.attention.views import MIME
from bertlab.course import notebooks as lessons

PATHS = sorted(lessons.folder().glob("[0-9]*.ipynb"))
SECTIONS = [
    "You will be able to",
    "Setup",
    "Look",
    "Predict",
    "Open the box",
    "Check",
    "Where it fails",
    "Exercises",
    "Recap",
]
LONGEST_CELL = 12


@pytest.fixture(params=PATHS, ids=lambda path: path.stem)
def lesson(request):
    return lessons.read(request.param)


@pytest.fixture
def number(lesson):
    return int(lesson.cells[0].source[2])


def code(cells):
    return [cell for cell in cells if cell.cell_type == "code"]


def text(cells):
    return "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


def outputs_of(lesson):
    return [output for cell in code(lesson.cells) for output in cell.outputs]


def section(lesson, title):
    """Return the cells from a section's heading to the next one."""
    starts = [i for i, cell in enumerate(lesson.cells) if cell.source.startswith("## ")]
    here = next(i for i in starts if lesson.cells[i].source.splitlines()[0] == f"## {title}")
    after = next((i for i in starts if i > here), len(lesson.cells))
    return lesson.cells[here:after]


def asks_for_a_part(cell):
    return all(line.startswith("bert = bert.having(") for line in cell.source.splitlines())


def test_there_are_lessons():
    assert [path.stem[:2] for path in PATHS] == [f"{n:02d}" for n in range(1, len(PATHS) + 1)]


def test_title_question_and_minutes(lesson, request):
    first = lesson.cells[0].source.splitlines()
    path = request.node.callspec.params["lesson"]
    assert re.fullmatch(rf"# {int(path.stem[:2])} · \w[\w -]+", first[0])
    assert re.fullmatch(r"\*\*.+\?\*\*", first[2]), "the question that the lesson answers, in bold"
    minutes = re.match(r"\d+ \+ (\d+) minutes · builds on ", first[4])
    assert minutes
    assert int(minutes[1]) == sum(int(n) for n in re.findall(r"^### .+ · (\d+) minutes$", text(lesson.cells), re.M))


def test_the_sections_in_their_order(lesson):
    assert re.findall(r"^## (.+)$", text(lesson.cells), re.M) == SECTIONS


def test_headings_begin_their_cells(lesson):
    inside = [cell.source for cell in lesson.cells if cell.cell_type == "markdown" and re.search(r"\n#+ ", cell.source)]
    assert inside == []


def test_no_heading_level_is_skipped(lesson):
    levels = [len(marks) for marks in re.findall(r"^(#+) ", text(lesson.cells), re.M)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_three_observable_verbs(lesson):
    items = re.findall(r"^\d\. (.+)", text(section(lesson, "You will be able to")), re.M)
    assert len(items) == 3
    assert all(re.match(r"\*\*\w+\*\* ", item) for item in items)


def test_setup_is_one_cell_of_four_lines_then_the_map(lesson):
    setup, the_map, *asked = code(section(lesson, "Setup"))
    assert all(asks_for_a_part(cell) for cell in asked)
    lines = [line for line in setup.source.splitlines() if line]
    assert len(lines) <= 4
    assert lines[0] == "import bertlab"
    assert lines[-2:] == ["bert = bertlab.load()", "bert"]
    assert the_map.source.startswith("bertlab.figures.map_of_bert(bert, here=")


def test_the_lesson_takes_another_bert_only_in_a_cell_of_its_own(lesson):
    assert all(asks_for_a_part(cell) for cell in code(lesson.cells) if "bert = bert.having(" in cell.source)


def test_something_is_looked_at_before_any_theory(lesson):
    outputs = [output for cell in code(section(lesson, "Look")) for output in cell.outputs]
    assert any("image/png" in output.get("data", {}) for output in outputs)


def test_each_guess_is_blank_and_answered_by_the_next_cell(lesson):
    cells = code(lesson.cells)
    guesses = [i for i, cell in enumerate(cells) if re.match(r"guess\b", cell.source)]
    assert guesses
    assert code(section(lesson, "Predict"))[0].source.startswith("guess = None")
    for i in guesses:
        assert re.fullmatch(r"guess = None  # .+", cells[i].source)
        assert "bertlab.checks.reveal(guess, " in cells[i + 1].source


def test_three_to_six_steps_in_a_sitting_each_with_a_why(lesson):
    opened = text(section(lesson, "Open the box"))
    steps = re.split(r"^### ", opened, flags=re.M)[1:]
    sittings = [
        len(re.findall(r"^### ", part, re.M)) for part in re.split(r"^\*\*Here ends part a", opened, flags=re.M)
    ]
    assert len(sittings) <= 2
    assert all(3 <= count <= 6 for count in sittings)
    assert ("two sittings" in lesson.cells[0].source) == (len(sittings) == 2)
    assert [int(re.match(r"Step (\d): ", step)[1]) for step in steps] == list(range(1, len(steps) + 1))
    assert all("**Why.**" in step for step in steps)
    assert opened.count("**What to notice.**") >= 2


def test_the_check_compares_with_the_real_model(lesson):
    assert any("torch.testing.assert_close" in cell.source for cell in code(section(lesson, "Check")))


def test_where_it_fails_is_shown(lesson):
    assert any(cell.outputs for cell in code(section(lesson, "Where it fails")))


def test_three_exercises_each_with_stub_check_and_hints(lesson, number):
    cells = section(lesson, "Exercises")
    headings = re.findall(r"^### (.+)$", text(cells), re.M)
    kinds = []
    for i, heading in enumerate(headings, start=1):
        parts = re.fullmatch(rf"{number}\.{i} (.+) · (recall|modify|investigate) · (★+) · (\d+) minutes", heading)
        assert parts, heading
        kinds.append(parts[2])
        stub, check = [cell for cell in code(cells) if f"{number}.{i}" in cell.metadata.get("tags", [])]
        (name,) = lessons.solutions(stub.source)
        assert stub.metadata.tags == ["exercise", f"{number}.{i}"]
        assert check.metadata.tags == ["check", f"{number}.{i}"]
        assert stub.source.rstrip().endswith("return None")
        assert check.source.startswith("bertlab.checks.")
        assert f".{name}(" in check.source
        assert check.outputs[0]["data"]["text/plain"].startswith("not yet")
    assert kinds == ["recall", "modify", "investigate"]
    hints = [cell.source.count("<details>") for cell in cells if cell.source.startswith("### ")]
    assert len(hints) == 3
    assert min(hints) >= 2, "hints come in layers"


def test_recap_has_three_sentences_a_table_and_the_way_on(lesson):
    recap = text(section(lesson, "Recap"))
    assert len(re.findall(r"^\d\. ", recap, re.M)) == 3
    assert "| Name | Shape | Meaning |" in recap
    for part in ("**Previous lesson:**", "**Next lesson:**", "**To read**"):
        assert part in recap
    for link in re.findall(r"\]\(([^)]+\.ipynb)\)", recap):
        assert (lessons.folder() / link).is_file(), link


def test_cells_are_short(lesson):
    lengths = {cell.source.splitlines()[0]: len(cell.source.splitlines()) for cell in code(lesson.cells)}
    assert {line: n for line, n in lengths.items() if n > LONGEST_CELL} == {}


@pytest.mark.parametrize(
    "banned", ["sys.path", "%pip", "!pip", "%matplotlib", "warnings.", "NBVAL", "noqa", "type: ignore", "os.environ"]
)
def test_nothing_stands_in_a_cell_that_is_not_the_lesson(lesson, banned):
    assert not [cell.source for cell in code(lesson.cells) if banned in cell.source]


def test_markdown_holds_no_markup_but_hints(lesson):
    allowed = {"details", "summary", "code", "i", "b"}
    assert set(re.findall(r"</?(\w+)[^>]*>", re.sub(r"`[^`]*`", "", text(lesson.cells)))) <= allowed


def test_no_character_is_a_box_where_few_fonts_are_installed(lesson):
    """DejaVu Sans comes with matplotlib, and with nearly every Linux; emoji are in a font of their own."""
    known = FT2Font(findfont("DejaVu Sans")).get_charmap()
    shown = "".join(cell.source + str(cell.get("outputs", "")) for cell in lesson.cells)
    assert {character for character in shown if ord(character) not in known} - {"\n"} == set()


def test_outputs_are_stored_from_one_run_top_to_bottom(lesson):
    cells = code(lesson.cells)
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    outputs = outputs_of(lesson)
    assert len(outputs) >= len(cells) / 2
    assert not [output for output in outputs if output.output_type == "error"]
    assert not [output for output in outputs if output.get("name") == "stderr"]
    stored = [output.data for cell in lessons.tagged(lesson, "view") for output in cell.outputs]
    assert len(stored) == len(list(lessons.tagged(lesson, "view")))
    assert all(data.keys() == {MIME, "text/plain"} for data in stored), "of a view, what it shows and not its page"


def test_nothing_escapes_comparison_but_interactive_views(lesson):
    tagged = [set(cell.metadata.get("tags", [])) for cell in lesson.cells]
    assert all(("view" in tags) == ("nbval-ignore-output" in tags) for tags in tagged)
    assert not [tag for tags in tagged for tag in tags if tag.startswith("nbval-") and tag != "nbval-ignore-output"]
    drawn = [any(MIME in output.get("data", {}) for output in cell.get("outputs", [])) for cell in lesson.cells]
    assert drawn == ["view" in tags for tags in tagged]


def test_no_output_shows_an_object_by_its_address(lesson):
    shown = [str(output.get("text") or output.get("data", {}).get("text/plain", "")) for output in outputs_of(lesson)]
    assert not [text for text in shown if re.search(r" at 0x[0-9a-f]{6,}", text)]


def test_every_figure_has_its_caption_below(lesson):
    figures = 0
    for cell in code(lesson.cells):
        for i, output in enumerate(cell.outputs):
            if "image/png" in output.get("data", {}):
                figures += 1
                below = cell.outputs[i + 1]
                caption = below["data"]["text/plain"]
                assert len(caption.split()) >= 10
                assert output.metadata["image/png"]["alt"] == caption
                assert "<b>Figure.</b>" in below["data"]["text/html"]
    assert figures >= 3


def test_a_figure_is_one_call_at_the_end_of_its_cell(lesson):
    call = re.compile(r"^bertlab\.(\w+\.)?figures\.\w+\(", re.M)
    for cell in code(lesson.cells):
        draws = any("image/png" in output.get("data", {}) for output in cell.outputs)
        assert len(call.findall(cell.source)) == draws, cell.source
        if draws:
            last = ast.parse(cell.source).body[-1]
            assert call.match(ast.unparse(last)), "the last line shows it"
        if "figure" in cell.metadata.get("tags", []):
            assert draws, "tagged as a figure"


def test_metadata_is_normalised(lesson):
    assert lesson.metadata == {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    assert all(set(cell.metadata) <= {"tags", "slideshow"} for cell in lesson.cells)
    kinds = [cell.metadata["slideshow"] for cell in lesson.cells if "slideshow" in cell.metadata]
    assert all(kind == {"slide_type": "notes"} for kind in kinds), "what is on the slides stands in their own file"


def test_text_holds_no_formula_that_only_a_network_could_draw(lesson):
    assert "$" not in text(lesson.cells)


def test_prose_has_no_typed_measurements(lesson):
    # Two decimals are how the lessons print what they measure: in prose they could only be typed in.
    assert not re.findall(r"\b\d\.\d\d\b", text(lesson.cells))


CONDITIONAL = (
    r"\b[Ii]f (?:(?:the|its|their|these|this|that|both|two|a) )?(?:\w+ ){0,2}?"
    r"(?:captions?|figures?|pictures?|shares?|numbers?|lines?|bars?|points|shapes|intervals?|differences?) "
    r"(?:is|are|ends?|says?|lies?|differs?|shows?|rises?|falls?|names?)\b"
    r"|\b[Ii]f (?:it|they|both) (?:says?|does|do|ends?|lie|is clearly)\b"
    r"|\b[Ww]here (?:it|that|this) is (?:nearly|about|clearly|near|high|low)\b"
)
"""A verdict left to the reader: what this model shows is said in a sentence that is computed from its values."""


def test_no_verdict_is_left_to_the_reader(lesson):
    read = [cell.source for cell in lesson.cells if not lessons.is_note(cell)]
    assert [match[0] for source in read for match in re.finditer(CONDITIONAL, source)] == []


@pytest.mark.parametrize(
    "verdict",
    [
        "If the caption ends in No, then",
        "if the two shapes lie apart",
        "If it says No",
        "If the share is near one half",
        "if it does, and the twin does not",
        "Where it is about half, the senses are mixed",
    ],
)
def test_a_verdict_left_to_the_reader_is_found(verdict):
    assert re.search(CONDITIONAL, verdict)


def test_speakers_notes_have_minutes_and_what_to_ask(lesson):
    cells = lesson.cells
    notes = [cell.source for cell in cells if lessons.is_note(cell)]
    for note in notes:
        assert re.match(r"\d+ min\.\n\n", note), note[:40]
        assert 30 <= len(note.split()) <= (150 if note is notes[0] else 125), "read at a glance"
        assert not re.search(r"\*|<\w|^#|https?:", note, re.M), "the speaker's view shows it as it is typed"
    assert "PLAN." in notes[0]
    assert "SHORT OF TIME:" in notes[0]
    assert sum("USUALLY " in note for note in notes) >= len(notes) / 2, "what students say, or write"
    for guess, note in pairwise(cells):
        if re.match(r"guess\b", guess.source):
            assert lessons.is_note(note)
            assert "ASK" in note.source
