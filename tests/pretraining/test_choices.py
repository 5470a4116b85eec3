from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from transformers import BertForMaskedLM, pipeline

import bertlab
from bertlab.pretraining import choices
from bertlab.pretraining.corpus import Document, encode_documents


@pytest.fixture(scope="module")
def masked_lm():
    return BertForMaskedLM.from_pretrained(Path(bertlab.__file__).parent / "bertlab-mini", dtype=torch.float32).eval()


@pytest.fixture(scope="module")
def corpus(bert):
    text = "The king was late. We are here and they are there. It was cold, so we stayed. " * 3
    return encode_documents([Document("one", (text,))], bert.tokenizer)


def test_the_sentence_with_the_higher_score_is_chosen(bert, masked_lm):
    pairs = bertlab.data.read("agreement_pairs").head(6)

    def score(sentence):
        ids = bert.tokenizer(sentence, return_tensors="pt")["input_ids"]
        total = 0.0
        for place in range(1, ids.shape[1] - 1):
            hidden = ids.clone()
            hidden[0, place] = bert.tokenizer.mask_token_id
            with torch.no_grad():
                total += masked_lm(hidden).logits[0, place].log_softmax(-1)[ids[0, place]].item()
        return total

    expected = [float(score(pair.good) > score(pair.bad)) for pair in pairs.itertuples()]
    assert set(expected) == {0.0, 1.0}, "else this test would see no difference"
    assert choices.sentence_choices(bert, pairs).tolist() == expected
    turned = pairs.rename(columns={"good": "bad", "bad": "good"})
    assert choices.sentence_choices(bert, turned).tolist() == [1 - value for value in expected]
    same = pairs.assign(bad=pairs["good"])
    assert choices.sentence_choices(bert, same).tolist() == [0.5] * 6


def test_the_true_word_is_chosen_among_those_of_its_topic(bert, masked_lm):
    facts = bertlab.data.read("facts").query("topic in ['capitals', 'time']").reset_index(drop=True)
    ask = pipeline("fill-mask", model=masked_lm, tokenizer=bert.tokenizer)
    expected = []
    for fact in facts.itertuples():
        words = facts.loc[facts["topic"] == fact.topic, "true"].str.lower().tolist()
        assert len(words) == 6
        expected.append(float(ask(fact.template, targets=words)[0]["token_str"] == fact.true.lower()))
    assert set(expected) == {0.0, 1.0}, "else this test would see no difference"
    shuffled = facts.sample(frac=1, random_state=0)
    found = pd.Series(choices.word_choices(bert, shuffled), index=shuffled.index).sort_index()
    assert found.tolist() == expected


def test_words_that_share_the_first_place_share_the_answer(bert):
    facts = pd.DataFrame({"template": "[MASK]", "true": ["cat", "dog", "cow"], "topic": "animals"})
    assert choices._first_of_topic(bert, facts, np.ones((3, 16_000))).tolist() == pytest.approx([1 / 3] * 3)


def test_the_rule_beside_knows_frequencies_alone(bert, corpus):
    pairs = pd.DataFrame({"good": ["It was.", "They was.", "The cat."], "bad": ["It were.", "They are.", "The dog."]})
    counts = Counter(bert.tokenizer.convert_ids_to_tokens(corpus.pieces.tolist()))
    assert counts["was"] == counts["are"] > counts["were"] == counts["cat"] == counts["dog"] == 0
    assert choices.frequency_choices(bert, pairs, corpus).tolist() == [1, 0.5, 0.5]
    facts = pd.DataFrame({"template": "[MASK]", "true": ["king", "cow", "cold"], "topic": ["a", "a", "b"]})
    assert choices.frequency_words(bert, facts, corpus).tolist() == [1, 0, 1]


def test_our_tables_are_no_better_for_that_rule_than_chance(bert):
    counts = dict.fromkeys(range(16_000), 1)
    chance = np.random.default_rng(0)
    text = bert.tokenizer.convert_ids_to_tokens(chance.choice(np.arange(104, 16_000), 9000).tolist())
    corpus = encode_documents([Document("one", (" ".join(text),))], bert.tokenizer, len(counts))
    for name in ("minimal_pairs", "agreement_pairs"):
        assert choices.frequency_choices(bert, bertlab.data.read(name), corpus).mean() == 0.5
    assert choices.frequency_words(bert, bertlab.data.read("facts"), corpus).mean() == pytest.approx(1 / 6)


def test_a_model_that_splits_a_word_is_not_asked_for_it(bert, tiny_folder):
    facts = bertlab.data.read("facts")
    assert choices.askable(bert, facts)
    assert not choices.askable(bert, facts.assign(true="hippopotamuses"))
    assert not choices.askable(bert, facts.assign(true="\u4e16"))


def test_items_that_share_their_words_count_as_a_group():
    pairs = pd.DataFrame(
        {"good": ["It was hot.", "We were hot.", "A cat is."], "bad": ["It were hot.", "We was hot.", ""]}
    )
    assert choices.exchanges(pairs)[:2] == ["was / were"] * 2
    sums, counts = choices.by_group(np.array([1.0, 0.0, 1.0]), ["x", "y", "x"])
    assert (sums.tolist(), counts.tolist()) == ([2, 0], [2, 1])
