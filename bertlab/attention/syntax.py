"""Compare attention with grammar: how often a head looks along a dependency (lesson 4, Clark et al. 2019)."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from bertlab.bert.arguments import require_as_many, require_count
from bertlab.bert.reading import Reading
from bertlab.data.trees import Tree
from bertlab.evidence import beside_controls, holm

TO_GOVERNOR, TO_DEPENDENT = "to governor", "to dependent"


def to_words(weights: Tensor, reading: Reading, spans: Sequence[tuple[int, int]]) -> Tensor:
    """Turn attention weights between tokens into weights between words (Clark et al. 2019).

    The weight on a word is the sum over its pieces; the weight from a word is the mean over its pieces.

    Parameters
    ----------
    weights : (..., tokens, tokens)
        Attention weights, such as ``reading.attention``.
    reading : Reading
        The reading of one sentence that they come from.
    spans : list of (int, int)
        The start and end of each word in ``reading.text``, such as ``tree.spans``.

    Returns
    -------
    Tensor
        Weights between words, (..., words, words).

    Raises
    ------
    ValueError
        If words do not begin and end where tokens do, or the reading is of a pair.

    Examples
    --------
    >>> reading = bertlab.load("bertlab-mini").read("The cat sat.")
    >>> to_words(reading.attention, reading, [(0, 3), (4, 7), (8, 11), (11, 12)]).shape[-2:]
    torch.Size([4, 4])
    """
    if reading.pair is not None:
        raise ValueError("Spans are places in one sentence, and this reading is of a pair. Read the sentence alone.")
    start, end = torch.tensor(reading.offsets).T  # (tokens,) each; 0 and 0 for special tokens
    places = torch.tensor(spans)  # (words, 2)
    first, last = places[:, :1], places[:, 1:]  # (words, 1) each
    touched = (start < last) & (end > first)  # (words, tokens)
    inside = (start >= first) & (end <= last) & touched
    if not inside.any(dim=1).all() or (touched & ~inside).any() or (inside.sum(dim=0) > 1).any():
        raise ValueError(
            f"These words do not begin and end where tokens of {reading.text!r} do, each its own: {spans}."
        )
    onto = inside.to(weights.dtype)
    out_of = onto / onto.sum(dim=1, keepdim=True)
    return out_of @ weights @ onto.T


class _Arc(NamedTuple):
    """One dependency in one direction: from the word that looks to its target."""

    sentence: int
    hits: np.ndarray  # (layers, heads): whether the head's largest weight is on the target
    offset: int
    candidates: int  # words that it could look at


def relation_accuracy(weights: Sequence[Tensor], trees: Sequence[Tree], least: int = 10) -> pd.DataFrame:
    """Return, for each relation, how often the best head looks along it, compared with the most frequent offset.

    A head looks at the word with the largest weight, itself excluded. The best head is chosen on every other sentence
    and tested on the rest, and the other way round. The offset is the most frequent of all sentences, which favours it.

    Parameters
    ----------
    weights : list of (layers, heads, words, words)
        The weights between the words of each tree, from `to_words`.
    trees : list of Tree
        The trees.
    least : int
        The smallest number of instances in either half; rarer relations are left out, and so is ``punct``.

    Returns
    -------
    pandas.DataFrame
        Two rows per ``relation``, one per ``direction``: the chosen ``heads``; their ``share`` of the ``n`` instances
        and its 95 % interval, ``low`` to ``high``; the ``offset`` in words and its ``offset_share``; the ``lead`` over
        it and ``p`` of a paired test, corrected by Holm (1979); and ``chance``, what a guess gets.

    Raises
    ------
    ValueError
        If no relation is frequent enough, or weights and trees do not fit together.

    Examples
    --------
    >>> trees = bertlab.attention.read_trees()
    >>> readings = bertlab.load("bertlab-mini").read_all([tree.text for tree in trees], attention=True)
    >>> weights = [to_words(r.attention, r, tree.spans) for r, tree in zip(readings, trees, strict=True)]
    >>> relation_accuracy(weights, trees, least=80)["relation"].tolist()
    ['det', 'det']
    """
    require_count(least=least)
    require_as_many(weights=weights, trees=trees)
    arcs = _arcs(weights, trees)
    halves = {
        kind: [[arc for arc in of_kind if arc.sentence % 2 == half] for half in (0, 1)]
        for kind, of_kind in arcs.items()
    }
    frequent = [kind for kind, both in halves.items() if min(len(half) for half in both) >= least]
    if not frequent:
        raise ValueError(f"No relation stands {least} times in both halves. Give more trees, or a smaller `least`.")
    rows = []
    for relation, direction in sorted(frequent, key=lambda kind: -len(arcs[kind])):
        tested = arcs[relation, direction]
        heads = [_best_head(half) for half in halves[relation, direction]]
        offset = Counter(arc.offset for arc in tested).most_common(1)[0][0]
        ways = {
            "head": [arc.hits[heads[1 - arc.sentence % 2]] for arc in tested],
            "offset": [arc.offset == offset for arc in tested],
        }
        by_head, by_offset = beside_controls(ways, [arc.sentence for arc in tested]).table.to_dict("records")
        rows.append(
            {
                "relation": relation,
                "direction": direction,
                "heads": list(dict.fromkeys(heads)),
                "n": len(tested),
                **{name: by_head[name] for name in ("share", "low", "high")},
                "offset": offset,
                "offset_share": by_offset["share"],
                **{name: by_offset[name] for name in ("lead", "p")},
                "chance": float(np.mean([1 / arc.candidates for arc in tested])),
            }
        )
    table = pd.DataFrame(rows)
    return table.assign(p=holm(table["p"]))


def _best_head(arcs: Sequence[_Arc]) -> tuple[int, int]:
    """Return the layer and the head that are right most often."""
    right = np.mean([arc.hits for arc in arcs], axis=0)  # (layers, heads)
    layer, head = np.unravel_index(right.argmax(), right.shape)
    return int(layer), int(head)


def _arcs(weights: Sequence[Tensor], trees: Sequence[Tree]) -> dict[tuple[str, str], list[_Arc]]:
    """Return the dependencies of all trees by relation and direction."""
    arcs = defaultdict(list)
    for number, (weight, tree) in enumerate(zip(weights, trees, strict=True)):
        if weight.shape[-1] != len(tree.words):  # of another tree: its arcs would be counted all the same
            raise ValueError(f"{tree.text!r} has {len(tree.words)} words, and its weights are {tuple(weight.shape)}.")
        without_self = weight.clone()
        without_self.diagonal(dim1=-2, dim2=-1).fill_(-torch.inf)
        target = without_self.numpy().argmax(axis=-1)  # (layers, heads, words); the first of equal ones, unlike torch
        for dependent, (governor, relation) in enumerate(zip(tree.governors, tree.relations, strict=True)):
            if governor is None or relation == "punct":
                continue
            ends = {TO_GOVERNOR: (dependent, governor), TO_DEPENDENT: (governor, dependent)}
            for direction, (from_, to) in ends.items():
                arc = _Arc(number, target[..., from_] == to, offset=to - from_, candidates=len(tree.words) - 1)
                arcs[relation, direction].append(arc)
    return arcs
