"""Every head measured over many texts, beside a uniform head and the untrained twin (lesson 4).

What is measured is defined in `bertlab.attention.patterns`: weights on patterns, and entropies. Layers and heads are
counted from 0, as in ``reading.attention[layer, head]``.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from bertlab.attention.layer import check_reading
from bertlab.attention.patterns import ENTROPIES, MEASURES, NEIGHBOURS, PATTERNS, by_row, pattern_places
from bertlab.bert.texts import Text
from bertlab.evidence.intervals import interval, ratio

if TYPE_CHECKING:
    from bertlab.bert.loading import Bert

CLEAR = (*NEIGHBOURS, "[CLS] receives", "[SEP] receives")
"""The patterns whose clearest heads `clearest_heads` looks for, unless it is asked for others."""


@dataclass(frozen=True, eq=False)
class Tally:
    """One measure's sums over the rows that count, text by text.

    Attributes
    ----------
    sums : (texts, layers, heads)
    uniform : (texts,)
        The same for a head that gives every token the same weight.
    rows : (texts,)
        How many rows count.
    """

    sums: np.ndarray
    uniform: np.ndarray
    rows: np.ndarray

    def figures(self) -> np.ndarray:
        """Return every head's figure, (layers, heads); not a number where no row counts."""
        return self.sums.sum(0) / (self.rows.sum() or np.nan)

    def uniform_figure(self) -> float:
        """Return the uniform head's figure."""
        return float(self.uniform.sum() / (self.rows.sum() or np.nan))


def tally(texts: Iterable[tuple[Tensor, dict[str, Tensor]]]) -> dict[str, Tally]:
    """Sum every measure over the rows of each text.

    Parameters
    ----------
    texts
        What `bertlab.attention.patterns.by_row` takes, a pair a text.

    Returns
    -------
    dict of str to Tally
    """
    columns: dict[str, list[tuple[np.ndarray, float, int]]] = {}
    for weights, places in texts:
        alike = torch.full_like(weights[:1, :1], 1 / weights.shape[-1])
        everywhere = by_row(alike, places)
        for name, rows in by_row(weights, places).items():
            sums = (rows.double().sum(-1).numpy(), float(everywhere[name].double().sum()), rows.shape[-1])
            columns.setdefault(name, []).append(sums)
    return {name: Tally(*map(np.array, zip(*found, strict=True))) for name, found in columns.items()}


def table(tallies: dict[str, Tally], measures: Sequence[str]) -> pd.DataFrame:
    """Return a row a head: ``layer``, ``head``, the measures, and ``uniform`` before each measure's name."""
    layers, heads = np.indices(next(iter(tallies.values())).sums.shape[1:])
    columns = {"layer": layers.ravel(), "head": heads.ravel()}
    columns |= {name: tallies[name].figures().ravel() for name in measures}
    return pd.DataFrame(columns).assign(**{f"uniform {name}": tallies[name].uniform_figure() for name in measures})


def measure_heads(bert: "Bert", texts: Sequence[Text], measures: Sequence[str] = MEASURES) -> pd.DataFrame:
    """Measure every head over texts.

    Parameters
    ----------
    bert
        The trained one, or its untrained twin for the same table without training.
    texts
    measures
        Some of the measures that `bertlab.attention.patterns` defines.

    Returns
    -------
    pandas.DataFrame
        A row a head with the columns ``layer`` and ``head`` (from 0), the measures, and after them as many columns
        that begin with ``uniform``: what a head that looks everywhere alike shows on the same texts. A measure of
        which no row counts (``same piece``, where no text repeats one) is not a number.

    Raises
    ------
    TypeError, ValueError
        As `Bert.read_all`; if there is no text, or no such measure.

    Examples
    --------
    >>> import bertlab
    >>> bert = bertlab.load("bertlab-mini")
    >>> heads = measure_heads(bert, ["The cat sat on the mat.", "It rained."], ["previous", "next"])
    >>> heads.columns.tolist()
    ['layer', 'head', 'previous', 'next', 'uniform previous', 'uniform next']
    >>> len(heads)
    32
    """
    _refuse_unknown(measures, MEASURES)
    return table(_tally(bert, texts, measures), measures)


