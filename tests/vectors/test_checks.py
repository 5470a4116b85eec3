"""Lesson 3's checks tell blank, right and wrong answers apart, and name the misconception."""

import pytest
import torch

import bertlab
from bertlab.checks import vectors as checks
from bertlab.vectors.words import leave_one_out, word_tokens


def blank(*_):
    return None


def hidden(bert, sentence):
    inputs = bert.tokenizer(sentence, return_tensors="pt")
    return bert.model.bert(**inputs, output_hidden_states=True).hidden_states


class TestSecondLayer:
    def test_blank(self, bert):
        assert checks.second_layer(bert, blank).status == "not yet"

    @pytest.mark.parametrize(
        "right", [lambda bert, text: hidden(bert, text)[2][0], lambda bert, text: bert.read(text).hidden[2]]
    )
    @pytest.mark.parametrize("shape", ["shipped", "tiny"])
    def test_right(self, bert, tiny_folder, shape, right):
        model = bert if shape == "shipped" else bertlab.load(tiny_folder)
        assert checks.second_layer(model, right).status == "right"

    @pytest.mark.parametrize(
        ("wrong", "named"),
        [
            (lambda bert, text: hidden(bert, text)[1][0], "output of the first layer"),
            (lambda bert, text: hidden(bert, text)[0][0], "embedding layer, before any"),
            (lambda bert, text: hidden(bert, text)[-1][0], "output of the last layer"),
            (lambda bert, text: hidden(bert, text)[3][0], "output of the third layer"),
            (lambda bert, text: hidden(bert, text)[2], "axis too many"),
            (lambda bert, text: hidden(bert, text)[2][0][0], "this is one token"),
            (
                lambda bert, text: bert.model.bert(**bert.tokenizer(text, return_tensors="pt")).hidden_states[2],
                "raised",
            ),
        ],
    )
    def test_wrong(self, bert, wrong, named):
        outcome = checks.second_layer(bert, wrong)
        assert outcome.status == "not quite"
        assert named in outcome.message

    @pytest.mark.parametrize(("off", "status"), [(1e-2, "not quite"), (1e-6, "right")])
    def test_only_rounding_is_forgiven(self, bert, off, status):
        assert checks.second_layer(bert, lambda b, text: b.read(text).hidden[2] + off).status == status

    def test_the_model_keeps_none_of_the_checks_hooks(self, bert):
        def hooks():
            return sum(len(module._forward_hooks) for module in bert.model.modules())

        bert.read("The first reading leaves hooks of transformers' own.")
        before = hooks()
        assert checks.second_layer(bert, lambda b, text: b.read(text).hidden[2]).status == "right"
        assert hooks() == before

    def test_a_model_of_two_layers_has_no_third_one(self, tiny_folder):
        outcome = checks.second_layer(bertlab.load(tiny_folder), lambda b, text: 0 * b.read(text).hidden[2])
        assert "off by" in outcome.message


def covering(bert, sentence, word, start):
    """Return the word's tokens, through the offsets."""
    offsets = bert.read(sentence).offsets
    return [i for i, (a, b) in enumerate(offsets) if a < start + len(word) and b > start]


def mean_of(places):
    """Return an answer that averages the tokens that `places` finds."""
    return lambda bert, *place: bert.read(place[0]).hidden[-1, places(bert, *place)].mean(dim=0)


def by_id(bert, sentence, word, start):
    ids = bert.tokenizer(sentence, return_tensors="pt")["input_ids"][0]
    place = (ids == bert.tokenizer.convert_tokens_to_ids(word.lower())).nonzero()[0]
    return bert.read(sentence).hidden[-1, place[0]]


