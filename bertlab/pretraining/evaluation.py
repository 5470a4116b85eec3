"""Every measure of a checkpoint, and the simplest rule beside each.

Each measure is a set of items (texts, sentences, pairs) with one number an item; its figure is a statistic over
them with a bootstrap interval, and so is the difference from another model on the same items.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from bertlab.bert.loading import Bert
from bertlab.data import read
from bertlab.evidence.intervals import Interval, Statistic, interval, mean, ratio, spearman
from bertlab.paraphrase import baseline_similarities, model_similarities, read_pairs
from bertlab.pretraining import choices, measures
from bertlab.pretraining.corpus import Corpus, Document, encode_documents
from bertlab.pretraining.instances import Batch
from bertlab.pretraining.reports import CLEAR, dead_layers, head_patterns

HEAD_PARTS = 20  # the sentences whose heads are looked at are cut into this many items
HEAD_ROWS = 200

LOSS = "masked words, held-out loss (nats)"
ACCURACY, NEXT = "masked words, accuracy", "next sentence, accuracy"
SENSES, FILL_MASK = "senses, leave-one-out accuracy", "fill-mask: a sensible word in the first five"
GRAMMAR, AGREEMENT = "minimal pairs, accuracy", "agreement across a distractor, accuracy"
FACTS = "facts: the true word first of its topic's six"
OURS = "graded_pairs"
"""Our own graded pairs, a table of `bertlab.data`."""


@dataclass(frozen=True)
class Measure:
    """The items of one measure.

    Parameters
    ----------
    columns
        One array or more, an entry an item: what the statistic is computed from.
    statistic
        From the columns to the figure.
    higher_is_better
        False for losses.
    items
        A digest of the items, where they depend on the model's vocabulary.
    """

    columns: tuple[np.ndarray, ...]
    statistic: Statistic
    higher_is_better: bool = True
    items: str = ""

    @property
    def value(self) -> float:
        """The figure alone."""
        return float(self.statistic(*self.columns))

    @property
    def figure(self) -> Interval:
        """The figure with its interval."""
        return interval(*self.columns, statistic=self.statistic)

    def ahead_of(self, other: "Measure") -> Interval:
        """Return how far this is ahead of another on the same items (positive is better).

        Raises
        ------
        ValueError
            If the items are not the same.
        """
        if self.items != other.items:
            raise ValueError("the two were measured on different items: their vocabularies or their texts differ")
        sign, width = (1 if self.higher_is_better else -1), len(self.columns)

        def difference(*both: np.ndarray, axis: int = -1) -> np.ndarray:
            return sign * (self.statistic(*both[:width], axis=axis) - self.statistic(*both[width:], axis=axis))

        return interval(*self.columns, *other.columns, statistic=difference)


def evaluate(
    bert: Bert, held_out: Iterable[Document], pairs: str | Path | None = None
) -> tuple[dict[str, Measure], dict[str, pd.DataFrame]]:
    """Measure a checkpoint.

    Parameters
    ----------
    bert
        As `bertlab.load` returns it.
    held_out
        Documents it was not trained on, family by family.
    pairs
        A file of graded pairs, such as the STS Benchmark's (`bertlab.paraphrase.read_pairs`), besides our own. The
        file's name stands in the measures' names.

    Returns
    -------
    measures : dict of str to Measure
    tables : dict of str to pandas.DataFrame
        ``frequency`` (masked words by frequency), ``senses`` (accuracy by word and layer), ``heads`` (every head's
        patterns, see `bertlab.pretraining.reports`), ``words`` (the first five words for each probe).
    """
    corpus, batch = _held_out(bert, held_out)
    predicted = measures.held_out_predictions(bert, batch)
    found = _prediction_measures(predicted, batch)
    tables = {"frequency": measures.by_frequency(predicted.attrs["pieces"], corpus, len(bert.tokenizer))}

    answers = measures.sense_answers(bert, read("word_senses"))
    found[SENSES] = Measure((answers["chosen"].to_numpy(),), mean)
    layers = [column for column in answers if isinstance(column, int)]
    tables["senses"] = answers.groupby("word")[[*layers, "chosen"]].mean().reset_index()
    tables["senses"]["layer chosen on the others"] = tables["senses"]["word"].map(answers.attrs["layers"])

    found |= _choice_measures(bert)
    probes = read("fill_mask_probes")
    words = measures.first_words(bert, probes)
    found[FILL_MASK] = Measure((measures.sensible(probes, (table["piece"] for table in words)),), mean)
    first = [" ".join(f"{row.piece} {row.probability:.2f}" for row in table.itertuples()) for table in words]
    tables["words"] = probes.assign(first=first)

    for name, table in _graded(pairs).items():
        for way, values in model_similarities(bert, table).items():
            found[pairs_key(name, way)] = Measure((values, table["score"].to_numpy()), spearman)

    heads, tables["heads"] = _head_measures(bert, batch)
    return found | heads, tables


def baseline(
    bert: Bert, held_out: Iterable[Document], pairs: str | Path | None = None
) -> dict[str, tuple[str, Measure]]:
    """Return the simplest rule for each measure that has one: its name and its measure, under the same keys."""
    corpus, batch = _held_out(bert, held_out)
    simple = _prediction_measures(measures.unigram_predictions(batch, corpus, len(bert.tokenizer)), batch)
    names = ("word frequencies", "the most frequent piece", "words in common")
    result = {key: (name, value) for (key, value), name in zip(simple.items(), names, strict=True)}
    result[SENSES] = ("bag of words", Measure((measures.bag_of_words_answers(read("word_senses")),), mean))
    result |= {key: ("word frequencies", value) for key, value in _choice_measures(bert, corpus).items()}
    probes = read("fill_mask_probes")
    answers = measures.sensible(probes, [measures.frequent_pieces(bert, corpus)] * len(probes))
    result[FILL_MASK] = ("the most frequent pieces", Measure((answers,), mean))
    for name, table in _graded(pairs).items():
        for way, values in baseline_similarities(table).items():
            result[pairs_key(name, way)] = (way, Measure((values, table["score"].to_numpy()), spearman))
    return result


def pairs_key(name: str, way: str) -> str:
    """Return the name of a measure on graded pairs, which says whose pairs they are and what was compared."""
    return f"pairs of {name}, Spearman, {way}"


def _graded(pairs: str | Path | None) -> dict[str, pd.DataFrame]:
    """Return our own graded pairs, and those of a file, with the columns ``first``, ``second`` and ``score``."""
    own = read(OURS)
    tables = {OURS: own.assign(score=own[["grade_a", "grade_b"]].mean(axis=1))}
    return tables if pairs is None else tables | {Path(pairs).stem: read_pairs(pairs)}


def _held_out(bert: Bert, documents: Iterable[Document]) -> tuple[Corpus, Batch]:
    """Return held-out documents in the pieces of a model, and the texts that it is asked about."""
    corpus = encode_documents(documents, bert.tokenizer)
    return corpus, measures.held_out_batch(corpus, len(bert.tokenizer))


def _choice_measures(bert: Bert, corpus: Corpus | None = None) -> dict[str, Measure]:
    """Return the measures of grammar and of facts: of a model, or of the frequencies of a corpus in its place."""
    found = {}
    for key, name in ((GRAMMAR, "minimal_pairs"), (AGREEMENT, "agreement_pairs")):
        pairs = read(name)
        right = (
            choices.sentence_choices(bert, pairs) if corpus is None else choices.frequency_choices(bert, pairs, corpus)
        )
        found[key] = Measure(choices.by_group(right, choices.exchanges(pairs)), ratio)
    if choices.askable(bert, facts := read("facts")):
        right = choices.word_choices(bert, facts) if corpus is None else choices.frequency_words(bert, facts, corpus)
        found[FACTS] = Measure(choices.by_group(right, facts["topic"].tolist()), ratio)
    return found


def _prediction_measures(predicted: pd.DataFrame, batch: Batch) -> dict[str, Measure]:
    """Return the measures of a table that `held_out_predictions` made of a batch."""
    count, items = predicted["count"].to_numpy(), _digest(batch)
    return {
        LOSS: Measure((predicted["loss"].to_numpy(), count), ratio, False, items),
        ACCURACY: Measure((predicted["correct"].to_numpy(), count), ratio, items=items),
        NEXT: Measure((predicted["next"].dropna().to_numpy(),), mean, items=items),
    }


def _digest(batch: Batch) -> str:
    """Return what tells a batch from another."""
    return hashlib.sha256(batch.ids.tobytes() + batch.labels.tobytes()).hexdigest()


def _head_measures(bert: Bert, batch: Batch) -> tuple[dict[str, Measure], pd.DataFrame]:
    """Return the clearest head of each pattern, chosen on one half of the texts and measured on the other."""
    half, size = HEAD_ROWS // 2, HEAD_ROWS // 2 // HEAD_PARTS
    heads = head_patterns(bert.model, batch.part(0, half))
    starts = range(half, half + HEAD_PARTS * size, size)
    parts = [head_patterns(bert.model, batch.part(start, start + size)) for start in starts]
    found = {}
    for pattern in CLEAR:
        best = int(np.argmax(heads[pattern].to_numpy()))
        layer, head = (int(heads[name].to_numpy()[best]) for name in ("layer", "head"))
        values = np.array([part[pattern].to_numpy()[best] for part in parts])
        found[f"clearest head: {pattern}"] = Measure((values,), mean, items=_digest(batch))
        heads.attrs[pattern] = f"layer {layer}, head {head}"
    heads.attrs["dead layers"] = dead_layers(heads)
    return found, heads
