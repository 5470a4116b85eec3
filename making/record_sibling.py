"""The recorded swaps of lesson 9 in a second BERT: which heads do the work there.

python making/record_sibling.py bertlab/data/sibling_circuits.csv --checkpoint SIBLING    # two minutes on one core

The sentences are the lesson's. The four heads are chosen on the first nouns by what comes with a head's output: the
head that brings most at the article, the one that brings most at *near*, and the two that bring most at [MASK]. They
are tested on the other nouns, beside 200 random sets of four heads of the same layers at the same positions.
"""

from collections.abc import Sequence
from itertools import chain

import numpy as np
import pandas as pd

import bertlab
from bertlab.bert.loading import Bert
from bertlab.circuits import patch_heads, patch_positions, share_kept
from recording import record

FRAME, PLACES = "The {} near the {} [MASK] very old.", {"[CLS]": 0, "the": 1, "noun": 2, "near": 3, "[MASK]": 6}
VERBS = [["is", "was"], ["are", "were"]]
OF_MINI = [(1, 2, [1]), (1, 3, [3]), (2, 7, [6]), (3, 0, [6])]  # bertlab-mini's four
SETS = 200

Head = tuple[int, int, list[int]]  # layer, number, positions


def pairs(new: bool, changed: int = 0) -> list[tuple[str, str]]:
    """Return the lesson's pairs: the subject (0) or the near noun (1) becomes plural, the other comes in both."""
    table = bertlab.data.read("number_nouns")
    nouns = table.loc[(table["set"] != "first") == new, ["singular", "plural"]].to_numpy().tolist()
    return [
        tuple(FRAME.format(*((one, other) if changed == 0 else (other, one))) for one in forms)
        for forms, others in zip(nouns, nouns[7:] + nouns[:7], strict=True)
        for other in others
    ]


def four_heads(bert: Bert) -> list[Head]:
    """Return the heads that bring most of the subject's number: one to the article, one to *near*, two to [MASK]."""
    chosen = []
    for place, many in ((PLACES["the"], 1), (PLACES["near"], 1), (PLACES["[MASK]"], 2)):
        brings = patch_heads(bert, pairs(new=False), VERBS, place)
        best = brings.flatten().argsort(descending=True)[:many].tolist()
        chosen += [(*divmod(number, brings.shape[1]), [place]) for number in best]
    return chosen


def random_sets(heads: int, four: Sequence[Head]) -> list[list[Head]]:
    """Return sets of as many random heads of the same layers at the same positions, no head twice in a set."""
    generator, sets = np.random.default_rng(0), []
    while len(sets) < SETS:
        drawn = [(layer, int(generator.integers(heads)), at) for layer, _, at in four]
        if len({(layer, head) for layer, head, _ in drawn}) == len(four):
            sets.append(drawn)
    return sets


def measure(bert: Bert, _: int) -> pd.DataFrame:
    """Measure where the subject's number is, which heads bring it there, and what four heads keep of it."""
    config, rows = bert.model.config, []
    every = [(layer, head) for layer in range(config.num_hidden_layers) for head in range(config.num_attention_heads)]
    names = [f"{layer}.{head}" for layer, head in every]
    choices = bertlab.data.read("choice_pairs").query("task == 'a / an'")
    articles = patch_heads(bert, list(zip(choices["text"], choices["other"], strict=True)), [["a"], ["an"]])
    rows += [("a or an, head at [MASK]", *row) for row in zip(names, articles.flatten().tolist(), strict=True)]
    for layers, shares in enumerate(patch_positions(bert, pairs(new=False), VERBS)):
        what = f"subject, vector after {layers} layers"
        rows += [(what, name, shares[place].item()) for name, place in PLACES.items()]
    for changed, places in enumerate((("the", "near", "[MASK]"), ("[MASK]",))):
        for place in places:
            brings = patch_heads(bert, pairs(new=False, changed=changed), VERBS, PLACES[place]).flatten().tolist()
            what = f"{('subject', 'near noun')[changed]}, head at {place}"
            rows += [(what, *row) for row in zip(names, brings, strict=True)]
    four = four_heads(bert)
    tokens = range(len(bert.read(pairs(new=True)[0][0]).tokens))
    rest = [(*head, [t for t in tokens if (*head, [t]) not in four]) for head in every]
    sets = [four, rest, OF_MINI, *random_sets(config.num_attention_heads, four)]
    kept = share_kept(bert, pairs(new=True), VERBS, sets).tolist()
    called = [", ".join(f"{layer}.{head} at {token}" for layer, head, (token,) in some) for some in (four, OF_MINI)]
    called = [called[0], "all but these", called[1], *(f"random set {i}" for i in range(1, SETS + 1))]
    whats = chain(["its four", "its four", "bertlab-mini's four"], ["random"] * SETS)
    rows += [
        (f"subject, kept by {what}", *row) for what, row in zip(whats, zip(called, kept, strict=True), strict=True)
    ]
    return pd.DataFrame(rows, columns=["what", "where", "value"]).round(4)


if __name__ == "__main__":
    record(__doc__, measure)
