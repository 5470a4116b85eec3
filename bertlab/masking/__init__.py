"""Lesson 6, Masking: what BERT expects in the place of a word, and how much it expects a sentence."""

from bertlab.masking import figures
from bertlab.masking.predictions import (
    fill_mask,
    masked_loss,
    piece_id,
    probabilities,
    sentence_scores,
    word_probabilities,
)
from bertlab.masking.proofreading import most_probable, proofread, words_in
