"""The graded pairs are balanced, hard where they say so, and not solved by counting common words."""

import re

import numpy as np
from scipy.stats import pearsonr, spearmanr
from sklearn.metrics import cohen_kappa_score

from bertlab import data
from bertlab.paraphrase.similarity import tfidf_cosines, word_overlap

HARD = ["negation", "order", "names", "numbers", "idiom", "overlap", "no_overlap"]
PAIRS = data.read("graded_pairs")
SHEET = " ".join((data.Path(data.__file__).parent / "graded_pairs.md").read_text("utf-8").split())
NEGATION = r"\b(?:not|no|never|nobody|neither|cannot)\b|n't\b"


def test_columns_grades_and_tags_are_those_of_the_datasheet_and_balanced():
    assert PAIRS.columns.tolist() == ["first", "second", "grade_a", "grade_b", "tag"]
    assert f": {len(PAIRS)} pairs." in SHEET
    assert set(PAIRS["tag"]) == {*HARD, "entailment", "plain"}
    assert all(f"| `{tag}` |" in SHEET for tag in set(PAIRS["tag"]))
    assert PAIRS[["grade_a", "grade_b"]].isin(range(6)).all(axis=None)
    assert PAIRS["grade_a"].value_counts().reindex(range(6), fill_value=0).between(45, 65).all()
    assert PAIRS["tag"].value_counts().min() >= 20


def test_no_sentence_stands_twice_here_or_elsewhere_and_each_is_one_sentence_of_4_to_18_words():
    sentences = [*PAIRS["first"], *PAIRS["second"]]
    assert len({sentence.lower() for sentence in sentences}) == len(sentences)
    assert all(re.fullmatch(r"[A-Z][^.!?]*[.?]", sentence) for sentence in sentences)
    assert all(4 <= len(sentence.split()) <= 18 for sentence in sentences)
    tables = {path.stem for path in data.Path(data.__file__).parent.glob("*.csv")}
    tables -= {"graded_pairs"}
    others = {cell for name in tables for cell in data.read(name).astype(str).to_numpy().ravel()}
    assert others.isdisjoint(sentences)


def test_neither_common_words_nor_lengths_nor_a_negation_tell_the_grade():
    overlap = word_overlap(PAIRS)
    for values, what in ((overlap, "share of common words"), (tfidf_cosines(PAIRS), "cosine of TF-IDF vectors")):
        correlation = spearmanr(values, PAIRS["grade_a"]).statistic
        assert abs(correlation) < 0.35
        assert f"{correlation:.2f} for the {what}" in SHEET
    by_grade = [overlap[PAIRS["grade_a"] == grade].mean() for grade in range(6)]
    assert np.argmax(by_grade) == 2, "as the datasheet says"
    first, second = (PAIRS[column].str.split().str.len() for column in ("first", "second"))
    denies = [PAIRS[column].str.contains(NEGATION, case=False).to_numpy() for column in ("first", "second")]
    for values in (first + second, (first - second).abs(), denies[0] != denies[1]):
        assert abs(spearmanr(values, PAIRS["grade_a"]).statistic) < 0.2


def test_tags_say_what_the_pairs_share_and_whether_they_are_paraphrases():
    tagged = PAIRS.assign(overlap=word_overlap(PAIRS)).set_index("tag").loc
    assert tagged["no_overlap"]["overlap"].max() < 0.15
    assert set(tagged["no_overlap"]["grade_a"]) == {4, 5}
    assert tagged["overlap"]["overlap"].min() >= 0.3
    assert set(tagged["overlap"]["grade_a"]) == {0, 1, 2, 3}
    assert tagged["order"]["overlap"].min() > 0.6
    both = tagged["negation"]["first"] + " " + tagged["negation"]["second"]
    assert both.str.contains(NEGATION, case=False).all()


def test_the_agreement_in_the_datasheet_is_that_of_the_two_columns():
    a, b = PAIRS["grade_a"], PAIRS["grade_b"]
    assert f"weighted kappa (quadratic) {cohen_kappa_score(a, b, weights='quadratic'):.2f}," in SHEET
    assert f"Pearson {pearsonr(a, b).statistic:.2f};" in SHEET
    assert f"Spearman {spearmanr(a, b).statistic:.2f};" in SHEET
    assert f"mean absolute difference {(a - b).abs().mean():.2f} grades" in SHEET
