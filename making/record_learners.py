"""Record which sets of words a proof-reader for people who learn English can use, each beside the simplest rules.

python making/record_learners.py bertlab/data/learner_sets.csv --texts TEXTS    # about fifty minutes on one core

Sets are chosen on `web_words.csv` and measured on `news_words.csv`. The rules learn from the texts of bertlab-mini.
What is found and marked at several thresholds goes to `proofreader_costs.csv`, beside the table.
"""

import argparse
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression

import bertlab
from bertlab.bert.loading import Bert
from bertlab.masking.confused import THRESHOLD, asked_for, kinds_of_sets, watched
from bertlab.masking.proofreading import gaps_at, places_of, standing_alone
from window_rules import LEARNED, Rows, expected, from_training, gaps_in, learn, window

TRIED = (
    "I/me I/my we/us we/our he/his my/me your/you their/them a/an and/an or/our other/another few/little much/very "
    "good/well so/such more/most some/any each/every be/been/being did/done do/does make/do say/tell said/told "
    "will/would can/could may/might for/since until/by during/while than/as like/as by/with in/on/at to/at for/to "
    "on/of from/of because/so what/that who/which that/who/which"
)
THRESHOLDS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.96, 0.97, 0.98, 0.99)
MENDED = 50  # slips of a set for each right word that is marked
LEAST = 20  # gaps in web text; with fewer nothing is chosen


class Gap(NamedTuple):
    """A text with [MASK], the words that compete there, and which of them stood there."""

    text: str
    words: tuple[str, ...]
    right: int


def gaps(pairs: Sequence[tuple[str, str]], sets: Sequence[tuple[str, ...]], most: int | None = None) -> list[Gap]:
    """Return the gaps, (text, word), in which a word of some sets stood, or the first of them."""
    sets_of = defaultdict(list)
    for words in sets:
        for right, word in enumerate(words):
            sets_of[word.lower()].append((words, right))
    every = (Gap(text, words, right) for text, word in pairs for words, right in sets_of.get(word, ()))
    return list(islice(every, most))


def features(gap: Gap) -> dict[str, str]:
    """Return what the rules are told besides the window: the set, and the next letter, which *an* depends on."""
    return {"set": gap.words[0], "letter": window(gap.text)["+1"][:1]}


def by_rows(rows: Rows, learned: Sequence[Gap], asked: Sequence[Gap]) -> list[int]:
    """Return what the classifier chooses that sees the word table's rows in place of the window's words."""
    vectorizer = DictVectorizer(dtype=np.float32).fit([features(gap) for gap in learned])
    seen = []
    for part in (learned, asked):
        told = vectorizer.transform([features(gap) for gap in part])
        seen.append(sparse.hstack([told, rows.of_windows([gap.text for gap in part])]).tocsr())
    rule = LogisticRegression(C=3, max_iter=500).fit(seen[0], [gap.right for gap in learned])
    return rule.predict(seen[1]).tolist()


def by_window(learned: Sequence[Gap], asked: Sequence[Gap]) -> list[int]:
    """Return what the classifier chooses that sees the window's words."""
    rule = learn([window(gap.text) | features(gap) for gap in learned], [gap.right for gap in learned])
    return rule.predict([window(gap.text) | features(gap) for gap in asked]).tolist()


def by_frequency(learned: Sequence[Gap], asked: Sequence[Gap]) -> list[int]:
    """Return which word of each set is the most frequent."""
    counts = defaultdict(Counter)
    for gap in learned:
        counts[gap.words][gap.right] += 1
    return [max(range(len(gap.words)), key=lambda right: counts[gap.words][right]) for gap in asked]


class Asked:
    """What BERT expects at all gaps of a text: the probabilities of all words that are tried."""

    def __init__(self, bert: Bert, pairs: Sequence[tuple[str, str]], words: Sequence[str]) -> None:
        self.column = {word: number for number, word in enumerate(words)}
        self.row = {text: number for number, (text, _) in enumerate(pairs)}
        pieces = bert.tokenizer.convert_tokens_to_ids([asked_for(word).lower() for word in words])
        self.shares = expected(bert, [text for text, _ in pairs], pieces)

    def best(self, gap: Gap) -> tuple[int, float]:
        """Return which word of a gap's set is the most probable, and its probability among them."""
        among = self.shares[self.row[gap.text], [self.column[word] for word in gap.words]]
        return int(among.argmax()), float(among.max() / among.sum())


def measured(asked: Asked, found: Sequence[Gap], rules: dict[str, list[int]]) -> dict[str, int]:
    """Return how many gaps BERT and the rules get right, and what it marks and finds."""
    best = [asked.best(gap) for gap in found]
    right = np.array([choice == gap.right for (choice, _), gap in zip(best, found, strict=True)], dtype=bool)
    sure = np.array([share for _, share in best]) > THRESHOLD
    counts = {"gaps": len(found), "right": int(right.sum())}
    for rule, chosen in rules.items():
        counts[rule] = sum(choice == gap.right for choice, gap in zip(chosen, found, strict=True))
    return counts | {"alarms": int((~right & sure).sum()), "found": int((right & sure).sum())}


