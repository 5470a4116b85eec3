"""Every lesson has the same anatomy, short cells, captions, and stored outputs that are whole."""

import ast
import re
from itertools import pairwise

from bertlab import lessons
from bertlab.attention.views import MIME
from bertlab_teaching import running, solving
from bertlab_teaching.slides import plan
from ranges import range_of

PATHS = lessons.paths()
SECTIONS = ["You will be able to", "Setup", "Look", "Predict", "Open the box", "Check", "Where it fails"]
SECTIONS += ["And in a GPT?", "Recap", "Exercises", "Further", "To read"]
MINUTES = r"Core: \d+(?: \+ \d+)* minutes(?: in \w+ sittings, with (?:a break|breaks) after steps? [\d and]+)?"
MINUTES += r"(?: · further sections: \d+)? · exercises: \d+"
OTHER_BERT = "The numbers in this text are bertlab-mini's. If you load another BERT, the outputs show its own numbers."
BANNED = ["sys.path", "%pip", "!pip", "%matplotlib", "warnings.", "NBVAL", "noqa", "type: ignore", "os.environ"]


def code(cells):
    return [cell for cell in cells if cell.cell_type == "code"]


def text(cells):
    return "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


def section(lesson, title):
    """Return the cells from a section's heading to the next one."""
    starts = [i for i, cell in enumerate(lesson.cells) if cell.source.startswith("## ")]
    start = next(i for i in starts if lesson.cells[i].source.splitlines()[0] == f"## {title}")
    after = next((i for i in starts if i > start), len(lesson.cells))
    return lesson.cells[start:after]


def bundles(cell):
    return [output.get("data", {}) for output in cell.get("outputs", [])]


def test_title_question_minutes_and_sections_in_their_order(lesson, path):
    title, _, question, _, minutes, *_ = lesson.cells[0].source.splitlines()
    number = PATHS.index(path) + 1
    assert re.fullmatch(rf"# {number} · \w[\w -]+", title)
    assert path.stem.startswith(f"{number:02}_")
    assert re.fullmatch(r"\*\*.+\?\*\*", question), "the question that the lesson answers, in bold"
    assert re.match(rf"{MINUTES} · builds on ", minutes)
    assert re.findall(r"^## (.+)$", text(lesson.cells), re.M) == SECTIONS
    levels = [len(marks) for marks in re.findall(r"^(#+) ", text(lesson.cells), re.M)]
    assert all(after <= before + 1 for before, after in pairwise(levels)), "no heading level is skipped"
    aims = re.findall(r"^\d\. (.+)", text(section(lesson, "You will be able to")), re.M)
    assert [re.match(r"\*\*\w+\*\* ", aim) is not None for aim in aims] == [True] * 3, "three observable verbs"


def test_the_first_cell_shows_the_picture_that_stands_for_the_lesson_and_says_what_it_is(lesson, path):
    first = lesson.cells[0]
    picture = plan.picture(path, lesson)
    assert first.attachments == {"picture.png": {"image/png": running.opening(picture.png)}}, "run the lesson again"
    (alt,) = re.findall(r"^!\[(.+)\]\(attachment:picture\.png\)$", first.source, re.M)
    assert len(alt.split()) > 10
    assert re.fullmatch(r"\*\w.+\.\*", first.source.split("\n\n")[4]), "a caption"


def test_setup_is_one_cell_of_four_lines_then_the_map(lesson):
    setup, the_map, *asked = [cell.source for cell in code(section(lesson, "Setup"))]
    lines = [line for line in setup.splitlines() if line]
    assert len(lines) <= 4
    assert (lines[0], *lines[-2:]) == ("import bertlab", "bert = bertlab.load()", "bert")
    assert text(section(lesson, "Setup")).count(OTHER_BERT) == 1
    assert the_map.startswith("bertlab.figures.map_of_bert(bert, here=")
    once_more = [cell for cell in code(lesson.cells) if not {"part-b", "part-c"} & {*cell.metadata.get("tags", [])}]
    asked += [cell.source for cell in once_more if "bert = bert.having(" in cell.source]
    assert all(line.startswith("bert = bert.having(") for source in asked for line in source.splitlines())


def test_each_guess_is_blank_noted_and_answered_by_the_next_cell(lesson):
    assert code(section(lesson, "Predict"))[0].source.startswith("guess = None")
    cells = [cell for cell in lesson.cells if cell.cell_type == "code" or lessons.is_note(cell)]
    for i in [i for i, cell in enumerate(cells) if re.match(r"guess\b", cell.source)]:
        guess, note, reveal = cells[i : i + 3]
        assert re.fullmatch(r"guess = None  # .+", guess.source)
        assert lessons.is_note(note)
        assert "ASK" in note.source
        assert "bertlab.checks.reveal(guess, " in reveal.source


def test_three_to_six_steps_in_a_sitting_each_with_a_why_and_a_check_with_the_real_model(lesson):
    opened = text(section(lesson, "Open the box"))
    sittings = [part.count("### Step") for part in re.split(r"^\*\*Part [ab] ends here", opened, flags=re.M)]
    assert all(3 <= count <= 6 for count in sittings)
    assert len(sittings) == 1 + lesson.cells[0].source.partition(" minutes")[0].count(" + ")
    steps = re.findall(r"^### Step (\d+): (.+?)(?=^### |\Z)", opened, re.M | re.S)
    assert [int(number) for number, _ in steps] == list(range(1, sum(sittings) + 1))
    assert all("**Why.**" in step for _, step in steps)
    assert any("torch.testing.assert_close" in cell.source for cell in code(section(lesson, "Check")))


