"""The captions of lesson 5."""

from types import SimpleNamespace

import numpy as np
import torch

from bertlab.paraphrase import figures

GRADES = np.arange(120) % 6
SENTENCE = SimpleNamespace(tokens=["[CLS]", "it", "rained", ".", "[SEP]"])


def said():
    close = GRADES + 0.5 * np.random.default_rng(0).normal(size=len(GRADES))
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
    yield "layers", figures.correlations_by_layer([0.1, 0.3, 0.2], [[0.0, 0.1, 0.1]] * 3, 0.16).caption
