"""What holds for the check of every exercise: the forms of an answer, how soon it is told, and what it is told."""

from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest
import torch

import bertlab
from bertlab.checks.known import known
from exercises import EXERCISES, check, given, solutions


def tensor(value):
    return torch.as_tensor(value).detach()


FORMS = {
    "as it is": lambda value: value,
    "array": lambda value: np.asarray(tensor(value)),
    "list": lambda value: tensor(value).tolist(),
    "list of its rows": lambda value: list(tensor(value)) if tensor(value).ndim else value,
}


def test_a_blank_answer_is_no_mistake(bert):
    assert {check(number, bert, lambda *_: None).reason for number in EXERCISES} == {"blank"}


@pytest.mark.parametrize("form", FORMS)
def test_the_solutions_are_right_in_every_form(bert, form):
    outcomes = {number: check(number, bert, answer) for number, answer in solutions(FORMS[form]).items()}
    assert {number: outcome.message for number, outcome in outcomes.items() if outcome.status != "right"} == {}


@pytest.mark.slow
def test_a_bert_of_two_layers_that_keeps_capitals_is_checked_too(tiny):
    outcomes = {number: check(number, tiny, answer) for number, answer in solutions().items()}
    assert {number: outcome.message for number, outcome in outcomes.items() if outcome.reason != "right"} == {}
    assert {check(number, tiny, lambda *_: 0).reason for number in EXERCISES} == {"wrong"}


@pytest.mark.slow
def test_no_answer_is_right_by_what_its_cell_made_of_the_lessons_bert(tiny):
    damaged = replace(tiny, model=deepcopy(tiny.model))
    for values in damaged.model.parameters():
        values.data.fill_(float("nan"))
    nothing = solutions(lambda value: torch.full_like(tensor(value).double(), float("nan")))
    outcomes = {number: check(number, damaged, answer) for number, answer in nothing.items()}
    assert [number for number, outcome in outcomes.items() if outcome.reason == "right"] == []


def test_praise_names_what_was_measured(bert):
    def shares(labelled):
        at_each = labelled[0].unbind(dim=1)
        return torch.stack([bertlab.vectors.leave_one_out(at, labelled[1]).float().mean() for at in at_each])

    (words,) = given("3.3", bert)
    chosen, best = shares(words["bank"])[shares(words["spring"]).argmax()], shares(words["bank"]).max()
    assert best != shares(words["spring"]).max(), "else the words could be exchanged unseen"
    praise = f"'bank' gets {chosen:.2f} at the layer chosen on 'spring', and {best:.2f} at its own best layer."
    assert check("3.3", bert, solutions()["3.3"]).message == praise


def test_what_takes_a_bert_is_asked_about_another_than_the_notebooks(bert):
    asked = {number: [case[0] for case in known(number).drawn(*given(number, bert))] for number in EXERCISES}
    same = [number for number, berts in asked.items() if all(one is bert for one in berts)]
    assert same == [], "an answer that reads the notebook's BERT would be right"
