"""The caption of lesson 1 that the package words."""

from bertlab.embedding import figures


def said():
    right = {"bertlab-mini": [True] * 3 + [False], "spelling": [True] + [False] * 3}
    yield "words of a kind", figures.kinds(right, ["day", "day", "job", "job"], of_twins=[0, 1]).caption
