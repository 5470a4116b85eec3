from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from scipy import stats
from transformers import BertForMaskedLM, pipeline

import bertlab
from bertlab.evidence.intervals import Interval, interval, mean, ratio, spearman
from bertlab.pretraining import masked_words, probes, senses
from bertlab.pretraining.corpus import encode
from bertlab.pretraining.instances import IGNORE
from bertlab.pretraining.text import Document
from rounding import assert_rounded_equal


@pytest.fixture(scope="module")
def corpus(bert):
    """Two documents of plain English."""
    one = ("The ship left the harbour at night. " * 3 + "Nobody on the shore saw it go. The wind was cold. ") * 4
    two = ("Mix the flour with two eggs. " * 3 + "Bake the cake for an hour. Let it cool before you cut it. ") * 4
    return encode([Document("one", (one.strip(),)), Document("two", (two.strip(),))], bert.tokenizer)


@pytest.fixture(scope="module")
def batch(corpus):
    return masked_words.held_out_batch(corpus, 16_000, rows=30)


def test_an_interval_covers_as_theory_says():
    values = np.random.default_rng(0).normal(3.0, 2.0, size=400)
    found = interval(values)
    assert_rounded_equal(found.value, values.mean(), dtype="float64")
    half = 1.96 * values.std(ddof=1) / 20
    # The theory is of many samples, and the interval of some resamples: they differ by far more than rounding.
    assert (found.low, found.high) == pytest.approx((values.mean() - half, values.mean() + half), abs=0.05)
    assert found.excludes_zero


@pytest.mark.parametrize(
    ("low", "high", "outside"),
    [(0.1, 0.3, True), (-0.3, -0.1, True), (-0.1, 0.3, False), (0, 1, False), (-1, 0, False)],
)
def test_an_interval_says_whether_zero_lies_outside(low, high, outside):
    assert Interval((low + high) / 2, low, high).excludes_zero == outside


def test_an_interval_is_written_with_three_decimals_and_no_minus_zero():
    assert str(Interval(-0.0001, -0.0004, 0.12349)) == "0.000 [0.000, 0.123]"
    assert str(Interval(-0.5, -1.0, -0.0)) == "-0.500 [-1.000, 0.000]"


def test_items_are_drawn_together_in_a_paired_difference():
    chance = np.random.default_rng(0)
    hard = chance.normal(0, 10, size=300)  # items differ far more than the two models do
    better = hard + 0.5 + chance.normal(0, 0.1, size=300)
    found = interval(better, hard, statistic=lambda a, b, axis=-1: a.mean(axis) - b.mean(axis))
    # The noise of 300 samples, not rounding.
    assert found.low == pytest.approx(0.5, abs=0.05)
    assert found.high == pytest.approx(0.5, abs=0.05)


def test_one_column_without_spread_leaves_that_of_the_other():
    values = np.arange(50.0)
    found = interval(values, np.full(50, 2.0), statistic=lambda a, b, axis=-1: (a - b).mean(axis))
    assert found == interval(values - 2)
    assert found.high - found.low > 5


def test_an_interval_without_spread_is_a_point_and_refuses_what_it_cannot_do(recwarn):
    assert interval([1.0, 1.0, 1.0]) == Interval(1.0, 1.0, 1.0)
    tenth = interval([0.1] * 7, [3.0] * 7, statistic=ratio)
    assert tenth.low == tenth.value == tenth.high
    assert_rounded_equal(tenth.value, 0.1 / 3, dtype="float64")
    assert not recwarn.list
    with pytest.raises(ValueError, match="at least two items"):
        interval([1.0])
    with pytest.raises(ValueError, match="as many in each"):
        interval([1.0, 2.0], [1.0], statistic=ratio)


def test_statistics():
    assert mean(np.array([0.0, 1.0])) == 0.5
    assert ratio(np.array([2.0, 4.0]), np.array([1.0, 2.0])) == 2.0
    a, b = np.array([1.0, 5, 3, 9]), np.array([2.0, 3, 4, 9])
    by_ranks = stats.pearsonr(stats.rankdata(a), stats.rankdata(b)).statistic
    assert_rounded_equal(spearman(a, b), by_ranks, dtype="float64")


def test_masked_word_loss_and_next_sentence_are_those_of_transformers(bert, batch):
    table = masked_words.predict(bert, batch, rows_at_once=7)
    labels = np.full_like(batch.ids, IGNORE)
    np.put_along_axis(labels, batch.positions, batch.labels, axis=1)
    with torch.no_grad():
        output = bert.model(
            input_ids=torch.from_numpy(batch.ids),
            token_type_ids=torch.from_numpy(batch.segments),
            attention_mask=torch.from_numpy(batch.attention),
            labels=torch.from_numpy(labels),
            next_sentence_label=torch.from_numpy(batch.next_labels),
        )
    pairs = torch.nn.functional.cross_entropy(output.seq_relationship_logits, torch.from_numpy(batch.next_labels))
    assert_rounded_equal(ratio(table["loss"], table["count"]), output.loss - pairs)
    right = output.seq_relationship_logits.argmax(-1).numpy() == batch.next_labels
    np.testing.assert_array_equal(table["next"], right)
    guesses = output.prediction_logits.argmax(-1).numpy()
    assert table["correct"].sum() == (guesses == labels)[labels != IGNORE].sum()