def test_what_goes_further_says_so_behind_the_exercises_and_each_paper_to_read_is_a_link(lesson):
    marked = {cell.id for cell in lesson.cells if "further" in cell.metadata.get("tags", [])}
    assert marked == {cell.id for cell in lesson.cells if re.match(r"#+ .+\n\n\*Further", cell.source)}
    inside = {cell.id for cell in section(lesson, "Further")}
    assert marked <= inside
    assert len(marked) <= 4 * (1 + lesson.cells[0].source.partition(" minutes")[0].count(" + "))
    entries = re.findall(r"^- (.+)", text(section(lesson, "To read")), re.M)
    assert entries
    assert [entry for entry in entries if "](https://" not in entry] == []


def test_exercises_of_each_kind_each_with_stub_check_and_hints(lesson, path):
    cells = section(lesson, "Exercises")
    headings = re.findall(r"^### (.+)$", text(cells), re.M)
    kinds = []
    for i, heading in enumerate(headings, start=1):
        number = f"{int(path.stem[:2])}.{i}"
        title = re.fullmatch(rf"{number} (.+) · (recall|modify|investigate) · (★+) · (\d+) minutes", heading)
        assert title, f"{heading!r} is no {number} name · kind · stars · minutes"
        kinds.append(title[2])
        stub, check = [cell for cell in code(cells) if number in cell.metadata.get("tags", [])]
        (name,) = solving.solutions(stub.source)
        assert (stub.metadata.tags, check.metadata.tags) == (["exercise", number], ["check", number])
        assert stub.source.rstrip().endswith("return None")
        assert re.match(rf'bertlab\.checks\.exercise\(\s*"{number}", {name}\b', check.source)
        assert check.outputs[0]["data"]["text/plain"].startswith("not yet")
    assert set(kinds) == {"recall", "modify", "investigate"}
    hints = [cell.source.count("<details>") for cell in cells if cell.source.startswith("### ")]
    assert min(hints) >= 2, "hints come in layers"


def test_cells_are_short_and_a_folded_one_has_a_label_no_idea_and_nothing_to_change(lesson):
    for cell in code(lesson.cells):
        assert len(cell.source.splitlines()) <= 12, cell.source
        assert not [banned for banned in BANNED if banned in cell.source], cell.source
        if not cell.metadata.get("jupyter"):
            continue
        tags = [tag for tag in cell.metadata.get("tags", []) if not tag.startswith("within-")]
        assert not tags or "gap-check" in tags, cell.source
        assert re.match(r"# \w", cell.source), cell.source
        assert not re.search(r"^def |^guess|no_grad|as you like|or yours", cell.source, re.M), cell.source


def test_markdown_holds_one_picture_no_markup_but_hints_and_no_formula(lesson):
    prose = text(lesson.cells)
    assert prose.count("![") == 1, "VS Code and GitHub show no attachment in <img>"
    allowed = {"details", "summary", "code", "i", "b"}
    assert set(re.findall(r"</?(\w+)[^>]*>", re.sub(r"`[^`]*`", "", prose))) <= allowed
    assert "$" not in prose, "only a network could draw a formula"


def test_outputs_are_stored_from_one_run_top_to_bottom(lesson):
    cells = code(lesson.cells)
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    outputs = [output for cell in cells for output in cell.outputs]
    assert len(outputs) >= len(cells) / 2
    for output in outputs:
        assert (output.output_type == "error", output.get("name") == "stderr") == (False, False)
        shown = str(output.get("text") or output.get("data", {}).get("text/plain", ""))
        assert not re.search(r" at 0x[0-9a-f]{6,}", shown), "an object by its address"


WIDE = {"39863c8a": 1.6}  # one run, beside ten recorded ones that lie as far apart


def test_nothing_escapes_comparison_but_interactive_views_stored_without_their_page(lesson, path):
    for cell in lesson.cells:
        within = range_of(cell)
        assert within is None or (path.stem[:2] in ("07", "08") and 0 < within <= WIDE.get(cell.id, 0.1))
        tags = cell.metadata.get("tags", [])
        drawn = any(MIME in data for data in bundles(cell))
        assert [tag for tag in tags if tag.startswith("nbval-")] == ["nbval-ignore-output"] * drawn
        assert ("view" in tags) == drawn
        assert not drawn or [data.keys() for data in bundles(cell)] == [{MIME, "text/plain"}]


def test_every_figure_is_one_call_that_ends_its_cell_with_its_caption_below(lesson):
    call = re.compile(r"^bertlab\.(\w+\.)?figures\.\w+\(", re.M)
    figures = 0
    for cell in code(lesson.cells):
        drawn = [i for i, data in enumerate(bundles(cell)) if "image/png" in data]
        assert len(call.findall(cell.source)) == len(drawn) <= 1, cell.source
        for i in drawn:
            figures += 1
            assert call.match(ast.unparse(ast.parse(cell.source).body[-1])), "the last line shows it"
            below = cell.outputs[i + 1]["data"]
            assert cell.outputs[i].metadata["image/png"]["alt"] == below["text/plain"]
            assert "<b>Figure.</b>" in below["text/html"]
            assert len(below["text/plain"].split()) <= 45, "a caption is one or two sentences"
    assert figures >= 3


def test_metadata_is_normalised_and_speakers_notes_are_read_at_a_glance(lesson):
    assert all(set(cell.metadata) <= {"tags", "slideshow", "jupyter"} for cell in lesson.cells)
    assert all(cell.metadata.get("jupyter") in (None, {"source_hidden": True}) for cell in lesson.cells)
    for note in (cell.source for cell in lesson.cells if "slideshow" in cell.metadata):
        assert re.match(r"\d+ min\.\n\n", note), note[:40]
        assert len(note.split()) <= 150
        assert not re.search(r"\*|<\w|^#|https?:", note, re.M), "the speaker's view shows it as it is typed"
