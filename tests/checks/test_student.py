"""What a function shows of itself: its names, its words, its arguments."""

import pytest
import torch

from bertlab.bert.loading import Bert
from bertlab.checks import parts, student
from bertlab.checks.student import shown
from cells import written


def test_only_what_is_read_from_the_notebook_counts():
    source = """
    import math
    def helper(x):
        return x * scale

    def f(model, scale_):
        weights = model.weight
        return [helper(one) + table + math.pi for one in (lambda: weights)()]
    """
    answer = written(source, weight=torch.ones(2), scale=3.0, table=torch.ones(1), model=torch.nn.Linear(1, 1))
    assert student.notebook_names(answer) == ["`table`", "`scale` (inside `helper`)"]


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("def f(b): return b.bert", []),  # an attribute is no name
        ("def f(b): return bert(b)", ["`bert`"]),  # a model is one, though it can be called
        ("def f(x): return f(x - 1) + y if x else 0", ["`y`"]),  # what calls itself comes to an end
    ],
)
def test_which_names_are_the_notebooks(source, names):
    assert student.notebook_names(written(source, bert=torch.nn.Linear(1, 1), y=1)) == names
    assert student.notebook_names(torch.nn.Linear(1, 1)) == student.notebook_names(len) == []


def test_what_stands_in_another_cell_is_found_and_what_a_lesson_or_the_own_cell_has_is_not():
    source = """
    import math
    def helper(x):
        return deepcopy(my_own(x), math.pi)

    def f(x):
        return torch.tensor(helper(x) + my_mean(x) + rms_norm(x) + bertlab.load() + table)
    """
    others = {
        "my_mean": written("def my_mean(x): return statistics.mean(x)", statistics=student),
        "my_own": len,
        "table": 1,
    }
    others |= {"deepcopy": zip, "rms_norm": sum, "statistics": student}
    answer = written(source, **others)
    names = ["`my_mean`", "`my_own`", "`rms_norm`"]  # an exercise, a function, and Python's own of another name
    assert student.elsewhere(answer) == names, "deepcopy is a lesson's, torch and bertlab too"
    assert student.elsewhere(len) == []


def test_a_name_counts_under_what_it_is_bound_to():
    source = "import torch.nn.functional as nnf\n\ndef f(x): return nnf.relu(rd(x))"
    assert {"torch", "functional", "read"} <= student.words(written(source, rd=Bert.read))
    assert "read" not in student.words(written(source, rd=len))


def test_inputs_are_shown_in_few_words(bert):
    assert shown(bert) == "bertlab-mini"
    assert shown(torch.ones(3, 4)) == "a tensor of shape (3, 4)"
    assert shown((torch.ones(3, 4), ["one", "two"])) == "(a tensor of shape (3, 4), ['one', 'two'])"
    assert shown(["a sentence"] * 50) == "['a sentence', 'a sentence', 'a sentence', …]"
    assert shown([("one", 2)]) == "[('one', 2)]"
    assert shown([0.123456789, 0.5]) == "[0.1235, 0.5]"
    assert shown([1, 2]) == "[1, 2]"
    assert shown([*parts.to_train()[2:], len]) == "[a function, a Loss, a SGD, a function len]"
