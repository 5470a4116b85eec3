"""Lesson 5, Paraphrase: sentence vectors, their cosines, and people's grades of the same pairs."""

from bertlab.data.tables import read_pairs
from bertlab.paraphrase import figures
from bertlab.paraphrase.benchmark import Benchmark, compare_systems
from bertlab.paraphrase.pooling import POOLINGS, mean_of_tokens, sentence_vectors
from bertlab.paraphrase.similarity import (
    baseline_similarities,
    glove_similarities,
    model_similarities,
    similarities,
    static_vectors,
    word_overlap,
)
