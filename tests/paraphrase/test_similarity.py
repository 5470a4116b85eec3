"""How alike two sentences are: equal to scikit-learn's and hand arithmetic, for models, word vectors and rules."""

import math

import numpy as np
import pandas as pd
import pytest
import torch
from sklearn.metrics import jaccard_score
from sklearn.metrics.pairwise import paired_cosine_distances

from bertlab.paraphrase import similarity as paraphrase
from pooled import POOLED_BY_HAND
from rounding import assert_rounded_equal

PAIRS = pd.DataFrame(
    {
        "first": ["A man plays a flute.", "It rains.", "She sold the red car.", "Nobody came."],
        "second": ["A man sings a song.", "The sun is out.", "The red car was sold by her.", "Nobody came."],
    }
)


class TestPairCosines:
    def test_tiny_vectors_have_a_direction_and_zeros_have_none(self):
        vectors = torch.tensor([[1e-10, 0.0], [0.0, 0.0], [2e-10, 0.0], [1.0, 1.0]])
        assert_rounded_equal(paraphrase.pair_cosines(vectors), [1, 0])

    def test_pairs_that_are_equally_alike_have_equal_numbers(self):
        chance = torch.Generator().manual_seed(2)
        sides = torch.randn(2, 256, generator=chance)
        orders = [torch.randperm(256, generator=chance) for _ in range(50)]  # the same sum, added up in other orders
        vectors = torch.stack([side[order] for side in sides for order in orders])
        assert len(set(paraphrase.pair_cosines(vectors).tolist())) == 1


class TestModelSimilarities:
    def test_equal_scikit_learns_cosine_of_readings_one_by_one(self, model):
        rows = model.model.bert.embeddings.word_embeddings.weight.detach()
        by_hand = {"static rows": lambda reading: rows[reading.ids[1:-1]].mean(dim=0)}
        for pooling, pool in POOLED_BY_HAND.items():
            name = pooling.replace("cls", "[CLS]")
            by_hand[name] = lambda reading, pool=pool: pool(reading.hidden[-1].numpy())
        for layer in range(model.model.config.num_hidden_layers):
            by_hand[f"mean, layer {layer}"] = lambda reading, layer=layer: reading.hidden[layer].mean(dim=0)
        found = paraphrase.model_similarities(model, PAIRS, layers=True)
        assert found.keys() == by_hand.keys()
        for name, vector in by_hand.items():
            first, second = (np.stack([vector(model.read(text)) for text in PAIRS[side]]) for side in PAIRS)
            assert_rounded_equal(found[name], 1 - paired_cosine_distances(first, second), decimals=6)
            assert_rounded_equal(found[name][3], 1, decimals=6)  # a sentence and itself


class TestBaselines:
    def test_word_overlap_is_scikit_learns_jaccard(self):
        for (first, second), value in zip(PAIRS.itertuples(index=False), paraphrase.word_overlap(PAIRS), strict=True):
            a, b = ({word.strip(".").lower() for word in text.split()} for text in (first, second))
            words = sorted(a | b)
            expected = jaccard_score([w in a for w in words], [w in b for w in words])
            assert_rounded_equal(value, expected, dtype="float64")

    def test_tfidf_by_hand(self):
        pairs = pd.DataFrame({"first": ["red car"], "second": ["red bus"]})
        once, twice = math.log(3 / 2) + 1, math.log(3 / 3) + 1  # scikit-learn's smoothed weights, two sentences
        assert paraphrase.tfidf_cosines(pairs).tolist() == [round(twice**2 / (once**2 + twice**2), 6)]

    def test_capitals_signs_and_ways_to_write_an_accent_do_not_count_and_no_words_are_none_in_common(self):
        pairs = pd.DataFrame({"first": ["Red car!", "!", "caf\u00e9"], "second": ["a red, CAR", "?", "cafe\u0301"]})
        assert paraphrase.word_overlap(pairs).tolist() == [2 / 3, 0, 1]
        assert paraphrase.tfidf_cosines(pairs)[1:].tolist() == [0, 1]


class TestGlove:
    PAIRS = pd.DataFrame({"first": ["Red car.", "Unheard."], "second": ["red bus", "red"]})

    def test_means_of_words_by_hand_beside_counts_and_a_word_with_spaces_or_none_of_them(self, tmp_path):
        path = tmp_path / "glove.txt"
        path.write_text("4 2\nred 1 0 \ncar 0 1 \nbus 1 1 \nred . . 9 9\n", encoding="utf-8")
        by_hand = (0.5 * 1 + 0.5 * 0.5) / (math.hypot(0.5, 0.5) * math.hypot(1, 0.5))
        assert_rounded_equal(paraphrase.glove_similarities(path, self.PAIRS), [by_hand, 0], decimals=6)
        path.write_text("blue 1 2\n", encoding="utf-8")
        with pytest.raises(ValueError, match="holds none of the pairs' words"):
            paraphrase.glove_similarities(path, self.PAIRS)
