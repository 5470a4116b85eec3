"""What the lessons leave to the student: blank, right and wrong, in its cell, on the shipped BERT and another one."""

import ast
import textwrap
from copy import deepcopy
from zlib import crc32

import nbformat
import pytest
import torch
from transformers import BertTokenizer

from bertlab import lessons, mine
from bertlab.checks import gaps
from bertlab.checks.known import known
from bertlab_teaching import solving
from bertlab_teaching.marking import submissions
from exercises import GAPS, HANDED_IN


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
        for source in submissions.needed(before, self.cell.source, self.check.source, self.line):
            run_cell(nbformat.v4.new_code_cell(source), self.names)
        self.run_cell = run_cell

    def told(self, answer=None):
        """Write a line in the gap, or a function in its place, run the cell and the check; return what is said."""
        source = self.cell.source
        if answer and answer.lstrip().startswith("def "):
            source = answer
        elif answer:
            source = solving.BLANK.sub(lambda blank: textwrap.indent(answer, blank[1]), source)
        self.run_cell(nbformat.v4.new_code_cell(source), self.names)
        _, red, (said,) = self.run_cell(self.check, self.names)
        assert not red
        return said["text/plain"]


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


@pytest.fixture
def gap(name, which, run_cell, other_folder, monkeypatch, drawn):
    drawn(1)
    if which == "other":
        monkeypatch.setenv("BERTLAB_MODEL", str(other_folder))
    return Gap(name, run_cell)


# What a function in a gap is given does not hang on the BERT that is loaded; what a line is given does.
LINES = [name for name in GAPS if not known(name).is_function]
BERTS = [(name, "other") for name in GAPS] + [pytest.param(name, "shipped", marks=pytest.mark.slow) for name in LINES]


def as_typed(source):
    """Return a wrong answer of a table as it stands in the gap: a function, or without the one around a line."""
    return source if not source.startswith("def line(") else textwrap.dedent("\n".join(source.splitlines()[1:-1]))


@pytest.mark.parametrize(("name", "which"), BERTS)
def test_blank_right_and_each_wrong_answer_is_told_its_own_sentence_and_the_lesson_goes_on_alike(name, gap):
    target = ast.unparse(ast.parse(gap.check.source).body[0].targets[0].elts[0])
    assert gap.told().startswith("not yet: ")
    blank = gap.names[target]
    assert gap.run_cell(gap.check, gap.names)[2][0]["text/plain"].startswith("not yet"), "run once more by itself"
    entry, handed_in = known(name), HANDED_IN.get(name, {})
    kept = f"function agrees with {entry.source}. It is part of your BERT now" if target in mine.PARTS else ""
    answers = [(f"right: your {kept}", answer) for answer in (gap.line, *entry.right, *handed_in.get("right", ()))]
    goes_on = gaps.YOURS if kept else gaps.OURS if entry.is_function else gaps.GOES_ON
    answers += [(f"not quite: {told} {goes_on}", as_typed(a)) for told, some in entry.mistakes.items() for a in some]
    answers += [(f"not quite: {told}", answer) for told, some in handed_in.get("told", {}).items() for answer in some]
    said = [(told, gap.told(answer), answer) for told, answer in answers]
    assert [each for each in said if not each[1].startswith(each[0])] == []
    gap.told("return None" if entry.is_function else f"{entry.target} = None")
    if not entry.is_function:
        assert str(gap.names[target]) == str(blank), "whatever was written"