def test_the_frequency_baseline_is_the_cross_entropy_of_the_frequencies(corpus, batch):
    table = masked_words.unigram_predictions(batch, corpus, 16_000)
    counts = np.bincount(corpus.pieces, minlength=16_000) + 1
    labels = batch.labels[batch.labels != IGNORE]
    expected = -np.log(counts[labels] / counts.sum()).mean()
    assert_rounded_equal(ratio(table["loss"], table["count"]), expected, dtype="float64")
    assert table["correct"].sum() == (labels == counts.argmax()).sum()


def test_bands_of_frequency_hold_every_masked_piece_once(bert, corpus, batch):
    pieces = masked_words.predict(bert, batch).attrs["pieces"]
    table = masked_words.by_frequency(pieces, corpus, 16_000)
    assert table["pieces"].sum() == batch.masked
    assert_rounded_equal((table["pieces"] * table["loss"]).sum(), pieces["loss"].sum())
    ten = np.argsort(-np.bincount(corpus.pieces, minlength=16_000), kind="stable")[:10]
    assert table["pieces"][0] == pieces["piece"].isin(ten).sum()


def test_word_vectors_are_those_of_the_readings(bert):
    table = pd.DataFrame({"word": ["bank", "bat"], "sentence": ["The bank closed early.", "A bat flew by."]})
    vectors = senses.word_vectors(bert, table)
    reading = bert.read("The bank closed early.")
    assert_rounded_equal(vectors[0], reading.hidden[:, reading.tokens.index("bank")])


def test_the_layer_of_a_word_is_chosen_on_the_others(bert, monkeypatch):
    table = pd.DataFrame({"word": ["x"] * 4 + ["y"] * 4, "sense": ["a", "a", "b", "b"] * 2, "sentence": ""})
    apart, mixed = np.array([[0.0], [0.1], [9.0], [9.1]]), np.array([[0.0], [9.0], [0.0], [9.0]])
    vectors = np.stack([np.concatenate([apart, mixed]), np.concatenate([mixed, apart])], axis=1)  # (8, 2 layers, 1)
    vectors = torch.from_numpy(vectors)
    monkeypatch.setattr(senses, "word_vectors", lambda *_: vectors)
    answers = senses.sense_answers(bert, table)
    assert answers.attrs["layers"] == {"x": 1, "y": 0}  # each the other's best, and for itself the worse
    assert answers[0].tolist() == [1.0] * 4 + answers.loc[4:, 0].tolist()
    assert answers["chosen"].tolist() == answers.loc[:3, 1].tolist() + answers.loc[4:, 0].tolist()


def test_our_sentences_are_what_their_datasheet_says():
    table = senses.read_senses()
    assert table.groupby(["word", "sense"]).size().unique().tolist() == [20]
    assert table["word"].nunique() == 8
    assert table["sentence"].is_unique


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("word,sentence\nbank,The bank.\n", "lacks the columns sense"),
        ("word,sense,sentence\nbank,a,The bank.\n", "needs two senses"),
        ("word,sense,sentence\nbank,a,The bank.\nbank,b,A river.\n", "line 3: 'bank' does not stand once"),
    ],
)
def test_bad_sense_files_are_refused_by_name(tmp_path, content, says):
    (tmp_path / "s.csv").write_text(content)
    with pytest.raises(ValueError, match=says) as error:
        senses.read_senses(tmp_path / "s.csv")
    assert "s.csv" in str(error.value)


def test_probes_are_answered_as_the_fill_mask_pipeline_does(bert):
    folder = Path(bertlab.__file__).parent / "bertlab-mini"
    masked_lm = BertForMaskedLM.from_pretrained(folder, dtype=torch.float32)
    sentence = "The [MASK] sat on the mat."
    expected = pipeline("fill-mask", model=masked_lm, tokenizer=bert.tokenizer, top_k=5)(sentence)
    words = probes.top_words(bert, [sentence])[0]
    assert [word for word, _ in words] == [answer["token_str"] for answer in expected]
    assert_rounded_equal([share for _, share in words], [answer["score"] for answer in expected])
    asked = pd.DataFrame({"sentence": [sentence, sentence], "answers": [f"zebra|{words[4][0]}", "zebra"]})
    assert probes.probe_answers(bert, asked).tolist() == [1.0, 0.0]
    assert probes.frequency_answers(["the", "of"], asked.assign(answers=["of|x", "x"])).tolist() == [1.0, 0.0]


def test_our_probes_ask_for_words_the_vocabulary_has(bert):
    table = probes.read_probes()
    vocabulary = bert.tokenizer.get_vocab()
    for answers in table["answers"]:
        assert any(answer in vocabulary for answer in answers.split("|")), answers


def test_bad_probe_files_are_refused_by_name(tmp_path):
    path = tmp_path / "p.csv"
    path.write_text("sentence,answers\nA [MASK].,x\n")
    with pytest.raises(ValueError, match="lacks the columns kind"):
        probes.read_probes(path)
    path.write_text("kind,sentence,answers\na,A [MASK].,x\na,A mask.,x\n")
    with pytest.raises(ValueError, match=r"p\.csv, line 3"):
        probes.read_probes(path)
