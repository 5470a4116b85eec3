"""Answers as students write them: those of the checks' tables, and those that no table has, in handed_in/.

A file of handed_in/ has `right` answers to an exercise, and under ``told`` others, by how they fare and a part of what
is said of them, as in ``"wrong: this is the mean"``.
"""

import itertools

import pytest

from bertlab.checks.compare import close, mistaken_alike
from bertlab.checks.known import known
from bertlab.checks.runner import results, right_value
from cells import written
from exercises import EXERCISES, GAPS, HANDED_IN, SENTENCES, check, given

READING = {"2.2", "2.3", "3.2", "4.2", "4.3", "5.2", "6.2", "6.3", "9.3"}  # they read many texts
SLOW = [pytest.param(number, marks=[pytest.mark.slow] * (number in READING)) for number in EXERCISES]
FUNCTIONS = [name for name in GAPS if known(name).is_function]


@pytest.mark.parametrize("number", SLOW)
def test_each_answer_is_told_its_own_sentence(number, bert, drawn):
    names = {"bert": bert, "layer": bert.model.bert.embeddings, "sentences": SENTENCES}
    answers = [("right: ", source) for source in HANDED_IN[number].get("right", ())]
    answers += [(told, source) for told, sources in HANDED_IN[number].get("told", {}).items() for source in sources]
    otherwise = []
    for told, source in answers:
        drawn(1)
        outcome = check(number, bert, written(source, **names))
        reason, _, part = told.partition(": ")
        if outcome.reason != reason or part not in outcome.message:
            otherwise.append(f"{outcome.reason}: {outcome.message}\n  in place of {told}\n{source}")
    assert not otherwise, "\n".join(otherwise)


@pytest.mark.parametrize("name", [*SLOW, *FUNCTIONS])
def test_no_two_mistakes_give_the_same_on_what_is_drawn_nor_what_was_right_at_another_try(name, bert, drawn):
    entry, before = known(name), []
    for seed in range(1 if name in READING else 5):
        drawn(seed)
        cases = entry.drawn(*given(name, bert))
        rights = [right_value(entry.true, case) for case in cases]
        assert all(tried != [right.tolist() for right in rights] for tried in before), f"seed {seed}"
        before.append([right.tolist() for right in rights])
        told = [(None, source) for source in entry.right]
        told += [(sentence, source) for sentence, sources in entry.mistakes.items() for source in sources]
        made = {}

        def value(source, i, cases=cases, made=made):
            if (source, i) not in made:
                (made[source, i],) = results([source], cases[i])  # it raises in no case
            return made[source, i]

        def is_right(source, rights=rights, value=value):
            return all(close(value(source, i), right, entry.atol) for i, right in enumerate(rights))

        def alike(one, other, cases=cases, value=value):
            return all(mistaken_alike(value(one, i), value(other, i), entry.atol) for i in range(len(cases)))

        assert [source for sentence, source in told if is_right(source) is bool(sentence)] == [], f"seed {seed}"
        for (sentence, source), (another, other) in itertools.combinations(told[len(entry.right) :], 2):
            assert sentence == another or not alike(other, source), (
                f"seed {seed}: {sentence}\n{another}\n{source}\n{other}"
            )
