"""Lesson 6, Masking: how probable BERT finds a word in a gap, and how probable a sentence."""

from bertlab.masking import figures
from bertlab.masking.corruption import corrupt
from bertlab.masking.predictions import fill_mask, probabilities, sentence_scores, word_probabilities
from bertlab.masking.proofreading import marked, most_probable, proofread
