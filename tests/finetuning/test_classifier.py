"""The classifier and its loop: equal to torch and transformers; a copy learns, and the BERT stays as it is."""

import math
from copy import deepcopy
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
import torch
from transformers import BertForSequenceClassification, get_linear_schedule_with_warmup

import bertlab
from bertlab.finetuning import Classifier, predict, train
from bertlab.finetuning.classifier import rise_and_fall
from rounding import assert_rounded_equal

TEXTS = ["The cat sat.", "It rained all day in the old town.", ("A dog ran.", "Who ran?"), "Bread."]


@pytest.fixture(scope="module")
def tiny(tiny_folder):
    return bertlab.load(tiny_folder)


def values_of(model):
    return [values.detach().clone() for values in model.parameters()]


class TestClassifier:
    def test_scores_equal_transformers_own_with_the_mean_for_a_pooler(self, tiny):
        classifier = Classifier(tiny, labels=3, seed=5)
        config = deepcopy(tiny.model.config)
        config.num_labels = 3
        theirs = BertForSequenceClassification._from_config(config, attn_implementation="eager").eval()
        theirs.bert.load_state_dict(tiny.model.bert.state_dict())
        theirs.bert.pooler = torch.nn.Identity()
        theirs.classifier.load_state_dict(classifier.head.state_dict())
        with torch.no_grad():
            ours = classifier(TEXTS)
            for text, row in zip(TEXTS, ours, strict=True):
                pair = text if isinstance(text, tuple) else (text,)
                inputs = tiny.tokenizer(*pair, return_tensors="pt")
                alone = theirs(**inputs).logits[0].mean(dim=0)  # linear: the mean of scores is that of the mean
                assert_rounded_equal(row, alone, scale=ours)

    def test_the_bert_it_was_made_of_stays_as_it_is(self, tiny):
        before = values_of(tiny.model)
        classifier = Classifier(tiny)
        train(classifier, TEXTS, [0, 1, 1, 0], epochs=2)
        assert all(torch.equal(a, b) for a, b in zip(before, tiny.model.parameters(), strict=True))
        moved = [not torch.equal(a, b) for a, b in zip(before, classifier.bert.model.parameters(), strict=True)]
        assert any(moved)

    def test_the_embedding_layer_is_not_trained(self, tiny):
        classifier = Classifier(tiny)
        train(classifier, TEXTS, [0, 1, 1, 0], epochs=2)
        for old, new in zip(
            tiny.model.bert.embeddings.parameters(), classifier.body.embeddings.parameters(), strict=True
        ):
            assert torch.equal(old, new)

    def test_a_seed_decides_the_head_and_leaves_chance_outside_alone(self, tiny):
        torch.manual_seed(1)
        expected = torch.rand(1)
        torch.manual_seed(1)
        one, other, third = (Classifier(tiny, seed=seed).head.weight for seed in (0, 0, 1))
        assert torch.equal(torch.rand(1), expected)
        assert torch.equal(one, other)
        assert not torch.equal(one, third)

    def test_what_cannot_be_read_is_refused(self, tiny):
        with pytest.raises(ValueError, match="Text 1 of 2"):
            Classifier(tiny)(["fine", " "])

    def test_one_text_is_no_list_of_its_letters(self, tiny):
        for answer in (Classifier(tiny), lambda texts: predict(Classifier(tiny), texts)):
            with pytest.raises(TypeError, match=r"A list is needed here, and this is str: 'cat'"):
                answer("cat")


