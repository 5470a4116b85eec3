"""How alike two sentences are: equal to scikit-learn's and hand arithmetic, for models, word vectors and rules."""

import math

import numpy as np
import pandas as pd
import pytest
import torch
from sklearn.metrics import jaccard_score
from sklearn.metrics.pairwise import paired_cosine_distances

import bertlab
from bertlab.embedding.similarity import cosine
from bertlab.paraphrase import similarity as paraphrase
from rounding import assert_rounded_equal


@pytest.fixture
def pairs():
    return pd.DataFrame(
        {
            "first": ["A man plays a flute.", "It rains.", "She sold the red car.", "Nobody came."],
            "second": ["A man sings a song.", "The sun is out.", "The red car was sold by her.", "Nobody came."],
        }
    )


class TestPairCosines:
    def test_equal_lesson_ones_cosine(self):
        vectors = torch.randn(8, 5, generator=torch.Generator().manual_seed(1))
        assert_rounded_equal(paraphrase.pair_cosines(vectors), cosine(vectors[:4], vectors[4:]), decimals=6)

    def test_tiny_vectors_have_a_direction_and_zeros_have_none(self):
        vectors = torch.tensor([[1e-10, 0.0], [0.0, 0.0], [2e-10, 0.0], [1.0, 1.0]])
        assert_rounded_equal(paraphrase.pair_cosines(vectors), [1, 0])

    @pytest.mark.parametrize("scale", [1e-30, 1e30])
    def test_very_large_and_very_small_numbers_are_as_others(self, scale):
        vectors = torch.tensor([[3.0, -4.0], [3.0, -4.0], [6.0, 8.0], [-3.0, 4.0]]) * scale
        assert paraphrase.pair_cosines(vectors).tolist() == pytest.approx([-14 / 50, -1])

    def test_pairs_that_are_equally_alike_have_equal_numbers(self):
        chance = torch.Generator().manual_seed(2)
        one, other = torch.randn(2, 256, generator=chance)
        orders = [torch.randperm(256, generator=chance) for _ in range(50)]  # the same sum, added up in other orders
        vectors = torch.stack([side[order] for side in (one, other) for order in orders])
        assert len(set(paraphrase.pair_cosines(vectors).tolist())) == 1

    def test_what_is_no_number_stays_none(self):
        vectors = torch.tensor([[float("nan"), 1.0], [1.0, 1.0]])
        assert np.isnan(paraphrase.pair_cosines(vectors)).all()


class TestModelSimilarities:
    @pytest.mark.parametrize("shape", ["shipped", "tiny"])
    def test_equal_scikit_learns_cosine_of_readings_one_by_one(self, bert, tiny_folder, pairs, shape):
        model = bert if shape == "shipped" else bertlab.load(tiny_folder)
        rows = model.model.bert.embeddings.word_embeddings.weight.detach()
        pool = {
            "[CLS]": lambda r: r.hidden[-1, 0],
            "mean": lambda r: r.hidden[-1].mean(dim=0),
            "max": lambda r: r.hidden[-1].amax(dim=0),
            "static rows": lambda r: rows[r.ids[1:-1]].mean(dim=0),
            "mean, layer 0": lambda r: r.hidden[0].mean(dim=0),
            "mean, layer 1": lambda r: r.hidden[1].mean(dim=0),
        }
        found = paraphrase.model_similarities(model, pairs, layers=True)
        assert list(found)[:6] == list(pool)
        assert len(found) == 4 + model.model.config.num_hidden_layers
        for name, way in pool.items():
            first, second = (np.stack([way(model.read(t)).numpy() for t in pairs[side]]) for side in pairs)
            assert_rounded_equal(found[name], 1 - paired_cosine_distances(first, second), decimals=6)

    def test_one_pooling_alone_gives_the_same(self, bert, pairs):
        found = paraphrase.model_similarities(bert, pairs, layers=True)
        assert_rounded_equal(paraphrase.similarities(bert, pairs, "max"), found["max"])
        assert_rounded_equal(paraphrase.similarities(bert, pairs, layer=1), found["mean, layer 1"])

    def test_progress_sees_every_batch(self, bert, pairs):
        seen = []
        paraphrase.model_similarities(bert, pairs, progress=lambda batches: seen.extend(batches) or batches)
        assert sorted(place for batch in seen for place in batch) == list(range(8))

    def test_a_sentence_is_as_like_itself_as_can_be(self, bert, pairs):
        for values in paraphrase.model_similarities(bert, pairs).values():
            assert_rounded_equal(values[3], 1, decimals=6)

    def test_the_second_is_compared_with_its_own_first(self, bert, pairs):
        shuffled = pairs.assign(second=pairs["second"].iloc[[1, 0, 3, 2]].to_numpy())
        moved = paraphrase.similarities(bert, pairs) - paraphrase.similarities(bert, shuffled)
        assert np.abs(moved).max() > 0.01

    @pytest.mark.parametrize(
        ("change", "says"),
        [
            (lambda p: p.drop(columns="second"), "lack the column second"),
            (lambda p: p.iloc[:0], "no pair in the table"),
            (lambda p: p.assign(first=["a", "", "b", "c"]), "Text 1 of 8 is empty"),
            (lambda p: p.assign(second="word " * 3000), "Nothing was cut off"),
        ],
    )
    def test_bad_pairs_are_refused(self, bert, pairs, change, says):
        with pytest.raises(ValueError, match=says):
            paraphrase.model_similarities(bert, change(pairs))


