"""Lesson 7's recorded runs: their loop is transformers' loss and torch's optimizer, their corruption the collator's."""

import pytest
import torch
from scipy.stats import binomtest
from transformers import DataCollatorForLanguageModeling

from bertlab.masking import corrupt
from bertlab.pretraining import encode, new_model, word_tokenizer
from bertlab.pretraining.language import all_sentences, words_of
from small import train

LANGUAGE = all_sentences()
TOKENIZER = word_tokenizer(words_of(LANGUAGE))
IDS = encode(TOKENIZER, list(LANGUAGE)[::26])


def test_what_is_chosen_and_what_becomes_of_it_is_as_in_transformers_collator():
    torch.manual_seed(0)
    given, chosen = corrupt(IDS, 0.3, TOKENIZER)
    collated = DataCollatorForLanguageModeling(TOKENIZER, mlm_probability=0.3)([{"input_ids": row} for row in IDS])
    ordinary = ~torch.isin(IDS, torch.tensor(TOKENIZER.all_special_ids))
    assert not (chosen & ~ordinary).any()
    assert given[~chosen].equal(IDS[~chosen])
    for mine, theirs, of in (
        (chosen, collated["labels"] != -100, ordinary),
        (given == TOKENIZER.mask_token_id, collated["input_ids"] == TOKENIZER.mask_token_id, chosen),
        (given != IDS, collated["input_ids"] != IDS, chosen),
    ):
        here = binomtest(int((mine & of).sum()), int(of.sum()))
        low, high = here.proportion_ci(method="wilson")
        there = int(theirs.sum()) / int((ordinary if of is ordinary else collated["labels"] != -100).sum())
        assert abs(here.statistic - there) < 4 * (high - low) / 2


def test_a_step_is_that_of_transformers_loss_and_torchs_optimizer():
    mine, theirs = new_model(len(TOKENIZER), seed=3), new_model(len(TOKENIZER), seed=3)
    train(mine, TOKENIZER, IDS, steps=2, seed=5)
    torch.manual_seed(5)
    optimizer = torch.optim.AdamW(theirs.parameters(), lr=3e-3)
    for _ in range(2):
        batch = IDS[torch.randint(len(IDS), (64,))]
        given, chosen = corrupt(batch, 0.3, TOKENIZER)
        labels = batch.masked_fill(~chosen, -100)
        optimizer.zero_grad()
        theirs(given, attention_mask=(batch != 0).long(), labels=labels).loss.backward()
        optimizer.step()
    found, expected = (torch.cat([w.detach().flatten() for w in m.parameters()]) for m in (mine, theirs))
    # AdamW divides a gradient by its size, so that a rounded zero may move a weight by a step: nearly all are equal.
    assert ((found - expected).abs() < 1e-5).float().mean() > 0.99


def test_a_schedule_multiplies_the_step_size():
    trained = train(new_model(len(TOKENIZER)), TOKENIZER, IDS, steps=2, schedule=lambda step: step / 2)
    largest = trained[2].cls.predictions.bias.detach().abs().max()  # it begins at 0, and stays there at step 0
    assert float(largest) == pytest.approx(3e-3 / 2, rel=0.05), "half the step size, in AdamW's first real step"


def test_copies_are_kept_and_do_not_change():
    trained = train(new_model(len(TOKENIZER), seed=1), TOKENIZER, IDS, steps=60)
    assert list(trained) == [0, 25, 50, 60]
    biases = [copy.cls.predictions.bias.abs().max() for copy in trained.values()]
    assert 0 == biases[0] < biases[1] < biases[3]
