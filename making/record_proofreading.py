"""Record the answers of simple rules and untrained twins to lesson 6's gaps, where people confuse words.

python making/record_proofreading.py bertlab/data/confused_words.csv --texts TEXTS    # three minutes on one core

Everything is chosen and trained on `web_words.csv` and tested on `news_words.csv`; a second window rule learns from the
texts of bertlab-mini. The script prints how each method does in each set. It writes what the proof-reader finds and
costs at several thresholds, on both tables, to `proofreader_costs.csv` beside the table.
"""

import argparse
import random
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import bertlab
from bertlab.bert.loading import Bert
from bertlab.evidence import interval
from bertlab.masking.predictions import probabilities
from bertlab.masking.proofreading import MASK, MEASURED, SETS, standing_alone
from prepare import read_documents

SEEDS = 5
MOST = 60  # gaps of a set in the test
READ = 10  # the rule reads one in this many documents of the training texts
LEARNED = 4000  # the most gaps of a set that a rule learns from
THRESHOLDS = np.arange(0.5, 1, 0.05).round(2)


class Gap(NamedTuple):
    """A sentence with [MASK], the original word, and where they come from."""

    source: str
    start: int
    word: str
    text: str


def gaps(bert: Bert, name: str, words: Sequence[str]) -> list[Gap]:
    """Return all gaps for some words in a table, each in its whole sentence."""
    found = []
    for sentence in bertlab.data.read(name).itertuples():
        for match in standing_alone(words).finditer(sentence.text):
            text = f"{sentence.text[: match.start()]}{MASK}{sentence.text[match.end() :]}"
            found.append(Gap(sentence.source, match.start(), match[0].lower(), text))
    return found


def window(text: str) -> dict[str, str]:
    """Return the rule's features: two words or symbols on either side of [MASK], alone and the nearest as pairs."""
    before, after = (re.findall(r"[\w'’]+|[^\w\s]", part.lower()) for part in text.split(MASK))
    near = dict(zip(("-2", "-1", "+1", "+2"), [*["^", "^", *before][-2:], *[*after, "$", "$"][:2]], strict=True))
    near |= {"both": f"{near['-1']} {near['+1']}", "left": f"{near['-2']} {near['-1']}"}
    return near | {"right": f"{near['+1']} {near['+2']}"}


def learn(texts: Sequence[str], words: Sequence[str]) -> object:
    """Return a logistic regression from the window to the word."""
    rule = make_pipeline(DictVectorizer(), LogisticRegression(C=3, max_iter=500))
    return rule.fit([window(text) for text in texts], list(words))


class Rows:
    """The word table's rows of the window: of each of its four words the first piece's, less the mean of all rows."""

    def __init__(self, bert: Bert) -> None:
        self.tokenizer = bert.tokenizer
        rows = bert.model.get_input_embeddings().weight.detach().numpy()
        self.rows = rows - rows.mean(axis=0)
        self.seen: dict[str, np.ndarray] = {"^": np.zeros(rows.shape[1]), "$": np.zeros(rows.shape[1])}  # no word

    def of_word(self, word: str) -> np.ndarray:
        """Return the row of a word's first piece, (hidden,)."""
        if word not in self.seen:
            self.seen[word] = self.rows[self.tokenizer(word, add_special_tokens=False)["input_ids"][0]]
        return self.seen[word]

    def of_windows(self, texts: Sequence[str]) -> sparse.csr_matrix:
        """Return the rows of the four words around each [MASK], (texts, 4 * hidden)."""
        four = [[window(text)[place] for place in ("-2", "-1", "+1", "+2")] for text in texts]
        return sparse.csr_matrix(np.array([np.concatenate([self.of_word(word) for word in words]) for words in four]))


def by_rows(rows: Rows, learned: Sequence[tuple[str, str]], asked: Sequence[str]) -> dict[str, np.ndarray]:
    """Return what the same classifier chooses that sees the rows of the window, alone and beside the words."""
    texts, words = zip(*learned, strict=True)
    features = DictVectorizer().fit([window(text) for text in texts])
    seen = [[features.transform([window(text) for text in part]), rows.of_windows(part)] for part in (texts, asked)]
    answers = {}
    for name, first in {"table_window": 1, "both_window": 0}.items():
        practice, test = (sparse.hstack(blocks[first:]).tocsr() for blocks in seen)
        answers[name] = LogisticRegression(C=3, max_iter=500).fit(practice, words).predict(test)
    return answers


