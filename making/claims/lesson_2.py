"""Lesson 2's claims once more, without bertlab.

python making/claims/lesson_2.py bertlab/bertlab-mini                       # some minutes on one core
python making/claims/lesson_2.py bertlab/bertlab-mini bertlab/data/neighbours.csv    # and write the recorded table
"""

import sys

import numpy as np
import pandas as pd
import torch
from base import DATA, Checkpoint, lead, read, told
from transformers import BertTokenizerFast

SHORTEST, LONGEST = 7, 50  # pieces of a sentence, with [CLS] and [SEP]: two of them fit into any BERT
A_DOCUMENT = 4  # pairs, so that no document has many
FOILS = 3  # sentences of other documents beside each follower
Vectors = dict[str, torch.Tensor]
web = pd.read_csv(DATA / "web_words.csv")
web[["document", "number"]] = web["source"].str.extract(r"(.*)-(\d+)$")
web["kind"] = web["document"].str.extract("^([a-z]+)")


def neighbours(tokenizer: BertTokenizerFast) -> pd.DataFrame:
    """Return pairs of neighbouring sentences of one document by their rows in `web`: first, second, foils.

    A foil follows a first sentence in another document of the same kind (weblog, email, ...).
    """
    fits = web[web["text"].map(lambda text: SHORTEST <= len(tokenizer(text).input_ids) <= LONGEST)]
    after = fits.shift(-1)
    is_next = (fits["document"] == after["document"]) & (
        after["number"].astype(float) == fits["number"].astype(int) + 1
    )
    pairs = fits[is_next].sample(frac=1, random_state=0).groupby("document").head(A_DOCUMENT)
    foils = []
    for seed, pair in enumerate(pairs.itertuples()):
        elsewhere = pairs[(pairs["kind"] == pair.kind) & (pairs["document"] != pair.document)]
        foils.append((elsewhere.index + 1).to_series().sample(FOILS, random_state=seed).tolist())
    return pd.DataFrame({"first": pairs.index, "second": pairs.index + 1, "foils": foils})


@torch.no_grad()
def is_next(bert: Checkpoint, firsts: list[str], seconds: list[str]) -> np.ndarray:
    """Return the probability that each second sentence follows the first."""
    found = []
    for start in range(0, len(firsts), 32):
        part = slice(start, start + 32)
        batch = bert.tokenizer(firsts[part], seconds[part], padding=True, return_tensors="pt")
        pooled = bert.model.bert(**batch).pooler_output
        found.append(bert.model.cls.seq_relationship(pooled).softmax(dim=-1)[:, 0])
    return torch.cat(found).numpy()


@torch.no_grad()
def vectors(bert: Checkpoint, texts: list[str]) -> tuple[Vectors, Vectors, Vectors]:
    """Return each text's pooled vector, the mean of its word rows, and the mean of its last vectors."""
    pooled, rows, last = {}, {}, {}
    for text, found in zip(texts, bert.hidden(texts), strict=True):
        pooled[text] = bert.model.bert.pooler(found.hidden[-1][None])[0]
        rows[text] = bert.table[found.ids[1:-1]].mean(dim=0)
        last[text] = found.hidden[-1].mean(dim=0)
    return pooled, rows, last


def likeness(by_text: Vectors, firsts: list[str], seconds: list[str]) -> np.ndarray:
    """Return the cosines of the vectors of two lists of texts."""
    one, other = (torch.stack([by_text[text] for text in texts]) for texts in (firsts, seconds))
    return torch.nn.functional.cosine_similarity(one, other).numpy()


def won(by_text: Vectors, texts: list[str], topics: np.ndarray) -> np.ndarray:
    """Return for each comparison whether the sentence of the same text is nearer than the one of another text."""
    every = torch.stack([by_text[text] for text in texts])
    cosines = torch.nn.functional.cosine_similarity(every[:, None], every[None], dim=-1).numpy()
    same = topics[:, None] == topics
    kin = same & ~np.eye(len(texts), dtype=bool)
    return np.concatenate([(row[a][:, None] > row[~b]).flatten() for row, a, b in zip(cosines, kin, same, strict=True)])


