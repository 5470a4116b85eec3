"""Each figure of lesson 8 draws the numbers it was given, and its caption says them."""

import numpy as np
import torch

from bertlab.finetuning import figures


def test_cards_lines_and_cells_are_drawn_from_what_was_given():
    written = [text.get_text() for text in figures.to_judge("A.", {"B.": "the same", "C.": "?"}).axes.texts]
    assert written == ["A.", "B.", "the same", "A.", "C.", "?"]
    cells = figures.partners(torch.tensor([[0.9, 0.8], [0.95, 0.7]]), ["A.", "B."]).axes.texts
    assert [cell.get_text() for cell in cells] == ["0.90", "0.80", "0.95", "0.70"]
    losses = figures.losses([0.7, 0.1]).axes
    drawn = [list(line.get_ydata()) for line in losses.lines]
    assert [line for line in drawn if line] == [[0.7, 0.1], [np.log(2)] * 2]
    assert losses.xaxis.get_major_formatter()(0, None) == "1", "the first epoch is the first"
