"""The measures of a checkpoint, with one number per item, and for each measure the simplest rule that needs no model.

Held-out text: batches as in training, from documents that were never trained on; the rule knows the frequencies of the
pieces and the word overlap of two parts. Senses: whether a word's vectors tell which of its two senses is meant, at the
layer that is best on the other words; the rule sees the surrounding words as a bag. Sentences and facts: the better of
two sentences, the true one of six words; the rule knows frequencies. Probes: whether a sensible word is among the first
five. Graded pairs: the rank correlation of cosines with people's grades; the rules compare words.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from sklearn.feature_extraction.text import TfidfVectorizer
from transformers import BertTokenizer

from batches import IGNORE, IS_NEXT, Batch, BatchMaker
from bertlab.bert.loading import Bert
from bertlab.data import read
from bertlab.evidence import spearman
from bertlab.masking import fill_mask, sentence_scores
from bertlab.paraphrase import baseline_similarities, model_similarities, read_pairs
from bertlab.vectors import leave_one_out, word_vector
from model import head_tallies, predict
from prepare import FIRST_WORD, Corpus, Document, encode
from results import Measure, Result, ratio
from settings import BatchKind, Settings
from tallies import Tally

# Held-out text is always masked as in Devlin et al. (2019), whatever a model was trained with.
ASKED = Settings(masking_rate=0.15, mask_share=0.8, random_share=0.1, not_next_share=0.5)
KIND, ROWS, SEED = BatchKind(True, 64, 1.0), 1500, 2019
PROBES = pd.read_csv(Path(__file__).with_name("fill_mask_probes.csv"))
BANDS = (0, 10, 100, 1000, 4000, 16000)  # ranks of a piece by frequency: the ten most frequent, the next ninety...
HEAD_ROWS = 200
PATTERNS = ("previous", "next", "same piece", "special")  # for each, the clearest head is measured
SENTENCES = {"grammar": "minimal_pairs", "agreement": "agreement_pairs"}
OURS = "graded_pairs"
RULES = {  # the rule beside each measure; beside graded pairs there are two, with their own names
    "loss": "word frequencies",
    "accuracy": "the most frequent piece",
    "next": "words in common",
    "senses": "bag of words",
    "grammar": "word frequencies",
    "agreement": "word frequencies",
    "facts": "word frequencies",
    "probes": "the most frequent pieces",
}


@dataclass(frozen=True, eq=False)
class Answers:
    """The answers of a model, or a rule, to all questions."""

    held_out: Sequence[np.ndarray]  # as `model.predict` returns it
    senses: np.ndarray  # whether each sentence's sense is found
    scores: Callable[[list[str]], np.ndarray]  # the scores of sentences
    words: Callable[[str], pd.Series]  # the probability of each piece at the [MASK] of a text, sorted
    similarities: Callable[[pd.DataFrame], dict[str, np.ndarray]]  # of pairs, by the way they are computed


@dataclass(frozen=True, eq=False)
class Measured:
    """All measures of a checkpoint, and the details that its card shows."""

    results: dict[Measure, Result]
    frequency: pd.DataFrame  # masked words by frequency
    senses: pd.DataFrame  # accuracy by word and layer
    words: pd.DataFrame  # the first five words for each probe
    heads: dict[str, Tally]  # every head's patterns
    clearest: dict[str, str]  # for each pattern its clearest head, in words


def measure(bert: Bert, documents: Sequence[Document], graded: Path | None = None) -> Measured:
    """Measure a checkpoint on held-out documents, our tables and, if given, another file of graded pairs."""
    corpus, batch = held_out(bert, documents)
    # Fifty rows at a time: the scores of more would fill the memory.
    parts = [predict(bert.model, batch.rows(slice(start, start + 50))) for start in range(0, len(batch.ids), 50)]
    answers, layers = sense_answers(bert, read("word_senses"))
    model = Answers(
        [np.concatenate(arrays) for arrays in zip(*parts, strict=True)],
        answers["chosen"].to_numpy(),
        lambda sentences: sentence_scores(bert, sentences)["score"].to_numpy(),
        lambda text: fill_mask(bert, text, len(bert.tokenizer)).set_index("piece")["probability"],
        lambda pairs: model_similarities(bert, pairs),
    )
    heads = head_tallies(bert.model, batch.rows(slice(HEAD_ROWS)))
    of_heads, clearest = head_results(heads)
    results = results_of(model, bert.tokenizer, batch, graded) | of_heads
    senses = answers.groupby("word").mean().reset_index().assign(**{"layer chosen on the others": layers.values()})
    first = [fill_mask(bert, text, 5) for text in PROBES["sentence"]]
    words = [" ".join(f"{row.piece} {row.probability:.2f}" for row in table.itertuples()) for table in first]
    frequency = by_frequency(batch, *model.held_out[:2], np.bincount(corpus.pieces, minlength=len(bert.tokenizer)))
    return Measured(results, frequency, senses, PROBES.assign(first=words), heads, clearest)


def simplest_rules(bert: Bert, documents: Sequence[Document], graded: Path | None = None) -> dict[Measure, Result]:
    """Return the results of the simplest rules on the same items as a model; `RULES` has their names."""
    corpus, batch = held_out(bert, documents)
    counts = np.bincount(corpus.pieces, minlength=len(bert.tokenizer)) + 1.0
    by_piece = pd.Series(counts, index=bert.tokenizer.convert_ids_to_tokens(range(len(counts))))
    by_piece = by_piece.sort_values(ascending=False, kind="stable")

    def scores(sentences: list[str]) -> np.ndarray:
        ids = bert.tokenizer(sentences, add_special_tokens=False)["input_ids"]
        return np.array([np.log(counts)[pieces].sum() for pieces in ids])

    senses = bags_of_words(read("word_senses"))
    rules = Answers(by_counting(batch, counts), senses, scores, lambda _: by_piece, baseline_similarities)
    return results_of(rules, bert.tokenizer, batch, graded)


def held_out(bert: Bert, documents: Sequence[Document]) -> tuple[Corpus, Batch]:
    """Return held-out documents in a model's pieces, and the pairs that it is tested on, which are always the same."""
    corpus = encode(documents, bert.tokenizer)
    return corpus, BatchMaker(corpus, ASKED, len(bert.tokenizer)).draw(KIND, np.random.default_rng(SEED), ROWS)


