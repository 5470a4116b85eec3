"""Contrastive training: the loss by scikit-learn, vectors that find their partners, and a BERT that stays as it is."""

import numpy as np
import pytest
import torch
from sklearn.metrics import log_loss
from sklearn.metrics.pairwise import cosine_similarity

from bertlab import data
from bertlab.finetuning import contrastive_loss, train_vectors
from bertlab.paraphrase import sentence_vectors, word_overlap
from rounding import assert_rounded_equal

ASKED = ["The cat sat on the mat.", "It rained all day.", "A heart is a muscle.", "Who saw the old river?"]
PARTNERS = ["An old dog left.", "The house is red.", "We called the doctor.", "Bread is cold."]


def test_the_loss_is_scikit_learns_log_loss_of_the_cosines():
    chance = torch.Generator().manual_seed(2)
    first, second = torch.randn(4, 6, generator=chance), 3 * torch.randn(7, 6, generator=chance)
    scores = cosine_similarity(first, second) / 0.1
    shares = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    expected = log_loss(range(4), shares, labels=range(7))
    assert_rounded_equal(contrastive_loss(first, second, temperature=0.1), expected, scale=scores)


def test_partners_are_found_after_training_and_not_before(tiny):
    def found(bert):
        cosines = cosine_similarity(sentence_vectors(bert, ASKED), sentence_vectors(bert, PARTNERS))
        return int((cosines.argmax(axis=1) == range(4)).sum())

    assert found(tiny) < 4
    assert found(train_vectors(tiny, ASKED, PARTNERS, epochs=40, rate=1e-3, batch_size=4)) == 4


def test_what_was_given_stays_and_what_comes_back_reads_without_dropout(tiny):
    before = [values.clone() for values in tiny.model.parameters()]
    rates = [part.p for part in tiny.model.modules() if isinstance(part, torch.nn.Dropout)]
    state = torch.random.get_rng_state()
    trained = train_vectors(tiny, ASKED, PARTNERS, epochs=1)
    assert torch.equal(torch.random.get_rng_state(), state)
    assert all(map(torch.equal, before, tiny.model.parameters()))
    assert not trained.model.training
    assert [part.p for part in trained.model.modules() if isinstance(part, torch.nn.Dropout)] == rates
    assert torch.equal(sentence_vectors(trained, ASKED), sentence_vectors(trained, ASKED))


def test_a_sentence_and_itself_are_read_with_a_tenth_of_the_values_blanked_out(tiny, monkeypatch):
    blank, forward = [], torch.nn.Dropout.forward

    def watched(self, values):
        result = forward(self, values)
        blank.extend((result[values != 0] == 0).tolist())
        return result

    monkeypatch.setattr(torch.nn.Dropout, "forward", watched)
    train_vectors(tiny, ASKED, ASKED, epochs=1)
    assert len(blank) > 10_000, "so two hundredths are more than six standard errors"
    assert np.mean(blank) == pytest.approx(0.1, abs=0.02)  # Gao et al. 2021, section 3


def test_a_step_size_that_destroys_the_weights_is_told(tiny):
    with pytest.raises(ValueError, match="no longer finite"):
        train_vectors(tiny, ASKED, PARTNERS, epochs=1, rate=1e300)


def test_a_seed_decides_what_is_learned_and_so_do_the_partners(tiny):
    vectors = []
    for partners, seed in ((ASKED, 0), (ASKED, 0), (ASKED, 1), (PARTNERS, 0)):
        vectors.append(sentence_vectors(train_vectors(tiny, ASKED, partners, epochs=1, seed=seed), ASKED))
    assert torch.equal(vectors[0], vectors[1])
    assert not torch.equal(vectors[1], vectors[2])
    assert not torch.equal(vectors[1], vectors[3])


def test_no_sentence_is_in_the_pairs_that_test_the_vectors_and_a_contrast_shares_more_words():
    trios, graded = data.read("paraphrases"), data.read("graded_pairs")
    trained_on = {*trios["sentence"], *trios["paraphrase"], *trios["contrast"]}
    assert len(trained_on) == 300
    assert not trained_on & {*graded["first"], *graded["second"]}
    paraphrases, contrasts = (
        word_overlap(trios.rename(columns={"sentence": "first", side: "second"})) for side in ("paraphrase", "contrast")
    )
    assert contrasts.mean() > paraphrases.mean() + 0.1