class TestTrain:
    def test_the_first_loss_is_that_of_the_scores_before(self, tiny):
        classifier = Classifier(tiny, seed=2)
        with torch.no_grad():
            expected = -classifier(TEXTS).log_softmax(dim=-1)[range(4), [0, 1, 1, 0]].mean()
        (found,) = train(classifier, TEXTS, [0, 1, 1, 0], epochs=1)
        assert_rounded_equal(found, expected)

    def test_one_step_is_adamws(self, tiny):
        classifier, by_hand = Classifier(tiny, seed=3), Classifier(tiny, seed=3)
        train(classifier, TEXTS, [0, 1, 1, 0], epochs=1, rate=1e-3)
        torch.nn.functional.cross_entropy(by_hand(TEXTS), torch.tensor([0, 1, 1, 0])).backward()
        # AdamW's first step moves each number by the step size against the sign of its gradient, and shrinks it.
        before, gradient = by_hand.head.weight.detach(), by_hand.head.weight.grad
        expected = before * (1 - 1e-3 * 0.01) - 1e-3 * gradient / (gradient.abs() + 1e-8)
        assert_rounded_equal(classifier.head.weight, expected)

    def test_each_epoch_sees_every_text_once_and_groups_stay_together(self, tiny, monkeypatch):
        classifier, seen = Classifier(tiny), []
        scores = classifier.scores
        texts = ["a" * (n + 1) for n in range(8)]
        lengths = [len(tiny.tokenizer(text)["input_ids"]) for text in texts]
        assert len(set(lengths)) == 8, "so that each is known by its length"

        def watched(encoded):
            seen.append([lengths.index(len(one["input_ids"])) for one in encoded])
            return scores(encoded)

        monkeypatch.setattr(classifier, "scores", watched)
        train(classifier, texts, [0, 1] * 4, epochs=2, batch_size=4, together=2)
        first, second = ([place for batch in part for place in batch] for part in (seen[:2], seen[2:]))
        assert sorted(first) == sorted(second) == list(range(8))
        assert first != second
        assert all(b == a + 1 for batch in seen for a, b in zip(batch[::2], batch[1::2], strict=True))

    def test_it_learns_what_a_word_gives_away(self, tiny):
        texts = [f"The {noun} is {word}." for noun in ("cat", "dog", "house", "river") for word in ("old", "red")]
        classifier = Classifier(tiny)
        losses = train(classifier, texts, [0, 1] * 4, epochs=80, rate=3e-3)
        assert losses[-1] < 0.1 < losses[0]
        assert predict(classifier, texts).tolist() == [0, 1] * 4

    def test_labels_that_do_not_fit_the_texts_are_refused(self, tiny):
        with pytest.raises(ValueError, match="4 texts and 1 labels"):
            train(Classifier(tiny), TEXTS, [0])
        with pytest.raises(ValueError, match="cannot be divided into groups of 3"):
            train(Classifier(tiny), TEXTS, [0, 1, 1, 0], together=3)

    @pytest.mark.parametrize("strange", [2, -1, 0.5, float("nan"), "good", None, True])
    def test_a_label_that_the_classifier_has_not_is_refused(self, tiny, strange):
        classifier = Classifier(tiny)
        before = values_of(classifier)
        with pytest.raises(ValueError, match=r"^This classifier has the labels 0 to 1, and .* is none of them\."):
            train(classifier, TEXTS, [0, 1, strange, 0])
        assert all(torch.equal(a, b) for a, b in zip(before, classifier.parameters(), strict=True))

    @pytest.mark.parametrize("kind", [torch.tensor, np.array, lambda labels: pd.Series(labels, [3, 1, 0, 2])])
    def test_labels_count_by_their_place_whatever_holds_them(self, tiny, kind):
        expected = train(Classifier(tiny), TEXTS, [0, 1, 1, 0], epochs=1)
        assert train(Classifier(tiny), TEXTS, kind([0, 1, 1, 0]), epochs=1) == expected

    def test_progress_sees_the_epochs(self, tiny):
        seen = []
        train(Classifier(tiny), TEXTS, [0, 1, 1, 0], epochs=3, progress=lambda epochs: seen.append(epochs) or epochs)
        assert seen == [range(3)]


def test_the_step_size_rises_and_falls_to_zero():
    steps = 40
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=2.0)
    schedule = rise_and_fall(optimizer, steps)
    sizes = []
    for _ in range(steps):
        sizes.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        schedule.step()
    top = sizes.index(max(sizes))
    assert 0 < sizes[0] < sizes[1]
    assert top in (steps // 10 - 1, steps // 10)
    assert all(a < b for a, b in pairwise(sizes[: top + 1]))
    assert all(a > b for a, b in pairwise(sizes[top:]))
    assert optimizer.param_groups[0]["lr"] == 0
    theirs = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=2.0)
    library = get_linear_schedule_with_warmup(theirs, steps // 10, steps)
    for _ in range(20):
        theirs.step()
        library.step()
    assert math.isclose(sizes[20], theirs.param_groups[0]["lr"])


def test_predict_gives_the_same_in_any_batches(tiny):
    classifier = Classifier(tiny, labels=4, seed=1)
    assert predict(classifier, TEXTS, batch_size=1).tolist() == predict(classifier, TEXTS).tolist()
    assert predict(classifier, TEXTS).dtype == torch.int64


def test_one_string_is_no_list_of_texts(tiny):
    """It would be read letter by letter, with an answer for each."""
    classifier = Classifier(tiny)
    for ask in (classifier, lambda text: predict(classifier, text), lambda text: train(classifier, text, [0, 1, 1])):
        with pytest.raises(TypeError, match=r"^A list is needed here, and this is str: 'Yes'\."):
            ask("Yes")
