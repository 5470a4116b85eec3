import re
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from transformers import BertForMaskedLM, pipeline

import bertlab
from bertlab.evidence.intervals import ratio
from bertlab.pretraining import measures
from bertlab.pretraining.corpus import Corpus, Document, encode_documents
from bertlab.pretraining.instances import IGNORE
from rounding import assert_rounded_equal


@pytest.fixture(scope="module")
def corpus(bert):
    """Two documents of plain English."""
    one = ("The ship left the harbour at night. " * 3 + "Nobody on the shore saw it go. The wind was cold. ") * 4
    two = ("Mix the flour with two eggs. " * 3 + "Bake the cake for an hour. Let it cool before you cut it. ") * 4
    return encode_documents([Document("one", (one.strip(),)), Document("two", (two.strip(),))], bert.tokenizer)


@pytest.fixture(scope="module")
def batch(corpus):
    return measures.held_out_batch(corpus, 16_000, rows=30)


def test_held_out_text_is_asked_for_in_the_proportions_of_the_first_run(bert):
    """Else a model trained with other shares would be measured on another mixture than those before it."""
    cat, dog = "The cat sat on the mat. " * 30, "Our dogs run to their houses. " * 300
    documents = [Document("standardebooks", (cat,)), Document("wordnet", (dog,)), Document("wordnet", (dog + "Yes.",))]
    batch = measures.held_out_batch(encode_documents(documents, bert.tokenizer), 16_000, rows=2000)
    second = np.isin(batch.ids, bert.tokenizer.convert_tokens_to_ids(["our", "dogs", "houses"]))
    first_part = (batch.segments == 0) & (batch.attention == 1)
    share = (second & first_part).any(axis=1).mean()
    assert abs(share - 0.05 / (0.34 + 0.05)) < 0.025
    masked = (batch.labels != IGNORE).sum() / (batch.attention.sum() - 3 * len(batch.ids))
    assert abs(masked - 0.15) < 0.01
    assert abs(batch.next_labels.mean() - 0.5) < 0.05


def test_masked_word_loss_and_next_sentence_are_those_of_transformers(bert, batch):
    table = measures.held_out_predictions(bert, batch, rows_at_once=7)
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
    table = measures.unigram_predictions(batch, corpus, 16_000)
    counts = np.bincount(corpus.pieces, minlength=16_000) + 1
    labels = batch.labels[batch.labels != IGNORE]
    expected = -np.log(counts[labels] / counts.sum()).mean()
    assert_rounded_equal(ratio(table["loss"], table["count"]), expected, dtype="float64")
    assert table["correct"].sum() == (labels == counts.argmax()).sum()


def test_bands_of_frequency_hold_every_masked_piece_once(bert, corpus, batch):
    pieces = measures.held_out_predictions(bert, batch).attrs["pieces"]
    table = measures.by_frequency(pieces, corpus, 16_000)
    assert table["pieces"].sum() == batch.masked
    assert_rounded_equal((table["pieces"] * table["loss"]).sum(), pieces["loss"].sum())
    ten = np.argsort(-np.bincount(corpus.pieces, minlength=16_000), kind="stable")[:10]
    assert table["pieces"][0] == pieces["piece"].isin(ten).sum()


def test_pieces_beyond_the_last_band_have_one_of_their_own():
    """Larger vocabularies than that of bertlab-mini have such pieces, and none may go missing."""
    corpus = Corpus(np.arange(20_000), np.array([0, 20_000]), np.zeros(1, dtype=int), {"one": (0, 1)})
    pieces = pd.DataFrame({"piece": [3, 17_000, 19_999], "loss": [1.0, 5.0, 7.0], "correct": [1.0, 0.0, 0.0]})
    table = measures.by_frequency(pieces, corpus, 20_000)
    assert table.to_numpy().tolist() == [["1 to 10", 1, 1.0, 1.0], ["16,001 to 20,000", 2, 6.0, 0.0]]


