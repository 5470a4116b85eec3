"""Lesson 7, Pre-training: a small language, and what a small BERT learns of it."""

from bertlab.pretraining import figures, tables
from bertlab.pretraining.language import all_sentences
from bertlab.pretraining.small import encode, new_model, word_tokenizer
