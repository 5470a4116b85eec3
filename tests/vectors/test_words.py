"""A word's vector is that of its own pieces, and never by accident that of something else."""

import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.neighbors import NearestCentroid

import bertlab
from bertlab.vectors.words import leave_one_out, nearest_of_own_kind, word_tokens, word_vector
from rounding import assert_rounded_equal

SENTENCES = {
    "bank": "They sat on the bank of the river.",
    "unbelievableness": "The unbelievableness of it is here.",
    "don't": "I don't know New York.",
    "New York": "I don't know New York.",
    "it's": "Yes, it's in the zoo.",
}


def by_word_ids(bert, sentence, word, layer=-1):
    """Return the mean over a word's pieces, found through the tokenizer's own words (only for words without spaces)."""
    encoding = bert.tokenizer(sentence, return_tensors="pt")
    spans = {number: encoding.word_to_chars(number) for number in set(encoding.word_ids()) if number is not None}
    start = re.search(rf"\b{re.escape(word)}\b", sentence, re.IGNORECASE).start()
    inside = {number for number, span in spans.items() if span.start >= start and span.end <= start + len(word)}
    places = [i for i, number in enumerate(encoding.word_ids()) if number in inside]
    with torch.no_grad():
        hidden = torch.cat(bert.model.bert(**encoding, output_hidden_states=True).hidden_states)[layer]
    return sum(hidden[..., i, :] for i in places) / len(places)


@pytest.mark.parametrize(("word", "sentence"), SENTENCES.items())
@pytest.mark.parametrize("layer", [0, 1, -1])
def test_equals_a_plain_loop_over_the_tokenizers_words(model, word, sentence, layer):
    expected = by_word_ids(model, sentence, word, layer)
    assert_rounded_equal(word_vector(model.read(sentence), word, layer=layer), expected)


def test_each_occurrence_has_its_place(bert):
    reading = bert.read("The cat and the dog saw the bird.")
    places = [i for i, token in enumerate(reading.tokens) if token == "the"]
    assert [word_tokens(reading, " THE ", n) for n in range(3)] == [[place] for place in places], "capitals aside"
    pair = bert.read("The New \n York bank.", "We sat on the bank.")
    assert pair.segments[[word_tokens(pair, "bank", n)[0] for n in range(2)]].tolist() == [0, 1]
    assert [pair.tokens[i] for i in word_tokens(pair, "new york")] == bert.tokenizer.tokenize("new york")


@pytest.fixture(scope="module")
def accented(tiny_folder, tmp_path_factory):
    """The small BERT, its last pieces exchanged for letters with accents, a curly apostrophe and a ligature."""
    folder = Path(shutil.copytree(tiny_folder, tmp_path_factory.mktemp("accented") / "tiny"))
    file = folder / "tokenizer.json"
    saved = json.loads(file.read_text("utf-8"))
    vocabulary = saved["model"]["vocab"]
    new = ["\u00e9", "\u1ec7", "##\u00e9", "##\u0301", "##\u0323", "##\u0302", "’", "ﬁ"]
    for old, piece in zip(list(vocabulary)[-len(new) :], new, strict=True):
        vocabulary[piece] = vocabulary.pop(old)
    file.write_text(json.dumps(saved), "utf-8")
    return bertlab.load(folder)


CAFE = ("caf\u00e9", "cafe\u0301")  # the accent in its letter, and in a character of its own
VIET = ("\u1ec7", "e\u0323\u0302", "e\u0302\u0323")  # the same two accents in one character, in three, in another order


@pytest.mark.parametrize(
    ("name", "text", "word", "place", "covered"),
    [
        *(("accented", f"Ang\u00e9 at a {written} here.", word, 10, written) for written in CAFE for word in CAFE),
        *(("bert", f"Ang\u00e9 at a {written} here.", word, 10, written[:4]) for written in CAFE for word in CAFE),
        *(("accented", f"Ang\u00e9 and e {written} here.", word, 11, written) for written in VIET for word in VIET),
        ("accented", "A cafe\u0301 there.", "there", 8, "there"),  # what comes after has its place too
        ("accented", "I don’t and don't know.", "don't", 2, "don’t"),
        ("accented", "I don't and don’t know.", "don`t", 2, "don't"),
        ("accented", "The cat saw the dog.", "the", 12, "the"),  # it keeps capitals
        ("accented", "A fine ﬁsh is here.", "fish", 7, "ﬁsh"),
        ("accented", "The fish is fine.", "ﬁne", 12, "fine"),
        ("bert", "Visit Kantō now.", "kanto", 6, "Kantō"),  # the tokenizer drops accents
        ("bert", "Visit Kanto now.", "Kantō", 6, "Kanto"),
        ("bert", "See Kan\u00adto.", "Kanto", 4, "Kan\u00adto"),  # and what cannot be seen
        ("bert", "The banker and the embankment saw the bank.", "bank", 38, "bank"),  # a part is not the word
    ],
)
def test_a_word_is_found_as_people_type_it(request, name, text, word, place, covered):
    reading = request.getfixturevalue(name).read(text)
    tokens = word_tokens(reading, word)
    assert (reading.offsets[tokens[0]][0], reading.offsets[tokens[-1]][1]) == (place, place + len(covered))


