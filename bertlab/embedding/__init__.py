"""Lesson 1, Embedding layer: the vectors that enter the encoder, and the cosine that compares them."""

from bertlab.embedding import figures
from bertlab.embedding.layer import cosine
