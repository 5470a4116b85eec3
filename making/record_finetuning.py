"""Record the runs of lesson 8: bertlab-mini fine-tuned many times, beside untrained twins and simple rules.

python making/record_finetuning.py bertlab/data/finetuning_runs.csv             # who did what to whom: half an hour
python making/record_finetuning.py bertlab/data/finetuning_kinds.csv            # kind by kind: ten minutes
python making/record_finetuning.py bertlab/data/finetuning_constructions.csv    # other constructions: ten minutes
python making/record_finetuning.py bertlab/data/word_class_runs.csv             # word classes: five minutes
"""

import argparse
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
from bertlab.finetuning import (
    Classifier,
    WordClassifier,
    as_texts,
    first_pieces,
    is_right,
    predict,
    role_pairs,
    train,
)
from bertlab.finetuning.classifier import EPOCHS, RATE
from bertlab.finetuning.roles import VOICES, active, passive
from recording import record

ONE_OF_EACH, *_, MIXED = VOICES
PAIRS = (100, 300, 600)
LONGEST = 24  # epochs of a run on mixed voices
TWIN_EPOCHS = {"untrained twin": 60, "twin with BERT's embedding layer": 14}  # until it knows its training pairs
TWIN, TWIN_WITH_ROWS = TWIN_EPOCHS  # of the second, only the layers are untrained
TESTED = 200
DRAWS = 1000  # how often the words of the six kinds are drawn again
CONSTRUCTIONS = {  # none of which training shows
    "is blamed by": "The {patient} is {verb} by the {agent}.",
    "had been blamed by": "The {patient} had been {verb} by the {agent}.",
    "got blamed by": "The {patient} got {verb} by the {agent}.",
    "had often blamed": "The {agent} had often {verb} the {patient}.",
    "who was old blamed": "The {agent} who was old {verb} the {patient}.",
    "was there and blamed": "The {agent} was there and {verb} the {patient}.",
    "it was ... who blamed": "It was the {agent} who {verb} the {patient}.",
    "it was ... that ... blamed": "It was the {patient} that the {agent} {verb}.",
    "that ... blamed was there": "The {patient} that the {agent} {verb} was there.",
}
LEARNED = 200  # sentences with word classes
BATCH, ROUNDS, STEP = 8, 4, 1e-3  # what lesson 8 trains with, chosen on other web sentences
RULE, WITH_ROWS, WITH_CAPITALS = "the rule", "the rule with rows", "the rule with rows, with capitals"
WORD_EPOCHS = {RULE: 0, WITH_ROWS: 0, WITH_CAPITALS: 0, TWIN: 20}  # a rule stops by itself


class Setting(NamedTuple):
    """One run on pairs."""

    model: str
    pairs: int
    epochs: int
    rate: float
    seed: int
    voices: str = ONE_OF_EACH


