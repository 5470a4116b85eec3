"""Record lesson 6's tables about words that people confuse: gaps and rules, sets for learners, and what marks cost.

python making/record_proofreading.py bertlab/data/confused_words.csv --texts TEXTS    # some fifteen minutes on one core
python making/record_proofreading.py bertlab/data/learner_sets.csv --texts TEXTS      # some forty
python making/record_proofreading.py bertlab/data/proofreader_costs.csv               # some ten

Everything is chosen on `web_words.csv` and tested on `news_words.csv`. A rule sees two words on either side of a gap,
and learns from the texts of bertlab-mini.
"""

import argparse
import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression

import bertlab
from bertlab.bert.loading import Bert
from bertlab.masking.confused import MEASURED, THRESHOLD, asked_for, kinds_of_sets, watched
from bertlab.masking.predictions import probabilities
from bertlab.masking.proofreading import MASK, gaps_at, places_of, standing_alone
from prepare import read_documents
from recording import record

LEARNED = 40_000  # the most gaps of a set, or of a kind of sets, that a rule learns from
MOST = 60  # gaps of a confused set in the test
TRIED = (
    "I/me I/my we/us we/our he/his my/me your/you their/them a/an and/an or/our other/another few/little much/very "
    "good/well so/such more/most some/any each/every be/been/being did/done do/does make/do say/tell said/told "
    "will/would can/could may/might for/since until/by during/while than/as like/as by/with in/on/at to/at for/to "
    "on/of from/of because/so what/that who/which that/who/which"
)
THRESHOLDS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.96, 0.97, 0.98, 0.99)
MENDED = 50  # slips of a set for each right word that is marked
FEWEST = 20  # gaps in web text; with fewer nothing is chosen


class Gap(NamedTuple):
    """A text with [MASK], the words that compete there, and which of them stood there."""

    text: str
    words: tuple[str, ...]
    right: int


def gaps_in(text: str, pattern: re.Pattern[str]) -> Iterator[tuple[int, str, str]]:
    """Yield where a word of a pattern begins in a text, the word in small letters, and the text with [MASK] there."""
    for match in pattern.finditer(text):
        end = match.start() + len(asked_for(match[0]))
        yield match.start(), match[0].lower().replace("’", "'"), f"{text[: match.start()]}{MASK}{text[end:]}"


def read_before(folder: Path, words: Collection[str]) -> list[tuple[str, str]]:
    """Return gaps, (text, word), in the training documents of bertlab-mini, in an order by lot: enough of each word."""
    pattern, seen, read = standing_alone(words), Counter(), []
    documents = [document for document in read_documents(folder) if not document.held_out]
    random.Random(0).shuffle(documents)
    for paragraph in chain.from_iterable(document.paragraphs for document in documents):
        for start, word, text in gaps_in(paragraph, pattern):
            seen[word] += 1
            if seen[word] <= LEARNED:  # forty characters on either side hold the window
                read.append((text[max(0, start - 40) : start + len(MASK) + 40], word))
    return read


def gaps(pairs: Sequence[tuple[str, str]], sets: Sequence[tuple[str, ...]], most: int | None = None) -> list[Gap]:
    """Return the gaps, (text, word), in which a word of some sets stood, or the first of them."""
    sets_of = defaultdict(list)
    for words in sets:
        for right, word in enumerate(words):
            sets_of[word.lower()].append((words, right))
    every = (Gap(text, words, right) for text, word in pairs for words, right in sets_of.get(word, ()))
    return list(islice(every, most))


def window(text: str) -> dict[str, str]:
    """Return a rule's features: two words or symbols on either side of [MASK], alone and the nearest as pairs."""
    before, after = (re.findall(r"[\w'’]+|[^\w\s]", part.lower()) for part in text.split(MASK))
    near = dict(zip(("-2", "-1", "+1", "+2"), [*["^", "^", *before][-2:], *[*after, "$", "$"][:2]], strict=True))
    near |= {"both": f"{near['-1']} {near['+1']}", "left": f"{near['-2']} {near['-1']}"}
    return near | {"right": f"{near['+1']} {near['+2']}"}


def told(gap: Gap) -> dict[str, str]:
    """Return the window, with the set, and with the next letter, which *an* depends on."""
    near = window(gap.text)
    return near | {"set": gap.words[0], "letter": near["+1"][:1]}


