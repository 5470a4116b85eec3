"""What lesson 6 says: its captions, the letters' reasons, and what its checks say of answers."""

from unittest.mock import patch

import pandas as pd
import torch

import bertlab
from bertlab.checks import masking as checks
from bertlab.evidence import beside_controls
from bertlab.masking import figures

ITEMS = 40


def compared(first, **controls):
    ways = {"bertlab-mini": first, **{name.replace("_", " "): right for name, right in controls.items()}}
    return beside_controls({name: [i < right for i in range(ITEMS)] for name, right in ways.items()})


def said():
    before, words = pd.DataFrame({"token_str": ["head", "face"], "score": [0.7, 0.1]}), ["head", "face"]
    yield "the first answers", figures.most_probable(before, "The [MASK] sat on the mat.", 16000).caption
    yield "the first answers, no sign at the end", figures.most_probable(before, "He shook his [MASK]", 16000).caption
    for branch, others in {"numbers": words, "order": words[::-1], "words": [".", "!"]}.items():
        after = pd.DataFrame({"token_str": others, "score": [0.6, 0.2]})
        yield f"{branch} change", figures.change_of_answers(before, after)[1]
    for branch, case in {
        "ahead of both": compared(30, counted_neighbours=10, most_frequent_word=8),
        "ahead of its one control": compared(36, always_the_same_word=20),
        "ahead of one": compared(30, counted_neighbours=29, most_frequent_word=12),
        "not ahead": compared(22, the_word_table=20),
        "all right": compared(ITEMS, always_the_same_word=20),
    }.items():
        yield branch, figures.right_answers(case, "pairs", groups="exchanges", chance=0.5).caption
    shares = pd.DataFrame({"share": [1.0, 0.7], "low": [0.8, 0.5], "high": [1.0, 0.9], "pairs": 20, "tested": True})
    yield "phenomena, all tested", figures.by_phenomenon(shares).caption
    yield "phenomena, not all tested", figures.by_phenomenon(shares.assign(tested=[True, False])).caption
    scores = [torch.tensor([-1.0, -2.0]), torch.tensor([-1.5, -6.0])]
    pieces = [["it", "was"], ["it", "were"]]
    yield "two sentences", figures.piece_scores(["It was.", "It were."], pieces, scores).caption
    leans = torch.tensor([[0.5, 0.75, 0.25], [-1.0, -0.5, 0.5]])
    yield "leans", figures.leans(["artist", "baker"], leans, "bertlab-mini").caption
    yield from of_checks(bertlab.load())


def of_checks(bert):
    """Yield what the checks say of a right answer, of each wrong one that they know, and of shortcuts."""

    def judge(_answer, cases, _truth, wrong, praise, shortcuts=(), **_options):
        with torch.no_grad():
            told.extend([("wrong", sentence) for sentence in wrong(*cases[0])])
        told.extend([("right", praise), *(("shortcut", sentence) for sentence in shortcuts)])

    told: list[tuple[str, str]] = []
    with patch.object(checks, "judge", judge):
        checks.masked_word_loss(print)
        checks.fill_batch(bert, print)
        checks.weigh(bert, print)
    yield from told
