"""The lines that a lesson leaves to the student: blank, right and wrong, on the shipped BERT and on another one.

`gaps.toml` has for each gap wrong lines as students write them, behind a part of the sentence that each is told.
"""

import ast
import tomllib
from copy import deepcopy
from pathlib import Path
from zlib import crc32

import nbformat
import pytest
import torch
from transformers import BertTokenizer

from bertlab import lessons
from bertlab.checks import gaps
from bertlab_teaching import solving
from bertlab_teaching.marking import needs

WRONG = tomllib.loads(Path(__file__).with_name("gaps.toml").read_text("utf-8"))


class Gap:
    """A gap's cell and its check, and the notebook's names as they are when a student comes to it."""

    def __init__(self, name, run_cell):
        (self.path,) = [path for path in lessons.paths() if path.stem.startswith(f"{int(name[:-1]):02}_")]
        cells = [cell for cell in lessons.read(self.path).cells if cell.cell_type == "code"]
        (self.cell,) = solving.tagged(lessons.read(self.path), "gap", name)
        (self.check,) = solving.tagged(lessons.read(self.path), "gap-check", name)
        self.line = solving.gap_lines(solving.solutions_of(self.path))[name]
        before = [cell.source for cell in cells[: [cell.id for cell in cells].index(self.cell.id)]]
        self.names = {"__name__": "__main__"}
        for source in needs.needed(before, self.cell.source, self.check.source, self.line):
            run_cell(nbformat.v4.new_code_cell(source), self.names)
        self.run_cell = run_cell

    def told(self, line=None):
        """Write a line in the gap, run its cell and the check, and return what is said."""
        source = solving.BLANK.sub(lambda blank: f"{blank[1]}{line}", self.cell.source) if line else self.cell.source
        self.run_cell(nbformat.v4.new_code_cell(source), self.names)
        _, red, (said,) = self.run_cell(self.check, self.names)
        assert not red
        return said["text/plain"]

    def sentences(self):
        """Return each sentence that the check has for a mistake."""
        call = ast.parse(self.check.source).body[0].value
        name, _, *given = call.args
        with torch.no_grad():
            given = [eval(ast.unparse(argument), self.names) for argument in given]
            return list(gaps.LINES[name.value].wrong(*given))


@pytest.fixture(scope="module")
def other_folder(tiny, tmp_path_factory):
    """The small BERT with random numbers throughout: in an untrained one biases and LayerNorms do nothing."""
    folder = tmp_path_factory.mktemp("checkpoints") / "other"
    model = deepcopy(tiny.model)
    words = tiny.tokenizer.convert_ids_to_tokens(range(len(tiny.tokenizer)))

    def draw(values, name, mean=0.0):  # by its name, so that no word added to a lesson changes another's numbers
        values.normal_(mean, 0.25, generator=torch.Generator().manual_seed(crc32(name.encode())))

    with torch.no_grad():
        for name, values in model.named_parameters():
            draw(values, name, float("LayerNorm.weight" in name))
        for word, row in zip(words, model.bert.embeddings.word_embeddings.weight, strict=True):
            draw(row, word)
    model.save_pretrained(folder)
    # The long word of lesson 3 is in no list of pieces, so that it is split.
    pieces = ["[unused]" if piece == "unbelievableness" else piece for piece in words]
    BertTokenizer(vocab={piece: i for i, piece in enumerate(pieces)}, do_lower_case=False).save_pretrained(folder)
    return folder


@pytest.fixture(params=["other", pytest.param("shipped", marks=pytest.mark.slow)])
def gap(request, name, run_cell, other_folder, monkeypatch):
    if request.param == "other":
        monkeypatch.setenv("BERTLAB_MODEL", str(other_folder))
    return Gap(name, run_cell)


def test_each_gap_is_known_and_has_wrong_lines():
    names = [name for path in lessons.paths() for name in solving.gap_lines(solving.solutions_of(path))]
    assert names == list(gaps.LINES) == list(WRONG)


@pytest.mark.parametrize("name", WRONG)
def test_blank_right_and_each_wrong_line_is_told_its_own_sentence_and_the_lesson_goes_on_alike(name, gap):
    target = ast.unparse(ast.parse(gap.check.source).body[0].targets[0].elts[0])
    assert gap.told().startswith("not yet: write your line in place of None")
    blank = gap.names[target]
    assert gap.run_cell(gap.check, gap.names)[2][0]["text/plain"].startswith("not yet"), "run once more by itself"
    assert gap.told(gap.line).startswith("right: your line agrees with")
    told = {line: (part, gap.told(line)) for part, written in WRONG[name].items() for line in written}
    assert {line: said for line, (part, said) in told.items() if f"not quite: {part}" not in said} == {}
    if not callable(blank):
        assert str(gap.names[target]) == str(blank), "whatever was written"
    assert len(WRONG[name]) >= 3
    assert [s for s in gap.sentences() if not any(s in said for _, said in told.values())] == []
