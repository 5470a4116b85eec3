"""What is right in each gap of the lessons, and which mistakes are known there."""

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from bertlab.checks.line import Line
from bertlab.checks.measures import MEASURES
from bertlab.checks.swaps import SWAPS


def _root(x: Tensor, eps: float) -> Tensor:
    """Return the root of each row's variance, a column."""
    return (x.var(dim=-1, correction=0, keepdim=True) + eps).sqrt()


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
    "3b": Line(
        "torch's count_nonzero",
        lambda value, blind: torch.count_nonzero(blind < value),
        lambda value, blind: {
            "this counts the blind cosines that are higher: compare the other way round.": (blind > value).sum(),
            "this is True or False for each blind pair: count them with .sum().": blind < value,
            "this is the share of the lower ones: count them with .sum().": (blind < value).float().mean(),
            "these are the lower cosines themselves: how many are there?": blind[blind < value],
            "the lower cosines are added up: count them.": blind[blind < value].sum(),
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
    "3d": Line(
        "the sum without this row, divided by one less",
        lambda points, of_sense, i: (
            sum(points[j] for j in of_sense if j != i) / sum(j != i for j in of_sense)  # i may be of the other sense
        ),
        lambda points, of_sense, i: {
            "sentence i is still in it: leave it out.": points[of_sense].mean(0),
            "these are all sentences but i: take those of this sense.": points[
                [j for j in range(len(points)) if j != i]
            ].mean(0),
            "the vectors are added up: take their mean.": points[[j for j in of_sense if j != i]].sum(0),
            "this is sentence i alone: leave it out, and keep the others.": points[i],
            "these are the vectors: take their mean, dim=0.": points[[j for j in of_sense if j != i]],
            "this is one number per sentence: the mean goes over the sentences, dim=0.": points[
                [j for j in of_sense if j != i]
            ].mean(1),
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
    "4e": Line(
        "torch's einsum",
        lambda square, lengths, i: torch.einsum("t,t->t", square[i], lengths),
        lambda square, lengths, i: {
            "these are the weights alone: a token may give much or little.": square[i],
            "these are the lengths alone: a token takes a share of them, its weight.": lengths,
            "this is what token i hands out: it looks with its row, square[i].": square[:, i] * lengths,
            "all rows are here: take the row of token i, square[i].": square * lengths,
            "this is all that arrives, added up: keep one number per token.": square[i] @ lengths,
            "the length is multiplied by, not added: a weight is a share.": square[i] + lengths,
            "this is one token's length for all: each token has its own.": square[i] * lengths[i],
        },
    ),
    **MEASURES,
    **SWAPS,
}
"""Each gap, by its name. Of two mistakes that give the same value the first is named."""
