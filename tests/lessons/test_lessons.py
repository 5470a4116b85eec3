"""Each lesson run: as it is handed out and solved where numbers round otherwise, and on other BERTs.

For another processor no number that a lesson prints may lie at its rounding edge.
"""

import nbformat
import pytest

from bertlab import lessons
from bertlab_teaching import running, solving
from ranges import range_of, settle

# Runs before a lesson's first cell: from then on, what any matrix or LayerNorm returns is off in its last bits. The
# sine of a large multiple of a number is as good as chance, and the same for the same number, as rounding is.
NUDGE = """
import torch

def nudged(module, inputs, output):
    if isinstance(module, torch.nn.Linear | torch.nn.LayerNorm):
        last_bits = torch.finfo(output.dtype).eps * output.detach().abs().amax(-1, keepdim=True)
        return output + {size} * last_bits * torch.sin(1e6 * output.detach())

torch.nn.modules.module.register_module_forward_hook(nudged)
"""
# Measured on hidden states of 40 sentences: 6 times as far off as by the oldest instruction set, on logits 3 times.
SIZE = 3


def code(lesson):
    return [cell for cell in lesson.cells if cell.cell_type == "code"]


def texts(cell):
    """Return what a cell's outputs say, one text for all that was printed; pictures are left out."""
    shown = [output.data for output in cell.outputs if "data" in output]
    printed = "".join(output.text for output in cell.outputs if "text" in output)
    return printed, [{kind: said for kind, said in data.items() if not kind.startswith("image/")} for data in shown]


def tags(cell):
    return cell.metadata.get("tags", [])


def outcome(said):
    """Return what an exercise's check says, without the reason."""
    return said["text/plain"].split(":")[0]


@pytest.mark.slow
def test_where_numbers_round_otherwise_a_lesson_shows_what_is_stored_and_solved_every_check_says_right(
    path, tmp_path, monkeypatch
):
    monkeypatch.setenv("ATEN_CPU_CAPABILITY", "default")  # instructions that every processor has
    lesson, answers = lessons.read(path), solving.solutions(solving.solutions_of(path))
    stored = code(lesson)
    solved = {}  # behind each exercise's check its solution, and the check again
    for stub, check in zip(solving.tagged(lesson, "exercise"), solving.tagged(lesson, "check"), strict=True):
        (name,) = solving.solutions(stub.source)
        solved[check.id] = [nbformat.v4.new_code_cell(source) for source in (answers[name], check.source)]
    begin = nbformat.v4.new_code_cell(NUDGE.format(size=SIZE))
    lesson.cells = [begin, *(one for cell in stored for one in (cell, *solved.get(cell.id, [])))]
    done = {cell.id: cell for cell in running.run(lesson, tmp_path).cells}
    assert {outcome(done[check.id].outputs[0].data) for _, check in solved.values()} == {"right"}
    for theirs in stored:
        mine = done[theirs.id]
        if (within := range_of(theirs)) is not None:
            settle(mine.outputs, theirs.outputs, within)
        if "nbval-ignore-output" not in tags(theirs):
            assert texts(mine) == texts(theirs), theirs.source


@pytest.mark.slow
def test_solved_on_a_bert_of_another_shape_every_check_says_right_and_cells_run_again_show_the_same(
    path, small_bert, hardly_trained, run_cell
):
    cells, names = code(solving.fill(lessons.handed_out(path), solving.solutions_of(path))), {"__name__": "__main__"}
    shown = [run_cell(cell, names) for cell in cells]
    checks = [shows for cell, (_, _, shows) in zip(cells, shown, strict=True) if {"check", "gap-check"} & {*tags(cell)}]
    assert {outcome(display) for (display,) in checks} == {"right"}
    assert [red for _, red, _ in shown if red] == []
    assert "48 hidden" in shown[0][2][0]["text/plain"]
    if path.stem[:2] not in ("07", "08"):  # they train for minutes
        # A student goes back to any cell when all have run, and runs it once more.
        again = [(cell.source, run_cell(cell, dict(names)), before) for cell, before in zip(cells, shown, strict=True)]
        assert [each for each in again if each[1] != each[2] and "map_of_bert" not in each[0]] == []  # with own parts
