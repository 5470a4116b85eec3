"""The recorded runs of lesson 8: what is planned and measured, and the table that ships."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bertlab
import record_finetuning as record
import record_words
from bertlab import data
from bertlab.finetuning import six_kinds

KEYS = ["model", "pairs", "epochs", "rate", "seed"]
KINDS = list(six_kinds(1))
PAIRS = bertlab.finetuning.role_pairs(200, "test").iloc[::2]
OF_LONGER = [*KEYS, "voices", "right", "of", "learned", "six_right", "six_of"]


def first(count, of=100):
    """Return who got the first so many of some items right."""
    return np.arange(of) < count


def test_the_table_that_ships_holds_what_is_planned_each_once_with_as_many_steps_on_fewer_pairs():
    table = data.read("finetuning_runs")
    planned = pd.DataFrame(record.plan("bertlab-mini", 3)).drop(columns="voices")
    assert table.columns.tolist() == [*KEYS, "right", "of"]
    assert table.sort_values(KEYS)[KEYS].to_numpy().tolist() == planned.sort_values(KEYS).to_numpy().tolist()
    assert not planned.duplicated().any()
    assert set(planned["pairs"] * planned["epochs"]) == {3600}
    assert (table["of"] == record.TESTED).all()
    assert table["right"].between(0, table["of"]).all()


def test_the_longer_runs_that_ship_are_those_planned_and_twins_have_learned_their_own_pairs():
    table, planned = data.read("finetuning_longer"), pd.DataFrame(record.longer("bertlab-mini", 3))
    keys = [*KEYS, "voices"]
    assert table.columns.tolist() == OF_LONGER
    assert table.sort_values(keys)[keys].to_numpy().tolist() == planned.sort_values(keys)[keys].to_numpy().tolist()
    twins = table[table["model"].isin([record.TWIN, record.TWIN_WITH_ROWS])]
    assert (twins["learned"] > 0.98 * twins["pairs"]).all(), "trained to the end"
    assert (table["six_of"] == 3 * record.TESTED).all()


def test_the_runs_that_ship_kind_by_kind_are_those_planned_and_agree_with_the_longer_ones():
    table, planned = data.read("finetuning_kinds"), pd.DataFrame(record.by_kind("bertlab-mini", 3))
    keys = [*KEYS, "voices"]
    assert table.columns.tolist() == [*OF_LONGER, "low", "high", *KINDS]
    assert table.sort_values(keys)[keys].to_numpy().tolist() == planned.sort_values(keys)[keys].to_numpy().tolist()
    assert (table[KINDS].sum(axis=1) == table["six_right"]).all()
    both = table.merge(data.read("finetuning_longer"), on=keys)
    assert len(both) == 4
    assert (both["six_right_x"] == both["six_right_y"]).all(), "the same runs, made twice"


def test_the_runs_of_words_that_ship_are_those_planned():
    table, planned = data.read("word_class_runs"), pd.DataFrame(record_words.plan("bertlab-mini", 3))
    keys = ["model", "epochs", "seed"]
    assert table[keys].equals(planned[keys])
    assert set(table["of"]) == {len(" ".join(data.read("news_words")["words"]).split())}
    assert len(table[["seed", "new_of"]].drop_duplicates()) == 3
    assert (table["new_right"] <= table["right"]).all()
    assert (table.query("model == 'untrained twin'")["learned"] > 0.95).all(), "trained to the end"


def test_the_constructions_that_ship_were_each_asked_in_both_places_of_all_events():
    table = data.read("finetuning_constructions")
    assert table.columns.tolist() == ["construction", "place", "seed 0", "seed 1", "seed 2", "of"]
    planned = [[name, place] for name in record.CONSTRUCTIONS for place in ("first", "second")]
    assert table[["construction", "place"]].to_numpy().tolist() == planned
    assert set(table["of"]) == {2 * record.TESTED}


def test_a_new_construction_is_put_beside_both_known_ones_once_the_same_and_once_not():
    events = pd.DataFrame({"agent": ["cat"], "verb": ["blamed"], "patient": ["dog"]})
    pairs = record.beside_known(events, record.CONSTRUCTIONS["had often blamed"], new_first=False)
    assert pairs.to_numpy().tolist() == [
        ["The cat blamed the dog.", "The cat had often blamed the dog.", 1],
        ["The dog blamed the cat.", "The cat had often blamed the dog.", 0],
        ["The dog was blamed by the cat.", "The cat had often blamed the dog.", 1],
        ["The cat was blamed by the dog.", "The cat had often blamed the dog.", 0],
    ]


def test_rows_are_looked_up_for_the_word_the_one_before_and_the_one_after(tiny):
    rows = record_words.looked_up(tiny, ["the cat sat", "dogs"])
    hidden = rows.shape[1] // 3
    alone, before, after = rows[:, :hidden], rows[:, hidden : 2 * hidden], rows[:, 2 * hidden :]
    assert len(rows) == 4
    assert (before[1:3] == alone[:2]).all()
    assert (after[:2] == alone[1:3]).all()
    assert not before[[0, 3]].any()
    assert not after[[2, 3]].any()
    table = tiny.model.bert.embeddings.word_embeddings.weight.detach().numpy()
    piece = tiny.tokenizer("cat", add_special_tokens=False)["input_ids"][0]
    np.testing.assert_allclose(alone[1], table[piece] - table.mean(axis=0), rtol=1e-5)


def test_six_kinds_are_what_their_names_say():
    kinds = six_kinds(5)
    assert len(kinds) == 6
    for name, pairs in kinds.items():
        assert len(pairs) == 5
        assert (pairs["same"] == ("not" not in name)).all()
        passive = pairs[["first", "second"]].apply(lambda side: side.str.contains(" was ")).sum(axis=1)
        assert set(passive) == {{"both active": 0, "both passive": 2}.get(name.split(",")[0], 1)}
        if name.startswith("both") and "not" not in name:
            assert (pairs["first"] == pairs["second"]).all(), "the same, letter by letter"


def test_a_run_of_words_counts_all_words_and_those_that_training_never_showed(tiny):
    settings = [setting._replace(epochs=1) for setting in record_words.plan("tiny", 1)]
    table = record_words.measure(tiny, settings, learned=4, asked=slice(6)).set_index("model")
    assert (table["new_of"] < table["of"]).all()
    assert (table["new_right"] <= table["right"]).all()
    assert set(table["of"]) == {len(" ".join(data.read("news_words")["words"][:6]).split())}
    assert table.loc["the rule", "learned"] > 0.95


def test_a_run_counts_what_is_right_on_words_never_shown(tiny, monkeypatch):
    trained = []
    monkeypatch.setattr(record, "train", lambda classifier, *_, **options: trained.append((classifier, options)))
    settings = [record.Setting("x", 4, 1, 1e-3, 3), record.Setting(record.TWIN, 4, 2, 1e-3, 3, record.MIXED)]
    table = record.measure(tiny, settings, tested=6)
    test = bertlab.finetuning.role_pairs(12, "test").iloc[::2]
    for (classifier, options), right, setting in zip(trained, table["right"], settings, strict=True):
        answers = bertlab.finetuning.predict(classifier, bertlab.finetuning.as_texts(test))
        assert right == (answers.numpy() == test["same"]).sum()
        assert options == {"epochs": setting.epochs, "rate": 1e-3, "together": 2, "seed": 3}
    assert table["of"].tolist() == [6, 6]
    assert table["six_of"].tolist() == [18, 18]
    assert table.columns.tolist() == [*OF_LONGER, "low", "high", *KINDS]
    assert table[KINDS].sum(axis=1).tolist() == table["six_right"].tolist()
    assert table["model"].tolist() == ["x", record.TWIN]


def test_drawing_words_again_is_wider_where_words_decide_and_exact_at_the_ends():
    hard = PAIRS["verb"].isin(sorted(set(PAIRS["verb"]))[:5]).to_numpy()  # right or wrong by the verb alone
    by_verb, by_pair = (
        record.by_words(PAIRS, hard),
        record.by_words(PAIRS, first(int(hard.sum()))[np.argsort(PAIRS["first"])]),
    )
    assert by_verb.low < hard.mean() < by_verb.high
    assert by_verb.high - by_verb.low > by_pair.high - by_pair.low
    assert record.by_words(PAIRS, first(100)).value == 1
    assert 0.9 < record.by_words(PAIRS, first(100)).low < 1


def test_with_one_noun_a_pair_words_are_drawn_again_as_scipy_draws_pairs():
    values = np.random.default_rng(5).random(200)
    pairs = pd.DataFrame({"agent": [f"noun {i}" for i in range(200)], "patient": "cat", "verb": "saw"})
    found = record.by_words(pairs, values)
    expected = stats.bootstrap((values,), np.mean, method="percentile", rng=1).confidence_interval  # 95 %
    # Of a thousand draws, each end is known to a twelfth of a standard error; those of 90 % would be a third inside.
    assert (found.low, found.high) == pytest.approx(tuple(expected), abs=0.2 * values.std() / 200**0.5)
