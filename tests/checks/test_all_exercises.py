"""What holds for the check of every exercise: the forms of an answer, how soon it is told, and what it is told."""

import importlib.util
import time
from pathlib import Path

import nbformat
import numpy as np
import pytest
import torch

from exercises import CHECKS, solutions

TESTS = Path(__file__).parent.parent


def test_no_exercise_is_missing():
    tags = set()
    for path in sorted((TESTS.parent / "notebooks").glob("*.ipynb")):
        for cell in nbformat.read(path, as_version=4).cells:
            names = cell.metadata.get("tags", [])
            tags |= {name for name in names if "exercise" in names and name[0].isdigit()}
    assert tags == set(CHECKS) == set(solutions())


def tensor(value):
    return torch.as_tensor(value).detach()


FORMS = {
    "as it is": lambda value: value,
    "array": lambda value: np.asarray(tensor(value)),
    "list": lambda value: tensor(value).tolist(),
    "list of its rows": lambda value: list(tensor(value)) if tensor(value).ndim else value,
}


@pytest.mark.parametrize("form", FORMS)
def test_the_solutions_are_right_in_every_form(bert, form):
    outcomes = {number: CHECKS[number](bert, answer) for number, answer in solutions(FORMS[form]).items()}
    assert {number: outcome.message for number, outcome in outcomes.items() if outcome.status != "right"} == {}


def nearly(value):
    value = tensor(value)
    return ~value if value.dtype == torch.bool else value + 1


@pytest.mark.parametrize(("number", "answer"), solutions(nearly).items())
def test_a_wrong_answer_is_told_in_five_seconds(bert, number, answer):
    CHECKS[number](bert, lambda *_: 0)  # what is imported by the first check is no part of it
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        began = time.process_time()
        assert CHECKS[number](bert, answer).status == "not quite"
        assert time.process_time() - began < 5
    finally:
        torch.set_num_threads(threads)


NO_MORE_THAN_A_DIFFERENCE = ("off by", "are not: at [", "the shape of your result", "shape")
"""What a check says where it knows no name for a mistake."""


def wrong_answers():
    """Return what each wrong answer in the tests is told, a part of it, as these tests have it."""
    told = []
    for path in [*sorted(TESTS.glob("*/test_checks.py")), TESTS / "checks" / "test_answers.py"]:
        spec = importlib.util.spec_from_file_location(f"wrong_answers_of_{path.parent.name}", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        classes = [value for name, value in vars(module).items() if name.startswith("Test")]
        for function in [found for home in (module, *classes) for found in vars(home).values()]:
            for mark in getattr(function, "pytestmark", []):
                if mark.name == "parametrize" and mark.args[0][-1] in ("named", "said"):
                    told += [case[-1] for case in mark.args[1]]
    return told


def test_fewer_than_one_wrong_answer_in_ten_is_told_no_more_than_a_difference():
    told = wrong_answers()
    plain = [said for said in told if said.strip().startswith(NO_MORE_THAN_A_DIFFERENCE) or "is off by" in said]
    assert len(told) > 250, "the tests of all lessons were read"
    assert len(plain) < len(told) / 10, f"{len(plain)} of {len(told)}"
