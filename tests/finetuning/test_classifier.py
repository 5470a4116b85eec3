"""The classifier and its loop: equal to torch and transformers; a copy learns, and the BERT stays as it is."""

from copy import deepcopy

import numpy as np
import pandas as pd
import pytest
import torch
from transformers import BertForSequenceClassification, get_linear_schedule_with_warmup

from bertlab.finetuning import Classifier, predict, train
from bertlab.finetuning.classifier import rise_and_fall
from rounding import assert_rounded_equal

TEXTS = ["The cat sat.", "It rained all day in the old town.", ("A dog ran.", "Who ran?"), "Bread."]
LABELS = [0, 1, 1, 0]


class TestClassifier:
    def test_scores_equal_transformers_own_with_the_mean_for_a_pooler(self, tiny):
        classifier = Classifier(tiny, labels=3, seed=5)
        config = deepcopy(tiny.model.config)
        config.num_labels = 3
        theirs = BertForSequenceClassification._from_config(config, attn_implementation="eager").eval()
        theirs.bert.load_state_dict(tiny.model.bert.state_dict())
        theirs.bert.pooler.forward = lambda hidden: hidden.mean(dim=1)
        theirs.classifier.load_state_dict(classifier.head.state_dict())
        with torch.no_grad():
            ours = classifier(TEXTS)
            for text, row in zip(TEXTS, ours, strict=True):
                inputs = tiny.tokenizer(*(text if isinstance(text, tuple) else (text,)), return_tensors="pt")
                assert_rounded_equal(row, theirs(**inputs).logits[0], scale=ours)
        assert predict(classifier, TEXTS, batch_size=1).tolist() == ours.argmax(dim=1).tolist()

    def test_training_leaves_the_bert_and_the_copys_embedding_layer_as_they_are(self, tiny):
        before = [values.clone() for values in tiny.model.parameters()]
        classifier = Classifier(tiny)
        train(classifier, TEXTS, LABELS, epochs=2)
        assert all(map(torch.equal, before, tiny.model.parameters()))
        assert not all(map(torch.equal, before, classifier.bert.model.parameters()))
        embeddings = tiny.model.bert.embeddings, classifier.body.embeddings
        assert all(map(torch.equal, *(part.parameters() for part in embeddings)))

    def test_a_seed_decides_the_head_and_leaves_chance_outside_alone(self, tiny):
        state = torch.random.get_rng_state()
        first, other = (Classifier(tiny, seed=seed).head.weight for seed in (0, 1))
        assert torch.equal(torch.random.get_rng_state(), state)
        assert not torch.equal(first, other)


class TestTrain:
    def test_one_step_is_adamws_and_its_loss_that_of_the_scores_before(self, tiny):
        classifier, by_hand = Classifier(tiny, seed=3), Classifier(tiny, seed=3)
        (loss,) = train(classifier, TEXTS, LABELS, epochs=1, rate=1e-3, seed=np.int64(0))
        expected = torch.nn.functional.cross_entropy(by_hand(TEXTS), torch.tensor(LABELS))
        expected.backward()
        assert_rounded_equal(loss, expected.detach())
        # AdamW's first step moves each number by the step size against the sign of its gradient, and shrinks it.
        before, gradient = by_hand.head.weight.detach(), by_hand.head.weight.grad
        expected = before * (1 - 1e-3 * 0.01) - 1e-3 * gradient / (gradient.abs() + 1e-8)
        assert_rounded_equal(classifier.head.weight, expected)

    def test_each_epoch_sees_every_text_once_and_groups_stay_together(self, tiny, monkeypatch):
        classifier, seen, epochs = Classifier(tiny), [], []
        scores = classifier.scores
        texts = ["a" * (n + 1) for n in range(8)]
        lengths = [len(tiny.tokenizer(text)["input_ids"]) for text in texts]
        assert len(set(lengths)) == 8, "so that each is known by its length"

        def watched(encoded):
            seen.append([lengths.index(len(text["input_ids"])) for text in encoded])
            return scores(encoded)

        monkeypatch.setattr(classifier, "scores", watched)
        options = {"epochs": 2, "batch_size": 4, "group_size": 2}
        train(classifier, texts, [0, 1] * 4, **options, progress=lambda steps: epochs.append(steps) or steps)
        first, second = seen[0] + seen[1], seen[2] + seen[3]
        assert sorted(first) == sorted(second) == list(range(8))
        assert first != second
        assert all(b == a + 1 for a, b in zip(first[::2], first[1::2], strict=True))
        assert epochs == [range(2)]

    def test_labels_that_the_head_lacks_and_groups_that_do_not_fit_are_refused_before_a_step(self, tiny):
        classifier = Classifier(tiny)
        before = classifier.head.weight.detach().clone()
        for strange in (2, -1):
            with pytest.raises(ValueError, match=f"labels 0 to 1, and {strange} is none of"):
                train(classifier, TEXTS, [0, 1, strange, 0])
        with pytest.raises(ValueError, match="cannot be divided into groups of 3"):
            train(classifier, TEXTS, LABELS, group_size=3)
        assert torch.equal(classifier.head.weight, before)

    @pytest.mark.parametrize(("epochs", "rate"), [(3, 1e11), (1, 1e300)])  # the one by a later loss, the other at once
    def test_a_step_size_that_destroys_the_weights_is_told(self, tiny, epochs, rate):
        with pytest.raises(ValueError, match=rf"no longer finite.*rate={rate / 10:g}".replace("+", r"\+")):
            train(Classifier(tiny), TEXTS, LABELS, epochs=epochs, rate=rate)

    @pytest.mark.parametrize("kind", [torch.tensor, np.array, lambda labels: pd.Series(labels, [3, 1, 0, 2])])
    def test_labels_count_by_their_place_whatever_holds_them(self, tiny, kind):
        expected = train(Classifier(tiny), TEXTS, LABELS, epochs=1)
        assert train(Classifier(tiny), TEXTS, kind(LABELS), epochs=1) == expected


def test_the_step_size_rises_and_falls_to_zero_as_transformers_has_it():
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))])
    schedules = rise_and_fall(optimizer, 40), get_linear_schedule_with_warmup(optimizer, 4, 40)
    ours, theirs = ([schedule.lr_lambdas[0](step) for step in range(41)] for schedule in schedules)
    assert ours[:5] == pytest.approx([0.2, 0.4, 0.6, 0.8, 1])
    assert ours[5:] == pytest.approx(theirs[5:])
