"""The graded pairs are balanced, hard where they say so, and not solved by counting common words."""

import re

import numpy as np
import pytest
from scipy.stats import pearsonr, spearmanr
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.metrics import cohen_kappa_score

from bertlab import data

HARD = ["negation", "order", "names", "numbers", "idiom", "overlap", "no_overlap"]
NEGATION = r"\b(?:not|no|never|nobody|neither|cannot)\b|n't\b"


@pytest.fixture(scope="module")
def pairs():
    return data.read("graded_pairs")


@pytest.fixture(scope="module")
def sheet():
    return (data.Path(data.__file__).parent / "graded_pairs.md").read_text("utf-8")


@pytest.fixture(scope="module")
def similarities(pairs):
    """Jaccard similarities of the sets of lower-cased words, all sentences by all, the first ones before the second."""
    counter = CountVectorizer(binary=True, token_pattern=r"[\w']+")
    words = counter.fit_transform([*pairs["first"], *pairs["second"]]).toarray().astype(float)
    shared, lengths = words @ words.T, words.sum(axis=1)
    return shared / (lengths[:, None] + lengths - shared)


@pytest.fixture(scope="module")
def overlap(similarities):
    return similarities.diagonal(len(similarities) // 2)


def test_columns_grades_and_tags_are_those_of_the_datasheet(pairs, sheet):
    assert pairs.columns.tolist() == ["first", "second", "grade_a", "grade_b", "tag"]
    assert f": {len(pairs)} pairs." in sheet
    assert set(pairs["tag"]) == {*HARD, "entailment", "plain"}
    assert all(f"| `{tag}` |" in sheet for tag in set(pairs["tag"]))
    for column in pairs.filter(like="grade_"):
        assert pairs[column].dtype.kind == "i"
        assert pairs[column].between(0, 5).all()


def test_grades_are_balanced_and_every_kind_of_hard_pair_is_there(pairs):
    assert len(pairs) >= 320
    assert pairs["grade_a"].value_counts().reindex(range(6), fill_value=0).between(45, 65).all()
    assert pairs["tag"].value_counts().reindex([*HARD, "entailment"], fill_value=0).min() >= 20


def test_no_sentence_stands_twice_and_each_is_one_sentence_of_4_to_18_words(pairs):
    sentences = [*pairs["first"], *pairs["second"]]
    assert len({sentence.lower() for sentence in sentences}) == len(sentences)
    assert all(re.fullmatch(r"[A-Z][^.!?]*[.?]", sentence) for sentence in sentences)
    assert all(4 <= len(sentence.split()) <= 18 for sentence in sentences)


def test_no_two_pairs_are_nearly_the_same(pairs, similarities):
    pair = np.tile(np.arange(len(pairs)), 2)
    assert similarities[pair[:, None] != pair].max() <= 0.5


def test_no_sentence_comes_from_another_table(pairs):
    tables = {path.stem for path in data.Path(data.__file__).parent.glob("*.csv")} - {"graded_pairs"}
    others = {cell for name in tables for cell in data.read(name).astype(str).to_numpy().ravel()}
    assert "Anna wanted to bake bread for the first time." in others
    assert others.isdisjoint([*pairs["first"], *pairs["second"]])


class TestSimpleRules:
    def test_common_words_do_not_solve_the_task(self, pairs, overlap, sheet):
        correlation = spearmanr(overlap, pairs["grade_a"]).statistic
        assert abs(correlation) < 0.35
        assert f"{correlation:.2f} for the share of common words" in " ".join(sheet.split())

    def test_rare_common_words_do_not_either(self, pairs, sheet):
        # Rows are of length one, so a dot product is a cosine; and pairs without a common word get exactly zero.
        tfidf = TfidfVectorizer().fit([*pairs["first"], *pairs["second"]])
        cosines = tfidf.transform(pairs["first"]).multiply(tfidf.transform(pairs["second"])).sum(axis=1)
        correlation = spearmanr(np.ravel(cosines), pairs["grade_a"]).statistic
        assert abs(correlation) < 0.35
        assert f"{correlation:.2f} for the cosine of TF-IDF vectors" in " ".join(sheet.split())

    def test_pairs_of_grade_two_share_most_words_as_the_datasheet_says(self, pairs, overlap):
        by_grade = [overlap[pairs["grade_a"] == grade].mean() for grade in range(6)]
        assert np.argmax(by_grade) == 2

    def test_lengths_do_not_tell_the_grade(self, pairs):
        first, second = (pairs[column].str.split().str.len() for column in ("first", "second"))
        assert abs(spearmanr(first + second, pairs["grade_a"]).statistic) < 0.2
        assert abs(spearmanr((first - second).abs(), pairs["grade_a"]).statistic) < 0.2

    def test_a_negation_in_one_sentence_does_not_tell_the_grade(self, pairs):
        denies = [pairs[column].str.contains(NEGATION, case=False).to_numpy() for column in ("first", "second")]
        assert abs(spearmanr(denies[0] != denies[1], pairs["grade_a"]).statistic) < 0.2
        assert set(pairs["grade_a"][denies[0] != denies[1]]) == {0, 1, 2, 3, 4, 5}


class TestTags:
    @pytest.fixture
    def tagged(self, pairs, overlap):
        return pairs.assign(overlap=overlap).set_index("tag").loc

    def test_paraphrases_without_overlap_are_paraphrases_and_have_hardly_a_common_word(self, tagged):
        assert tagged["no_overlap"]["overlap"].max() < 0.15
        assert set(tagged["no_overlap"]["grade_a"]) == {4, 5}

    def test_overlapping_pairs_share_much_and_are_no_paraphrases(self, tagged):
        assert tagged["overlap"]["overlap"].min() >= 0.3
        assert set(tagged["overlap"]["grade_a"]) == {0, 1, 2, 3}

    def test_reordered_pairs_share_their_words_whether_or_not_the_meaning_stays(self, tagged):
        assert tagged["order"]["overlap"].min() > 0.6
        assert {2, 5} <= set(tagged["order"]["grade_a"])

    def test_negated_pairs_hold_a_negation(self, tagged):
        both = tagged["negation"]["first"] + " " + tagged["negation"]["second"]
        assert both.str.contains(NEGATION, case=False).all()


def test_the_agreement_in_the_datasheet_is_that_of_the_two_columns(pairs, sheet):
    a, b = pairs["grade_a"], pairs["grade_b"]
    text = " ".join(sheet.split())
    assert f"weighted kappa (quadratic) {cohen_kappa_score(a, b, weights='quadratic'):.2f}," in text
    assert f"Pearson {pearsonr(a, b).statistic:.2f};" in text
    assert f"Spearman {spearmanr(a, b).statistic:.2f};" in text
    assert f"mean absolute difference {(a - b).abs().mean():.2f} grades" in text
    assert "{" not in text
