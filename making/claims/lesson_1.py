"""Lesson 1's claims once more, without bertlab.

python making/claims/lesson_1.py bertlab/bertlab-mini
"""

import sys

import pandas as pd
import torch
from base import DATA, lead, read

folder = sys.argv[1]
bert = read(folder)
vocabulary = bert.tokenizer.get_vocab()
kinds = pd.read_csv(DATA / "word_kinds.csv")
kind_of = {word: row.kind for row in kinds.itertuples() for word in row.words.split() if word in vocabulary}
words, kind = list(kind_of), list(kind_of.values())
ids = torch.tensor([vocabulary[word] for word in words])


def own_kind(likeness: torch.Tensor) -> list[bool]:
    """Return for each word whether the most similar other word is of its kind."""
    nearest = likeness.double().fill_diagonal_(-torch.inf).argmax(dim=1).tolist()
    return [kind[i] == kind[j] for i, j in enumerate(nearest)]


def cosines(rows: torch.Tensor) -> torch.Tensor:
    """Return the cosine of each row with each."""
    unit = torch.nn.functional.normalize(rows, dim=-1)
    return unit @ unit.T


def letters(word: str) -> set[str]:
    """Return the pairs of neighbouring letters."""
    return {word[i : i + 2] for i in range(len(word) - 1)}


own = own_kind(cosines(bert.table[ids]))
shared = [[len(letters(a) & letters(b)) / max(1, len(letters(a) | letters(b))) for b in words] for a in words]
spelling = own_kind(torch.tensor(shared))
print(f"a word of its own kind is nearest: {sum(own)} of {len(words)}, {len(kinds)} kinds")
print(f"  spelling {sum(spelling)}: {lead(own, spelling, kind)}")
print("  twins", *[sum(own_kind(cosines(read(folder, seed).table[ids]))) for seed in range(5)])
each = pd.DataFrame({"kind": kind, "right": own}).groupby("kind", sort=False)["right"].agg(["sum", "count"])
print(" ", ", ".join(f"{name} {right} of {count}" for name, right, count in each.itertuples()))

rows = bert.model.bert.embeddings.position_embeddings.weight[:32].detach()
nearest = cosines(rows).fill_diagonal_(-2).argmax(dim=1)
print("the most similar row is a neighbour's:", int(((nearest - torch.arange(32)).abs() == 1).sum()), "of 32 positions")
