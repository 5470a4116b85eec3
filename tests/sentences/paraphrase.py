"""Lesson 5: captions, and what is said of what the cosines follow."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import torch

from bertlab.evidence import beside_controls
from bertlab.paraphrase import figures, verdicts
from bertlab.paraphrase.benchmark import Benchmark

CHANCE = np.random.default_rng(0)
GRADES = np.arange(120) % 6
SENTENCE = SimpleNamespace(tokens=["[CLS]", "it", "rained", ".", "[SEP]"])
ROWS = {
    "[CLS]": (0.45, 0.35, 0.53, 0.28, 0.001),
    "mean": (0.38, 0.27, 0.47, 0.22, 0.001),
    "word overlap": (0.16, 0.05, 0.27, np.nan, np.nan),
    "twin mean": (0.07, -0.02, 0.19, -0.07, 0.01),
    "TF-IDF": (0.16, 0.05, 0.27, 0.0, 1.0),
}


def noisy(much):
    return GRADES + much * CHANCE.normal(size=len(GRADES))


def correlations(*names):
    table = pd.DataFrame.from_dict(ROWS, orient="index", columns=["Spearman", "low", "high", "ahead", "p"])
    return figures.correlations(Benchmark(table.loc[list(names)], 336, 0.65, "word overlap")).caption


def said():
    close, far, random = noisy(0.5), noisy(3), noisy(100)
    yield "cosines follow words", verdicts.with_overlap_or_grades(close, close + noisy(0.1), noisy(50))
    yield "cosines follow grades", verdicts.with_overlap_or_grades(close, random, GRADES)
    yield "cosines follow neither more", verdicts.with_overlap_or_grades(close, noisy(0.5), noisy(0.5))
    searches = beside_controls({"this BERT": [1, 1, 0], "counting shared words": [0, 1, 0]})
    yield "searches", figures.searches(searches, 1 / 3).caption
    yield "tokens", figures.token_cosines(SENTENCE, SENTENCE, torch.eye(5)).caption
    yield "tokens, some negative", figures.token_cosines(SENTENCE, SENTENCE, -torch.eye(5)).caption
    kinds = {"unrelated": [0.5, 0.6], "overlapping": [0.9, 0.95]}
    yield "our pair is highest", figures.beside_other_pairs(kinds, 0.99).caption
    yield "some are higher", figures.beside_other_pairs(kinds, 0.93).caption
    plane = torch.arange(20.0).view(10, 2) / 20
    pooled = {"mean": torch.tensor([[0.3, 0.4], [0.5, 0.4]]), "max": torch.tensor([[0.1, 0.9], [0.9, 0.9]])}
    yield "plane", figures.tokens_and_pooled(SENTENCE, SENTENCE, plane, pooled, 0.27).caption
    yield "by grade", figures.cosines_by_grade(close, GRADES).caption
    yield "by word overlap", figures.cosines_by_overlap([0, 0, 0.5, 1], [0.67, 0.89, 0.8, 0.9]).caption
    yield "by word overlap, always some", figures.cosines_by_overlap([0.2, 0.5, 1], [0.67, 0.8, 0.9]).caption
    yield "several ahead, one behind", correlations(*ROWS)
    yield "one ahead", correlations("mean", "word overlap", "TF-IDF")
    yield "none ahead", correlations("word overlap", "TF-IDF")
    yield "none ahead, one behind", correlations("word overlap", "twin mean")
    yield "thresholds", figures.roc({"mean": close, "word overlap": far}, GRADES >= 4).caption
    yield "layers", figures.correlations_by_layer([0.1, 0.3, 0.2], [[0.0, 0.1, 0.1]] * 3, 0.16).caption
