"""A word's vector is that of its own pieces, and never by accident that of something else."""

import re

import numpy as np
import pandas as pd
import pytest
import torch
from sklearn.metrics import roc_auc_score
from sklearn.metrics.pairwise import cosine_similarity
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.neighbors import NearestCentroid

import bertlab
from bertlab.course import notebooks as lessons
from bertlab.vectors.words import leave_one_out, word_tokens, word_vector
from rounding import assert_rounded_equal

LESSON = lessons.folder() / "03_contextual_vectors.ipynb"
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
@pytest.mark.parametrize("shape", ["shipped", "tiny"])
@pytest.mark.parametrize("layer", [0, 1, -1])
def test_equals_a_plain_loop_over_the_tokenizers_words(bert, tiny_folder, shape, word, sentence, layer):
    model = bert if shape == "shipped" else bertlab.load(tiny_folder)
    expected = by_word_ids(model, sentence, word, layer)
    assert_rounded_equal(word_vector(model.read(sentence), word, layer=layer), expected)


def test_a_split_word_is_the_mean_of_all_its_pieces(bert):
    reading = bert.read(SENTENCES["unbelievableness"])
    tokens = word_tokens(reading, "unbelievableness")
    assert len(tokens) > 1
    assert "".join(reading.tokens[i].removeprefix("##") for i in tokens) == "unbelievableness"
    assert (word_vector(reading, "unbelievableness") - reading.hidden[-1, tokens[0]]).abs().max() > 0.1


def test_each_occurrence_has_its_place(bert):
    reading = bert.read("The cat and the dog saw the bird.")
    places = [i for i, token in enumerate(reading.tokens) if token == "the"]
    assert [word_tokens(reading, "the", n) for n in range(3)] == [[place] for place in places]


def test_occurrences_of_a_pair_count_on_in_the_second_sentence(bert):
    reading = bert.read("The bank was closed.", "We sat on the bank.")
    first, second = (word_tokens(reading, "bank", n)[0] for n in range(2))
    assert reading.segments[first] == 0
    assert reading.segments[second] == 1
    assert reading.tokens[first] == reading.tokens[second] == "bank"


@pytest.mark.parametrize("word", ["BANK", "Bank", " bank "])
def test_capitals_do_not_count_where_the_tokenizer_ignores_them(bert, word):
    reading = bert.read(SENTENCES["bank"])
    assert word_tokens(reading, word) == word_tokens(reading, "bank")


def test_capitals_count_where_the_tokenizer_keeps_them(tiny_folder):
    reading = bertlab.load(tiny_folder).read("The cat saw the dog.")
    assert word_tokens(reading, "The") != word_tokens(reading, "the")
    with pytest.raises(ValueError, match="tells capitals from small letters"):
        word_tokens(reading, "THE")


def test_any_space_will_do_between_words(bert):
    reading = bert.read("I know New \n York.")
    assert [reading.tokens[i] for i in word_tokens(reading, "new york")] == bert.tokenizer.tokenize("new york")


CAFE = ("caf\u00e9", "cafe\u0301")  # the accent in its letter, and as a character of its own


@pytest.mark.parametrize("written", CAFE, ids=["composed", "decomposed"])
@pytest.mark.parametrize("word", CAFE, ids=["composed", "decomposed"])
def test_an_accent_belongs_to_its_word_however_it_is_written(bert, word, written):
    reading = bert.read(f"Vietnam\u00e9 \u1ec7 and the e\u0323\u0302 of the {written} there.")
    tokens = word_tokens(reading, word)
    assert "".join(reading.tokens[i].removeprefix("##") for i in tokens) == "cafe"
    assert reading.text[reading.offsets[tokens[0]][0] :].startswith(written)
    assert word_tokens(reading, "there") == [tokens[-1] + 1]  # what comes after has its place too
    with pytest.raises(ValueError, match="'cafe' is not in the text"):
        word_tokens(reading, "cafe")


@pytest.mark.parametrize("word", ["\u1ec7", "e\u0323\u0302", "e\u0302\u0323", "\u1eb9\u0302"])
def test_two_accents_are_the_same_in_any_order(bert, word):
    reading = bert.read("One \u1ec7 and e\u0323\u0302 end.")
    assert [reading.tokens[word_tokens(reading, word, n)[0]] for n in (0, 1)] == ["e", "e"]
    assert word_tokens(reading, word, 0) < word_tokens(reading, word, 1)


