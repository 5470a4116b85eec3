"""The pooler and the next-sentence head equal transformers' own."""

import torch
from transformers import BertForNextSentencePrediction

import bertlab
from bertlab.pooler.layer import next_sentence
from rounding import assert_rounded_equal

PAIRS = [("It rained all day.", "So we stayed at home."), ("I read.", "A heart is a muscle that pumps blood.")]


def test_next_sentence_equals_transformers_own_model(model):
    own = BertForNextSentencePrediction.from_pretrained(model.model.name_or_path, dtype=torch.float32).eval()
    for pair, probability in zip(PAIRS, next_sentence(model, PAIRS), strict=True):
        with torch.no_grad():
            logits = own(**model.tokenizer(*pair, return_tensors="pt")).logits[0]
        assert_rounded_equal(probability, logits.softmax(dim=-1)[0])


def test_the_recorded_pairs_are_neighbours_and_a_few_are_measured_again(bert):
    web, pairs = bertlab.data.read("web_words"), bertlab.data.read("neighbours")
    document, number = (web["source"].str.extract(part)[0] for part in (r"(.*)-\d+$", r"-(\d+)$"))
    rows = pairs["foils"].str.split(expand=True).astype(int).assign(first=pairs["first"], second=pairs["first"] + 1)
    of = rows.apply(lambda column: document[column].to_numpy())
    assert (of["first"] == of["second"]).all()
    assert (number[rows["first"]].astype(int).to_numpy() + 1 == number[rows["second"]].astype(int).to_numpy()).all()
    assert of["first"].value_counts().max() == 4
    assert not of[[0, 1, 2]].eq(of["first"], axis=0).any(axis=None)
    texts, few = rows[::30].apply(lambda column: web["text"][column].to_numpy()), pairs[::30]
    follows, *foils = (
        next_sentence(bert, zip(texts["first"], texts[each], strict=True)) for each in ("second", 0, 1, 2)
    )
    assert_rounded_equal(follows, few["follows"].to_numpy())
    assert_rounded_equal(
        next_sentence(bert, zip(texts["second"], texts["first"], strict=True)), few["reversed"].to_numpy()
    )
    assert sum(follows > foil for foil in foils).tolist() == few["head"].tolist()