def test_the_layer_of_a_word_is_chosen_on_the_others(bert, monkeypatch):
    table = pd.DataFrame({"word": ["x"] * 4 + ["y"] * 4, "sense": ["a", "a", "b", "b"] * 2, "sentence": ""})
    apart, mixed = np.array([[0.0], [0.1], [9.0], [9.1]]), np.array([[0.0], [9.0], [0.0], [9.0]])
    vectors = np.stack([np.concatenate([apart, mixed]), np.concatenate([mixed, apart])], axis=1)  # (8, 2 layers, 1)
    vectors = torch.from_numpy(vectors)
    monkeypatch.setattr(measures, "_word_vectors", lambda *_: vectors)
    answers = measures.sense_answers(bert, table)
    assert answers.attrs["layers"] == {"x": 1, "y": 0}  # each the other's best, and for itself the worse
    assert answers[0].tolist() == [1.0] * 4 + answers.loc[4:, 0].tolist()
    assert answers["chosen"].tolist() == answers.loc[:3, 1].tolist() + answers.loc[4:, 0].tolist()


def test_the_vector_of_a_word_at_every_layer_is_that_of_its_reading(bert):
    table = bertlab.data.read("word_senses").query("word == 'bank'").reset_index(drop=True)
    vectors = measures._word_vectors(bert, table)
    reading = bert.read(table["sentence"][0])
    assert_rounded_equal(vectors[0], reading.hidden[:, reading.tokens.index("bank")])
    assert vectors.shape[:2] == (40, bert.model.config.num_hidden_layers + 1)


def test_the_bag_of_words_knows_nothing_of_order():
    sentences = ["the bank lent money", "money lent the bank", "the river bank flooded", "flooded the river bank"]
    table = pd.DataFrame({"word": "bank", "sense": ["a", "a", "b", "b"], "sentence": sentences})
    assert measures.bag_of_words_answers(table).tolist() == [1.0] * 4
    crossed = table.assign(sense=["a", "b", "a", "b"])  # each sentence's twin has the other sense
    assert measures.bag_of_words_answers(crossed).tolist() == [0.0] * 4


def test_the_tables_of_words_are_what_the_measures_need():
    senses, probes = bertlab.data.read("word_senses"), bertlab.data.read("fill_mask_probes")
    assert senses.groupby(["word", "sense"]).size().unique().tolist() == [20]
    assert senses.groupby("word")["sense"].nunique().unique().tolist() == [2]
    assert senses["word"].nunique() == 8
    assert senses["sentence"].is_unique
    for word, sentence in zip(senses["word"], senses["sentence"], strict=True):
        assert len(re.findall(rf"\b{word}\b", sentence, re.IGNORECASE)) == 1, sentence
    assert set(probes["sentence"].str.count(r"\[MASK\]")) == {1}


def test_a_probe_is_answered_by_one_of_the_first_five_words(bert):
    masked_lm = BertForMaskedLM.from_pretrained(Path(bertlab.__file__).parent / "bertlab-mini", dtype=torch.float32)
    sentence = "The [MASK] sat on the mat."
    expected = pipeline("fill-mask", model=masked_lm, tokenizer=bert.tokenizer, top_k=5)(sentence)
    asked = pd.DataFrame({"sentence": [sentence] * 2, "answers": [f"zebra|{expected[4]['token_str']}", "zebra"]})
    words = measures.first_words(bert, asked)
    assert [table["piece"].tolist() for table in words] == [[answer["token_str"] for answer in expected]] * 2
    assert measures.sensible(asked, [table["piece"] for table in words]).tolist() == [1.0, 0.0]


def test_the_rule_beside_the_probes_gives_the_most_frequent_pieces(bert, corpus):
    counts = Counter(bert.tokenizer.convert_ids_to_tokens(corpus.pieces.tolist()))
    frequent = measures.frequent_pieces(bert, corpus)
    assert [counts[piece] for piece in frequent] == [count for _, count in counts.most_common(5)]
    asked = pd.DataFrame({"answers": ["harbour|" + frequent[1], "zebra"]})
    assert measures.sensible(asked, [frequent] * 2).tolist() == [1.0, 0.0]


def test_our_probes_ask_for_words_the_vocabulary_has(bert):
    table = bertlab.data.read("fill_mask_probes")
    vocabulary = bert.tokenizer.get_vocab()
    for answers in table["answers"]:
        assert any(answer in vocabulary for answer in answers.split("|")), answers
