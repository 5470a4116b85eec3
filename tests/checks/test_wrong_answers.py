"""Answers as students write them, in handed_in/: each is told its sentence, and each sentence is told to an answer.

A file has the answers to a lesson's exercises. `answer` is a cell's source, `change` what differs in it from the last
source that stands in full above; `told` is a part of its message, `outcome` how it fares, "wrong" if that is left out.
"""

import tomllib
from pathlib import Path

import pytest
import torch

from bertlab.checks.outcome import Outcome
from cells import written
from exercises import CHECKS, MODULES, SENTENCES

FILES = sorted(Path(__file__).with_name("handed_in").glob("*.toml"))
READING = {"2.2", "2.3", "3.2", "4.2", "4.3", "5.2", "6.2", "6.3", "9.3"}  # they read many texts: some ten seconds each
HANDED_IN = {number: answers for file in FILES for number, answers in tomllib.loads(file.read_text("utf-8")).items()}


def outcomes(number, bert):
    """Judge each answer to an exercise, and return its outcome, the one that it is to have, and its message's part."""
    above = ""
    for answer in HANDED_IN[number]:
        source = above = answer.get("answer", above)
        for old, new in answer.get("change", {}).items():
            assert old in source, f"{number}: {old!r} stands in no line of the answer above"
            source = source.replace(old, new)
        function = written(source, bert=bert, layer=bert.model.bert.embeddings, sentences=SENTENCES)
        yield CHECKS[number](bert, function), answer.get("outcome", "wrong"), answer.get("told", ""), source


def sentences_of(number, bert, monkeypatch):
    """Return each sentence that a check has for a mistake, an error or a shortcut."""
    sentences = {}

    def collect(_answer, cases, _truth, wrong, _praise, *, shortcuts=(), meanings=None, **_options):
        sentences.update(dict.fromkeys([*shortcuts, *(meanings or {}).values()]))
        for case in cases:
            sentences.update(dict.fromkeys(wrong(*case)))
        return Outcome("blank", "")

    with monkeypatch.context() as patched, torch.no_grad():
        for module in MODULES:
            patched.setattr(module, "judge", collect)
        CHECKS[number](bert, lambda *_: None)
    return list(sentences)


@pytest.mark.parametrize(
    "number", [pytest.param(number, marks=[pytest.mark.slow] * (number in READING)) for number in HANDED_IN]
)
def test_each_answer_is_told_its_own_sentence_and_each_sentence_is_told_to_an_answer(number, bert, monkeypatch):
    judged = list(outcomes(number, bert))
    otherwise = [
        f"{outcome.reason}: {outcome.message}\n  in place of {reason}: {told}\n{source}"
        for outcome, reason, told, source in judged
        if outcome.reason != reason or told not in outcome.message
    ]
    assert not otherwise, "\n".join(otherwise)
    messages = [outcome.message for outcome, *_ in judged]
    assert [s for s in sentences_of(number, bert, monkeypatch) if not any(s in m for m in messages)] == []
