import numpy as np
import pandas as pd
import pytest

from bertlab.evidence.intervals import mean
from bertlab.pretraining import comparison
from bertlab.pretraining.comparison import GAIN, HOLD, compare_checkpoints, decide, in_words
from bertlab.pretraining.evaluation import LOSS, Measure, pairs_key

PAIRS = [pairs_key("graded_pairs", "mean"), pairs_key("theirs", "mean")]
NOISE = np.random.default_rng(0).normal(size=200)


def measure(key, better_by=0.0, items=""):
    """Return a measure whose every item is better by so much, but for noise that is the same for all."""
    sign = -1 if key == LOSS else 1
    return Measure((NOISE + sign * better_by,), mean, key != LOSS, items)


def model(better_by=0.0, **other):
    keys = [*GAIN, *HOLD, *PAIRS, pairs_key("theirs", "max"), "clearest head: next"]
    return {key: measure(key, other.get(key, better_by)) for key in keys}


def test_better_where_asked_and_worse_nowhere_may_take_the_place():
    gain = dict.fromkeys([*GAIN, *PAIRS], 0.5)
    table = decide(model(**gain), model())
    assert table.attrs["replaces"]
    assert table["measure"].tolist() == [*GAIN, *PAIRS, *HOLD]
    verdicts = dict(zip(table["measure"], table["verdict"], strict=True))
    assert all(verdicts[key] == "better" for key in gain)
    assert all(verdicts[key] == "no difference shown" for key in HOLD)
    assert table["difference"].round(9).tolist() == [0.5] * 5 + [0.0] * len(HOLD)
    said = in_words(table, "the new", "the old")
    assert said.startswith(f"the new is better on: {LOSS} 0.500 [0.500, 0.500]; ")
    assert "So it may take the place of the old" in said


@pytest.mark.parametrize("key", [*GAIN, *PAIRS])
def test_no_gain_on_one_of_them_keeps_the_earlier_one(key):
    table = decide(model(0.5, **{key: 0.0}), model())
    assert not table.attrs["replaces"]
    assert in_words(table, "the new", "the old").endswith(f"may not take the place of the old: {key} stood in the way.")


@pytest.mark.parametrize("key", HOLD)
def test_a_loss_on_one_of_the_others_keeps_it_too(key):
    table = decide(model(0.5, **{key: -0.5}), model())
    assert not table.attrs["replaces"]
    said = in_words(table, "the new", "the old")
    assert f"the new is worse on: {key} -0.500 [-0.500, -0.500]." in said
    assert said.endswith(f"{key} stood in the way.")


def test_what_describes_a_model_decides_nothing():
    worse = {pairs_key("theirs", "max"): -0.5, "clearest head: next": -0.5}
    assert decide(model(0.5, **worse), model()).attrs["replaces"]


def test_without_a_second_set_of_pairs_nothing_is_decided():
    new, old = ({key: value for key, value in each.items() if "theirs" not in key} for each in (model(0.5), model()))
    table = decide(new, old)
    assert not table.attrs["replaces"]
    assert "could not be compared on: pairs of another set, Spearman, mean." in in_words(table, "the new", "the old")


def test_other_items_are_not_compared():
    new, old = model(0.5), model()
    new[LOSS] = measure(LOSS, 0.5, items="others")
    with pytest.raises(ValueError, match="different items"):
        new[LOSS].ahead_of(old[LOSS])
    table = decide(new, old).set_index("measure")
    assert table.loc[LOSS, "verdict"] == "not measured on the same items"
    assert np.isnan(table.loc[LOSS, "difference"])
    assert not decide(new, old).attrs["replaces"]


def test_twins_show_their_range_and_the_best_of_them_is_the_one_to_beat(monkeypatch):
    by_name = {"twin 0": 0.1, "twin 1": 0.3, "twin 2": -0.1, "old": 0.5, "new": 0.6}

    def evaluated(name, documents, pairs):
        assert (documents, pairs) == (["a document"], "pairs.csv")
        heads = pd.DataFrame({"layer": [0], "special": [by_name[name]]})
        return model(by_name[name]), {"heads": heads}

    monkeypatch.setattr(comparison, "evaluate", evaluated)
    monkeypatch.setattr(comparison, "untrained", lambda bert, seed: f"twin {seed}")
    simple = {LOSS: ("a rule", measure(LOSS)), "rule alone": ("a rule", measure("rule alone"))}
    monkeypatch.setattr(comparison, "baseline", lambda *_: simple)
    table, tables = compare_checkpoints({"old": "old", "new": "new"}, iter(["a document"]), "pairs.csv", twins=3)
    table = table.set_index("measure")
    here = NOISE.mean()
    for key, sign in ((LOSS, -1), (HOLD[0], 1)):
        low, high = sorted((here - sign * 0.1, here + sign * 0.3))
        assert table.loc[key, "3 untrained twins"] == f"{here + sign * 0.1:.2f} ({low:.2f} to {high:.2f})"
        assert table.loc[key, "ahead of the best twin"] == "0.300 [0.300, 0.300]"
        assert table.loc[key, "ahead of old"] == "0.100 [0.100, 0.100]"
    assert table.loc[LOSS, "simplest baseline"].endswith("(a rule)")
    assert table.loc["rule alone", "new"] == ""
    assert tables["decision: old"].attrs["replaces"]
    assert tables["heads"]["special"].tolist() == [0.6]
    assert tables["twin heads"]["special"].tolist() == [0.1, 0.3, -0.1]