def results_of(answers: Answers, tokenizer: BertTokenizer, batch: Batch, graded: Path | None) -> dict[Measure, Result]:
    """Return the result of the answers on each measure."""
    losses, hits, next_hits = answers.held_out
    count = (batch.labels != IGNORE).sum(axis=1)  # an item is a row
    results = {
        Measure("loss"): Result((np.nansum(losses, axis=1), count), ratio, higher_is_better=False),
        Measure("accuracy"): Result((np.nansum(hits, axis=1), count), ratio),
        Measure("next"): Result((next_hits,)),
        Measure("senses"): Result((answers.senses,)),
    }
    for kind, name in SENTENCES.items():
        table = read(name)
        results[Measure(kind)] = choice_result(table, answers.scores([*table["good"], *table["bad"]]))
    facts = read("facts")
    if one_piece_each(tokenizer, facts["true"]):
        pieces = facts["true"].map(lambda word: tokenizer.tokenize(word)[0])
        results[Measure("facts")] = fact_result(facts["topic"], pieces, [answers.words(t) for t in facts["template"]])
    first = [answers.words(text).index[:5] for text in PROBES["sentence"]]
    results[Measure("probes")] = Result((sensible(PROBES["answers"], first),))
    ours = read(OURS)
    tables = {OURS: ours.assign(score=ours[["grade_a", "grade_b"]].mean(axis=1))}
    if graded:
        tables[graded.stem] = read_pairs(graded)
    for source, pairs in tables.items():
        for way, values in answers.similarities(pairs).items():
            results[Measure("graded", source, way)] = Result((values, pairs["score"].to_numpy()), spearman)
    return results


