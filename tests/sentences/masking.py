"""What lesson 6 says: its captions, and the letters' reasons."""

import pandas as pd
import torch

from bertlab.masking import figures


def said():
    before, words = pd.DataFrame({"token_str": ["head", "face"], "score": [0.7, 0.1]}), ["head", "face"]
    yield "the first answers", figures.most_probable(before, "The [MASK] sat on the mat.", 16000).caption
    yield "the first answers, no sign at the end", figures.most_probable(before, "He shook his [MASK]", 16000).caption
    for branch, others in {"numbers": words, "order": words[::-1], "words": [".", "!"]}.items():
        after = pd.DataFrame({"token_str": others, "score": [0.6, 0.2]})
        yield f"{branch} change", "{}: {}".format(*figures.change_of_answers(before, after))
    counts = {"bertlab-mini": 30, "window rule": 10, "untrained twin": 8}
    yield "right answers", figures.right_answers(counts, 40, "pairs").caption
    yield "words of a student", figures.empty_bars(["", ""], "The [MASK] sat on the mat.").caption
    scores = [torch.tensor([-1.0, -2.0]), torch.tensor([-1.5, -6.0])]
    pieces = [["it", "was"], ["it", "were"]]
    yield "two sentences", figures.piece_scores(["It was.", "It were."], pieces, scores).caption
