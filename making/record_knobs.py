"""The recorded runs of lesson 9's two knobs: a head turned up or down, and what BERT then gets right.

python making/record_knobs.py bertlab/data/knob_runs.csv    # some minutes on one core

Factors were chosen on `agreement_pairs.csv`. `hard_agreement.csv` was written afterwards, before any of it was tried.
"""

from typing import Any

import numpy as np
import pandas as pd

import bertlab
from bertlab.bert.loading import Bert
from bertlab.circuits import scaled
from bertlab.evidence import interval, ratio
from bertlab.masking.predictions import masked_loss, probabilities
from bertlab.masking.proofreading import MASK
from recording import record

KNOBS = {(1, 3): (0, 0.25, 0.5, 1, 2, 3), (2, 7): (0, 0.5, 1, 2, 3, 4)}
VERBS = ("is/are", "was/were", "has/have")
Choices = list[tuple[str, str, str]]  # a text with [MASK], the right word, a wrong one


def agreement() -> Choices:
    """Return the pairs on which the factors were chosen, as texts with [MASK]."""
    choices = []
    for pair in bertlab.data.read("agreement_pairs").itertuples():
        good, bad = pair.good.split(), pair.bad.split()
        ((at, right, wrong),) = [(i, *two) for i, two in enumerate(zip(good, bad, strict=True)) if two[0] != two[1]]
        choices.append((" ".join([*good[:at], MASK, *good[at + 1 :]]), right, wrong))
    return choices


def adjacent() -> Choices:
    """Return sentences whose subject stands right before the verb: 20 nouns in both numbers, in five frames."""
    nouns, frames = bertlab.data.read("number_nouns"), bertlab.data.read("number_frames")
    choices = []
    for frame in frames.query("set == 'first'").itertuples():
        rest = frame.frame.split(MASK)[1]
        verbs = frame.singular.split()[0], frame.plural.split()[0]
        for noun in nouns.query("set == 'first'").itertuples():
            choices.append((f"The {noun.singular} {MASK}{rest}", *verbs))
            choices.append((f"The {noun.plural} {MASK}{rest}", *verbs[::-1]))
    return choices


def right(bert: Bert, choices: Choices) -> np.ndarray:
    """Return where the right word is more probable than the wrong one, (choices,)."""
    texts, *words = zip(*choices, strict=True)
    good, bad = (bert.tokenizer.convert_tokens_to_ids(list(some)) for some in words)
    shares = probabilities(bert, list(texts))
    return np.array([share[0, g] > share[0, b] for share, g, b in zip(shares, good, bad, strict=True)])


def proofread(bert: Bert, table: pd.DataFrame) -> np.ndarray:
    """Return where the word of the text is the most probable of its set, (texts,)."""
    found = []
    shares = probabilities(bert, table["text"].tolist())
    for share, words, word in zip(shares, table["set"], table["word"], strict=True):
        one_of = words.split("/")
        ids: Any = bert.tokenizer.convert_tokens_to_ids(one_of)
        found.append(one_of[int(share[0, ids].argmax())] == word)
    return np.array(found)


def measure(bert: Bert, _seeds: int) -> pd.DataFrame:
    """Measure each factor of both heads."""
    hard: Choices = bertlab.data.read("hard_agreement")[["text", "right", "wrong"]].itertuples(index=False, name=None)
    easy: Choices = bertlab.data.read("hard_agreement")[["easy", "right", "wrong"]].itertuples(index=False, name=None)
    sets = {"hard_72": agreement(), "hard_80": list(hard), "easy_80": list(easy), "easy_200": adjacent()}
    confused = bertlab.data.read("confused_words")
    verbs = confused["set"].isin(VERBS).to_numpy()
    sentences = bertlab.data.read("unseen_sentences")["sentence"].tolist()

    def all_of(model: Bert) -> tuple[dict[str, np.ndarray], pd.DataFrame]:
        in_sets = proofread(model, confused)
        answers = {name: right(model, choices) for name, choices in sets.items()}
        answers |= {"verbs": in_sets[verbs], "others": in_sets[~verbs]}
        return answers, masked_loss(model, sentences)

    before, loss_before = all_of(bert)
    rows: list[dict[str, Any]] = []
    for (layer, head), factors in KNOBS.items():
        for factor in factors:
            after, loss = all_of(scaled(bert, {(layer, head): factor}))
            row: dict[str, Any] = {"head": f"{layer}.{head}", "factor": factor}
            for name, answers in after.items():
                row[name] = int(answers.sum())
                row[f"{name}_of"] = len(answers)
                row[f"{name}_gained"] = int((answers & ~before[name]).sum())
                row[f"{name}_lost"] = int((~answers & before[name]).sum())
            by_text = (loss["loss"] - loss_before["loss"]).groupby(loss["text"])
            change = interval(by_text.sum(), by_text.count(), statistic=ratio)
            row |= {"loss": loss["loss"].mean(), "change": change.value, "low": change.low, "high": change.high}
            rows.append(row | {"pieces": len(loss)})
            print(row, flush=True)
    return pd.DataFrame(rows).round(4)


if __name__ == "__main__":
    record(__doc__, measure)
