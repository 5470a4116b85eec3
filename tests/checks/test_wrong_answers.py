"""Each wrong answer that a check knows is told its own sentence, when a student's function gives it."""

from dataclasses import dataclass
from importlib import import_module
from pkgutil import iter_modules

import pytest
import torch

from bertlab import checks
from bertlab.checks import runner
from bertlab.checks.outcome import Outcome
from exercises import CHECKS


@dataclass
class Judged:
    """What a check hands to the judge besides the student's function."""

    arguments: tuple
    options: dict

    @property
    def wrong(self):
        _cases, _truth, wrong, _praise = self.arguments
        return wrong


@pytest.fixture
def judged(monkeypatch, bert):
    """Return what a check hands to the judge."""

    def by(number):
        calls = []

        def record(_answer, *arguments, **options):
            calls.append(Judged(arguments, options))
            return Outcome("blank", "")

        for module in iter_modules(checks.__path__, "bertlab.checks."):
            home = import_module(module.name)
            if home is not runner and hasattr(home, "judge"):
                monkeypatch.setattr(home, "judge", record)
        CHECKS[number](bert, lambda *_: None)
        (call,) = calls
        return call

    return by


@pytest.mark.parametrize("number", CHECKS)
def test_each_wrong_answer_is_told_its_own_sentence(number, judged, monkeypatch):
    monkeypatch.setattr(runner, "deepcopy", lambda value: value)  # ours change nothing, and know a case by its identity
    call = judged(number)
    with torch.no_grad():
        told = {
            sentence: runner.judge(wrong, *call.arguments, **call.options) for sentence, wrong in call.wrong.items()
        }
    others = {sentence: outcome.message for sentence, outcome in told.items() if outcome.message != sentence}
    assert others == {}
    assert {outcome.reason for outcome in told.values()} == {"wrong"}
