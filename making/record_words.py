"""The recorded runs of lesson 8's part b: word classes learned from the web, asked about the news.

python making/record_words.py bertlab/data/word_class_runs.csv          # some five minutes on one core
"""

import sys
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression
from tqdm import tqdm

import bertlab
from bertlab import data
from bertlab.bert.loading import Bert
from bertlab.finetuning import WordClassifier, first_pieces, predict, train
from recording import record

LEARNED = 200  # sentences
BATCH, ROUNDS, STEP = 8, 4, 1e-3  # what lesson 8 trains with, chosen on other web sentences
TO_THE_END = 20  # epochs after which a twin knows the sentences that it learned from
RULE, WITH_ROWS, WITH_CAPITALS = "the rule", "the rule with rows", "the rule with rows, with capitals"
TWIN = "untrained twin"
LINES = (RULE, WITH_ROWS, WITH_CAPITALS)


class Setting(NamedTuple):
    """One run: what learns, how often the sentences pass (0: until nothing changes), and which seed."""

    model: str
    epochs: int
    seed: int


def plan(name: str, seeds: int) -> list[Setting]:
    """Return the runs."""
    epochs = {name: ROUNDS, **dict.fromkeys(LINES, 0), TWIN: TO_THE_END}
    return [Setting(model, epochs[model], seed) for seed in range(seeds) for model in epochs]


def words_and_classes(table: pd.DataFrame) -> tuple[list[str], list[str]]:
    """Return all words of a table's sentences, in lower case, and their classes."""
    return " ".join(table["words"]).lower().split(), " ".join(table["classes"]).split()


def window(sentence: str, capitals: bool = True) -> list[dict[str, str | bool]]:
    """Return of each word what a rule may use: the word, its endings, its neighbours and, if asked, its capital."""
    around = ["", *sentence.lower().split(), ""]
    rows = []
    for i, word in enumerate(sentence.split()):
        features: dict[str, str | bool] = {"word": around[i + 1], "before": around[i], "after": around[i + 2]}
        features |= {f"ending {length}": around[i + 1][-length:] for length in (1, 2, 3, 4)}
        features |= {"letters": word.isalpha(), "digits": word.isdigit()}
        if capitals:
            features |= {"capital": word[0].isupper(), "first": i == 0}
        rows.append(features)
    return rows


def looked_up(bert: Bert, sentences: Iterable[str]) -> np.ndarray:
    """Return the row of each word's first piece, of the word before and of the word after, (words, 3 * hidden)."""
    rows = bert.model.get_input_embeddings().weight.detach().numpy()
    rows = rows - rows.mean(axis=0)
    found = []
    pieces = bert.tokenizer(list(sentences), return_offsets_mapping=True)
    for ids, offsets in zip(pieces["input_ids"], pieces["offset_mapping"], strict=True):
        of_word = rows[np.array(ids)[first_pieces(offsets)]]
        edge = np.zeros((1, of_word.shape[1]))
        found.append(np.hstack([of_word, np.vstack([edge, of_word[:-1]]), np.vstack([of_word[1:], edge])]))
    return np.vstack(found)


def line(bert: Bert, model: str, parts: tuple[pd.DataFrame, pd.DataFrame]) -> list[np.ndarray]:
    """Train a logistic regression on what a rule looks at in the first part; return what it answers to both."""
    windows = [[w for row in part["words"] for w in window(row, model == WITH_CAPITALS)] for part in parts]
    features = DictVectorizer().fit(windows[0])
    seen = [features.transform(of_part).tocsr() for of_part in windows]
    if model != RULE:
        rows = [sparse.csr_matrix(looked_up(bert, part["words"])) for part in parts]
        seen = [sparse.hstack(of_part).tocsr() for of_part in zip(seen, rows, strict=True)]
    way = LogisticRegression(C=10, max_iter=1000).fit(seen[0], words_and_classes(parts[0])[1])
    return [way.predict(of_part) for of_part in seen]


def tuned(bert: Bert, setting: Setting, parts: tuple[pd.DataFrame, pd.DataFrame]) -> list[np.ndarray]:
    """Train a copy, or a twin, with its layers on the first part; return what it answers to both."""
    names = np.unique(words_and_classes(parts[0])[1])
    numbers = [np.searchsorted(names, row.split()).tolist() for row in parts[0]["classes"]]
    begun = bertlab.untrained(bert, setting.seed) if setting.model == TWIN else bert
    classifier = WordClassifier(begun, labels=len(names), seed=setting.seed)
    options = {"epochs": setting.epochs, "rate": STEP, "batch_size": BATCH, "seed": setting.seed}
    train(classifier, parts[0]["words"].tolist(), numbers, **options)
    return [names[predict(classifier, part["words"].tolist()).numpy()] for part in parts]


def measure(
    bert: Bert, settings: Iterable[Setting], learned: int = LEARNED, asked: slice = slice(None)
) -> pd.DataFrame:
    """Train anew for each run; count what is right of all words of the news, and of those that it was never shown."""
    test, rows = data.read("news_words")[asked], []
    words, truth = words_and_classes(test)
    for setting in tqdm(settings, unit="run", file=sys.stderr):
        learn = data.read("web_words").sample(learned, random_state=setting.seed)
        answer = (
            line(bert, setting.model, (learn, test)) if setting.model in LINES else tuned(bert, setting, (learn, test))
        )
        known, classes = words_and_classes(learn)
        new, right = ~np.isin(words, known), answer[1] == np.array(truth)
        row = {**setting._asdict(), "learned": np.mean(answer[0] == np.array(classes)).round(3)}
        row |= {"right": right.sum(), "of": len(right), "new_right": right[new].sum(), "new_of": new.sum()}
        rows.append(row)
    return pd.DataFrame(rows)


def runs(bert: Bert, seeds: int) -> pd.DataFrame:
    """Return the runs on word classes."""
    return measure(bert, plan(bert.name, seeds))


if __name__ == "__main__":
    record(__doc__, runs)