class TestBaselines:
    def test_word_overlap_is_scikit_learns_jaccard(self, pairs):
        found = paraphrase.baseline_similarities(pairs)["word overlap"]
        for (first, second), value in zip(pairs.itertuples(index=False), found, strict=True):
            a, b = ({word.strip(".").lower() for word in text.split()} for text in (first, second))
            words = sorted(a | b)
            expected = jaccard_score([w in a for w in words], [w in b for w in words])
            assert_rounded_equal(value, expected, dtype="float64")

    def test_tfidf_by_hand(self):
        pairs = pd.DataFrame({"first": ["red car"], "second": ["red bus"]})
        once, twice = math.log(3 / 2) + 1, math.log(3 / 3) + 1  # scikit-learn's smoothed weights, two sentences
        found = paraphrase.baseline_similarities(pairs)["TF-IDF"]
        assert found.tolist() == [round(twice**2 / (once**2 + twice**2), 6)]

    def test_capitals_and_signs_do_not_count(self):
        pairs = pd.DataFrame({"first": ["Red car!"], "second": ["a red, CAR"]})
        assert paraphrase.baseline_similarities(pairs)["word overlap"].tolist() == [2 / 3]

    @pytest.mark.parametrize(
        "ask", [paraphrase.baseline_similarities, paraphrase.word_overlap, paraphrase.tfidf_cosines]
    )
    def test_bad_pairs_are_refused(self, pairs, ask):
        with pytest.raises(ValueError, match=r"lack the column second.*table with the columns first and second"):
            ask(pairs.drop(columns="second"))
        with pytest.raises(ValueError, match="lack the column first and second"):
            ask([("It rains.", "It pours.")])
        with pytest.raises(ValueError, match="no pair in the table"):
            ask(pairs.iloc[:0])
        for missing, kind in ((None, "(NoneType|float)"), (4, "int")):
            table = pairs.astype(object)
            table.loc[2, "second"] = missing
            with pytest.raises(TypeError, match=f"The second sentence of row 2 is no text but {kind}"):
                ask(table)

    def test_the_index_of_a_table_counts_for_nothing(self, pairs):
        for name, values in paraphrase.baseline_similarities(pairs.set_index([[3, 1, 0, 2]])).items():
            assert values.tolist() == paraphrase.baseline_similarities(pairs)[name].tolist()

    def test_sentences_without_words_have_none_in_common(self):
        pairs = pd.DataFrame({"first": ["!", "Yes!"], "second": ["?", "yes?"]})
        for values in paraphrase.baseline_similarities(pairs).values():
            assert values.tolist() == [0, 1]


class TestGlove:
    PAIRS = pd.DataFrame({"first": ["Red car.", "Unheard."], "second": ["red bus", "red"]})

    @pytest.fixture
    def write(self, tmp_path):
        def written(text, encoding="utf-8"):
            path = tmp_path / "glove.txt"
            path.write_bytes(text.encode(encoding))
            return path

        return written

    @pytest.mark.parametrize(
        "text",
        [
            "red 1 0\ncar 0 1\nbus 1 1\nblue 5 5\n",
            "4 2\nred 1 0\ncar 0 1\nbus 1 1\nblue 5 5\n",
            "4 2 \nred 1 0 \ncar 0 1 \nbus 1 1 \n",
            "red 1 0\ncar 0 1\nbus 1 1\nred . . 9 9\n",
        ],
        ids=["plain", "counts", "spaces", "word with spaces"],
    )
    def test_means_of_words_by_hand(self, write, text):
        found = paraphrase.glove_similarities(write(text), self.PAIRS)
        by_hand = (0.5 * 1 + 0.5 * 0.5) / (math.hypot(0.5, 0.5) * math.hypot(1, 0.5))
        assert_rounded_equal(found, [by_hand, 0], decimals=6)

    @pytest.mark.parametrize(
        ("text", "says"),
        [
            ("", "holds none of the pairs' words"),
            ("blue 1 2\n", "holds none of the pairs' words"),
            ("red 1 2\ncar 1\n", "line 2 has 1 numbers, needed are 2"),
            ("red 1\ncar 1\n", "line 2 has 1 numbers, needed are 2"),
            ("red\ncar\n", "line 1 has 0 numbers, needed are 2"),
            ("red 1 2\ncar 1 x\n", "line 2 holds something that is not a number"),
            ("red 1 2\ncar 1 nan\n", "line 2 holds something that is not a number"),
        ],
    )
    def test_bad_files_are_refused(self, write, text, says):
        with pytest.raises(ValueError, match=says):
            paraphrase.glove_similarities(write(text), self.PAIRS)

    def test_another_encoding_is_refused(self, write):
        with pytest.raises(ValueError, match=r"not UTF-8 after line 0.*Give the unpacked text file"):
            paraphrase.glove_similarities(write("café 1 2\n", "latin-1"), self.PAIRS)