def by_rule(
    learned: Sequence[Gap], asked: Sequence[Gap], features: Callable[[Gap], dict[str, str]], bert: Bert | None = None
) -> list[int]:
    """Return what a logistic regression chooses by such features and, with a BERT, by the word table's rows too."""
    vectorizer = DictVectorizer(dtype=np.float32).fit([features(gap) for gap in learned])
    seen = [vectorizer.transform([features(gap) for gap in part]) for part in (learned, asked)]
    if bert:
        parts = zip(seen, (learned, asked), strict=True)
        seen = [sparse.hstack([of_part, rows_around(bert, part)]).tocsr() for of_part, part in parts]
    rule = LogisticRegression(C=3, max_iter=500).fit(seen[0], [gap.right for gap in learned])
    return rule.predict(seen[1]).tolist()


def rows_around(bert: Bert, asked: Sequence[Gap]) -> sparse.csr_matrix:
    """Return, for the four words around each gap, the row of the first piece less the mean row, (gaps, 4 * hidden)."""
    table = bert.model.get_input_embeddings().weight.detach().numpy()
    table, no_word = table - table.mean(axis=0), np.zeros(table.shape[1], table.dtype)
    four = [[window(gap.text)[place] for place in ("-2", "-1", "+1", "+2")] for gap in asked]
    pieces = {word: bert.tokenizer(word, add_special_tokens=False)["input_ids"] for word in {*chain(*four)} - {*"^$"}}
    rows = {word: table[ids[0]] if ids else no_word for word, ids in pieces.items()}  # a lone accent has no piece
    return sparse.csr_matrix(np.array([np.concatenate([rows.get(word, no_word) for word in each]) for each in four]))


def expected(bert: Bert, texts: Sequence[str], words: Sequence[str]) -> np.ndarray:
    """Return the probability of some words at the [MASK] of each text, (texts, words)."""
    pieces, rows = bert.tokenizer.convert_tokens_to_ids([asked_for(word).lower() for word in words]), []
    for first in range(0, len(texts), 256):
        rows += [shares[0, pieces].numpy() for shares in probabilities(bert, texts[first : first + 256])]
    return np.array(rows)


def in_tables(words: Collection[str]) -> dict[str, list[tuple[str, str, str]]]:
    """Return all gaps, (text, word, source), in web text and in news."""
    pattern, found = standing_alone(words), {}
    for name in ("web", "news"):
        rows = bertlab.data.read(f"{name}_words").itertuples()
        found[name] = [(text, word, row.source) for row in rows for _, word, text in gaps_in(row.text, pattern)]
    return found


def confused_words(options: argparse.Namespace) -> pd.DataFrame:
    """Return gaps in the news where people confuse words, and what rules and an untrained twin choose there."""
    bert, tables = bertlab.load("bertlab-mini"), []
    twin, words = bertlab.untrained(bert), sorted({*re.split("[ /]", MEASURED)})
    found, read = in_tables(words), read_before(options.texts, words)
    for joined in MEASURED.split():
        among = tuple(joined.split("/"))
        practice, test = ([gap for gap in found[name] if gap[1] in among] for name in ("web", "news"))
        test = sorted(random.Random(0).sample(test, min(MOST, len(test))), key=test.index)
        learned, asked = gaps(read, [among], LEARNED), gaps([gap[:2] for gap in test], [among])
        of_twin = expected(twin, [gap.text for gap in asked], among).argmax(axis=1)
        chosen = {"own_window": by_rule(learned, asked, lambda gap: window(gap.text))}
        chosen["both_window"] = by_rule(learned, asked, lambda gap: window(gap.text), bert)
        chosen["most_frequent"] = [among.index(Counter(gap[1] for gap in practice).most_common(1)[0][0])] * len(test)
        answers = {name: [among[i] for i in each] for name, each in (chosen | {"twin_0": of_twin}).items()}
        tables.append(pd.DataFrame(test, columns=["text", "word", "source"]).assign(set=joined, **answers))
    return pd.concat(tables)[["set", "source", "text", "word", *answers]]