def plan(name: str, seeds: int) -> list[Setting]:
    """Return the runs by pairs, with equally many steps, and those of the twins."""
    epochs = [(name, pairs, EPOCHS * PAIRS[-1] // pairs) for pairs in PAIRS]
    epochs += [(twin, PAIRS[-1], to_the_end) for twin, to_the_end in TWIN_EPOCHS.items()]
    return [Setting(*run, RATE, seed) for run in epochs for seed in range(seeds)]


def by_kind(name: str, seeds: int) -> list[Setting]:
    """Return the runs on mixed voices, and the twin that did best on them."""
    settings = [Setting(name, PAIRS[-1], LONGEST, RATE, seed, MIXED) for seed in range(seeds)]
    return [*settings, Setting(TWIN, PAIRS[-1], TWIN_EPOCHS[TWIN], RATE, 2, MIXED)]


def trained(bert: Bert, setting: Setting) -> Classifier:
    """Train a classifier as a setting says."""
    model = bertlab.untrained(bert, setting.seed) if setting.model in TWIN_EPOCHS else bert
    if setting.model == TWIN_WITH_ROWS:
        model.model.bert.embeddings.load_state_dict(bert.model.bert.embeddings.state_dict())
    practice = role_pairs(setting.pairs, seed=setting.seed, voices=setting.voices)
    classifier = Classifier(model, seed=setting.seed)
    options = {"epochs": setting.epochs, "rate": setting.rate, "group_size": 2, "seed": setting.seed}
    train(classifier, as_texts(practice), practice["same"], **options)
    return classifier


def counted(bert: Bert, settings: Iterable[Setting], test: pd.DataFrame) -> pd.DataFrame:
    """Train each run, and count its right answers."""
    rows = []
    for setting in tqdm(settings, unit="run", file=sys.stderr):
        rows.append(setting._asdict() | {"right": is_right(trained(bert, setting), test).sum(), "of": len(test)})
    return pd.DataFrame(rows).drop(columns="voices")


def finetuning_runs(options: argparse.Namespace) -> pd.DataFrame:
    """Return the runs by pairs, and those of the twins, on the lesson's test, with one pair per event."""
    bert, test = bertlab.load(options.checkpoint), role_pairs(2 * TESTED, "test").iloc[::2]
    return counted(bert, plan(bert.name, options.seeds), test)


def six_kinds(count: int) -> dict[str, pd.DataFrame]:
    """Return so many pairs of each of six kinds: both active, both passive or one of each; the same or not."""
    kinds = {}
    for voices in ("both active", "both passive", "one of each"):
        pairs = role_pairs(2 * count, "test", voices=voices)
        for answer, same in (("the same", 1), ("not the same", 0)):
            kinds[f"{voices}, {answer}"] = pairs[pairs["same"] == same]
    return kinds


def finetuning_kinds(options: argparse.Namespace) -> pd.DataFrame:
    """Return the runs on mixed voices by kind of pair."""
    bert, kinds = bertlab.load(options.checkpoint), six_kinds(TESTED // 2)
    every, rows = pd.concat(kinds.values()), []
    for setting in by_kind(bert.name, options.seeds):
        classifier = trained(bert, setting)
        right = {kind: is_right(classifier, pairs) for kind, pairs in kinds.items()}
        together = np.concatenate(list(right.values()))
        low, high = by_words(every, together)
        identical = right["both active, the same"].sum()
        rows.append((setting.model, setting.epochs, setting.seed, together.sum(), low, high, identical))
    names = ["model", "epochs", "seed", "six_right", "low", "high", "both active, the same"]
    return pd.DataFrame(rows, columns=names).round(3)


def by_words(pairs: pd.DataFrame, values: np.ndarray) -> tuple[float, float]:
    """Return the 95 % interval of the mean of one value per pair, from drawing the pairs' nouns and verbs again."""
    chance = np.random.default_rng(0)
    weights = np.ones((DRAWS, len(values)))
    for columns in (["agent", "patient"], ["verb"]):
        words = sorted({*pairs[columns].to_numpy().flatten()})
        # How often each word is drawn; a pair counts as often as its words do.
        drawn = chance.multinomial(len(words), np.full(len(words), 1 / len(words)), size=DRAWS)
        for column in columns:
            weights *= drawn[:, [words.index(word) for word in pairs[column]]]
    weights = weights[weights.sum(axis=1) > 0]
    low, high = np.quantile(weights @ values / weights.sum(axis=1), [0.025, 0.975])
    return low, high


def finetuning_constructions(options: argparse.Namespace) -> pd.DataFrame:
    """Return how the runs on mixed voices answer pairs of a new construction and an active or passive one."""
    bert, events = bertlab.load(options.checkpoint), role_pairs(TESTED, "test", voices="both active").iloc[::2]
    classifiers = [trained(bert, setting) for setting in by_kind(bert.name, options.seeds)[:-1]]
    rows = []
    for name, pattern in CONSTRUCTIONS.items():
        for place in ("first", "second"):
            pairs = beside_known(events, pattern, new_first=place == "first")
            right = {f"seed {seed}": is_right(each, pairs).sum() for seed, each in enumerate(classifiers)}
            rows.append({"construction": name, "place": place, **right, "of": len(pairs)})
    return pd.DataFrame(rows)


def beside_known(events: pd.DataFrame, pattern: str, new_first: bool) -> pd.DataFrame:
    """Return pairs of each event in a new construction and in both known ones, once the same and once not."""
    rows = []
    for agent, verb, patient in events[["agent", "verb", "patient"]].to_numpy().tolist():
        new = pattern.format(agent=agent, verb=verb, patient=patient)
        for known in (active, passive):
            for same in (1, 0):
                doer, other = (agent, patient) if same else (patient, agent)
                pair = (new, known(doer, verb, other))
                rows.append((*(pair if new_first else pair[::-1]), same))
    return pd.DataFrame(rows, columns=["first", "second", "same"])


def words_and_classes(table: pd.DataFrame) -> tuple[list[str], list[str]]:
    """Return all words of a table's sentences, in lower case, and their classes."""
    return " ".join(table["words"]).lower().split(), " ".join(table["classes"]).split()


def window(sentence: str, capitals: bool) -> list[dict[str, str | bool]]:
    """Return of each word what a rule may use: the word, its endings, its neighbours and, if asked, its capital."""
    around = ["", *sentence.lower().split(), ""]
    rows = []
    for i, word in enumerate(sentence.split()):
        features: dict[str, str | bool] = {"word": around[i + 1], "before": around[i], "after": around[i + 2]}
        features |= {f"ending {length}": around[i + 1][-length:] for length in (1, 2, 3, 4)}
        features |= {"letters": word.isalpha(), "digits": word.isdigit()}
        rows.append(features | ({"capital": word[0].isupper(), "first": i == 0} if capitals else {}))
    return rows


def looked_up(bert: Bert, sentences: Iterable[str]) -> np.ndarray:
    """Return the row of each word's first piece, of the word before and of the word after, (words, 3 * hidden)."""
    rows = bert.model.get_input_embeddings().weight.detach().numpy()
    rows, found = rows - rows.mean(axis=0), []
    pieces = bert.tokenizer(list(sentences), return_offsets_mapping=True)
    for ids, offsets in zip(pieces["input_ids"], pieces["offset_mapping"], strict=True):
        around = np.pad(rows[np.array(ids)[first_pieces(offsets)]], ((1, 1), (0, 0)))
        found.append(np.hstack([around[1:-1], around[:-2], around[2:]]))
    return np.vstack(found)


def by_rule(bert: Bert, model: str, parts: tuple[pd.DataFrame, pd.DataFrame]) -> list[np.ndarray]:
    """Train a logistic regression on what a rule looks at in the first part; return what it answers to both."""
    windows = [[w for row in part["words"] for w in window(row, model == WITH_CAPITALS)] for part in parts]
    features = DictVectorizer().fit(windows[0])
    seen = [features.transform(of_part).tocsr() for of_part in windows]
    if model != RULE:
        rows = [sparse.csr_matrix(looked_up(bert, part["words"])) for part in parts]
        seen = [sparse.hstack(of_part).tocsr() for of_part in zip(seen, rows, strict=True)]
    rule = LogisticRegression(C=10, max_iter=1000).fit(seen[0], words_and_classes(parts[0])[1])
    return [rule.predict(of_part) for of_part in seen]


def by_bert(bert: Bert, epochs: int, seed: int, parts: tuple[pd.DataFrame, pd.DataFrame]) -> list[np.ndarray]:
    """Train a copy with its layers on the first part; return what it answers to both."""
    names = np.unique(words_and_classes(parts[0])[1])
    numbers = [np.searchsorted(names, row.split()).tolist() for row in parts[0]["classes"]]
    classifier = WordClassifier(bert, labels=len(names), seed=seed)
    options = {"epochs": epochs, "rate": STEP, "batch_size": BATCH, "seed": seed}
    train(classifier, parts[0]["words"].tolist(), numbers, **options)
    return [names[predict(classifier, part["words"].tolist()).numpy()] for part in parts]


def word_class_runs(options: argparse.Namespace) -> pd.DataFrame:
    """Train on sentences from the web; count what is right of the words of the news that these do not have."""
    bert, test, rows = bertlab.load(options.checkpoint), data.read("news_words"), []
    words, truth = words_and_classes(test)
    runs = [(seed, *run) for seed in range(options.seeds) for run in ({bert.name: ROUNDS} | WORD_EPOCHS).items()]
    for seed, model, epochs in tqdm(runs, unit="run", file=sys.stderr):
        learn = data.read("web_words").sample(LEARNED, random_state=seed)
        if epochs:
            begun = bertlab.untrained(bert, seed) if model == TWIN else bert
            answers = by_bert(begun, epochs, seed, (learn, test))
        else:
            answers = by_rule(bert, model, (learn, test))
        known, classes = words_and_classes(learn)
        new, right = ~np.isin(words, known), answers[1] == np.array(truth)
        learned = np.mean(answers[0] == np.array(classes)).round(3)
        rows.append((model, epochs, seed, learned, right[new].sum(), new.sum()))
    return pd.DataFrame(rows, columns=["model", "epochs", "seed", "learned", "new_right", "new_of"])


if __name__ == "__main__":
    record(__doc__, finetuning_runs, finetuning_kinds, finetuning_constructions, word_class_runs)
