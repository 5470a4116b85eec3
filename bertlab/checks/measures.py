"""What is right in the gaps of lessons 5 to 8, where BERT is measured and trained, and which mistakes are known."""

import math
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from bertlab.checks import losses
from bertlab.checks.line import Line


def _spearman(values: Any, grade: Any) -> float:
    from scipy.stats import spearmanr

    return float(spearmanr(values, grade).statistic)


def _share_above(yes: np.ndarray, no: np.ndarray) -> float:
    """Return in what share of all comparisons a value of the first is above one of the second."""
    return float(np.searchsorted(np.sort(no), yes, side="left").sum() / (len(yes) * len(no)))


def _sgd(weight: Tensor) -> Tensor:
    """Return a weight after a step of torch's own gradient descent."""
    moved = torch.nn.Parameter(weight.detach().clone())
    moved.grad = weight.grad
    torch.optim.SGD([moved], lr=0.1).step()
    return moved.detach()


MEASURES: dict[str, Line] = {
    "5a": Line(
        "numpy's average",
        lambda tokens: torch.from_numpy(np.average(tokens.numpy(), axis=0)),
        lambda tokens: {
            "this is the mean over the features: the tokens are in the rows, dim=0.": tokens.mean(1),
            "this is the mean of all numbers: name the axis of the tokens, dim=0.": tokens.mean(),
            "this is the sum: divide by the number of tokens, or take .mean().": tokens.sum(0),
            "this is the vector of [CLS]: take the mean over all tokens.": tokens[0],
            "[CLS] or [SEP] is left out: here both count.": (tokens[1:-1].mean(0), tokens[1:].mean(0)),
            "this is the maximum: take the mean. (Step 1 compares the two.)": tokens.amax(0),
        },
    ),
    "5b": Line(
        "the mean of each text by itself",
        lambda hidden, real: torch.stack([text[kept[:, 0]].mean(0) for text, kept in zip(hidden, real, strict=True)]),
        lambda hidden, real: {
            "padding is averaged in: write 0 there, and divide by the number of real tokens.": hidden.mean(1),
            "padding is 0 and still counted: divide by the number of real tokens.": (hidden * real).mean(1),
            "these are sums: divide by the number of real tokens.": (hidden * real).sum(1),
            "padding is added, though not counted: write 0 there before you add up.": hidden.sum(1) / real.sum(1),
            "padding is kept and the text hidden: masked_fill writes where it finds True.": (hidden * ~real).sum(1)
            / real.sum(1),
            "the sum is divided by the tokens of all texts: each text has its own.": (hidden * real).sum(1)
            / real.sum(),
        },
    ),
    "5c": Line(
        "scipy's spearmanr",
        _spearman,
        lambda values, grade: {
            "this is the correlation of the values themselves: take their ranks.": np.corrcoef(values, grade)[0, 1],
            "this is the table of all correlations: take one number, of cosine and grade.": [
                [1, _spearman(values, grade)],
                [_spearman(values, grade), 1],
            ],
            "the sign is turned: high cosines and high grades go together.": -_spearman(values, grade),
        },
    ),
    "5d": Line(
        "numpy's searchsorted",
        _share_above,
        lambda yes, no: {
            "the comparison is turned: ask how often yes is above no.": _share_above(no, yes),
            "this is a count: take the share, .mean().": _share_above(yes, no) * len(yes) * len(no),
            "this is the table of all comparisons: take its .mean().": yes[:, None] > no,
            "this is one share for each paraphrase: take the mean of the whole table.": (yes[:, None] > no).mean(1),
            "each paraphrase meets one far pair alone: a column, yes[:, None], meets them all.": np.mean(
                [one > other for one, other in zip(yes, no, strict=False)]
            ),
            "this compares the two means: compare each value with each.": float(yes.mean() > no.mean()),
            "this is how far yes is above no on average: ask how often it is.": yes.mean() - no.mean(),
        },
    ),
    "6a": Line(
        "torch's linear",
        lambda transformed, table, bias, hidden: F.linear(transformed, table, bias),
        lambda transformed, table, bias, hidden: {
            "the bias is missing: add bias.": table @ transformed,
            "the transform is skipped: use transformed, not hidden.": table @ hidden + bias,
            "the bias is subtracted: add it.": table @ transformed - bias,
            "these are probabilities: softmax comes in the next cell.": (table @ transformed + bias).softmax(-1),
            "these are cosines: nothing is divided here.": F.cosine_similarity(table, transformed[None]),
        },
    ),
    "6b": Line(
        "torch's cross_entropy, position by position",
        lambda logits, ids, given, chosen: F.cross_entropy(logits[chosen], ids[chosen], reduction="none"),
        lambda logits, ids, given, chosen: {
            "the sign is wrong: a loss is minus the logarithm.": logits.log_softmax(-1)[chosen, ids[chosen]],
            "this asks at every position: take the chosen ones alone.": F.cross_entropy(logits, ids, reduction="none"),
            "this asks for what went in: the right pieces are in ids.": -logits.log_softmax(-1)[chosen, given[chosen]],
            "these are logits: log_softmax makes logarithms of probabilities.": -logits[chosen, ids[chosen]],
            "these are probabilities: take minus their logarithm.": logits.softmax(-1)[chosen, ids[chosen]],
            "this is the mean already: give one loss per chosen position.": F.cross_entropy(
                logits[chosen], ids[chosen]
            ),
        },
    ),
    "6c": Line(
        "Python's fsum",
        lambda each: [math.fsum(scores.tolist()) for scores in each],
        lambda each: {
            "these are means: the score is the sum.": [scores.mean() for scores in each],
            "the logarithms are multiplied: add them up.": [scores.prod() for scores in each],
            "these are probabilities: the score is the sum of their logarithms.": [
                scores.sum().exp() for scores in each
            ],
            "the sign is wrong: the score is the sum as it is, below zero.": [-scores.sum() for scores in each],
        },
    ),
    "6d": Line(
        "torch's normalize",
        lambda of_two: F.normalize(of_two, p=1, dim=0),
        lambda of_two: {
            "these are shares of the whole vocabulary: divide by their sum.": of_two,
            "softmax takes scores, and these are probabilities already: divide by their sum.": of_two.softmax(-1),
            "this divides by the larger of the two: divide by their sum.": of_two / of_two.max(),
            "this is one word's share: give both.": (of_two / of_two.sum()).max(),
            "these are logarithms: give probabilities.": (of_two.log(), (of_two / of_two.sum()).log()),
        },
    ),
    "7a": Line(
        "Python's logarithm",
        lambda right: torch.tensor([-math.log(p) for p in right]),
        lambda right: {
            "the sign is wrong: a loss is minus the logarithm.": torch.tensor(right).log(),
            "the logarithm has base 2: take the natural one.": -torch.tensor(right).log2(),
            "these are probabilities: the loss is minus their logarithm.": (right, 1 - torch.tensor(right)),
            "this is the mean already: give one loss per gap.": -torch.tensor(right).log().mean(),
        },
    ),
    "7b": Line(
        "cross_entropy with the label -100 elsewhere",
        lambda logits, ids, chosen, given: F.cross_entropy(logits.mT, ids.masked_fill(~chosen, -100)),
        lambda logits, ids, chosen, given: {
            "every place is asked, the padding too: take the chosen ones alone.": F.cross_entropy(logits.mT, ids),
            "this asks for what went in: the right pieces are in ids.": F.cross_entropy(logits[chosen], given[chosen]),
            "the losses are added up: take their mean.": F.cross_entropy(logits[chosen], ids[chosen], reduction="sum"),
            "the places that were not chosen are asked.": F.cross_entropy(logits[~chosen], ids[~chosen]),
            "the sign is turned: cross_entropy has the minus.": -F.cross_entropy(logits[chosen], ids[chosen]),
        },
    ),
    "7c": Line(
        "torch's optimizer SGD",
        _sgd,
        lambda weight: {
            "this goes along the gradient, and the loss would grow: subtract.": weight + 0.1 * weight.grad,
            "the step size is missing: 0.1 times the gradient.": weight - weight.grad,
            "this is the step alone: the weight moves by it.": (0.1 * weight.grad, -0.1 * weight.grad),
            "a part of the weight is subtracted: the gradient is weight.grad.": 0.9 * weight,
            "only the sign of the gradient counts here: subtract 0.1 times all of it.": weight
            - 0.1 * weight.grad.sign(),
        },
    ),
    "8a": Line(
        "torch's cross_entropy",
        F.cross_entropy,
        lambda scores, labels: losses.wrong(scores.softmax(-1)[torch.arange(len(labels)), labels]),
    ),
    "8b": Line(
        "a loop over the pieces",
        lambda starts, stops: torch.tensor([int(i == 0 or starts[i] != stops[i - 1]) for i in range(len(starts))]),
        lambda starts, stops: {
            "these are the pieces that go on with a word: turn it round.": F.pad(
                (starts[1:] == stops[:-1]).int(), (1, 0)
            ),
            "every piece is said to begin a word: it does if a space comes first, so compare with >.": starts < stops,
            "no piece is said to begin a word: compare with where the previous piece stopped.": starts > stops,
            "these are positions: say True or False for each piece.": torch.tensor(
                [i for i in range(len(starts)) if i == 0 or starts[i] != stops[i - 1]]
            ),
        },
    ),
    "8c": Line(
        "torch's cosine_similarity",
        lambda asked, partners: F.cosine_similarity(asked[:, None], partners[None], dim=-1),
        lambda asked, partners: {
            "these are dot products: bring every vector to length one first.": asked @ partners.T,
            "the partners have another length: use unit on both.": F.normalize(asked) @ partners.T,
            "each sentence meets its own partner only: use @ and .T.": F.cosine_similarity(asked, partners),
            "the partners are in the rows: the sentences come first.": F.normalize(partners) @ F.normalize(asked).T,
            "the sentences meet themselves: the columns are the partners.": F.normalize(asked) @ F.normalize(asked).T,
            "unit goes over the wrong axis: dim=-1.": F.normalize(asked, dim=0) @ F.normalize(partners, dim=0).T,
        },
    ),
    "8d": Line(
        "the columns of the diagonal",
        lambda cosines: torch.eye(len(cosines)).nonzero()[:, 1],
        lambda cosines: {
            "row i belongs to column i, and the first row is 0.": torch.arange(1, len(cosines) + 1),
            "every row asks for the first column: each sentence has its own partner.": torch.zeros(len(cosines)),
            "these say *the same*, as in part a: here the right answer is the number of a column.": torch.ones(
                len(cosines)
            ),
            "these are the nearest ones before training: ask for the partner, near or not.": cosines.argmax(-1),
            "this is a table: one number for each row says which column is right.": torch.eye(len(cosines)),
            "these are cosines: say in which column they are.": cosines.diagonal(),
        },
    ),
}
