"""Lesson 5, Paraphrase: sentence vectors, how alike they are, and what people say of the same pairs."""

from bertlab.paraphrase import figures
from bertlab.paraphrase.benchmark import ahead, best_threshold, compare_systems, held_out_accuracy, measure_system
from bertlab.paraphrase.pairs import read_pairs
from bertlab.paraphrase.pooling import pool, sentence_vectors
from bertlab.paraphrase.similarity import (
    baseline_similarities,
    glove_similarities,
    model_similarities,
    pair_cosines,
    similarities,
    static_vectors,
    tfidf_cosines,
    word_overlap,
)

__all__ = [
    "ahead",
    "baseline_similarities",
    "best_threshold",
    "compare_systems",
    "figures",
    "glove_similarities",
    "held_out_accuracy",
    "measure_system",
    "model_similarities",
    "pair_cosines",
    "pool",
    "read_pairs",
    "sentence_vectors",
    "similarities",
    "static_vectors",
    "tfidf_cosines",
    "word_overlap",
]
