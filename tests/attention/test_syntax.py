"""Weights between words are sums and means, planted attention is found, random weights show nothing."""

import numpy as np
import pytest
import torch
from scipy.stats import binomtest

from bertlab.attention.syntax import relation_accuracy, to_words
from bertlab.bert.reading import Reading
from bertlab.data.trees import Tree
from bertlab.evidence import interval
from rounding import assert_rounded_equal


def reading(text, tokens, offsets, pair=None):
    """Return a reading that holds no more than the places of its tokens."""
    nothing = torch.zeros(len(tokens))
    return Reading(text, pair, tokens, nothing, nothing, offsets, nothing, str, 100, None, None)


def tree(text, heads, relations):
    """Return a tree as CoNLL-U writes it: words between spaces, governors from 1, and 0 for the root."""
    words = tuple(text.split())
    starts = [sum(len(word) + 1 for word in words[:i]) for i in range(len(words))]
    spans = tuple((start, start + len(word)) for start, word in zip(starts, words, strict=True))
    return Tree(text, words, spans, tuple(head - 1 if head else None for head in heads), tuple(relations.split()))


SPLIT = reading("unseen cats", ["[CLS]", "un", "##seen", "cats", "[SEP]"], [(0, 0), (0, 2), (2, 6), (7, 11), (0, 0)])
WEIGHTS = torch.tensor(
    [
        [0.2, 0.2, 0.2, 0.2, 0.2],
        [0.1, 0.5, 0.1, 0.2, 0.1],
        [0.3, 0.0, 0.3, 0.4, 0.0],
        [0.1, 0.2, 0.3, 0.4, 0.0],
        [0.2, 0.2, 0.2, 0.2, 0.2],
    ]
)


class TestToWords:
    def test_by_hand(self):
        # From "unseen": the mean of its pieces' rows; onto it: the sum of its pieces' columns.
        expected = [[(0.5 + 0.1 + 0.0 + 0.3) / 2, (0.2 + 0.4) / 2], [0.2 + 0.3, 0.4]]
        found = to_words(torch.stack([WEIGHTS, 2 * WEIGHTS]), SPLIT, [(0, 6), (7, 11)])
        assert_rounded_equal(found, torch.tensor([expected, (2 * np.array(expected)).tolist()]))

    @pytest.mark.parametrize(
        "spans",
        [
            [(0, 6), (6, 7)],  # the space
            [(0, 3), (7, 11)],  # inside of ##seen
            [(0, 6), (2, 6)],  # one piece in two words
        ],
    )
    def test_words_that_do_not_fit_the_tokens_are_refused(self, spans):
        with pytest.raises(ValueError, match="do not begin and end where tokens of 'unseen cats' do"):
            to_words(WEIGHTS, SPLIT, spans)

    def test_a_pair_is_refused(self):
        with pytest.raises(ValueError, match=r"of a pair.*Read the sentence alone"):
            to_words(WEIGHTS, reading("a", ["[CLS]"] * 5, [(0, 0)] * 5, pair="b"), [(0, 1)])


CAT = tree("the cat sleeps", [2, 3, 0], "det nsubj root")
BIG = tree("the big cat sleeps", [3, 3, 4, 0], "det amod nsubj root")


def looking(tree, looks, layers=2, heads=3):
    """Return weights with given favourites: {(layer, head): {word: the word it looks at}}, else at itself most.

    The rest of every row is even, so that nothing but the favourites can be found; the diagonal is the largest.
    """
    weights = torch.full((layers, heads, len(tree.words), len(tree.words)), 0.1)
    weights.diagonal(dim1=-2, dim2=-1).fill_(0.5)
    for (layer, head), favourites in looks.items():
        for word, at in favourites.items():
            weights[layer, head, word, at] = 0.3
    return weights


def rows(table, relation, direction):
    """Return the one row of a relation and a direction."""
    (row,) = table[(table["relation"] == relation) & (table["direction"] == direction)].to_dict("records")
    return row


