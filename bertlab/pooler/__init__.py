"""Lesson 2, Pooler: one vector for a whole text, and next-sentence prediction."""

from bertlab.pooler import figures
from bertlab.pooler.layer import next_sentence
