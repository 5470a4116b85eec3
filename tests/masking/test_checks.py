"""Lesson 6's checks take any BERT that has the head and room for the shortest texts."""

from dataclasses import replace

import pytest

from bertlab.bert.errors import MissingPartError
from bertlab.checks import inputs
from bertlab.checks import masking as checks
from exercises import CHECKS, solutions

SOLUTIONS = solutions()


@pytest.mark.parametrize("number", ["6.2", "6.3"])
def test_a_bert_of_any_shape_will_do_and_one_without_the_head_is_said_to_be_one(bert, tiny, number):
    assert CHECKS[number](tiny, SOLUTIONS[number]).reason == "right"
    with pytest.raises(MissingPartError, match="without its masked-word head"):
        CHECKS[number](replace(bert, missing_parts=("masked-word head",)), SOLUTIONS[number])


def test_the_longest_texts_that_chance_can_make_fit_the_smallest_bert(tiny, monkeypatch):
    for name in ("ADJECTIVES", "NOUNS", "VERBS"):
        monkeypatch.setattr(inputs, name, (max(getattr(inputs, name), key=len),))
    assert len(tiny.read_all(checks.gaps())) == 3