class TestRelationAccuracy:
    # In BIG the first word is "the" and even weights have their first maximum there, so that "big" looks at "the"
    # by default, "the" at "big", "cat" at "the" and "sleeps" at "the".

    def test_planted_attention_is_found_at_its_share(self):
        # Head (1, 2) looks from "the" to "cat" in seven of eight sentences, and in most of each half.
        right, wrong = looking(BIG, {(1, 2): {0: 2}}), looking(BIG, {})
        weights = [right, right, right, wrong, right, right, right, right]
        row = rows(relation_accuracy(weights, [BIG] * 8, least=4), "det", "to governor")
        assert (row["heads"], row["n"], row["share"]) == ([(1, 2)], 8, 0.875)
        by_sentence = interval([1, 1, 1, 0, 1, 1, 1, 1])
        assert_rounded_equal([row["low"], row["high"]], [by_sentence.low, by_sentence.high], dtype="float64")
        assert_rounded_equal(row["chance"], 1 / 3, dtype="float64")

    def test_each_half_is_asked_by_the_head_that_the_other_half_chose(self):
        # (0, 0) is always right in the even sentences only; (1, 1) in half of these, and always in the odd ones.
        first, second = looking(BIG, {(0, 0): {0: 2}}), looking(BIG, {(1, 1): {0: 2}})
        both = looking(BIG, {(0, 0): {0: 2}, (1, 1): {0: 2}})
        row = rows(relation_accuracy([first, second, both, second], [BIG] * 4, least=2), "det", "to governor")
        assert (row["heads"], row["share"]) == ([(0, 0), (1, 1)], 1 / 4)  # (1, 1) once, (0, 0) never

    def test_directions_are_told_apart(self):
        to_dependent = looking(BIG, {(0, 1): {2: 1}})  # "cat" looks at "big"; "big" looks at "the" as by default
        table = relation_accuracy([to_dependent] * 4, [BIG] * 4, least=2)
        back, forth = rows(table, "amod", "to dependent"), rows(table, "amod", "to governor")
        assert (back["heads"], back["share"]) == ([(0, 1)], 1.0)
        assert forth["share"] == 0.0
        assert (back["offset"], forth["offset"]) == (-1, 1)

    def test_the_offset_is_the_most_frequent_of_all_sentences(self):
        # "the" stands one word before its noun in CAT, two in BIG: 1 is right in five of eight, 2 in the even half.
        trees = [BIG, CAT, BIG, CAT, BIG, CAT, CAT, CAT]
        table = relation_accuracy([looking(one, {}) for one in trees], trees, least=4)
        forth, back = rows(table, "det", "to governor"), rows(table, "det", "to dependent")
        assert (forth["offset"], forth["offset_share"]) == (1, 5 / 8)
        assert (back["offset"], back["offset_share"]) == (-1, 5 / 8)
        assert_rounded_equal(forth["chance"], (5 / 2 + 3 / 3) / 8, dtype="float64")

    def test_head_and_offset_are_compared_sentence_by_sentence_and_all_rows_at_once(self):
        # "the" looks at its noun in every sentence; the offset 1 is right in CAT, wrong in BIG. So of 24 the head alone
        # is right in 10 and the offset alone in none: a sign test of 10 against 0.
        trees = [CAT] * 14 + [BIG] * 10
        weights = [looking(one, {(0, 0): {0: one.words.index("cat")}}) for one in trees]
        table = relation_accuracy(weights, trees, least=10)
        row = rows(table, "det", "to governor")
        assert (row["n"], row["share"], row["offset"], row["offset_share"]) == (24, 1.0, 1, 14 / 24)
        assert_rounded_equal(row["lead"], 10 / 24, dtype="float64")
        # Of the four rows the two of nsubj are the surest, 24 against 0 for the offset; so this one is taken twice.
        assert_rounded_equal(row["p"], 2 * binomtest(10, 10).pvalue, dtype="float64")
        assert_rounded_equal(rows(table, "nsubj", "to governor")["p"], 4 * binomtest(24, 24).pvalue, dtype="float64")

    def test_the_words_of_a_sentence_share_a_coin(self):
        # In ten sentences with two articles each the head finds both nouns, and the offset none: ten coins, not twenty.
        two = tree("the big cat saw the big dog", [3, 3, 4, 0, 7, 7, 4], "det amod nsubj root det amod obj")
        trees = [CAT] * 22 + [two] * 10
        weights = [looking(one, {(0, 0): {0: one.words.index("cat"), 4: 6} if one is two else {0: 1}}) for one in trees]
        row = rows(relation_accuracy(weights, trees, least=20), "det", "to governor")
        assert (row["n"], row["offset"], row["share"]) == (42, 1, 1.0)
        assert_rounded_equal(row["p"], 2 * 2 / 2**10, decimals=3)  # by 9,999 throws; det is one of two rows

    def test_rare_relations_the_root_and_punctuation_are_left_out(self):
        stop = tree("the cat sleeps .", [2, 3, 0, 3], "det nsubj root punct")
        trees = [stop, BIG, stop, stop]  # amod: once, in one half
        weights = [looking(one, {}) for one in trees]
        table = relation_accuracy(weights, trees, least=1)
        assert table["relation"].tolist() == ["det", "det", "nsubj", "nsubj"]
        assert table["direction"].tolist() == ["to governor", "to dependent"] * 2

    def test_too_few_instances_and_weights_of_other_trees_are_refused(self):
        with pytest.raises(ValueError, match="No relation stands 10 times in both halves"):
            relation_accuracy([looking(BIG, {})] * 4, [BIG] * 4)
        with pytest.raises(ValueError, match=r"'the big cat sleeps' has 4 words, and its weights are \(2, 3, 3, 3\)"):
            relation_accuracy([looking(BIG, {}), looking(CAT, {})], [BIG, BIG])