UNKNOWN = "See the cat\U0001f642 sat by the dog."  # looking for an id would land on any [UNK]
NO_PIECE = r"stands in the text with 'cat\U0001f642', which became \[UNK\], because the vocabulary lacks"
LONGER = "stands only inside of a longer word in the text"


DIFFERS = "is not in the text; nearest is 'caf\u00e9', which differs in the"


@pytest.mark.parametrize(
    ("word", "text", "why"),
    [
        ("cafe", "The caf\u00e9.", f"{DIFFERS} accents"),  # to a tokenizer that keeps them, and capitals
        ("CAF\u00c9", "The caf\u00e9.", f"{DIFFERS} capitals"),
        ("bank", "The banker saw the embankment.", LONGER),
        ("an", "The bank is here.", LONGER),  # within a piece
        ("un", "An unquestionableness is here.", LONGER),  # the first piece
        ("ness", "An unquestionableness is here.", LONGER),  # the last one
        *((word, UNKNOWN, NO_PIECE) for word in ("cat", "cat\U0001f642", "\U0001f642", "the cat")),
        ("giraffe", "The bank.", "is not in the text: 'The bank.'"),
        ("b.nk", "The bank.", "is not in the text; nearest is 'bank': "),  # a regular expression is only letters
        ("Dont", "I don't.", """is not in the text; nearest is "don't", which differs in the apostrophe: """),
        ("New-York", "A New York bank.", "is not .* is 'New York', which differs in the hyphen and the spaces: "),
    ],
)
def test_what_is_no_word_of_the_text_is_refused_and_why_is_said(bert, accented, word, text, why):
    reading = (accented if why.startswith(DIFFERS) else bert).read(text)
    with pytest.raises(ValueError, match=f"^'{word}' {why}"):
        word_tokens(reading, word)


@pytest.mark.parametrize("occurrence", [2, -1])
def test_an_occurrence_that_does_not_exist(bert, occurrence):
    with pytest.raises(ValueError, match="'bank' stands twice in the text, and the first is occurrence 0"):
        word_vector(bert.read("The bank and the bank."), "bank", occurrence)


class TestLeaveOneOut:
    def test_equals_scikit_learn(self):
        chance = np.random.default_rng(3)
        vectors, labels = chance.normal(size=(60, 5)), ["a", "b", "b"] * 20
        vectors[::3] += 0.7
        expected = cross_val_predict(NearestCentroid(), vectors, labels, cv=LeaveOneOut()) == labels
        assert leave_one_out(torch.from_numpy(vectors), labels).tolist() == expected.tolist()
        assert 0.4 < expected.mean() < 1

    def test_of_two_centroids_equally_near_the_first_in_the_alphabet_counts(self):
        points = torch.tensor([[0.0], [-2.0], [2.0], [2.0]])
        assert leave_one_out(points, ["a", "a", "b", "b"])[0]
        assert not leave_one_out(points, ["b", "b", "a", "a"])[0]

    @pytest.mark.parametrize("labels", [["a", "a", "a"], ["a", "a", "b"], []])
    def test_labels_that_leave_nothing_to_count(self, labels):
        with pytest.raises(ValueError, match="two labels or more must occur twice"):
            leave_one_out(torch.zeros(len(labels), 2), labels)


def test_the_nearest_is_another_one_and_the_cosines_stay_as_they_are():
    cosines = torch.tensor([[1.0, 0.9, 0.1], [0.9, 1.0, 0.2], [0.1, 0.2, 1.0]])
    before = cosines.clone()
    assert nearest_of_own_kind(cosines, ["a", "a", "b"]) == 2
    assert torch.equal(cosines, before)
