"""The recorded runs of lesson 8's part b: word classes learned from the web, asked about the news; and kinds of text.

python making/record_words.py bertlab/data/word_class_runs.csv          # some ten minutes on one core
python making/record_words.py bertlab/data/text_kind_runs.csv --texts    # some minutes: texts sorted by their kind
"""

import sys
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import pandas as pd
import torch
from scipy import sparse
from sklearn.feature_extraction import DictVectorizer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tqdm import tqdm

import bertlab
from bertlab import data
from bertlab.bert.loading import Bert
from bertlab.evidence import beside_controls, interval, ratio
from bertlab.finetuning import Classifier, WordClassifier, first_pieces, kinds_of_text, predict, train
from bertlab.finetuning.words import BATCH, ROUNDS, STEP
from recording import record

SENTENCES = (50, 200)
EPOCHS = {50: 10, 200: ROUNDS}  # what was tried, and on what, says word_class_runs.md
TO_THE_END = {50: 40, 200: 20}  # epochs after which a twin knows the sentences that it learned from
TWINS = 2  # seeds of twins, which take longest
TESTED = 400
TWIN, FREQUENT = "untrained twin", "most frequent class"
WINDOW, CAPITALS = "the rule without capitals", "the rule"
TABLE, RULE_AND_TABLE, RULE_AND_TWIN = "word table", "rule and word table", "rule and a twin's table"
FROZEN, LAST, RULE_AND_LAYER = "frozen", "frozen, last layer", "rule, word table, layer 3"
SMALL_TABLE, SMALL_LAYER = (f"{way} without capitals" for way in (RULE_AND_TABLE, RULE_AND_LAYER))  # as BERT reads
SMALL = (WINDOW, SMALL_TABLE, SMALL_LAYER)
BERT_AND_RULE, BERT_AND_BOTH = "bertlab-mini and rule", "bertlab-mini, rule, word table"
OF_LINES = (
    CAPITALS,
    WINDOW,
    TABLE,
    RULE_AND_TABLE,
    SMALL_TABLE,
    RULE_AND_TWIN,
    RULE_AND_LAYER,
    SMALL_LAYER,
    FROZEN,
    LAST,
)
VOTES = {BERT_AND_RULE: CAPITALS, BERT_AND_BOTH: RULE_AND_TABLE}  # with whom the fine-tuned model votes


class Setting(NamedTuple):
    """One run: what learns, from how many sentences, how often they pass (0: until nothing changes), which seed."""

    model: str
    sentences: int
    epochs: int
    seed: int


def plan(name: str, seeds: int) -> list[Setting]:
    """Return the runs."""
    settings = []
    for seed in range(seeds):
        for sentences in SENTENCES:
            settings += [Setting(way, sentences, EPOCHS[sentences], seed) for way in (name, *VOTES)]
            settings += [Setting(way, sentences, 0, seed) for way in (*OF_LINES, FREQUENT)]
            settings += [Setting(TWIN, sentences, TO_THE_END[sentences], seed)] if seed < TWINS else []
    return settings


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


def vectors(bert: Bert, sentences: Iterable[str], layer: int) -> np.ndarray:
    """Return a layer's vector of each word's first piece, (words, hidden)."""
    readings = bert.read_all(list(sentences))
    return torch.cat([reading.hidden[layer][first_pieces(reading.offsets)] for reading in readings]).numpy()


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


def line(bert: Bert, setting: Setting, parts: tuple[pd.DataFrame, pd.DataFrame]) -> tuple[np.ndarray, list[np.ndarray]]:
    """Train a logistic regression on what a way looks at; return the classes, and the log probabilities of each."""
    _, classes = words_and_classes(parts[0])
    if setting.model in (FROZEN, LAST):
        seen = [vectors(bert, part["words"], 1 if setting.model == FROZEN else -1) for part in parts]
        steps = (StandardScaler(), LogisticRegression(C=0.01, max_iter=3000))
        way = make_pipeline(*steps) if setting.model == FROZEN else LogisticRegression(max_iter=3000)
    else:
        blocks = []
        if setting.model != TABLE:
            windows = [[w for row in part["words"] for w in window(row, setting.model not in SMALL)] for part in parts]
            features = DictVectorizer().fit(windows[0])
            blocks.append([features.transform(of_part) for of_part in windows])
        if setting.model not in (CAPITALS, WINDOW):
            model = bertlab.untrained(bert, setting.seed) if setting.model == RULE_AND_TWIN else bert
            blocks.append([sparse.csr_matrix(looked_up(model, part["words"])) for part in parts])
        if setting.model in (RULE_AND_LAYER, SMALL_LAYER):  # as large as rows are
            of_layer = [vectors(bert, part["words"], -2) for part in parts]  # of 4
            scale = blocks[-1][0].data.std() / of_layer[0].std()
            blocks.append([sparse.csr_matrix(scale * (each - of_layer[0].mean(axis=0))) for each in of_layer])
        seen = [sparse.hstack(of_part).tocsr() for of_part in zip(*blocks, strict=True)]
        way = LogisticRegression(C=10, max_iter=1000)
    way.fit(seen[0], classes)
    return way.classes_, [way.predict_log_proba(of_part) for of_part in seen]