class TestVectorAt:
    def test_blank(self, bert):
        assert checks.vector_at(bert, blank).status == "not yet"

    @pytest.mark.parametrize("shape", ["shipped", "tiny"])
    def test_right(self, bert, tiny_folder, shape):
        model = bert if shape == "shipped" else bertlab.load(tiny_folder)
        assert checks.vector_at(model, mean_of(covering)).status == "right"

    @pytest.mark.parametrize(("off", "status"), [(1e-2, "not quite"), (1e-6, "right")])
    def test_only_rounding_is_forgiven(self, bert, off, status):
        assert checks.vector_at(bert, lambda *given: mean_of(covering)(*given) + off).status == status

    def test_the_places_are_those_of_the_words(self, bert):
        assert all(sentence[start : start + len(word)] == word for sentence, word, start in checks.PLACES)
        pieces = [len(covering(bert, *place)) for place in checks.PLACES]
        assert max(pieces) > 1, "a split word is among them"
        assert all("[UNK]" in bert.read(sentence).tokens for sentence, *_ in checks.PLACES[:4])

    @pytest.mark.parametrize(
        ("wrong", "named"),
        [
            (mean_of(lambda *place: covering(*place)[:1]), "only the first piece"),
            (mean_of(lambda *place: covering(*place)[-1:]), "only the last piece"),
            (lambda b, *p: b.read(p[0]).hidden[-1, covering(b, *p)].sum(dim=0), "the mean divides"),
            (mean_of(lambda b, s, w, start: covering(b, s, w, start) if start else [0]), "off by"),
            (by_id, "has the id of [UNK]"),
            (mean_of(lambda b, s, w, start: covering(b, s, w, s.find(w))), "the first place where these letters stand"),
            (mean_of(lambda *place: [i - 1 for i in covering(*place)]), "[CLS] stands at place 0"),
            (lambda b, *p: b.read(p[0]).hidden[0, covering(b, *p)].mean(dim=0), "embedding layer's output"),
            (mean_of(lambda b, s, w, start: word_tokens(b.read(s), w)), "first time that the word occurs"),
            (lambda b, *p: b.read(p[0]).hidden[-1, covering(b, *p)], "the shape of your result"),
        ],
    )
    def test_wrong(self, bert, wrong, named):
        outcome = checks.vector_at(bert, wrong)
        assert outcome.status == "not quite"
        assert named in outcome.message


def shares(given, find=leave_one_out):
    return torch.stack([find(given[0][:, i], given[1]).float().mean() for i in range(given[0].shape[1])])


def inside(vectors, labels):
    """Find senses with the vector in question left in its centroid."""
    names = sorted(set(labels))
    middles = torch.stack([vectors[[label == name for label in labels]].mean(dim=0) for name in names])
    nearest = torch.cdist(vectors, middles).argmin(dim=1).tolist()
    return torch.tensor([names[near] == label for near, label in zip(nearest, labels, strict=True)])


class TestShareAtChosenLayer:
    @pytest.fixture
    def vectors(self):
        chance = torch.Generator().manual_seed(19)
        made = {}
        for word, clear, apart in (("bank", 1, 0.8), ("spring", 3, 1.2)):
            points = torch.randn(20, 5, 8, generator=chance)
            points[:10, clear] += apart
            points[:10, 4] += 0.4
            made[word] = (points, ["a"] * 10 + ["b"] * 10)
        return made

    def test_blank(self, vectors):
        assert checks.share_at_chosen_layer(vectors, blank).status == "not yet"

    def test_right(self, vectors):
        outcome = checks.share_at_chosen_layer(vectors, lambda p, t: shares(t)[shares(p).argmax()])
        assert outcome.status == "right"
        chosen, best = shares(vectors["bank"])[shares(vectors["spring"]).argmax()], shares(vectors["bank"]).max()
        assert f"'bank' has {chosen:.2f} at the layer chosen on 'spring'" in outcome.message
        assert f"best layer it has {best:.2f}" in outcome.message
        assert abs(best - shares(vectors["spring"]).max()) > 0.01, "else the words could be exchanged unseen"

    @pytest.mark.parametrize(
        ("wrong", "named"),
        [
            (lambda p, t: shares(t).max(), "chosen on the test itself"),
            (lambda p, t: shares(t, inside)[shares(p, inside).argmax()], "still inside its centroid and pulls"),
            (lambda p, t: shares(t, inside)[shares(p).argmax()], "on the test, the vector in question"),
            (lambda p, t: shares(p).max(), "share in practice"),
            (lambda p, t: shares(p)[shares(t).argmax()], "changed places"),
            (lambda p, t: shares(t)[-1], "at the last layer"),
            (lambda p, t: shares(t)[(shares(p) == shares(p).max()).nonzero()[-1, 0]], "the last of them"),
            (lambda p, t: shares(p).argmax(), "number of the layer"),
            (lambda p, t: shares(t).mean(), "mean over all layers"),
            (lambda p, t: shares(t)[1:][shares(p)[1:].argmax()], "layer 0 is left out"),
            (lambda p, t: shares(t)[shares(p)[1:].argmax()], "layer 0 is left out"),
            (lambda p, t: 0.5, "the same result whatever it is given"),
        ],
    )
    def test_wrong(self, vectors, wrong, named):
        outcome = checks.share_at_chosen_layer(vectors, wrong)
        assert outcome.status == "not quite"
        assert named in outcome.message

    def test_the_students_vectors_stay_as_they_are(self, vectors):
        before = {word: (points.clone(), list(labels)) for word, (points, labels) in vectors.items()}

        def spoil(practice, test):
            practice[0].zero_()
            test[1].clear()
            return 0.5

        checks.share_at_chosen_layer(vectors, spoil)
        for word, (points, labels) in vectors.items():
            assert torch.equal(points, before[word][0])
            assert labels == before[word][1]