def test_a_letter_with_an_accent_is_not_the_letter_even_if_no_character_holds_both(bert):
    reading = bert.read("The x\u0302 and the x.")
    assert word_tokens(reading, "x") == [5]
    assert word_tokens(reading, "x\u0302") == [2]


def test_a_part_of_a_word_is_not_the_word(bert):
    reading = bert.read("The banker and the embankment saw the bank.")
    tokens = word_tokens(reading, "bank")
    assert reading.offsets[tokens[0]] == (38, 42)
    with pytest.raises(ValueError, match=r"stands only inside of 'banker', 'embankment\."):
        word_tokens(bert.read("The banker saw the embankment."), "bank")


def test_the_first_piece_of_a_split_word_is_not_the_word(bert):
    split = next(
        (word, pieces)
        for word in ("unbelievableness", "fishermanship", "seaweediness")
        if len(pieces := bert.tokenizer.tokenize(word)) > 1
    )
    with pytest.raises(ValueError, match="stands only inside of"):
        word_tokens(bert.read(f"A {split[0]} is here."), split[1][0])


def test_the_last_piece_of_a_split_word_is_not_the_word(bert):
    pieces = bert.tokenizer.tokenize("unbelievableness")
    assert pieces[-1].startswith("##")
    with pytest.raises(ValueError, match=r"stands only inside of 'unbelievableness'"):
        word_tokens(bert.read("An unbelievableness is here."), pieces[-1].removeprefix("##"))


@pytest.mark.parametrize("part", ["ban", "ank", "an"])
def test_a_part_of_a_piece_is_not_the_word(bert, part):
    reading = bert.read("The bank is here.")
    assert "bank" in reading.tokens
    with pytest.raises(ValueError, match="stands only inside of 'bank'"):
        word_tokens(reading, part)


class TestUnknown:
    """Looking for an id would land on any [UNK]; looking for a word must not."""

    def test_a_word_never_lands_on_an_unknown_one(self, tiny_folder):
        reading = bertlab.load(tiny_folder).read("The \u4eac and the \u6bd4.")
        assert "[UNK]" in reading.tokens
        with pytest.raises(ValueError, match="is not in the text"):
            word_tokens(reading, "\u5317")

    def test_a_word_that_became_unknown_is_said_to_be(self, bert):
        reading = bert.read("The cat\U0001f642 sat by the dog.")
        assert reading.unknown == ["cat\U0001f642"]
        for word in ("cat", "cat\U0001f642", "\U0001f642"):
            with pytest.raises(ValueError, match=re.escape("it became [UNK]")):
                word_tokens(reading, word)

    def test_two_words_of_which_one_became_unknown(self, bert):
        with pytest.raises(ValueError, match=re.escape("it became [UNK]")):
            word_tokens(bert.read("We saw the \U0001f642 here."), "the \U0001f642")

    def test_a_character_that_the_tokenizer_drops_is_no_word(self, bert):
        reading = bert.read("The cat\u200b sat.")
        assert reading.unknown == ["\u200b"]
        with pytest.raises(ValueError, match="is not a word of this text"):
            word_tokens(reading, "\u200b")

    def test_a_word_beside_an_unknown_one_is_found(self, bert):
        reading = bert.read("\U0001f642 cat \U0001f642 dog.")
        assert [reading.tokens[i] for i in word_tokens(reading, "cat")] == ["cat"]


