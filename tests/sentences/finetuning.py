"""The captions of lesson 8, in each of their branches."""

import numpy as np
import pandas as pd
import torch

from bertlab.finetuning import figures


def first(count, of=100):
    return np.arange(of) < count


def table(*rows):
    names = ["model", "pairs", "epochs", "rate", "seed", "right"]
    return pd.DataFrame(rows, columns=names).assign(of=200, six_right=lambda runs: 3 * runs["right"], six_of=600)


def said():
    models = table(("bertlab-mini", 600, 6, 3e-4, 0, 143), ("untrained twin", 600, 60, 3e-4, 0, 140))
    sure = np.array([first(50), first(80), first(100)])
    guess = np.array([first(50), first(55), first(60)])
    same = np.arange(100) % 2
    shown = {
        "pairs to judge": figures.to_judge("It rained.", {"It did rain.": "the same", "It rained.": "?"}),
        "kinds of pair": figures.kinds_of_pair(np.arange(100) / 100, same),
        "step sizes": figures.step_sizes([1e-4, 3e-4, 2e-4]),
        "losses": figures.losses([0.7, 0.66, 0.41, 0.09, 0.03, 0.02]),
        "runs in rows": figures.in_rows({"bertlab-mini": [0.98, 0.985], "untrained twin": [0.54, 0.61]}, "200 pairs"),
        "mixed voices": figures.mixed_voices(models),
        "partners": figures.partners(torch.eye(3), ["One.", "Two.", "Three."]),
        "forgotten": figures.forgotten({"seed 1": [0.5, 0.6, 0.7], "an untrained twin": [5.1, 5.2, 5.3]}),
        "a probe ahead": figures.probes({"BERT": sure, "twin": guess, "another twin": guess}, range(100)),
        "a probe not ahead": figures.probes({"BERT": guess, "twin": guess}, range(100)),
        "a shortcut": figures.shortcut({"its like": first(100), "honest": first(50)}, {"TF-IDF": first(100)}),
    }
    yield from ((branch, figure.caption) for branch, figure in shown.items())
