"""Lesson 2: the captions of its figures."""

import torch

from bertlab.pooler import figures

SECONDS = ["She looked for them everywhere.", "The moon has many craters."]


def said():
    yield "which comes next", figures.does_it_follow("She lost her keys.", SECONDS, torch.tensor([0.9, 0.2])).caption
    yield "which comes next, to guess", figures.does_it_follow("She lost her keys.", SECONDS).caption
    kinds = {"follow": torch.linspace(0.4, 1, 80), "unrelated": torch.linspace(0, 1, 80)}
    yield "two kinds of pairs", figures.followers_and_others(kinds, 0.5).caption
    three = kinds | {"reversed": kinds["follow"]}
    yield "three kinds, all above", figures.followers_and_others(three, 0).caption
    yield "three kinds, none above", figures.followers_and_others(three, 1).caption
    yield "beside guessing", figures.beside_guessing("Right choices", {"BERT": 1300, "words": 76.5}, 1520).caption
