"""Answers as students write them: those of the checks' tables, and those that no table has, in handed_in/.

A file of handed_in/ has `right` answers to an exercise, and under ``told`` others, by how they fare and a part of what
is said of them, as in ``"wrong: this is the mean"``.
"""

from functools import cache
from itertools import combinations

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


def misjudged(entry, cases, rights):
    """Return a table's right answers that are wrong, its mistakes that are right, and pairs of these that are alike."""

    @cache
    def value(source, i):
        (found,) = results([source], cases[i])  # it raises in no case
        return found

    def is_right(source):
        return all(close(value(source, i).double(), right, entry.atol) for i, right in enumerate(rights))

    def alike(one, other):
        return all(mistaken_alike(value(one, i).double(), value(other, i), entry.atol) for i in range(len(cases)))

    mistakes = [(sentence, source) for sentence, sources in entry.mistakes.items() for source in sources]
    found = [source for source in entry.right if not is_right(source)]
    found += [source for _, source in mistakes if is_right(source)]
    pairs = [(one, other) for (said, one), (told, other) in combinations(mistakes, 2) if said != told]
    return found + [(one, other) for one, other in pairs if alike(other, one)]


@pytest.mark.parametrize("name", [*SLOW, *FUNCTIONS])
def test_no_two_mistakes_give_the_same_on_what_is_drawn_nor_what_was_right_at_another_try(name, bert, drawn):
    entry, before = known(name), []
    for seed in range(1 if name in READING else 5):
        drawn(seed)
        cases = entry.drawn(*given(name, bert))
        rights = [right_value(entry.true, case) for case in cases]
        assert misjudged(entry, cases, rights) == [], f"seed {seed}"
        assert [right.tolist() for right in rights] not in before, f"seed {seed}"
        before.append([right.tolist() for right in rights])
