"""The caption of lesson 5's plane."""

from types import SimpleNamespace

import torch

from bertlab.paraphrase import figures

SENTENCE = SimpleNamespace(tokens=["[CLS]", "it", "rained", ".", "[SEP]"])


def said():
    plane = torch.arange(20.0).view(10, 2) / 20
    pooled = {"mean": torch.tensor([[0.3, 0.4], [0.5, 0.4]]), "max": torch.tensor([[0.1, 0.9], [0.9, 0.9]])}
    yield "plane", figures.tokens_and_pooled(SENTENCE, SENTENCE, plane, pooled, 0.27).caption