def reason(web: dict[str, int]) -> str:
    """Return whether a set is kept, by what was measured on web text, or why it is not.

    That a rule gets as many right is no reason: it says that BERT is not needed for such a set, and is in the table.
    """
    if web["gaps"] < LEAST:
        return "no: too few gaps"
    if 2 * web["found"] < web["gaps"]:
        return "no: finds less than half"
    return "yes" if web["found"] >= MENDED * web["alarms"] else "no: marks too many right words"


def costs(bert: Bert) -> pd.DataFrame:
    """Return what each threshold finds and marks in each text, if each watched word is swapped in turn or stays."""
    weighed, rows = watched(bert, None), []
    words = sorted({word for sets in weighed.values() for words in sets for word in words})
    for name in ("web", "news"):
        places, gaps = [], []
        for text in bertlab.data.read(f"{name}_words")["text"]:
            places += (here := places_of(text, weighed))
            gaps += gaps_at(bert, text, here)
        shares = expected(bert, gaps, bert.tokenizer.convert_tokens_to_ids([asked_for(word).lower() for word in words]))
        alarms, finds = [], []
        for place, row in zip(places, shares, strict=True):
            word, share = place.word.lower().replace("’", "'"), dict(zip(words, row.tolist(), strict=True))
            alarms.append(surest(share, weighed, word)[0])
            slips = {slip.lower() for sets in weighed[word] for slip in sets} - {word}
            tries = [surest(share, weighed, slip) for slip in slips]
            finds.append([(sure, best == word) for sure, best in tries])
        for threshold in THRESHOLDS:
            share = np.mean([np.mean([sure > threshold for sure, _ in tries]) for tries in finds])
            right = np.mean([np.mean([sure > threshold and is_right for sure, is_right in tries]) for tries in finds])
            rows.append((name, threshold, share, right, np.mean(np.array(alarms) > threshold)))
    return pd.DataFrame(rows, columns=["text", "threshold", "found", "mended", "alarms"]).round(4)


def surest(share: dict[str, float], weighed: dict[str, list[tuple[str, ...]]], word: str) -> tuple[float, str]:
    """Return how sure the surest suggestion is for a word of a gap, 0 if there is none, and the suggestion."""
    doubts = [(0.0, word)]
    for words in weighed[word]:
        best = max(words, key=lambda one: share[one])
        if best.lower() != word:
            doubts.append((share[best] / sum(share[one] for one in words), best.lower()))
    return max(doubts)


def main() -> None:
    """Measure, print the results and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", type=Path, help="the table to write, as CSV")
    parser.add_argument(
        "--texts", type=Path, required=True, help="folder of the texts that bertlab-mini was trained on"
    )
    options = parser.parse_args()
    bert = bertlab.load("bertlab-mini")
    vocabulary = bert.tokenizer.get_vocab()
    groups = {name: [tuple(name.split("/"))] for name in TRIED.split()} | kinds_of_sets(vocabulary)
    words = sorted({word for sets in groups.values() for each in sets for word in each})
    pattern = standing_alone(words)
    pairs = {}
    for name in ("web", "news"):
        texts = bertlab.data.read(f"{name}_words")["text"]
        pairs[name] = [(gap, word) for text in texts for _, word, gap in gaps_in(text, pattern)]
    asked = {name: Asked(bert, pairs[name], words) for name in pairs}
    print({name: len(each) for name, each in pairs.items()}, flush=True)
    seen = Counter()
    read = []
    for text, word in from_training(options.texts, words):
        seen[word] += 1
        if seen[word] <= LEARNED:  # no rule needs more
            read.append((text, word))
    rows, table = Rows(bert), []
    for name, sets in groups.items():
        learned = gaps(read, sets, LEARNED)
        row = {"set": name, "sets": len(sets)}
        for text in ("web", "news"):
            found = gaps(pairs[text], sets)
            rules = {
                "most_frequent": by_frequency(learned, found),
                "window": by_window(learned, found),
                "rows": by_rows(rows, learned, found),
            }
            counts = measured(asked[text], found, rules)
            row.setdefault("kept", reason(counts))
            row |= {f"{text}_{count}": number for count, number in counts.items()}
        table.append(row)
        print(len(learned), *row.items(), flush=True)
    pd.DataFrame(table).to_csv(options.table, index=False)
    costs(bert).to_csv(options.table.with_name("proofreader_costs.csv"), index=False)


if __name__ == "__main__":
    main()
