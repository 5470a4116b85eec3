"""What is right in each gap of the lessons, and which mistakes are known there."""

import math
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from bertlab.checks import losses
from bertlab.checks.line import Line
from bertlab.checks.swaps import SWAPS


def _root(x: Tensor, eps: float) -> Tensor:
    """Return the root of each row's variance, a column."""
    return (x.var(dim=-1, correction=0, keepdim=True) + eps).sqrt()


def _spearman(values: Any, grade: Any) -> float:
    from scipy.stats import spearmanr

    return float(spearmanr(values, grade).statistic)


def _sgd(weight: Tensor) -> Tensor:
    """Return a weight after a step of torch's own gradient descent."""
    moved = torch.nn.Parameter(weight.detach().clone())
    moved.grad = weight.grad
    torch.optim.SGD([moved], lr=0.1).step()
    return moved.detach()


LINES: dict[str, Line] = {
    "1a": Line(
        "the sum of the stacked tables",
        lambda *rows: torch.stack(rows).sum(dim=0),
        lambda word, position, segment: {
            "the position rows are missing: add all three.": word + segment,
            "the segment rows are missing: add all three.": word + position,
            "the word rows are missing: add all three.": position + segment,
            "this is the mean of the three: they are added up, not divided.": (word + position + segment) / 3,
            "the rows are multiplied: add them.": word * position * segment,
            "the rows are side by side: add them, number by number.": torch.cat([word, position, segment], dim=-1),
        },
    ),
    "1b": Line(
        "torch's layer_norm",
        lambda x, eps: F.layer_norm(x, x.shape[-1:], eps=eps),
        lambda x, eps: {
            "the root is missing: take .sqrt() of variance + eps.": (x - x.mean(-1, True)) / _root(x, eps) ** 2,
            "the mean is not subtracted: only then is the mean of each row 0.": x / _root(x, eps),
            "the differences are not divided by the standard deviation.": x - x.mean(-1, True),
            "only the mean is divided: put brackets around the difference.": x - x.mean(-1, True) / _root(x, eps),
            "the differences are multiplied by the root: divide by it.": (x - x.mean(-1, True)) * _root(x, eps),
        },
    ),
    "1c": Line(
        "torch's cosine_similarity",
        lambda a, b: F.cosine_similarity(a, b, dim=-1),
        lambda a, b: {
            "these are the dot products: divide by both lengths.": (a * b).sum(-1),
            "this is the mean of the products: the dot product is their sum.": (a * b).mean(-1)
            / a.norm(dim=-1)
            / b.norm(dim=-1),
            "the products of all vectors are added up: sum(dim=-1).": (a * b).sum() / a.norm(dim=-1) / b.norm(dim=-1),
            "the lengths multiply: divide by them.": (a * b).sum(-1) * a.norm(dim=-1) * b.norm(dim=-1),
            "each vector meets every other: multiply number by number, a * b.": a
            @ b.T
            / a.norm(dim=-1)
            / b.norm(dim=-1),
        },
    ),
    "2a": Line(
        "torch's select",
        lambda batch: batch.select(1, 0),
        lambda batch: {
            "this is the whole first text: the first axis counts texts, the second tokens.": batch[0],
            "this is [CLS] of the first text alone: a colon takes all texts.": batch[0, 0],
            "these are the second tokens: [CLS] is token 0.": batch[:, 1],
            "these are the last tokens: [CLS] comes first.": batch[:, -1],
            "this is one feature of each token: the token is the second axis.": batch[:, :, 0],
        },
    ),
    "2b": Line(
        "transformers' own module",
        lambda dense, cls: dense(cls).detach(),
        lambda dense, cls: {
            "the bias is missing: add dense.bias.": cls @ dense.weight.T,
            "each h has to meet the rows of W: turn W on its side with .T.": cls @ dense.weight + dense.bias,
            "two things: turn W on its side with .T, and add dense.bias.": cls @ dense.weight,
            "the bias is subtracted: add it.": cls @ dense.weight.T - dense.bias,
            "these are the pooled vectors: tanh comes in the next cell.": torch.tanh(dense(cls)),
        },
    ),
    "2c": Line(
        "torch's softmax",
        lambda logits: torch.softmax(logits, dim=-1),
        lambda logits: {
            "each column adds up to one here: sum over each row, dim=-1.": torch.softmax(logits, dim=0),
            "all numbers together add up to one here: sum over each row, dim=-1.": logits.exp() / logits.exp().sum(),
            "the sum is over the logits: add up their exp().": logits.exp() / logits.sum(-1, True),
            "exp() is missing: only then are all numbers above zero.": logits / logits.sum(-1, True),
            "nothing is divided: the rows do not add up to one.": logits.exp(),
        },
    ),
    "3a": Line(
        "the tables counted from the start",
        lambda hidden: hidden.unbind()[len(hidden) - 2],
        lambda hidden: {
            "this leaves the last layer: what enters it is one table before.": hidden[-1],
            "this enters the first layer: what enters the last is the last table but one.": hidden[0],
            "these are all tables but the last: take one of them.": hidden[:-1],
            "this is one token after every layer: the first axis counts the tables.": hidden[:, -2],
        },
    ),
    "3b": Line(
        "numpy's mean",
        lambda hidden, pieces: torch.from_numpy(np.mean([hidden[-1, i].numpy() for i in pieces], axis=0)),
        lambda hidden, pieces: {
            "this is the first piece alone: take the mean of all.": hidden[-1, pieces[0]],
            "the pieces are added up: take their mean.": hidden[-1, pieces].sum(0),
            "this is the mean of all tokens: take those of the word.": hidden[-1].mean(0),
            "these vectors enter the first layer: take those after the last, hidden[-1].": hidden[0, pieces].mean(0),
            "this is one number per piece: the mean goes over the pieces, dim=0.": hidden[-1, pieces].mean(1),
            "this is one vector after each layer: take the last.": hidden[:, pieces].mean(1),
        },
    ),
    "3c": Line(
        "torch's cdist",
        lambda point, centroids: torch.cdist(point[None], centroids)[0].argmin(),
        lambda point, centroids: {
            "this is the centroid farthest away: argmin.": (point - centroids).norm(dim=-1).argmax(),
            "this is the smallest distance: argmin says in which row it is.": (point - centroids).norm(dim=-1).min(),
            "these are the distances: argmin says which is the smallest.": (point - centroids).norm(dim=-1),
            "this is the shortest centroid: subtract the point first.": centroids.norm(dim=-1).argmin(),
            "this is one length for all centroids together: norm(dim=-1) gives one per row.": torch.tensor(0),
        },
    ),
    "4a": Line(
        "the formula computed entry by entry",
        lambda query, key: torch.einsum("qd,kd->qk", query, key) / query.shape[-1] ** 0.5,
        lambda query, key: {
            "the scores are not divided: divide by the root of size.": query @ key.T,
            "the scores are divided by the head's size: divide by its root.": query @ key.T / query.shape[-1],
            "a row belongs to the token that looks: the queries come first.": key @ query.T / query.shape[-1] ** 0.5,
            "each query meets its own token's key only: use @ and key.T.": (query * key).sum(-1)
            / query.shape[-1] ** 0.5,
            "these are the weights: softmax comes in the next cell.": F.softmax(
                query @ key.T / query.shape[-1] ** 0.5, -1
            ),
        },
    ),
    "4b": Line(
        "torch's scaled_dot_product_attention",
        lambda query, key, value, alpha: F.scaled_dot_product_attention(query[None], key[None], value[None])[0],
        lambda query, key, value, alpha: {
            "the weights are on their side: a row of alpha says where its token looks.": alpha.T @ value,
            "all values count the same here: weight them by alpha.": value.mean(0).expand_as(value),
            "the keys are averaged: a head passes on the values.": alpha @ key,
            "the queries are averaged: a head passes on the values.": alpha @ query,
            "the scores are the weights here: use alpha.": query @ key.T / query.shape[-1] ** 0.5 @ value,
        },
    ),
    "4c": Line(
        "transformers' own module",
        lambda output, joined, hidden: output(joined, hidden).detach(),
        lambda output, joined, hidden: {
            "what the token had is missing: add hidden before LayerNorm.": output.LayerNorm(output.dense(joined)),
            "LayerNorm is missing: it brings the sum back to one scale.": output.dense(joined) + hidden,
            "LayerNorm comes too early: first add, then normalise.": output.LayerNorm(output.dense(joined)) + hidden,
            "the output projection is left out: add projected, not joined.": output.LayerNorm(joined + hidden),
            "what attention gathered is missing: add projected.": output.LayerNorm(hidden),
        },
    ),
    "4d": Line(
        "torch's diagonal",
        lambda squares, looks: squares.diagonal(-1, dim1=-2, dim2=-1)[..., looks - 1],
        lambda squares, looks: {
            "these are just right of the diagonal: the column is one less than the row.": squares.diagonal(
                1, dim1=-2, dim2=-1
            )[..., looks],
            "here the previous piece looks: a row looks.": squares.diagonal(1, dim1=-2, dim2=-1)[..., looks - 1],
            "these are on the diagonal: a piece that looks at itself.": squares.diagonal(dim1=-2, dim2=-1)[..., looks],
            "these are whole rows: take one column of each.": squares[..., looks, :],
            "each row meets the columns of all: both lists go into the same brackets.": squares[..., looks, :][
                ..., looks - 1
            ],
            "all rows look here: take the rows in looks.": squares.diagonal(-1, dim1=-2, dim2=-1),
            "these are added up already: the next cell does it.": squares.diagonal(-1, dim1=-2, dim2=-1)[
                ..., looks - 1
            ].sum(-1),
        },
    ),
    "5a": Line(
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
    "5b": Line(
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
    **SWAPS,
}
"""Each gap, by its name. Of two mistakes that give the same value the first is named."""
