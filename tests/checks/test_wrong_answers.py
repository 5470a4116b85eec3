"""Answers as students write them: those of the checks' tables, and those that no table has, in handed_in/.

A file of handed_in/ has `right` answers to an exercise, and under ``told`` others, by how they fare and a part of what
is said of them, as in ``"wrong: this is the mean"``.
"""

from copy import deepcopy

import pytest
import torch

from bertlab.checks.known import function, known
from bertlab.checks.runner import judge
from cells import written
from exercises import CHECKS, GAPS, HANDED_IN, SENTENCES, solutions

READING = {"2.2", "2.3", "3.2", "4.2", "4.3", "5.2", "6.2", "6.3", "9.3"}  # they read many texts: some ten seconds each
EXERCISES = [pytest.param(number, marks=[pytest.mark.slow] * (number in READING)) for number in CHECKS]
FUNCTIONS = [name for name in GAPS if known(name).is_function]
SEEDS = [2, pytest.param(20, marks=pytest.mark.slow)]


@pytest.mark.parametrize("number", EXERCISES)
def test_each_answer_is_told_its_own_sentence(number, bert, drawn):
    names = {"bert": bert, "layer": bert.model.bert.embeddings, "sentences": SENTENCES}
    answers = [("right: ", source) for source in HANDED_IN[number].get("right", ())]
    answers += [(told, source) for told, sources in HANDED_IN[number].get("told", {}).items() for source in sources]
    otherwise = []
    for told, source in answers:
        drawn(1)
        outcome = CHECKS[number](bert, written(source, **names))
        reason, _, part = told.partition(": ")
        if outcome.reason != reason or part not in outcome.message:
            otherwise.append(f"{outcome.reason}: {outcome.message}\n  in place of {told}\n{source}")
    assert not otherwise, "\n".join(otherwise)


@pytest.mark.parametrize("seeds", SEEDS)
@pytest.mark.parametrize("number", EXERCISES)
def test_no_two_mistakes_of_an_exercise_give_the_same_on_what_is_drawn(number, seeds, bert, drawn):
    told = {}
    for seed in range(seeds):
        for sentence, sources in known(number).mistakes.items():
            for source in sources:
                drawn(seed)
                outcome = CHECKS[number](bert, written(source))
                if outcome.message != sentence:
                    told[source] = f"seed {seed}: {outcome.message}\n  in place of {sentence}\n{source}"
    assert not told, "\n".join(told.values())


@pytest.mark.parametrize("seeds", SEEDS)
@pytest.mark.parametrize("number", EXERCISES)
def test_what_was_right_at_one_try_is_not_at_another(number, seeds, bert, drawn):
    values = []
    drawn(seeds)
    assert CHECKS[number](bert, solutions(lambda value: values.append(value) or value)[number]).reason == "right"
    for seed in range(seeds):
        drawn(seed)
        again = iter([*values, *values])
        outcome = CHECKS[number](bert, lambda *_, again=again: torch.as_tensor(next(again)).clone())
        assert outcome.reason == "wrong", f"seed {seed}: {outcome.message}"


@pytest.mark.parametrize("seeds", SEEDS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_no_two_mistakes_of_a_function_in_a_gap_give_the_same_on_what_is_drawn(name, seeds, drawn):
    entry, told = known(name), {}
    for seed in range(seeds):
        for sentence, sources in entry.mistakes.items():
            for source in sources:
                drawn(seed)
                outcome = judge(entry, function(source), entry.drawn(), lambda *case: entry.true(*deepcopy(case)), "")
                if outcome.message != sentence:
                    told[source] = f"seed {seed}: {outcome.message}\n  in place of {sentence}\n{source}"
    assert not told, "\n".join(told.values())
