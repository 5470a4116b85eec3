"""What the second scripts share: a checkpoint read with transformers alone, and leads with their intervals.

Nothing here is from bertlab: each claim of the lessons is computed again by other code, on bertlab-mini and on other
checkpoints of BERT.
"""

import re
from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import torch
from scipy import stats
from transformers import BertForPreTraining, BertTokenizerFast

DATA = Path(__file__).parents[2] / "bertlab" / "data"
torch.set_num_threads(1)


class Text(NamedTuple):
    """A text as BERT reads it: ids and offsets of its pieces, and the vectors (layers + 1, pieces, hidden)."""

    ids: list[int]
    offsets: list[tuple[int, int]]
    hidden: torch.Tensor

    def word(self, span: tuple[int, int], layer: int = -1) -> torch.Tensor:
        """Return the mean vector of the pieces that lie in a span of characters."""
        begin, end = span
        inside = [i for i, (a, b) in enumerate(self.offsets) if begin <= a < b <= end]
        return self.hidden[layer, inside].mean(dim=0)

    def mean(self, layer: int = -1) -> torch.Tensor:
        """Return the mean vector of all pieces, without [CLS] and [SEP]."""
        return self.hidden[layer, 1:-1].mean(dim=0)


class Checkpoint(NamedTuple):
    """A BERT with its tokenizer."""

    model: BertForPreTraining
    tokenizer: BertTokenizerFast

    @property
    def table(self) -> torch.Tensor:
        """Return the word table, (vocabulary, hidden)."""
        return self.model.bert.embeddings.word_embeddings.weight.detach()

    @torch.no_grad()
    def hidden(self, texts: Sequence[str], seconds: Sequence[str] | None = None, batch: int = 64) -> list[Text]:
        """Return each text (or pair of texts) with its vectors, read in batches that are padded on the right."""
        read = []
        for start in range(0, len(texts), batch):
            part = slice(start, start + batch)
            given = self.tokenizer(
                list(texts[part]),
                None if seconds is None else list(seconds[part]),
                padding=True,
                return_offsets_mapping=True,
                return_tensors="pt",
            )
            offsets = given.pop("offset_mapping").tolist()
            layers = torch.stack(self.model.bert(**given, output_hidden_states=True).hidden_states, dim=1)
            for ids, places, hidden, mask in zip(
                given["input_ids"].tolist(), offsets, layers, given["attention_mask"], strict=True
            ):
                count = int(mask.sum())
                read.append(Text(ids[:count], [(a, b) for a, b in places[:count]], hidden[:, :count]))
        return read


def read(folder: str | Path, seed: int | None = None) -> Checkpoint:
    """Return the BERT of a folder, in float32; with a seed its untrained twin."""
    tokenizer = BertTokenizerFast.from_pretrained(folder)
    model = BertForPreTraining.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager")
    if seed is not None:
        torch.manual_seed(seed)
        model = BertForPreTraining(model.config)
    return Checkpoint(model.eval(), tokenizer)


def span(text: str, word: str, occurrence: int = 0) -> tuple[int, int]:
    """Return where a word stands in a text, as a whole word."""
    return list(re.finditer(rf"\b{re.escape(word)}\b", text, re.IGNORECASE))[occurrence].span()


class Lead(NamedTuple):
    """The mean difference of two methods over all items, its 95 % interval over groups, and the sign-flip test."""

    value: float
    low: float
    high: float
    ahead: int
    behind: int
    groups: int
    p: float

    def __str__(self) -> str:
        """Return all of it in a line, the lead of 100 items; of all flips of signs, two are as one-sided as can be."""
        value, low, high = (f"{100 * number:.1f}" for number in self[:3])
        smallest = min(1.0, 2.0 ** (1 - self.ahead - self.behind))
        return (
            f"lead {value} of 100, {low} to {high}; ahead in {self.ahead}, behind in {self.behind} of {self.groups} "
            f"groups; p {self.p:.4f}, smallest {smallest:.2g}"
        )


def lead(
    first: Sequence[float] | np.ndarray,
    other: Sequence[float] | np.ndarray,
    groups: Sequence[Hashable] | None = None,
    draws: int = 9999,
) -> Lead:
    """Return the lead of the first method, from what each scores on each item (1 or 0 for right or wrong)."""
    differences = pd.Series(np.asarray(first, dtype=float) - np.asarray(other, dtype=float))
    grouped = differences.groupby(list(range(len(differences)) if groups is None else groups), sort=False)
    sums, sizes = grouped.sum().to_numpy(), grouped.size().to_numpy()
    chance = np.random.default_rng(0)
    drawn = [sums[of].sum() / sizes[of].sum() for of in chance.integers(len(sums), size=(draws, len(sums)))]
    low, high = np.quantile(drawn, [0.025, 0.975])
    ahead, behind = int((sums > 1e-12).sum()), int((sums < -1e-12).sum())
    return Lead(differences.mean(), low, high, ahead, behind, len(sums), sign_flip_p(sums, draws))


def told(claim: str, ways: dict[str, np.ndarray], groups: Sequence[Hashable] | None = None) -> None:
    """Print how many items each method gets right, and the first method's lead over the others."""
    (first, right), *others = ways.items()
    print(f"{claim}: {first} {right.sum():,.0f} of {len(right):,}")
    for name, values in others:
        print(f"  {name} {values.sum():,.0f}: {lead(right, values, groups)}")


def sign_flip_p(differences: np.ndarray, draws: int = 9999) -> float:
    """Return how often flipped signs give a sum that is at least as far from zero: all flips of up to 16, or drawn."""
    differ = differences[np.abs(differences) > 1e-12]
    if (np.abs(differ) == 1).all():
        return float(stats.binomtest(int((differ > 0).sum()), len(differ)).pvalue) if len(differ) else 1.0
    if len(differ) <= 16:
        bits = np.arange(2 ** len(differ))[:, None] >> np.arange(len(differ)) & 1
        return float((np.abs((2 * bits - 1) @ differ) >= abs(differ.sum()) - 1e-9).mean())
    signs = np.random.default_rng(0).choice([-1, 1], size=(draws, len(differ)))
    return float((1 + (np.abs(signs @ differ) >= abs(differ.sum()) - 1e-9).sum()) / (draws + 1))