class TestBadInput:
    @pytest.mark.parametrize("given", ["The bank and the bank.", None, ["bank"]])
    def test_no_reading(self, given):
        for ask in (word_tokens, word_vector):
            with pytest.raises(TypeError, match=r"looked up in a reading.*reading = bert\.read\(text\)"):
                ask(given, "bank")

    @pytest.mark.parametrize("given", [np.int64(1), torch.tensor(1)])
    def test_a_whole_number_of_another_library_will_do(self, reading, given):
        assert word_tokens(reading, "bank", given) == [5]

    @pytest.mark.parametrize("given", [1.0, True, "1", None])
    def test_an_occurrence_that_is_no_whole_number(self, reading, given):
        with pytest.raises(ValueError, match=f"occurrence is {given!r}; 0 is the first"):
            word_tokens(reading, "bank", given)

    @pytest.fixture
    def reading(self, bert):
        return bert.read("The bank and the bank.")

    def test_absent(self, reading):
        with pytest.raises(ValueError, match=r"'river' is not in the text: 'The bank and the bank\.'"):
            word_vector(reading, "river")

    def test_absent_from_a_pair_shows_both(self, bert):
        with pytest.raises(ValueError, match=r"'One\.' and 'Two\.'"):
            word_vector(bert.read("One.", "Two."), "three")

    @pytest.mark.parametrize("word", ["", "  ", "\n"])
    def test_empty(self, reading, word):
        with pytest.raises(ValueError, match="word is empty"):
            word_vector(reading, word)

    @pytest.mark.parametrize("word", [None, 3, b"bank", ["bank"]])
    def test_not_a_string(self, reading, word):
        with pytest.raises(TypeError, match="A word is a string"):
            word_vector(reading, word)

    @pytest.mark.parametrize("occurrence", [2, -1, 99])
    def test_an_occurrence_that_does_not_exist(self, reading, occurrence):
        with pytest.raises(
            ValueError, match=f"occurs 2 times in the text, and occurrence is {occurrence}; .* 1 the last"
        ):
            word_vector(reading, "bank", occurrence)

    def test_an_occurrence_of_a_word_that_stands_there_once(self, reading):
        with pytest.raises(ValueError, match="'and' occurs 1 time in the text, and occurrence is 1; 0 is the first"):
            word_vector(reading, "and", 1)

    @pytest.mark.parametrize("layer", [5, -6, 1.0, True, None])
    def test_a_layer_that_does_not_exist(self, reading, layer):
        with pytest.raises(ValueError, match=r"no layer .*0 \(the embedding layer's output\) to 4"):
            word_vector(reading, "bank", layer=layer)

    @pytest.mark.parametrize(("layer", "same"), [(0, -5), (4, -1), (2, -3)])
    def test_layers_count_from_both_ends(self, reading, layer, same):
        assert torch.equal(word_vector(reading, "bank", layer=layer), word_vector(reading, "bank", layer=same))

    def test_a_regular_expression_is_only_letters(self, reading):
        with pytest.raises(ValueError, match="is not in the text"):
            word_vector(reading, "b.nk")


class TestLeaveOneOut:
    def test_equals_scikit_learn(self):
        chance = np.random.default_rng(3)
        vectors, labels = chance.normal(size=(60, 5)), ["a", "b", "b"] * 20
        vectors[::3] += 0.7
        expected = cross_val_predict(NearestCentroid(), vectors, labels, cv=LeaveOneOut()) == labels
        assert leave_one_out(torch.from_numpy(vectors), labels).tolist() == expected.tolist()
        assert 0.4 < expected.mean() < 1

    def test_the_vector_in_question_is_left_out(self):
        # Worked out by hand: left out, 4 is 4 away from 0 and 3.5 from 7.5; with itself, only 2 away from its own 2.
        points = torch.tensor([[0.0], [4.0], [7.0], [8.0]])
        assert leave_one_out(points, ["a", "a", "b", "b"]).tolist() == [True, False, True, True]

    def test_of_two_centroids_equally_near_the_first_in_the_alphabet_counts(self):
        points = torch.tensor([[0.0], [-2.0], [2.0], [2.0]])
        assert leave_one_out(points, ["a", "a", "b", "b"])[0]
        assert not leave_one_out(points, ["b", "b", "a", "a"])[0]

    @pytest.mark.parametrize(
        ("labels", "says"),
        [
            (["a", "b"], "3 vectors and 2 labels"),
            (["a", "a", "a"], "only label is 'a'"),
            (["a", "a", "b"], "'b' has no centroid"),
        ],
    )
    def test_labels_that_leave_nothing_to_count(self, labels, says):
        with pytest.raises(ValueError, match=says):
            leave_one_out(torch.zeros(3, 2), labels)

    @pytest.mark.parametrize(
        "made",
        [
            list,
            np.array,
            lambda labels: torch.tensor([len(label) for label in labels]),
            lambda labels: pd.Series(labels, index=[4, 3, 2, 1, 0]),
        ],
    )
    def test_labels_count_by_their_place_whatever_holds_them(self, made):
        # A table that was sorted or filtered keeps its old index, which must not be looked up.
        points = torch.tensor([[0.0], [1.0], [2.0], [8.0], [9.0]])
        assert leave_one_out(points, made(["low", "low", "low", "high", "high"])).all()

    @pytest.mark.parametrize("missing", [None, float("nan")])
    def test_a_missing_label_is_refused_by_its_place(self, missing):
        with pytest.raises(ValueError, match="Label 2 is missing"):
            leave_one_out(torch.zeros(3, 2), ["a", "a", missing])

    @pytest.mark.parametrize("number", [float("nan"), float("inf")])
    def test_a_vector_that_is_no_number_is_not_near_anything(self, number):
        points = torch.tensor([[0.0], [1.0], [9.0], [number]])
        with pytest.raises(ValueError, match="holds nan or infinity"):
            leave_one_out(points, ["a", "a", "b", "b"])

    def test_vectors_that_are_no_tensor(self):
        with pytest.raises(TypeError, match=r"torch\.stack.* This is list"):
            leave_one_out([torch.zeros(1), torch.zeros(1)], ["a", "b"])

    @pytest.mark.parametrize("shape", [(4,), (4, 2, 3)])
    def test_vectors_with_other_axes(self, shape):
        with pytest.raises(ValueError, match=r"axes \(items, features\), and these have shape \(4,"):
            leave_one_out(torch.zeros(shape), ["a", "a", "b", "b"])

    def test_nothing_at_all(self):
        with pytest.raises(ValueError, match="only label is missing"):
            leave_one_out(torch.zeros(0, 2), [])


