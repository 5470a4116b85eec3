"""The recorded swaps of lesson 9 in two BERTs, bertlab-mini and a second one: which heads do the work in each.

python making/record_sibling.py bertlab/data/sibling_circuits.csv --checkpoint SIBLING    # some minutes on one core

The sentences are the lesson's. Four heads are chosen on the first nouns by what comes with a head's output: the head
that brings most at the article, the one that brings most at *near*, and the two that bring most at [MASK]. They are
tested on the other nouns, beside 200 random sets of four heads of the same layers at the same positions.
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from torch import Tensor

import bertlab
from bertlab.bert.loading import Bert
from bertlab.circuits import patch_heads, patch_positions, share_kept
from recording import record

FRAME, PLACES = "The {} near the {} [MASK] very old.", {"[CLS]": 0, "the": 1, "noun": 2, "near": 3, "[MASK]": 6}
VERBS = [["is", "was"], ["are", "were"]]
SETS, SHOWN = 200, 3  # random sets of heads; of all heads or positions, those that bring most

Head = tuple[int, int, list[int]]  # layer, number, positions


def pairs(new: bool, changed: str = "subject") -> list[tuple[str, str]]:
    """Return the lesson's pairs: the subject, or the near noun, becomes plural, and the other noun comes in both."""
    table = bertlab.data.read("number_nouns")
    nouns = table.loc[(table["set"] != "first") == new, ["singular", "plural"]].to_numpy().tolist()
    return [
        tuple(FRAME.format(*((one, other) if changed == "subject" else (other, one))) for one in forms)
        for forms, others in zip(nouns, nouns[7:] + nouns[:7], strict=True)
        for other in others
    ]


def random_sets(layers: int, heads: int, four: list[Head]) -> Iterator[list[Head]]:
    """Yield sets of other heads of the same layers at the same positions: each layer's numbers are shuffled."""
    draw = np.random.default_rng(0)
    for _ in range(SETS):
        shuffled = [draw.permutation(heads) for _ in range(layers)]
        yield [(layer, int(shuffled[layer][head]), at) for layer, head, at in four]


def best_heads(brings: Tensor, many: int = SHOWN) -> dict[tuple[int, int], float]:
    """Return the heads that bring most, with their shares."""
    order = brings.flatten().argsort(descending=True)[:many].tolist()
    return {(head := divmod(number, brings.shape[1])): brings[head].item() for number in order}


def measured(bert: Bert) -> Iterator[tuple[str, str, float]]:
    """Yield what brings the choice and the number, most first, and what four heads keep of the number."""
    choices = bertlab.data.read("choice_pairs").query("task == 'a / an'")
    articles = list(zip(choices["text"], choices["other"], strict=True))
    asked = {
        "a or an: head at [MASK]": (articles, [["a"], ["an"]], None),
        "subject: head at the article": (pairs(new=False), VERBS, PLACES["the"]),
        "subject: head at near": (pairs(new=False), VERBS, PLACES["near"]),
        "subject: head at [MASK]": (pairs(new=False), VERBS, None),
        "near noun: head at [MASK]": (pairs(new=False, changed="near noun"), VERBS, None),
    }
    brings = {what: patch_heads(bert, *given) for what, given in asked.items()}
    for what, shares in brings.items():
        yield from ((what, f"{layer}.{head}", share) for (layer, head), share in best_heads(shares).items())
    walk = patch_positions(bert, pairs(new=False), VERBS)
    for layers in (1, 2, 3):
        shares = {name: walk[layers, place].item() for name, place in PLACES.items()}
        best = sorted(shares, key=lambda name: -shares[name])[:SHOWN]
        yield from ((f"subject: vector after {layers} of the layers", name, shares[name]) for name in best)
    four = [
        (*head, [PLACES[place]])
        for place, what, many in (("the", "the article", 1), ("near", "near", 1), ("[MASK]", "[MASK]", 2))
        for head in best_heads(brings[f"subject: head at {what}"], many)
    ]
    layers, heads = walk.shape[0] - 1, brings["subject: head at near"].shape[1]
    every = [(layer, head) for layer in range(layers) for head in range(heads)]
    rest = [(*head, [t for t in range(walk.shape[1]) if (*head, [t]) not in four]) for head in every]
    own, without, *others = share_kept(bert, pairs(new=True), VERBS, [four, rest, *random_sets(layers, heads, four)])
    yield "subject: kept by its four", ", ".join(f"{layer}.{head}" for layer, head, _ in four), own.item()
    yield "subject: kept by all others", "all but its four", without.item()
    yield f"subject: kept by {SETS} random sets", "the best", float(np.max(others))
    yield f"subject: kept by {SETS} random sets", "half of them, at most", float(np.median(others))


def measure(second: Bert, _: int) -> pd.DataFrame:
    """Measure bertlab-mini and the second BERT."""
    both = {"bertlab-mini": bertlab.load("bertlab-mini"), "sibling": second}
    rows = [(name, *row) for name, bert in both.items() for row in measured(bert)]
    return pd.DataFrame(rows, columns=["model", "what", "where", "share"]).round(4)


if __name__ == "__main__":
    record(__doc__, measure)
