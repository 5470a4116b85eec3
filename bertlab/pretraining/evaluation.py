"""Every measure of a checkpoint, beside its untrained twin and the simplest baseline.

Each measure is a set of items (texts, sentences, pairs) with one number an item; its figure is a statistic over
them with a bootstrap interval, and so is the difference from the untrained twin on the same items.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bertlab.bert.loading import Bert, untrained
from bertlab.data import read
from bertlab.evidence.intervals import Interval, Statistic, interval, mean, ratio, spearman
from bertlab.paraphrase import baseline_similarities, model_similarities, read_pairs
from bertlab.pretraining import measures
from bertlab.pretraining.corpus import Document, encode_documents
from bertlab.pretraining.instances import Batch
from bertlab.pretraining.reports import CLEAR, dead_layers, head_patterns

HEAD_PARTS = 20  # the sentences whose heads are looked at are cut into this many items
HEAD_ROWS = 200
SENSES, FILL_MASK = "senses, leave-one-out accuracy", "fill-mask: a sensible word in the first five"


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
    """

    columns: tuple[np.ndarray, ...]
    statistic: Statistic
    higher_is_better: bool = True

    @property
    def figure(self) -> Interval:
        """The figure with its interval."""
        return interval(*self.columns, statistic=self.statistic)

    def ahead_of(self, other: "Measure") -> Interval:
        """Return how far this is ahead of another on the same items (positive is better)."""
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
        A file of graded pairs, such as the STS Benchmark's (`bertlab.paraphrase.read_pairs`); without it that
        measure is left out. The file's name stands in the measures' names.

    Returns
    -------
    measures : dict of str to Measure
    tables : dict of str to pandas.DataFrame
        ``frequency`` (masked words by frequency), ``senses`` (accuracy by word and layer), ``heads`` (every head's
        patterns, see `bertlab.pretraining.reports`), ``words`` (the first five words for each probe).
    """
    size = len(bert.tokenizer)
    corpus = encode_documents(held_out, bert.tokenizer)
    batch = measures.held_out_batch(corpus, size)
    predicted = measures.held_out_predictions(bert, batch)
    found = _prediction_measures(predicted)
    tables = {"frequency": measures.by_frequency(predicted.attrs["pieces"], corpus, size)}

    answers = measures.sense_answers(bert, read("word_senses"))
    found[SENSES] = Measure((answers["chosen"].to_numpy(),), mean)
    layers = [column for column in answers if isinstance(column, int)]
    tables["senses"] = answers.groupby("word")[[*layers, "chosen"]].mean().reset_index()
    tables["senses"]["layer chosen on the others"] = tables["senses"]["word"].map(answers.attrs["layers"])

    probes = read("fill_mask_probes")
    words = measures.first_words(bert, probes)
    found[FILL_MASK] = Measure((measures.sensible(probes, (table["piece"] for table in words)),), mean)
    first = [" ".join(f"{row.piece} {row.probability:.2f}" for row in table.itertuples()) for table in words]
    tables["words"] = probes.assign(first=first)

    if pairs is not None:
        table = read_pairs(pairs)
        for name, values in model_similarities(bert, table).items():
            found[_pairs_key(pairs, name)] = Measure((values, table["score"].to_numpy()), spearman)

    heads, tables["heads"] = _head_measures(bert, batch)
    return found | heads, tables


def baseline(
    bert: Bert, held_out: Iterable[Document], pairs: str | Path | None = None
) -> dict[str, tuple[str, Measure]]:
    """Return the simplest rule for each measure that has one: its name and its measure, under the same keys."""
    size = len(bert.tokenizer)
    corpus = encode_documents(held_out, bert.tokenizer)
    batch = measures.held_out_batch(corpus, size)
    simple = _prediction_measures(measures.unigram_predictions(batch, corpus, size))
    names = ("word frequencies", "the most frequent piece", "words in common")
    result = {key: (name, value) for (key, value), name in zip(simple.items(), names, strict=True)}
    result[SENSES] = ("bag of words", Measure((measures.bag_of_words_answers(read("word_senses")),), mean))
    probes = read("fill_mask_probes")
    answers = measures.sensible(probes, [measures.frequent_pieces(bert, corpus)] * len(probes))
    result[FILL_MASK] = ("the most frequent pieces", Measure((answers,), mean))
    if pairs is not None:
        table = read_pairs(pairs)
        for name, values in baseline_similarities(table).items():
            scored = Measure((values, table["score"].to_numpy()), spearman)
            result[_pairs_key(pairs, name)] = (name, scored)
    return result


def _pairs_key(pairs: str | Path, name: str) -> str:
    """Return the name of a measure on graded pairs, which says whose pairs they are."""
    return f"pairs of {Path(pairs).stem}, Spearman, {name}"


def compare_checkpoints(
    models: dict[str, Bert], held_out: Iterable[Document], pairs: str | Path | None = None
) -> tuple[pd.DataFrame, dict[str, pd.DataFrame]]:
    """Evaluate models side by side; the last is the one in question.

    Parameters
    ----------
    models
        Names and models; the untrained twin of the last is added in front.
    held_out, pairs
        As for `evaluate`.

    Returns
    -------
    table : pandas.DataFrame
        A row a measure: the untrained twin, each model, the baseline, and ``ahead of the twin``, the difference
        of the last model from its twin. Each cell is ``value [low, high]`` at 95 %.
    tables : dict of str to pandas.DataFrame
        Those of `evaluate` for the last model, and ``twin heads``.
    """
    documents = list(held_out)
    *_, (name, bert) = models.items()
    twin, twin_tables = evaluate(untrained(bert), documents, pairs)
    columns = {"untrained twin": twin}
    tables: dict[str, pd.DataFrame] = {}
    for each, model in models.items():
        columns[each], tables = evaluate(model, documents, pairs)
    simple = baseline(bert, documents, pairs)
    rows: list[dict[str, Any]] = []
    for key, value in columns[name].items():
        row = {"measure": key} | {column: str(found[key].figure) for column, found in columns.items()}
        row["simplest baseline"] = f"{simple[key][1].figure} ({simple[key][0]})" if key in simple else ""
        rows.append(row | {"ahead of the twin": str(value.ahead_of(twin[key]))})
    for key in simple.keys() - columns[name].keys():
        rows.append({"measure": key, "simplest baseline": str(simple[key][1].figure)})
    return pd.DataFrame(rows).fillna(""), tables | {"twin heads": twin_tables["heads"]}


def _prediction_measures(predicted: pd.DataFrame) -> dict[str, Measure]:
    """Return the measures of a table that `held_out_predictions` made."""
    count = predicted["count"].to_numpy()
    return {
        "masked words, held-out loss (nats)": Measure((predicted["loss"].to_numpy(), count), ratio, False),
        "masked words, accuracy": Measure((predicted["correct"].to_numpy(), count), ratio),
        "next sentence, accuracy": Measure((predicted["next"].dropna().to_numpy(),), mean),
    }


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
        found[f"clearest head: {pattern}"] = Measure((values,), mean)
        heads.attrs[pattern] = f"layer {layer}, head {head}"
    heads.attrs["dead layers"] = dead_layers(heads)
    return found, heads