def answers(bert: Bert, setting: Setting, learn: pd.DataFrame, test: pd.DataFrame) -> list[np.ndarray]:
    """Train as a setting says; return what is answered to each word that it learned from, and to each of the test."""
    words, classes = words_and_classes(learn)
    parts = (learn, test)
    if setting.model == FREQUENT:
        known, of_rare = most_frequent(words, classes)
        return [np.array([known.get(word, of_rare) for word in words_and_classes(part)[0]]) for part in parts]
    if setting.model in OF_LINES:
        names, scores = line(bert, setting, parts)
        return [names[of_part.argmax(axis=1)] for of_part in scores]
    names = np.unique(classes)
    if setting.model not in VOTES:
        classifier = tuned(bert, setting.model, setting.sentences, setting.epochs, setting.seed)
        return [names[predict(classifier, part["words"].tolist()).numpy()] for part in parts]
    classifier = tuned(bert, bert.name, setting.sentences, setting.epochs, setting.seed)
    _, of_line = line(
        bert, setting._replace(model=VOTES[setting.model]), parts
    )  # the mean of log probabilities decides
    scores = [tuned_scores(classifier, part) + of_part for part, of_part in zip(parts, of_line, strict=True)]
    return [names[of_part.argmax(axis=1)] for of_part in scores]


@lru_cache(maxsize=1)
def tuned(bert: Bert, name: str, sentences: int, epochs: int, seed: int) -> WordClassifier:
    """Train a copy with its layers, once for all ways that ask it."""
    learn = drawn(sentences, seed)
    names = np.unique(words_and_classes(learn)[1])
    numbers = [np.searchsorted(names, row.split()).tolist() for row in learn["classes"]]
    classifier = WordClassifier(bertlab.untrained(bert, seed) if name == TWIN else bert, labels=len(names), seed=seed)
    options = {"epochs": epochs, "rate": STEP, "batch_size": BATCH, "seed": seed}
    train(classifier, learn["words"].tolist(), numbers, **options)
    return classifier


def drawn(sentences: int, seed: int) -> pd.DataFrame:
    """Draw the sentences of the web that a run learns from."""
    return data.read("web_words").sample(sentences, random_state=seed)


@torch.no_grad()
def tuned_scores(classifier: WordClassifier, part: pd.DataFrame) -> np.ndarray:
    """Return the log probability of each class, word by word, (words, classes)."""
    sentences = part["words"].tolist()
    batches = [classifier.eval()(sentences[i : i + 32]) for i in range(0, len(sentences), 32)]
    return torch.cat(batches).log_softmax(dim=-1).numpy()


def most_frequent(words: list[str], classes: list[str]) -> tuple[dict[str, str], str]:
    """Return the most frequent class of each word, and that of the words that stand there once."""
    by_word: dict[str, Counter] = {}
    for word, its_class in zip(words, classes, strict=True):
        by_word.setdefault(word, Counter())[its_class] += 1
    once = Counter(next(iter(counts)) for counts in by_word.values() if counts.total() == 1)
    return {word: counts.most_common(1)[0][0] for word, counts in by_word.items()}, once.most_common(1)[0][0]


def measure(bert: Bert, settings: Iterable[Setting], tested: int = TESTED) -> pd.DataFrame:
    """Train anew for each run; count what is right of all words of the test, and of those that it was never shown."""
    test = data.read("news_words").sample(tested, random_state=0)
    words, truth = words_and_classes(test)
    sentence_of = np.repeat(np.arange(len(test)), test["words"].str.split().str.len())
    rows, first = [], {}  # what the fine-tuned model gets right, by sentences and seed
    for setting in tqdm(settings, unit="run", file=sys.stderr):
        learn = drawn(setting.sentences, setting.seed)
        of_learned, of_test = answers(bert, setting, learn, test)
        known, classes = words_and_classes(learn)
        new = ~np.isin(words, known)
        right = of_test == np.array(truth)
        of_bert = first.setdefault((setting.sentences, setting.seed), right)  # each plan begins with it
        row = {**setting._asdict(), "learned": np.mean(of_learned == np.array(classes)).round(3)}
        for which, chosen in {"": np.full(len(right), True), "new_": new}.items():
            ways = {"this": right[chosen], "bertlab-mini": of_bert[chosen]}
            compared = beside_controls(ways, sentence_of[chosen]).table
            row |= {f"{which}right": right[chosen].sum(), f"{which}of": chosen.sum()}
            row |= {f"{which}{end}": round(compared.loc["this", end], 3) for end in ("low", "high")}
            row[f"{which}p"] = round(compared.loc["bertlab-mini", "p"], 4)
        rows.append(row)
    return pd.DataFrame(rows)


def measure_texts(bert: Bert, seeds: int) -> pd.DataFrame:
    """Return the runs on kinds of text: how many are right, and how far ahead of TF-IDF that is."""
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
