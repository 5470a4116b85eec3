"""Each misconception that a check knows is told its own sentence when a student's function holds it."""

from importlib import import_module
from pkgutil import iter_modules

import pytest
import torch

from bertlab import checks
from bertlab.checks import runner
from bertlab.checks.outcome import Outcome
from exercises import CHECKS

MODULES = [import_module(module.name) for module in iter_modules(checks.__path__, "bertlab.checks.")]


@pytest.mark.parametrize("number", CHECKS)
def test_each_wrong_answer_is_told_its_own_sentence(number, bert, monkeypatch):
    told = {}

    def judge_each(_answer, cases, truth, wrong, praise, **options):
        right, mistakes = runner.once(truth), runner.once(wrong)
        for sentence in mistakes(*cases[0]):

            def mistaken(*case, sentence=sentence):
                return mistakes(*case)[sentence]

            told[sentence] = runner.judge(mistaken, cases, right, mistakes, praise, **options)
        return Outcome("blank", "")

    for module in MODULES:
        if module is not runner and hasattr(module, "judge"):
            monkeypatch.setattr(module, "judge", judge_each)
    monkeypatch.setattr(runner, "deepcopy", lambda case: case)  # ours change nothing, and know a case by its identity
    with torch.no_grad():
        CHECKS[number](bert, lambda *_: None)
    assert told
    assert {sentence: outcome.message for sentence, outcome in told.items() if outcome.message != sentence} == {}
