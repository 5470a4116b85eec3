"""Lesson 6's claims, without bertlab.

python making/claims/lesson_6.py bertlab/bertlab-mini    # or the folder of another checkpoint with its vocabulary
"""

import sys
from collections.abc import Sequence

import numpy as np
import pandas as pd
import torch
from base import DATA, read, told

# Fixed before a result was seen: a swap is right if the two facts' log ratios of true to false word add up to more
# than 0.
bert = read(sys.argv[1])


def table(name: str) -> pd.DataFrame:
    """Return a shipped table."""
    return pd.read_csv(DATA / f"{name}.csv", keep_default_na=False)


@torch.no_grad()
def at_gap(texts: Sequence[str], words: Sequence[Sequence[str]]) -> list[np.ndarray]:
    """Return the log-probabilities of some words at the [MASK] of each text."""
    found = []
    for text, some in zip(bert.hidden(list(texts)), words, strict=True):
        at = text.ids.index(bert.tokenizer.mask_token_id)
        logits = bert.model.cls.predictions(text.hidden[-1, at])
        ids = bert.tokenizer.convert_tokens_to_ids([word.lower() for word in some])
        found.append(logits.log_softmax(dim=-1)[ids].numpy())
    return found


@torch.no_grad()
def sentence_score(text: str) -> float:
    """Return the sum of each piece's log-probability, hidden in turn."""
    ids = bert.tokenizer(text, return_tensors="pt")["input_ids"][0]
    places = torch.arange(1, len(ids) - 1)
    copies = ids.repeat(len(places), 1)
    copies[places - 1, places] = bert.tokenizer.mask_token_id
    logits = bert.model(input_ids=copies).prediction_logits[places - 1, places]
    return float(logits.log_softmax(dim=-1)[places - 1, ids[places]].sum())


def confused_words() -> None:
    """Choose between confused words."""
    gaps = table("confused_words")
    sets = [words.split("/") for words in gaps["set"]]
    best = [words[shares.argmax()] for words, shares in zip(sets, at_gap(gaps["text"], sets), strict=True)]
    rules = ["own_window", "both_window", "most_frequent", "twin_0"]
    ways = {"BERT": np.array(best == gaps["word"])} | {name: (gaps[name] == gaps["word"]).to_numpy() for name in rules}
    told("confused words", ways, gaps["set"])


def minimal_pairs() -> None:
    """Prefer the grammatical sentence."""
    pairs = table("minimal_pairs")
    words = [sorted({*a.strip(".").split()} ^ {*b.strip(".").split()}) for a, b in pairs[["good", "bad"]].to_numpy()]
    right = [sentence_score(good) > sentence_score(bad) for good, bad in pairs[["good", "bad"]].to_numpy()]
    same = [two[0] in good.strip(".").split() for two, good in zip(words, pairs["good"], strict=True)]
    ways = {"BERT": np.array(right), "always the same word": np.array(same)}
    told("grammatical sentence", ways, [" / ".join(two) for two in words])


def noun_in_between() -> None:
    """Prefer the right verb after a noun of the subject's number, and after one of the other number."""
    pairs = table("agreement_pairs")
    pieces = pairs[["good", "same"]].map(lambda text: len(bert.tokenizer.tokenize(text)))
    pairs = pairs[pieces["good"] == pieces["same"]]
    verbs = [
        next((i, a, b) for i, (a, b) in enumerate(zip(good.split(), bad.split(), strict=True)) if a != b)
        for good, bad in pairs[["good", "bad"]].to_numpy()
    ]
    ways = {}
    for name, column in {"noun of the same number": "same", "noun of the other number": "good"}.items():
        words = [text.split() for text in pairs[column]]
        texts = [" ".join([*some[:i], "[MASK]", *some[i + 1 :]]) for some, (i, _, _) in zip(words, verbs, strict=True)]
        ways[name] = np.array([fits > other for fits, other in at_gap(texts, [[a, b] for _, a, b in verbs])])
    told("verb, asked at the verb", ways, pairs["verb"])


def facts() -> None:
    """Be moved towards the true word by the question: both facts of a swap together."""
    asked = table("facts")
    words = asked[["true", "false"]].to_numpy().tolist()
    above = {"BERT": [true - false for true, false in at_gap(asked["template"], words)], "word table": []}
    rows = torch.nn.functional.normalize(bert.table, dim=-1)
    for text, two in zip(asked["template"], words, strict=True):
        around = bert.tokenizer(text.replace("[MASK]", ""), add_special_tokens=False)["input_ids"]
        ids = bert.tokenizer.convert_tokens_to_ids([word.lower() for word in two])
        true, false = (rows[around] @ rows[ids].T).mean(dim=0).tolist()
        above["word table"].append(true - false)
    sums = pd.DataFrame(above).groupby([" / ".join(sorted(two)) for two in words]).sum()
    told("facts, by swaps", {name: (sums[name] > 0).to_numpy() for name in sums})


for claim in (confused_words, minimal_pairs, noun_in_between, facts):
    claim()
