"""Pairs about who did what to whom: labels that can be read off, and words that give nothing away."""

import re

import pytest
from sklearn.feature_extraction.text import CountVectorizer

from bertlab import data
from bertlab.finetuning import role_pairs


def told(sentence):
    """Return who did what to whom, read off the sentence."""
    if by := re.fullmatch(r"The (\w+) was (\w+) by the (\w+)\.", sentence):
        return by.groups()[::-1]
    return re.fullmatch(r"The (\w+) (\w+) the (\w+)\.", sentence).groups()


@pytest.fixture(scope="module", params=["practice", "test"])
def pairs(request):
    return role_pairs(400, request.param, seed=3)


def test_a_label_says_whether_both_sentences_tell_the_same(pairs):
    for row in pairs.itertuples():
        assert told(row.second) == (told(row.first) if row.same else told(row.first)[::-1])
        assert (" was " in row.first) != (" was " in row.second)


def test_both_kinds_of_pair_have_the_same_words_event_by_event(pairs):
    for _, two in pairs.groupby("event"):
        assert sorted(two["same"]) == [0, 1]
        assert two["first"].nunique() == 1
        counts = CountVectorizer().fit_transform(two["second"]).toarray()
        assert (counts[0] == counts[1]).all()
    for begin in (0, 1):
        assert pairs.iloc[begin::2]["event"].is_unique
        assert pairs.iloc[begin::2]["same"].mean() == 0.5


def test_no_event_stands_twice_neither_way_round_and_voices_and_roles_are_mixed(pairs):
    sentences = pairs.iloc[::2]["first"]
    events = [(frozenset(told(sentence)), told(sentence)[1]) for sentence in sentences]
    assert len(set(events)) == len(events)
    assert 0.4 < sentences.str.contains(" was ").mean() < 0.6
    noun = told(sentences.iloc[0])[0]
    assert {told(sentence).index(noun) for sentence in sentences if noun in told(sentence)} == {0, 2}


def test_test_and_practice_have_no_noun_or_verb_in_common_each_word_is_one_piece_and_half_an_event_is_refused(bert):
    words = {part: set().union(*map(told, role_pairs(600, part)["first"])) for part in ("practice", "test")}
    assert not words["practice"] & words["test"]
    table = data.read("role_words")
    assert all(len(bert.tokenizer.tokenize(word)) == 1 for word in table["word"])
    assert table["word"].is_unique
    with pytest.raises(ValueError, match="3 is odd"):
        role_pairs(3)


def test_voices_are_as_asked_for_and_the_events_stay_the_same():
    one_of_each = role_pairs(200, "test", seed=2)
    for voices, passive in (("both active", False), ("both passive", True)):
        pairs = role_pairs(200, "test", seed=2, voices=voices)
        assert all((pairs[side].str.contains(" was ") == passive).all() for side in ("first", "second"))
        assert pairs[["agent", "verb", "patient"]].equals(one_of_each[["agent", "verb", "patient"]])
    mixed = role_pairs(600, voices="mixed")
    voices = [mixed[side].str.contains(" was ").to_numpy() for side in ("first", "second")]
    assert 0.4 < (voices[0] == voices[1]).mean() < 0.6
    assert all(told(row.first) == (row.agent, row.verb, row.patient) for row in mixed.itertuples())
    with pytest.raises(ValueError, match="voices are one of one of each"):
        role_pairs(2, voices="loud")
