"""Whether a model may take another's place is decided by intervals of paired differences, and said in words."""

from types import SimpleNamespace

import numpy as np
import pytest

import evaluate
from evaluate import GAIN, HOLD, compare, decide, in_words
from results import Measure, Result

LOSS = Measure("loss")
OWN, THEIRS = Measure("graded", "graded_pairs", "mean"), Measure("graded", "theirs", "mean")
ASIDE = [Measure("graded", "theirs", "max"), Measure("head", way="next")]
NOISE = np.random.default_rng(0).normal(size=200)


def result(measure, better_by=0.0, items=""):
    """Return a result whose every item is better by so much, but for noise that is the same for all."""
    sign = -1 if measure == LOSS else 1
    return Result((NOISE + sign * better_by,), higher_is_better=measure != LOSS, items=items)


def model(better_by=0.0, other=None):
    measures = [*GAIN, *HOLD, OWN, THEIRS, *ASIDE]
    return {measure: result(measure, (other or {}).get(measure, better_by)) for measure in measures}


def replaces(judged):
    return all(each.passed for each in judged)


def test_better_where_asked_and_worse_nowhere_may_take_the_place():
    judged = decide(model(other=dict.fromkeys([*GAIN, OWN, THEIRS], 0.5)), model())
    assert replaces(judged)
    assert [each.measure for each in judged] == [*GAIN, OWN, THEIRS, *HOLD]
    assert [each.verdict for each in judged] == ["better"] * 5 + ["open"] * len(HOLD)
    said = in_words(judged, "The new", "the old")
    assert said.startswith("The new is better on: masked words, held-out loss (nats) 0.500 [0.500, 0.500]; ")
    assert "The new is shown to be neither better nor worse on: masked words, accuracy 0.000 [0.000, 0.000]; " in said
    assert said.endswith("So it may take the place of the old: better wherever that is asked, and nowhere worse.")


@pytest.mark.parametrize("measure", [*GAIN, OWN, THEIRS], ids=str)
def test_no_gain_on_one_of_them_keeps_the_earlier_one(measure):
    judged = decide(model(0.5, {measure: 0.0}), model())
    assert not replaces(judged)
    assert in_words(judged).endswith(f"may not take the place of the earlier model: {measure} stood in the way.")


@pytest.mark.parametrize("measure", HOLD, ids=str)
def test_a_loss_on_one_of_the_others_keeps_it_too(measure):
    judged = decide(model(0.5, {measure: -0.5}), model())
    assert f"This checkpoint is worse on: {measure} -0.500 [-0.500, -0.500]." in in_words(judged)
    assert in_words(judged).endswith(f"{measure} stood in the way.")


def test_what_describes_a_model_decides_nothing():
    assert replaces(decide(model(0.5, dict.fromkeys(ASIDE, -0.5)), model()))


def test_without_a_second_set_of_pairs_nothing_is_decided():
    new, old = ({key: value for key, value in each.items() if key.source != "theirs"} for each in (model(0.5), model()))
    judged = decide(new, old)
    assert not replaces(judged)
    assert "could not be compared on: pairs of another set, Spearman, mean." in in_words(judged)


def test_other_items_are_not_compared():
    new = model(0.5) | {LOSS: result(LOSS, 0.5, items="others")}
    judged = decide(new, model())
    assert judged[0].verdict == "lacking"
    assert not replaces(judged)


def test_twins_show_their_range_and_the_best_of_them_is_the_one_to_beat(monkeypatch):
    by_name = {"twin 0": 0.1, "twin 1": 0.3, "twin 2": -0.1, "old": 0.5, "new": 0.6}

    def measured(name, documents, graded):
        assert (documents, graded) == (["a document"], "pairs.csv")
        return SimpleNamespace(results=model(by_name[name]), name=name)

    alone = Measure("graded", "theirs", "word overlap")
    rules = {LOSS: ("a rule", result(LOSS)), alone: ("word overlap", result(alone))}
    monkeypatch.setattr(evaluate, "TWINS", 3)
    monkeypatch.setattr(evaluate, "measure", measured)
    monkeypatch.setattr(evaluate, "untrained", lambda bert, seed: f"twin {seed}")
    monkeypatch.setattr(evaluate, "simplest_rules", lambda *_: rules)
    compared = compare("new", ["a document"], "pairs.csv", earlier="old")
    table, middle = compared.table.set_index("measure"), NOISE.mean()
    for measure, sign in ((LOSS, -1), (HOLD[0], 1)):
        low, high = sorted((middle - sign * 0.1, middle + sign * 0.3))
        row = table.loc[str(measure)]
        assert row["3 untrained twins"] == f"{middle + sign * 0.1:.2f} ({low:.2f} to {high:.2f})"
        assert row["ahead of the best twin"] == "0.300 [0.300, 0.300]"
        assert row["ahead of the earlier model"] == "0.100 [0.100, 0.100]"
    assert table.loc[str(LOSS), "simplest baseline"].endswith("(a rule)")
    assert table.loc[str(alone), "this checkpoint"] == ""
    assert replaces(compared.judged)
    assert [twin.name for twin in compared.twins] == ["twin 0", "twin 1", "twin 2"]
    assert compare("new", ["a document"], "pairs.csv").judged is None
