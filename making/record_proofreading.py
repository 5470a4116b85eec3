"""Record the answers of simple rules and untrained twins to lesson 6's gaps, where people confuse words.

python making/record_proofreading.py bertlab/data/confused_words.csv --texts TEXTS    # some fifteen minutes on one core

Everything is chosen on `web_words.csv` and tested on `news_words.csv`; the rules learn from the texts of bertlab-mini.
The script prints how each method does in each set.
"""

import argparse
import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression

import bertlab
from bertlab.bert.loading import Bert
from bertlab.evidence import interval
from bertlab.masking.confused import MEASURED
from bertlab.masking.proofreading import standing_alone
from window_rules import LEARNED, Rows, expected, from_training, gaps_in, learn, window

SEEDS = 5
MOST = 60  # gaps of a set in the test


class Gap(NamedTuple):
    """A sentence with [MASK], the original word, and where they come from."""

    source: str
    start: int
    word: str
    text: str


def gaps(name: str, words: Sequence[str]) -> list[Gap]:
    """Return all gaps for some words in a table, each in its whole sentence."""
    found, pattern = [], standing_alone(words)
    for sentence in bertlab.data.read(name).itertuples():
        found += [Gap(sentence.source, start, word, text) for start, word, text in gaps_in(sentence.text, pattern)]
    return found


def by_window(learned: Sequence[tuple[str, str]], asked: Sequence[str]) -> np.ndarray:
    """Return what the window rule chooses that learned from such gaps, (text, word)."""
    texts, words = zip(*learned, strict=True)
    return learn([window(text) for text in texts], words).predict([window(text) for text in asked])


def by_rows(rows: Rows, learned: Sequence[tuple[str, str]], asked: Sequence[str]) -> dict[str, np.ndarray]:
    """Return what the same classifier chooses that sees the rows of the window, alone and beside the words."""
    texts, words = zip(*learned, strict=True)
    vectorizer = DictVectorizer(dtype=np.float32)  # of half the size, and twice as fast
    features = vectorizer.fit([window(text) for text in texts])
    seen = [[features.transform([window(text) for text in part]), rows.of_windows(part)] for part in (texts, asked)]
    answers = {}
    for name, first in {"table_window": 1, "both_window": 0}.items():
        practice, test = (sparse.hstack(blocks[first:]).tocsr() for blocks in seen)
        answers[name] = LogisticRegression(C=3, max_iter=500).fit(practice, words).predict(test)
    return answers


def by_set(folder: Path, sets: Sequence[str]) -> dict[str, list[tuple[str, str]]]:
    """Return the gaps of each set, (text, word), in texts that bertlab-mini was trained on."""
    gaps_of = {words: [] for words in sets}
    sets_of = {word: [words for words in sets if word in words.split("/")] for s in sets for word in s.split("/")}
    for text, word in from_training(folder, sets_of):
        for words in sets_of[word]:
            if len(gaps_of[words]) < LEARNED:
                gaps_of[words].append((text, word))
    return gaps_of


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
    words = sorted({word for joined in sets for word in joined.split("/")})
    web, news = (gaps(name, words) for name in ("web_words", "news_words"))
    asked_web, asked_news = Asked(bert, web, words), Asked(bert, news, words)
    rows, rows_of = [], Rows(bert)
    read = by_set(options.texts, sets)
    for joined in sets:
        confused = joined.split("/")
        practice, test = ([gap for gap in found if gap.word in confused] for found in (web, news))
        on_web = np.mean([asked_web.best(gap, confused)[0] == gap.word for gap in practice])
        test = sorted(random.Random(0).sample(test, min(MOST, len(test))), key=test.index)
        asked = [gap.text for gap in test]
        answers = {
            "own_window": by_window(read[joined], asked),
            **by_rows(rows_of, read[joined], asked),
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
