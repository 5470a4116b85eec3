"""The captions of lesson 8."""

from bertlab.finetuning import figures


def said():
    yield "pairs to judge", figures.to_judge("It rained.", {"It did rain.": "the same", "It rained.": "?"}).caption
