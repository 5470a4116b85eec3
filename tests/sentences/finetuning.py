"""The captions of lesson 8."""

import torch

from bertlab.finetuning import figures


def said():
    shown = {
        "pairs to judge": figures.to_judge("It rained.", {"It did rain.": "the same", "It rained.": "?"}),
        "losses": figures.losses([0.7, 0.66, 0.41, 0.09, 0.03, 0.02]),
        "partners": figures.partners(torch.eye(3), ["One.", "Two.", "Three."]),
    }
    yield from ((branch, figure.caption) for branch, figure in shown.items())
