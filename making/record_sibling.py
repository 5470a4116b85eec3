"""The recorded swaps of lesson 9 in two BERTs, bertlab-mini and a second one: which heads do the work in each.

python making/record_sibling.py bertlab/data/sibling_circuits.csv --checkpoint SIBLING    # some minutes on one core

The sentences are the lesson's. Four heads are chosen on the first nouns by what comes with a head's output: the head
that brings most at the article, the one that brings most at *near*, and the two that bring most at [MASK]. They are
tested on the other nouns.
"""

import argparse
from collections.abc import Iterator

import pandas as pd
from torch import Tensor

import bertlab
from bertlab.bert.loading import Bert
from bertlab.circuits import patch_heads, patch_positions, share_kept
from recording import record

FRAME, PLACES = "The {} near the {} [MASK] very old.", {"[CLS]": 0, "the": 1, "noun": 2, "near": 3, "[MASK]": 6}
VERBS = [["is", "was"], ["are", "were"]]
SHOWN = 3  # of all heads or positions, those that bring most


def pairs(new: bool) -> list[tuple[str, str]]:
    """Return the lesson's pairs: the subject becomes plural, and the near noun comes in both numbers."""
    table = bertlab.data.read("number_nouns")
    nouns = table.loc[(table["set"] != "first") == new, ["singular", "plural"]].to_numpy().tolist()
    return [
        (FRAME.format(one, other), FRAME.format(many, other))
        for (one, many), others in zip(nouns, nouns[7:] + nouns[:7], strict=True)
        for other in others
    ]


def articles() -> list[tuple[str, str]]:
    """Return the lesson's pairs with *a* and *an*."""
    choices = bertlab.data.read("choice_pairs").query("task == 'a / an'")
    return list(zip(choices["text"], choices["other"], strict=True))


def best_heads(brings: Tensor, many: int = SHOWN) -> dict[tuple[int, int], float]:
    """Return the heads that bring most, with their shares."""
    order = brings.flatten().argsort(descending=True)[:many].tolist()
    return {(head := divmod(number, brings.shape[1])): brings[head].item() for number in order}


def measured(bert: Bert) -> Iterator[tuple[str, str, float]]:
    """Yield what brings the choice and the number, most first, and what four heads keep of the number."""
    for (layer, head), share in best_heads(patch_heads(bert, articles(), [["a"], ["an"]])).items():
        yield "a or an: head at [MASK]", f"L{layer}H{head}", share
    after_one = patch_positions(bert, pairs(new=False), VERBS)[1]
    shares = {name: after_one[place].item() for name, place in PLACES.items()}
    for name in sorted(shares, key=lambda name: -shares[name])[:SHOWN]:
        yield "subject: vector after 1 of the layers", name, shares[name]
    four = [
        (*head, [PLACES[place]])
        for place, many in (("the", 1), ("near", 1), ("[MASK]", 2))
        for head in best_heads(patch_heads(bert, pairs(new=False), VERBS, PLACES[place]), many)
    ]
    (kept,) = share_kept(bert, pairs(new=True), VERBS, [four])
    yield "subject: kept by its four", ", ".join(f"L{layer}H{head}" for layer, head, _ in four), kept.item()


def sibling_circuits(options: argparse.Namespace) -> pd.DataFrame:
    """Measure bertlab-mini and the second BERT."""
    both = {"bertlab-mini": bertlab.load("bertlab-mini"), "sibling": bertlab.load(options.checkpoint)}
    rows = [(name, *row) for name, bert in both.items() for row in measured(bert)]
    return pd.DataFrame(rows, columns=["model", "what", "where", "share"]).round(4)


if __name__ == "__main__":
    record(__doc__, sibling_circuits)
