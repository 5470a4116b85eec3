"""Lesson 3, Contextual vectors: the vector of a word in its sentence, and what it tells about the word's sense."""

from bertlab.vectors import figures
from bertlab.vectors.words import leave_one_out, word_tokens, word_vector
