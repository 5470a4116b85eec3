"""Whether a model may take another's place is decided by intervals of paired differences, and said in words."""

from types import SimpleNamespace

import numpy as np
import pytest

import evaluate
from evaluate import GAIN, HOLD, compare, decide
from results import Measure, Result

LOSS = Measure("loss")
OWN, THEIRS = Measure("graded", "graded_pairs", "mean"), Measure("graded", "theirs", "mean")
ASIDE = [Measure("graded", "theirs", "max"), Measure("head", way="next")]
NOISE = np.random.default_rng(0).normal(size=200)
MAY = "So it may take the place of the earlier model: better wherever that is asked, and shown to be worse on none of "
MAY += "these."


def result(measure, better_by=0.0, items=""):
    """Return a result whose every item is better by so much, but for noise that is the same for all."""
    sign = -1 if measure == LOSS else 1
    return Result((NOISE + sign * better_by,), higher_is_better=measure != LOSS, items=items)


def model(better_by=0.0, other=None):
    measures = [*GAIN, *HOLD, OWN, THEIRS, *ASIDE]
    return {measure: result(measure, (other or {}).get(measure, better_by)) for measure in measures}


def test_better_where_asked_and_worse_nowhere_may_take_the_place_and_what_only_describes_decides_nothing():
    better = dict.fromkeys([*GAIN, OWN, THEIRS], 0.5)
    said = decide(model(0.0, better | dict.fromkeys(ASIDE, -0.5)), model())
    assert said.startswith("This checkpoint is better on: masked words, held-out loss (nats) 0.500 [0.500, 0.500]; ")
    assert said.endswith(MAY)


@pytest.mark.parametrize("measure", [*GAIN, OWN, THEIRS, *HOLD], ids=str)
def test_no_gain_where_one_is_asked_or_one_loss_keeps_the_earlier_model(measure):
    by, verb = (-0.5, "is worse on") if measure in HOLD else (0.0, "is not significantly better or worse on")
    said = decide(model(0.5, {measure: by}), model())
    assert f"This checkpoint {verb}: {measure} {by:.3f} [{by:.3f}, {by:.3f}]." in said
    assert said.endswith(f"may not take the place of the earlier model: {measure} stood in the way.")


def test_what_was_not_asked_on_the_same_items_is_lacking_and_keeps_it_too():
    said = decide(model(0.5) | {LOSS: result(LOSS, 0.5, items="others")}, model())
    assert f"could not be compared on: {LOSS}. So it may not take the place" in said


def test_twins_show_their_range_and_the_best_of_them_is_the_one_to_beat(monkeypatch):
    by_name = {"twin 0": 0.1, "twin 1": 0.3, "twin 2": -0.1, "old": 0.5, "new": 0.6}
    monkeypatch.setattr(evaluate, "TWINS", 3)
    monkeypatch.setattr(evaluate, "measure", lambda name, *_: SimpleNamespace(results=model(by_name[name])))
    monkeypatch.setattr(evaluate, "untrained", lambda bert, seed: f"twin {seed}")
    monkeypatch.setattr(evaluate, "simplest_rules", lambda *_: {LOSS: result(LOSS)})
    compared = compare("new", [], earlier="old")
    table, middle = compared.table.set_index("measure"), NOISE.mean()
    for measure, sign in ((LOSS, -1), (HOLD[0], 1)):
        low, high = sorted((middle - sign * 0.1, middle + sign * 0.3))
        row = table.loc[str(measure)]
        assert row["3 untrained twins"] == f"{middle + sign * 0.1:.2f} ({low:.2f} to {high:.2f})"
        assert row["ahead of the best twin"] == "0.300 [0.300, 0.300]"
        assert row["ahead of the earlier model"] == "0.100 [0.100, 0.100]"
    assert table.loc[str(LOSS), "simplest baseline"].endswith("(word frequencies)")
    assert compared.decision.endswith(MAY)
