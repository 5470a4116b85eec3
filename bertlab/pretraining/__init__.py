"""Lesson 7, Pre-training: a small language, and what a small BERT learns of it."""

from bertlab.pretraining import figures, tables