folder = sys.argv[1]
bert, twins = read(folder), [read(folder, seed) for seed in range(3)]

short = pd.read_csv(DATA / "short_texts.csv")
sentences, topics = short["sentence"].tolist(), short["topic"].to_numpy()
stories = short.groupby("topic", sort=False)["sentence"].apply(list).tolist()
pooled, rows, last = vectors(bert, sentences)
begins = [(number, i) for number in range(20) for i in range(4)]
firsts, follow = [stories[n][i] for n, i in begins], [stories[n][i + 1] for n, i in begins]
asked = [text for text in firsts for _ in range(19)]
foils = [stories[n - back][i + 1] for n, i in begins for back in range(1, 20)]
text_of = [n for n, _ in begins for _ in range(19)]
p_follow = is_next(bert, firsts, follow)
head = np.repeat(p_follow, 19) > is_next(bert, asked, foils)
ways = {"the head": head}
for name, of in (("word rows", rows), ("last vectors", last)):
    ways[name] = np.repeat(likeness(of, firsts, follow), 19) > likeness(of, asked, foils)
told("the true follower, 20 texts", ways, text_of)
chosen = [np.repeat(is_next(twin, firsts, follow), 19) > is_next(twin, asked, foils) for twin in twins]
print("  twins", *[each.sum() for each in chosen])
print("the right order scores higher:", (p_follow > is_next(bert, follow, firsts)).sum(), "of 80")

pairs = neighbours(bert.tokenizer)
text = web["text"]
firsts, follow = text[pairs["first"]].tolist(), text[pairs["second"]].tolist()
documents = web["document"][pairs["first"]].tolist()
asked = [first for first in firsts for _ in range(FOILS)]
foils = [text[row] for some in pairs["foils"] for row in some]
_, rows_of, last_of = vectors(bert, list(dict.fromkeys([*firsts, *follow, *foils])))
pairs["follows"], pairs["reversed"] = is_next(bert, firsts, follow), is_next(bert, follow, firsts)
pairs["head"] = (np.repeat(pairs["follows"], FOILS) > is_next(bert, asked, foils)).to_numpy().reshape(-1, FOILS).sum(1)
for name, of in (("last_vectors", last_of), ("word_rows", rows_of)):
    right = np.repeat(likeness(of, firsts, follow), FOILS) > likeness(of, asked, foils)
    pairs[name] = right.reshape(-1, FOILS).sum(axis=1)
pieces = [[len(bert.tokenizer(each).input_ids) for each in some] for some in (firsts, follow)]
pairs["shorter_first"] = [(a < b) + (a == b) / 2 for a, b in zip(*pieces, strict=True)]
for seed, twin in enumerate(twins):
    pairs[f"twin_{seed}"] = (is_next(twin, firsts, follow) > is_next(twin, follow, firsts)).astype(int)
print(f"the head prefers the follower, web: {pairs['head'].sum():,} of {FOILS * len(pairs):,}, 240 documents")
for name in ("word_rows", "last_vectors"):
    print(f"  {name} {pairs[name].sum():,}: {lead(pairs['head'] / FOILS, pairs[name] / FOILS, documents)}")
right = pairs["follows"] > pairs["reversed"]
print(f"the right order scores higher, web: {right.sum()} of {len(pairs)}, {len(set(documents))} documents")
print("  chance", lead(right, np.full(len(pairs), 0.5), documents))
print(f"  the shorter sentence first {pairs['shorter_first'].sum():g}:", lead(right, pairs["shorter_first"], documents))
print("  twins", *[pairs[f"twin_{seed}"].sum() for seed in range(len(twins))])

kinds = {"pooled vectors": pooled, "word rows": rows, "last vectors": last}
wins = {name: won(of, sentences, topics) for name, of in kinds.items()}
told("their own text", wins, np.repeat(topics, 4 * 95))
print("  twins", *[won(vectors(twin, sentences)[0], sentences, topics).sum() for twin in twins])

if len(sys.argv) > 2:
    pairs["foils"] = [" ".join(map(str, some)) for some in pairs["foils"]]
    pairs.drop(columns="second").round(6).to_csv(sys.argv[2], index=False)
