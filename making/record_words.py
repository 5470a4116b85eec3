"""Record the runs of lesson 8's part b: word classes, learned from the web and tested on news, and kinds of text.

python making/record_words.py bertlab/data/word_class_runs.csv          # some six minutes on one core
python making/record_words.py bertlab/data/text_kind_runs.csv --texts    # some minutes: texts sorted by their kind
"""

import sys
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import pandas as pd
import torch
from sklearn.feature_extraction import DictVectorizer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from tqdm import tqdm

import bertlab
from bertlab import data
from bertlab.bert.loading import Bert
from bertlab.evidence import beside_controls, interval, ratio
from bertlab.finetuning import Classifier, WordClassifier, first_pieces, kinds_of_text, predict, train, window
from bertlab.finetuning.words import BATCH, ROUNDS, STEP
from recording import record

SENTENCES = (50, 200)
EPOCHS = {50: 10, 200: ROUNDS}  # word_class_runs.md says what was tried
TO_THE_END = {50: 40, 200: 20}  # epochs after which a twin knows its training sentences
TWINS = 2  # seeds of twins, which take the longest
TESTED = 400
TWIN, FROZEN, FREQUENT = "untrained twin", "frozen", "most frequent class"
WINDOW, CAPITALS = "the rule without capitals", "the rule"


class Setting(NamedTuple):
    """One run: the model, the number of sentences and epochs (0: until convergence), and the seed."""

    model: str
    sentences: int
    epochs: int
    seed: int


def plan(name: str, seeds: int) -> list[Setting]:
    """Return the runs."""
    settings = []
    for seed in range(seeds):
        for sentences in SENTENCES:
            settings += [Setting(name, sentences, EPOCHS[sentences], seed)]
            settings += [Setting(way, sentences, 0, seed) for way in (CAPITALS, WINDOW, FROZEN, FREQUENT)]
            settings += [Setting(TWIN, sentences, TO_THE_END[sentences], seed)] if seed < TWINS else []
    return settings


def words_and_classes(table: pd.DataFrame) -> tuple[list[str], list[str]]:
    """Return all words of a table's sentences in lower case, and their classes."""
    return " ".join(table["words"]).lower().split(), " ".join(table["classes"]).split()


def vectors(bert: Bert, sentences: Iterable[str]) -> np.ndarray:
    """Return the last layer's vector of each word's first piece, (words, hidden)."""
    readings = bert.read_all(list(sentences))
    return torch.cat([reading.hidden[-1][first_pieces(reading.offsets)] for reading in readings]).numpy()


def answers(bert: Bert, setting: Setting, learn: pd.DataFrame, test: pd.DataFrame) -> list[np.ndarray]:
    """Train as a setting says, and return the answers to the words of the training and of the test sentences."""
    words, classes = words_and_classes(learn)
    parts = (learn, test)
    if setting.model == FREQUENT:
        known, of_rare = most_frequent(words, classes)
        return [np.array([known.get(word, of_rare) for word in words_and_classes(part)[0]]) for part in parts]
    if setting.model in (WINDOW, CAPITALS):
        with_capitals = setting.model == CAPITALS
        features = [[word for row in part["words"] for word in window(row, with_capitals)] for part in parts]
        rule = make_pipeline(DictVectorizer(), LogisticRegression(C=10, max_iter=1000)).fit(features[0], classes)
        return [rule.predict(of_part) for of_part in features]
    if setting.model == FROZEN:
        line = LogisticRegression(max_iter=3000).fit(vectors(bert, learn["words"]), classes)
        return [line.predict(vectors(bert, part["words"])) for part in parts]
    names = sorted(set(classes))
    numbers = [[names.index(its_class) for its_class in row.split()] for row in learn["classes"]]
    model = bertlab.untrained(bert, setting.seed) if setting.model == TWIN else bert
    classifier = WordClassifier(model, labels=len(names), seed=setting.seed)
    options = {"epochs": setting.epochs, "rate": STEP, "batch_size": BATCH, "seed": setting.seed}
    train(classifier, learn["words"].tolist(), numbers, **options)
    return [np.array(names)[predict(classifier, part["words"].tolist()).numpy()] for part in parts]


def most_frequent(words: list[str], classes: list[str]) -> tuple[dict[str, str], str]:
    """Return the most frequent class of each word, and that of the words that occur once."""
    by_word: dict[str, Counter] = {}
    for word, its_class in zip(words, classes, strict=True):
        by_word.setdefault(word, Counter())[its_class] += 1
    once = Counter(next(iter(counts)) for counts in by_word.values() if counts.total() == 1)
    return {word: counts.most_common(1)[0][0] for word, counts in by_word.items()}, once.most_common(1)[0][0]


def measure(bert: Bert, settings: Iterable[Setting], tested: int = TESTED) -> pd.DataFrame:
    """Train each run, and count the right answers on all words of the test and on words never shown."""
    web, test = data.read("web_words"), data.read("news_words").sample(tested, random_state=0)
    words, truth = words_and_classes(test)
    sentence_of = np.repeat(np.arange(len(test)), test["words"].str.split().str.len())
    rows = []
    for setting in tqdm(settings, unit="run", file=sys.stderr):
        learn = web.sample(setting.sentences, random_state=setting.seed)
        of_learned, of_test = answers(bert, setting, learn, test)
        known, classes = words_and_classes(learn)
        new = ~np.isin(words, known)
        right = of_test == np.array(truth)
        row = {**setting._asdict(), "learned": np.mean(of_learned == np.array(classes)).round(3)}
        for which, chosen in {"": np.full(len(right), True), "new_": new}.items():
            share = beside_controls({setting.model: right[chosen]}, sentence_of[chosen]).table.iloc[0]
            row |= {f"{which}right": right[chosen].sum(), f"{which}of": chosen.sum()}
            row |= {f"{which}low": round(share["low"], 3), f"{which}high": round(share["high"], 3)}
        rows.append(row)
    return pd.DataFrame(rows)


def measure_texts(bert: Bert, seeds: int) -> pd.DataFrame:
    """Return the runs on kinds of text: how many texts are right, and how far ahead of TF-IDF that is."""
    learn, test = kinds_of_text()
    names = sorted(set(learn["label"]))
    numbers, truth = ([names.index(label) for label in part["label"]] for part in (learn, test))
    counting = make_pipeline(TfidfVectorizer(), LogisticRegression()).fit(learn["text"], numbers)
    counted = counting.predict(test["text"]) == np.array(truth)
    _, document = np.unique(test["document"], return_inverse=True)
    groups = np.arange(document.max() + 1) == document[:, None]  # (texts, documents)
    rows = []
    for seed in range(seeds):
        for name, model in {bert.name: bert, TWIN: bertlab.untrained(bert, seed)}.items():
            classifier = Classifier(model, labels=len(names), seed=seed)
            train(classifier, learn["text"].tolist(), numbers, seed=seed)
            right = predict(classifier, test["text"].tolist()).numpy() == np.array(truth)
            ahead = right.astype(float) - counted
            of_documents = interval(ahead @ groups, groups.sum(axis=0), statistic=ratio)
            row = {"model": name, "seed": seed, "right": right.sum(), "of": len(right)}
            row |= {"ahead_low": round(of_documents.low, 3), "ahead_high": round(of_documents.high, 3)}
            rows.append(row)
    return pd.DataFrame(rows)


def runs(bert: Bert, seeds: int) -> pd.DataFrame:
    """Return the runs on word classes."""
    return measure(bert, plan(bert.name, seeds))


if __name__ == "__main__":
    record(__doc__, runs, texts=measure_texts)