def by_counting(batch: Batch, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return what `model.predict` returns, for a rule that knows how frequent pieces are.

    It predicts *is next* if the two parts share more words than half of the pairs do.
    """
    asked = batch.labels != IGNORE
    losses = np.where(asked, -np.log(counts / counts.sum())[batch.labels], np.nan)
    hits = np.where(asked, batch.labels == counts.argmax(), np.nan)
    shared = []
    for ids, segments in zip(batch.ids, batch.segments, strict=True):
        first, second = (set(ids[(ids >= FIRST_WORD) & (segments == segment)].tolist()) for segment in (0, 1))
        shared.append(len(first & second) / max(1, len(first | second)))
    return losses, hits, ((shared > np.median(shared)) == (batch.next_labels == IS_NEXT)).astype(float)


def by_frequency(batch: Batch, losses: np.ndarray, hits: np.ndarray, counts: np.ndarray) -> pd.DataFrame:
    """Return the count, loss and accuracy of masked pieces by their frequency rank in held-out text."""
    ends = [*BANDS, len(counts)] if len(counts) > BANDS[-1] else [*BANDS]
    rank = np.empty(len(counts), dtype=np.int64)
    rank[np.argsort(-counts, kind="stable")] = np.arange(len(counts))
    used = batch.labels != IGNORE
    labels = [f"{low + 1:,} to {high:,}" for low, high in pairwise(ends)]
    band = pd.cut(rank[batch.labels[used]], ends, right=False, labels=labels)
    grouped = pd.DataFrame({"loss": losses[used], "correct": hits[used]}).groupby(band, observed=True)
    table = grouped.agg(pieces=("loss", "size"), loss=("loss", "mean"), accuracy=("correct", "mean"))
    return table.rename_axis("rank of the piece").reset_index()


def sense_answers(bert: Bert, table: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, int]]:
    """Return whether each sentence's sense is found, by layer, and for each word the layer that is best on the others.

    The column ``chosen`` has the answers at that layer, so that no word picks its own best layer.
    """
    vectors = word_vectors(bert, table)
    layers = list(range(vectors.shape[1]))
    answers = pd.DataFrame(0.0, index=table.index, columns=layers)
    for _, rows in table.groupby("word"):
        for layer in layers:
            right = leave_one_out(vectors[rows.index.tolist(), layer], rows["sense"].tolist())
            answers.loc[rows.index, layer] = right.numpy().astype(float)
    means = answers.groupby(table["word"]).mean()
    chosen = {word: int(means.drop(word).mean().idxmax()) for word in means.index}
    at_chosen = [answers.loc[row, chosen[word]] for row, word in table["word"].items()]
    return answers.assign(word=table["word"], chosen=at_chosen), chosen


def word_vectors(bert: Bert, table: pd.DataFrame) -> torch.Tensor:
    """Return the vector of each sentence's word at every layer, (sentences, layers + 1, hidden)."""
    vectors = []
    for reading, word in zip(bert.read_all(table["sentence"].tolist()), table["word"], strict=True):
        layers = range(len(reading.hidden))
        vectors.append(torch.stack([word_vector(reading, word, layer=layer) for layer in layers]))
    return torch.stack(vectors)


def bags_of_words(table: pd.DataFrame) -> np.ndarray:
    """Return whether each sentence's sense is found from the TF-IDF vector of its other words."""
    answers = np.zeros(len(table))
    for _, rows in table.groupby("word"):
        bags: Any = TfidfVectorizer().fit_transform(rows["sentence"])
        answers[rows.index] = leave_one_out(torch.tensor(bags.toarray()), rows["sense"].tolist()).numpy()
    return answers


def choice_result(table: pd.DataFrame, scores: np.ndarray) -> Result:
    """Return how often the good sentence scores higher; `scores` are those of all good, then all bad sentences.

    Pairs that differ in the same two words are not independent, so they count as one group.
    """
    good, bad = np.split(scores, 2)
    right = np.where(good == bad, 0.5, (good > bad).astype(float))
    groups = []
    for sentences in zip(table["good"], table["bad"], strict=True):
        good_words, bad_words = (set(sentence.strip(".").split()) for sentence in sentences)
        groups.append(" / ".join(sorted(good_words ^ bad_words)))
    return in_groups(right, groups)


def one_piece_each(tokenizer: BertTokenizer, words: Iterable[str]) -> bool:
    """Return whether each word is a single piece; a model that splits one is not tested on facts."""
    return all(len(pieces) == 1 and pieces != ["[UNK]"] for pieces in map(tokenizer.tokenize, words))


def fact_result(topics: pd.Series, pieces: pd.Series, scores: Sequence[pd.Series]) -> Result:
    """Return how often a fact's true piece scores higher than the pieces of its topic's other facts.

    `scores` has one number per piece for each fact; pieces that tie for the first rank share the answer.
    """
    right = []
    for row, topic in enumerate(topics):
        among = scores[row][pieces[topics == topic].tolist()]
        right.append(float(among[pieces[row]] == among.max()) / (among == among.max()).sum())
    return in_groups(np.array(right), topics)


def in_groups(values: np.ndarray, groups: Iterable[Hashable]) -> Result:
    """Return a result whose items are groups of values."""
    grouped = pd.Series(values).groupby(list(groups))
    return Result((grouped.sum().to_numpy(), grouped.size().to_numpy(dtype=float)), ratio)


def sensible(answers: Iterable[str], words: Iterable[Iterable[str]]) -> np.ndarray:
    """Return 1 for each probe with one of its answers among the predicted words, otherwise 0."""
    return np.array([float(not set(a.split("|")).isdisjoint(given)) for a, given in zip(answers, words, strict=True)])


def head_results(tallies: dict[str, Tally]) -> tuple[dict[Measure, Result], dict[str, str]]:
    """Return the clearest head of each pattern, chosen on one half of the texts and measured on the other."""
    results, clearest = {}, {}
    for pattern in PATTERNS:
        sums, rows = tallies[pattern].sums, tallies[pattern].rows
        chosen = np.arange(len(rows)) < len(rows) // 2
        of_chosen = sums[chosen].sum(axis=0)  # (layers, heads)
        layer, head = map(int, np.unravel_index(of_chosen.argmax(), of_chosen.shape))
        results[Measure("head", way=pattern)] = Result((sums[~chosen, layer, head], rows[~chosen]), ratio)
        clearest[pattern] = f"layer {layer}, head {head}"
    return results, clearest
