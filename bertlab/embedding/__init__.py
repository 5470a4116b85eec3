"""Lesson 1, Embedding layer: what goes into the encoder, and the cosine that compares vectors."""

from bertlab.embedding import figures
from bertlab.embedding.layer import Parts, parts
from bertlab.embedding.similarity import cosine