def clearest_heads(bert: "Bert", twin: "Bert", texts: Sequence[Text], measures: Sequence[str] = CLEAR) -> pd.DataFrame:
    """Find the head that shows each pattern most clearly, and set it beside the clearest head of the untrained twin.

    Of many heads one is always the clearest, by chance alone. So each BERT's head is chosen on the first half of the
    texts and measured on the second.

    Parameters
    ----------
    bert, twin
        ``twin = bertlab.untrained(bert)``.
    texts
    measures
        Some of the patterns that `bertlab.attention.patterns` defines.

    Returns
    -------
    pandas.DataFrame
        A row a pattern: ``layer``, ``head``, how many ``rows`` of how many ``texts`` count, the head's ``weight`` on
        the pattern from ``low`` to ``high``, ``uniform``, ``twin`` (the weight of the twin's own clearest head), and
        the ``difference`` from it with ``difference low`` and ``difference high``. The intervals are 95 % bootstrap
        intervals over texts (the difference's paired), as if texts were independent.

    Raises
    ------
    TypeError, ValueError
        As `measure_heads`; if `measures` names an entropy, a half has fewer than two texts in which a row counts, or
        the twin has another tokenizer.

    Examples
    --------
    >>> import bertlab
    >>> bert = bertlab.load("bertlab-mini")
    >>> texts = ["The cat sat.", "It rained all day.", "She read a book.", "We went home."]
    >>> clearest_heads(bert, bertlab.untrained(bert), texts, ["previous"])["texts"].item()
    2
    """
    _refuse_unknown(measures, PATTERNS)
    half = len(texts) // 2
    ours, theirs = _tally(bert, texts, measures), _tally(twin, texts, measures)
    if any(not np.array_equal(ours[name].rows, theirs[name].rows) for name in measures):
        raise ValueError(f"{twin.name} cuts the texts into other pieces than {bert.name}; use bertlab.untrained(bert).")
    rows = []
    for name in measures:
        counts = ours[name].rows
        counting = counts > 0
        chosen_on, used = counting & (np.arange(len(texts)) < half), counting & (np.arange(len(texts)) >= half)
        if min(chosen_on.sum(), used.sum()) < 2:
            raise ValueError(
                f"For {name!r} each half of the texts needs two or more in which a row counts; the halves have "
                f"{chosen_on.sum()} and {used.sum()}. Give more texts, or leave this pattern out of measures."
            )
        (layer, head), mine = _best(ours[name], chosen_on, used)
        _, other = _best(theirs[name], chosen_on, used)
        weight = interval(mine, counts[used], statistic=ratio)
        ahead = interval(mine - other, counts[used], statistic=ratio)
        rows.append(
            {
                "pattern": name,
                "layer": layer,
                "head": head,
                "rows": int(counts[used].sum()),
                "texts": int(used.sum()),
                **dict(zip(("weight", "low", "high"), weight, strict=True)),
                "uniform": ratio(ours[name].uniform[used], counts[used]),
                "twin": ratio(other, counts[used]),
                **dict(zip(("difference", "difference low", "difference high"), ahead, strict=True)),
            }
        )
    return pd.DataFrame(rows)


def _best(found: Tally, chosen_on: np.ndarray, used: np.ndarray) -> tuple[tuple[int, int], np.ndarray]:
    """Return the head with the largest figure on some texts, and its sums on others."""
    figures = found.sums[chosen_on].sum(0)
    layer, head = map(int, np.unravel_index(figures.argmax(), figures.shape))
    return (layer, head), found.sums[used, layer, head]


def _tally(bert: "Bert", texts: Sequence[Text], measures: Sequence[str]) -> dict[str, Tally]:
    """Read texts and sum some measures over each."""
    readings = bert.read_all(texts, attention=True)
    if not readings:
        raise ValueError("There is no text to measure heads on. Give a list of sentences.")
    for reading in readings:
        check_reading(bert, reading)
    needed = {ENTROPIES.get(name, name) for name in measures}
    places = [pattern_places(bert, reading) for reading in readings]
    asked = [{name: where for name, where in found.items() if name in needed} for found in places]
    return tally((reading.attention, where) for reading, where in zip(readings, asked, strict=True))


def _refuse_unknown(measures: Sequence[str], known: Sequence[str]) -> None:
    """Refuse names of which nothing is known."""
    if isinstance(measures, str) or not len(measures):
        raise TypeError("measures is a list of one or more names, for example ['previous', 'next'].")
    for name in measures:
        if name not in known:
            raise ValueError(f"There is no {name!r} here; there are {', '.join(known)}.")