@pytest.mark.slow
class TestWhatTheLessonFinds:
    """Numbers of the stored run, against the same measured another way."""

    LAYER = 3  # of the shipped BERT's 4, the last but one, as the lesson fixes it
    TABLE = bertlab.data.read("word_senses")

    def caption(self, start):
        outputs = [o for cell in lessons.read(LESSON).cells if cell.cell_type == "code" for o in cell.outputs]
        texts = [o.get("data", {}).get("text/plain", "") for o in outputs]
        (found,) = [text for text in texts if text.startswith(start)]
        return found

    def parts(self, model, words, layer):
        """Yield for each word its sentences' vectors and senses."""
        for word in words:
            part = self.TABLE[self.TABLE["word"] == word]
            yield torch.stack([by_word_ids(model, s, word, layer) for s in part["sentence"]], dim=-2), part["sense"]

    def share(self, model):
        """Return the share of all sentences whose sense is found, by scikit-learn."""
        right = []
        for vectors, senses in self.parts(model, self.TABLE["word"].unique(), self.LAYER):
            said = cross_val_predict(NearestCentroid(), vectors.numpy(), senses, cv=LeaveOneOut())
            right += (said == senses).tolist()
        return sum(right) / len(right)

    def test_senses_are_found_more_often_than_by_the_twins_or_the_words_around(self, bert):
        stored = self.caption("Share of 320 sentences of 8 words")
        own = re.search(r"bertlab-mini is right in ([\d.]+) ", stored)[1]
        controls = dict(re.findall(r"([\w' ]+) \(([\d.]+), p < 0\.001\)", stored.split("more often than")[1]))
        controls = {name.strip(): share for name, share in controls.items()}
        assert list(controls) == ["luckiest of five twins", "bag of words", "other words' rows"]
        assert_rounded_equal(self.share(bert), float(own), decimals=2)
        luckiest = max(self.share(bertlab.untrained(bert, seed)) for seed in range(5))
        assert_rounded_equal(luckiest, float(controls["luckiest of five twins"]), decimals=2)

    def test_pairs_of_one_sense_are_ahead_beyond_the_twins(self, bert, twin):
        stored = self.caption("'bank': how often a pair")
        layer, own = re.search(r"most after layer (\d): ([\d.]+)\.", stored).groups()
        lowest, highest = re.search(r"twins have [\d.]+ \(([\d.]+) to ([\d.]+)\)", stored).groups()
        areas = []
        for model in (bert, twin):
            ((vectors, senses),) = self.parts(model, ["bank"], slice(1, 5))
            one, other = np.triu_indices(len(senses), 1)
            same = senses.to_numpy()[one] == senses.to_numpy()[other]
            areas.append([roc_auc_score(same, cosine_similarity(v.numpy())[one, other]) for v in vectors])
        assert int(np.argmax(areas[0])) + 1 == int(layer)
        assert_rounded_equal(max(areas[0]), float(own), decimals=2)
        assert float(lowest) - 0.005 <= areas[1][int(layer) - 1] <= float(highest) + 0.005 < float(own)
