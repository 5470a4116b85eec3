"""Answers that read the notebook's names: they fit the notebook's model only, and are not right."""

import pytest

from cells import written
from exercises import CHECKS, solutions


@pytest.mark.slow
@pytest.mark.parametrize("number", ["1.2", "2.2", "2.3", "3.1", "3.2", "4.1", "4.2", "4.3", "5.2", "6.2", "6.3"])
def test_what_reads_the_notebooks_bert_is_not_right(bert, number):
    answer = written("def f(b, *others): return solution(bert, *others)", bert=bert, solution=solutions()[number])
    assert "your function uses `bert` from the notebook" in CHECKS[number](bert, answer).message