def from_training(folder: Path, sets: Sequence[str]) -> dict[str, list[tuple[str, str]]]:
    """Return each set's gaps, (text, word), from one in ten documents that bertlab-mini was trained on."""
    gaps_of = {words: [] for words in sets}
    sets_of = {word: [words for words in sets if word in words.split("/")] for s in sets for word in s.split("/")}
    pattern = standing_alone(sets_of)
    documents = [document for document in read_documents(folder) if not document.held_out]
    random.Random(0).shuffle(documents)
    for document in documents[: len(documents) // READ]:
        for paragraph in document.paragraphs:
            for match in pattern.finditer(paragraph):
                for words in sets_of[match[0].lower()]:
                    if len(gaps_of[words]) < LEARNED:  # forty characters on either side contain the window
                        near = f"{paragraph[: match.start()][-40:]}{MASK}{paragraph[match.end() :][:40]}"
                        gaps_of[words].append((near, match[0].lower()))
    return gaps_of


def expected(bert: Bert, texts: Sequence[str], pieces: Sequence[int]) -> np.ndarray:
    """Return the probability of some pieces at the [MASK] of each text, (texts, pieces)."""
    rows = []
    for first in range(0, len(texts), 256):
        rows += [shares[0, list(pieces)].numpy() for shares in probabilities(bert, texts[first : first + 256])]
    return np.array(rows)


class Asked:
    """A BERT's probabilities of all words in question at gaps."""

    def __init__(self, bert: Bert, found: Sequence[Gap], words: Sequence[str]) -> None:
        self.place = {word: number for number, word in enumerate(words)}
        self.shares = expected(bert, [gap.text for gap in found], bert.tokenizer.convert_tokens_to_ids(list(words)))
        self.row = dict(zip(found, self.shares, strict=True))

    def best(self, gap: Gap, words: Sequence[str]) -> tuple[str, float]:
        """Return the most probable of some words, and its probability among them."""
        among = self.row[gap][[self.place[word] for word in words]]
        return words[int(among.argmax())], float(among.max() / among.sum())


def costs(asked: Asked, found: Sequence[Gap]) -> pd.DataFrame:
    """Return what each threshold finds and costs if each word is swapped in turn and all others stay."""
    candidates = {}
    for words in SETS:
        for word in words:
            candidates[word] = list(dict.fromkeys([*candidates.get(word, ()), *words]))
    alarms, finds = [], []
    for gap in found:
        if gap.word in candidates:
            best, sure = asked.best(gap, candidates[gap.word])
            alarms.append(sure if best != gap.word else 0)
            slips = [word for word in candidates[gap.word] if word != gap.word]
            finds.append([])
            for slip in slips:
                best, sure = asked.best(gap, candidates[slip])
                finds[-1].append((sure if best != slip else 0, best == gap.word))
    rows = []
    for threshold in THRESHOLDS:
        share = np.mean([np.mean([sure > threshold for sure, _ in tries]) for tries in finds])
        right = np.mean([np.mean([sure > threshold and is_right for sure, is_right in tries]) for tries in finds])
        wrong = np.mean(np.array(alarms) > threshold)
        rows.append((threshold, share, right, wrong))
    return pd.DataFrame(rows, columns=["threshold", "found", "mended", "alarms"])


def main() -> None:
    """Measure, print the results and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", type=Path, help="the table to write, as CSV")
    parser.add_argument(
        "--texts", type=Path, required=True, help="folder of the texts that bertlab-mini was trained on"
    )
    options = parser.parse_args()
    bert = bertlab.load("bertlab-mini")
    sets = MEASURED.split()
    words = sorted({word for words in [*SETS, *(s.split("/") for s in sets)] for word in words})
    web, news = (gaps(bert, name, words) for name in ("web_words", "news_words"))
    asked_web, asked_news = Asked(bert, web, words), Asked(bert, news, words)
    both = []
    for name, asked, found in (("web", asked_web, web), ("news", asked_news, news)):
        table = costs(asked, found).round(4)
        both.append(table.assign(text=name)[["text", *table]])
        print(len(found), "gaps\n", both[-1].to_string(), flush=True)
    pd.concat(both).to_csv(options.table.with_name("proofreader_costs.csv"), index=False)
    rows, rows_of = [], Rows(bert)
    read = from_training(options.texts, sets)
    for joined in sets:
        confused = joined.split("/")
        practice, test = ([gap for gap in found if gap.word in confused] for found in (web, news))
        on_web = np.mean([asked_web.best(gap, confused)[0] == gap.word for gap in practice])
        test = sorted(random.Random(0).sample(test, min(MOST, len(test))), key=test.index)
        features = [window(gap.text) for gap in test]
        answers = {
            "web_window": learn([gap.text for gap in practice], [gap.word for gap in practice]).predict(features),
            "own_window": learn(*zip(*read[joined], strict=True)).predict(features),
            **by_rows(rows_of, read[joined], [gap.text for gap in test]),
            "most_frequent": [Counter(gap.word for gap in practice).most_common(1)[0][0]] * len(test),
        }
        mini = [asked_news.best(gap, confused)[0] for gap in test]
        for gap, best, *by_rules in zip(test, mini, *answers.values(), strict=True):
            rows.append({"set": joined, "source": gap.source, "text": gap.text, "word": gap.word, "mini": best})
            rows[-1] |= dict(zip(answers, by_rules, strict=True))
        right = {
            name: np.mean([a == g.word for a, g in zip(given, test, strict=True)]) for name, given in answers.items()
        }
        print(joined, len(practice), f"{on_web:.3f}", len(read[joined]), len(test), right, flush=True)
    table = pd.DataFrame(rows)
    for seed in range(SEEDS):
        twin = bertlab.untrained(bert, seed)
        shares = expected(twin, table["text"].tolist(), twin.tokenizer.convert_tokens_to_ids(words))
        given = []
        for row, joined in zip(shares, table["set"], strict=True):
            given.append(max(joined.split("/"), key=lambda word: row[words.index(word)]))
        table[f"twin_{seed}"] = given
    ways = table.columns[4:]
    shares = table[ways].eq(table["word"], axis=0).groupby(table["set"]).mean()
    print(shares.round(3).assign(gaps=table.groupby("set").size()).to_string())
    for way in ways:
        print(way, f"{(table[way] == table['word']).mean():.3f}", interval(shares[way]))
    table.drop(columns="mini").to_csv(options.table, index=False)


if __name__ == "__main__":
    main()