def reason(web: dict[str, int]) -> str:
    """Return whether a set is kept, by what was measured on web text, or why it is not.

    That a rule gets as many right is no reason: it says that BERT is not needed for such a set, and is in the table.
    """
    if web["gaps"] < FEWEST:
        return "no: too few gaps"
    if 2 * web["found"] < web["gaps"]:
        return "no: finds less than half"
    return "yes" if web["found"] >= MENDED * web["alarms"] else "no: marks too many right words"


def learner_sets(options: argparse.Namespace) -> pd.DataFrame:
    """Return which sets a proof-reader for people who learn English can use, in news beside the window rule."""
    bert, table = bertlab.load("bertlab-mini"), []
    kinds = {name: [tuple(name.split("/"))] for name in TRIED.split()} | kinds_of_sets(bert.tokenizer.get_vocab())
    words = sorted({word for sets in kinds.values() for each in sets for word in each})
    found, read = in_tables(words), read_before(options.texts, words)
    shares = {name: expected(bert, [gap[0] for gap in each], words) for name, each in found.items()}
    row_of = {name: {gap[0]: row for row, gap in enumerate(each)} for name, each in found.items()}
    for kind, sets in kinds.items():
        row = {"set": kind, "sets": len(sets)}
        for name in ("web", "news"):
            asked, counts = gaps([gap[:2] for gap in found[name]], sets), Counter(right=0, alarms=0, found=0)
            for gap in asked:
                among = shares[name][row_of[name][gap.text], [words.index(word) for word in gap.words]]
                is_right, is_sure = among.argmax() == gap.right, among.max() > THRESHOLD * among.sum()
                counts.update(right=is_right, alarms=is_sure and not is_right, found=is_sure and is_right)
            of_kind = {"gaps": len(asked), "right": counts["right"]}
            if name == "news":
                by_window = by_rule(gaps(read, sets, LEARNED), asked, told)
                of_kind["window"] = sum(choice == gap.right for choice, gap in zip(by_window, asked, strict=True))
            of_kind |= {"alarms": counts["alarms"], "found": counts["found"]}
            row.setdefault("kept", reason(of_kind))
            row |= {f"{name}_{count}": int(number) for count, number in of_kind.items()}
        table.append(row)
    return pd.DataFrame(table)


def proofreader_costs(_: argparse.Namespace) -> pd.DataFrame:
    """Return what each threshold finds and marks in each text, if each watched word is swapped in turn or stays."""
    bert, rows = bertlab.load("bertlab-mini"), []
    weighed = watched(bert, None)
    words = sorted({word for sets in weighed.values() for words in sets for word in words})
    for name in ("web", "news"):
        places, asked = [], []
        for text in bertlab.data.read(f"{name}_words")["text"]:
            places += (here := places_of(text, weighed))
            asked += gaps_at(bert, text, here)
        alarms, finds = [], []
        for place, row in zip(places, expected(bert, asked, words), strict=True):
            word, share = place.word.lower().replace("’", "'"), dict(zip(words, row.tolist(), strict=True))
            alarms.append(surest(share, weighed, word)[0])
            slips = {slip.lower() for sets in weighed[word] for slip in sets} - {word}
            tries = [surest(share, weighed, slip) for slip in slips]
            finds.append([(sure, best == word) for sure, best in tries])
        for threshold in THRESHOLDS:
            marked = np.mean([np.mean([sure > threshold for sure, _ in tries]) for tries in finds])
            mended = np.mean([np.mean([sure > threshold and is_right for sure, is_right in tries]) for tries in finds])
            rows.append((name, threshold, marked, mended, np.mean(np.array(alarms) > threshold)))
    return pd.DataFrame(rows, columns=["text", "threshold", "found", "mended", "alarms"]).round(4)


def surest(share: dict[str, float], weighed: dict[str, list[tuple[str, ...]]], word: str) -> tuple[float, str]:
    """Return how sure the surest suggestion is for a word of a gap, 0 if there is none, and the suggestion."""
    doubts = [(0.0, word)]
    for words in weighed[word]:
        best = max(words, key=lambda one: share[one])
        if best.lower() != word:
            doubts.append((share[best] / sum(share[one] for one in words), best.lower()))
    return max(doubts)


if __name__ == "__main__":
    record(__doc__, confused_words, learner_sets, proofreader_costs)
