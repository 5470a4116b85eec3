"""Answers as students write them: those of the checks' tables, and those that no table has, in handed_in/.

A file of handed_in/ has `right` answers to an exercise, and under ``told`` others, by how they fare and a part of what
is said of them, as in ``"wrong: this is the mean"``.
"""

import itertools
from functools import cache

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
def test_what_is_drawn_tells_all_mistakes_apart_and_is_not_what_was_drawn_before(name, bert, drawn):
    entry, before = known(name), []
    for seed in range(1 if name in READING else 5):
        drawn(seed)
        cases = entry.drawn(*given(name, bert))
        rights = [right_value(entry.true, case) for case in cases]
        shown = [right.tolist() for right in rights]
        assert shown not in before, f"seed {seed}: what was right is right again"
        before.append(shown)
        assert list(taken_for_another(entry, cases, rights)) == [], f"seed {seed}"


def taken_for_another(entry, cases, rights):
    """Yield each answer of a table that is not told what it should be."""
    value = cache(lambda source, i: next(results([source], cases[i])))  # it raises in no case
    counting = [right_value(entry.counting, case) if entry.counting else True for case in cases]

    def is_right(source):
        return all(close(value(source, i).double(), rights[i], entry.atol, counting[i]) for i in range(len(cases)))

    def alike(one, other):
        return all(mistaken_alike(value(one, i).double(), value(other, i), entry.atol) for i in range(len(cases)))

    yield from (source for source in entry.right if not is_right(source))
    wrong = [(sentence, source) for sentence, sources in entry.mistakes.items() for source in sources]
    yield from (source for _, source in wrong if is_right(source))
    for (sentence, source), (another, other) in itertools.combinations(wrong, 2):
        if sentence != another and alike(other, source):
            yield sentence, source, another, other
