"""Ways to score pairs of sentences, measured against what people said of them (lesson 5).

A *system* is anything that gives each pair a number: a pooling of a BERT, a layer, a count of common words. Four
measures compare these numbers with the grades, and a bootstrap over the pairs says how sure each is. From the command
line: ``python -m bertlab.paraphrase CHECKPOINT PAIRS``.
"""

import argparse
import sys
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from bertlab.data import files
from bertlab.evidence.intervals import Interval, Statistic, interval, spearman

if TYPE_CHECKING:
    from pandas import DataFrame

CUT = 4.0
"""From this grade on, a pair counts as a paraphrase: "mean nearly the same" (Cer et al. 2017)."""
LEAST_PAIRS = 10
"""With fewer, an interval over the pairs says nothing."""


def measure_system(similarities: ArrayLike, scores: ArrayLike, cut: float = CUT) -> dict[str, float]:
    """Return how well a system's numbers follow the grades.

    Parameters
    ----------
    similarities : sequence of float, (pairs,)
        The higher, the more alike, on any scale.
    scores : sequence of float, (pairs,)
        The grades.
    cut : float
        From this grade on, a pair counts as a paraphrase.

    Returns
    -------
    dict of str to float
        ``"Spearman"`` and ``"Pearson"`` correlation with the grades; ``"accuracy"`` at telling paraphrases from
        others, each half of the pairs with the threshold that is best on the other half; ``"AUC"``, the share of all
        pairs of a paraphrase and another in which the paraphrase has the higher number. A system that gives all
        pairs the same number has no correlation (nan).

    Raises
    ------
    ValueError
        If numbers are missing, all grades are the same, or fewer than two pairs lie on one side of the cut.

    Examples
    --------
    >>> {name: round(value, 2) for name, value in measure_system([1, 2, 3, 4], [0, 1, 5, 4]).items()}
    {'Spearman': 0.8, 'Pearson': 0.87, 'accuracy': 1.0, 'AUC': 1.0}
    """
    from scipy.stats import pearsonr
    from sklearn.metrics import roc_auc_score

    similarities, scores, labels = _checked(similarities, scores, cut)
    flat = bool(np.all(similarities == similarities[0]))
    return {
        "Spearman": float("nan") if flat else float(spearman(similarities, scores)),
        "Pearson": float("nan") if flat else float(pearsonr(similarities, scores).statistic),
        "accuracy": held_out_accuracy(similarities, labels),
        "AUC": float(roc_auc_score(labels, similarities)),
    }


def best_threshold(similarities: ArrayLike, labels: ArrayLike) -> float:
    """Return the threshold with the most right answers, if pairs from it upwards count as paraphrases.

    Parameters
    ----------
    similarities : sequence of float, (pairs,)
    labels : sequence of bool, (pairs,)
        Whether each pair is a paraphrase.

    Returns
    -------
    float
        Halfway between two neighbouring similarities, or infinite where one answer for all pairs is best. Of
        several that are equally good, the lowest.

    Raises
    ------
    ValueError
        If a similarity is missing, a label is neither true nor false, or there are not as many of both.

    Examples
    --------
    >>> best_threshold([1, 2, 3, 4], [False, False, True, True])
    2.5
    """
    values, truth = _labelled(similarities, labels)
    levels, place = np.unique(values, return_inverse=True)
    thresholds = np.array([-np.inf, *(levels[1:] + levels[:-1]) / 2, np.inf])
    yes = np.bincount(place, weights=truth, minlength=len(levels))
    no = np.bincount(place, weights=~truth, minlength=len(levels))
    right = np.concatenate([[0], np.cumsum(no)]) + truth.sum() - np.concatenate([[0], np.cumsum(yes)])
    return float(thresholds[right.argmax()])


def held_out_accuracy(similarities: ArrayLike, labels: ArrayLike, seed: int = 0) -> float:
    """Return the share of right answers, each half of the pairs with the threshold that is best on the other half.

    Parameters
    ----------
    similarities : sequence of float, (pairs,)
    labels : sequence of bool, (pairs,)
        Whether each pair is a paraphrase; both halves get the same share of them.
    seed : int
        Decides the halves.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        As `best_threshold`, and if fewer than two pairs are paraphrases, or fewer than two are none.

    Examples
    --------
    >>> held_out_accuracy([1, 2, 3, 4], [False, False, True, True])
    1.0
    """
    from sklearn.model_selection import StratifiedKFold

    values, truth = _labelled(similarities, labels)
    if min(truth.sum(), (~truth).sum()) < 2:
        raise ValueError(
            f"Of {len(truth)} pairs {truth.sum()} are paraphrases. For two halves with both kinds, two or more of each "
            "are needed: give more pairs."
        )
    right = 0
    for chosen_on, tested_on in StratifiedKFold(2, shuffle=True, random_state=seed).split(values, truth):
        threshold = best_threshold(values[chosen_on], truth[chosen_on])
        right += int(((values[tested_on] >= threshold) == truth[tested_on]).sum())
    return right / len(values)


def ahead(similarities: ArrayLike, others: ArrayLike, scores: ArrayLike) -> Interval:
    """Return how far one system's Spearman is ahead of another's, with a paired bootstrap interval.

    The same pairs are drawn for both systems, so that what makes a pair easy or hard for both cancels out.

    Parameters
    ----------
    similarities, others, scores : sequence of float, (pairs,)

    Returns
    -------
    bertlab.evidence.Interval
        At 95 %; it ``excludes_zero`` where the two differ by more than the choice of pairs explains. Its ends are nan
        where one grade, or one number of a system, is so common that samples of the pairs hold no other.

    Raises
    ------
    ValueError
        If there are fewer than `LEAST_PAIRS` pairs.

    Examples
    --------
    >>> ahead(range(12), range(12), range(12)).value
    0.0
    """

    def difference(one: np.ndarray, other: np.ndarray, grades: np.ndarray, axis: int = -1) -> np.ndarray:
        return spearman(one, grades, axis) - spearman(other, grades, axis)

    return _interval(similarities, others, scores, statistic=difference)


def compare_systems(
    systems: Mapping[str, ArrayLike], scores: ArrayLike, reference: str = "word overlap", cut: float = CUT
) -> "DataFrame":
    """Return a table of systems, all measured on the same pairs.

    Parameters
    ----------
    systems : dict of str to sequence of float
        Each system's numbers, (pairs,).
    scores : sequence of float, (pairs,)
        The grades.
    reference : str
        The system that the others are held against.
    cut : float
        From this grade on, a pair counts as a paraphrase.

    Returns
    -------
    pandas.DataFrame
        A row a system, in the order given: the four of `measure_system`, ``low`` and ``high`` of Spearman's 95 %
        bootstrap interval, ``ahead`` of the reference, with ``ahead low`` and ``ahead high``; nan where one is not
        defined, as the correlation of equal numbers (see `ahead`). ``attrs["majority"]`` is the accuracy of giving
        all pairs the commoner answer, ``attrs["pairs"]`` how many there are.

    Raises
    ------
    ValueError
        As `measure_system`, if there are fewer than `LEAST_PAIRS` pairs, and if the reference is none of the systems.
    """
    import pandas as pd

    if reference not in systems:
        raise ValueError(f"There is no system {reference!r} to compare with; there are {', '.join(systems)}.")
    rows = {
        name: _row(values, None if name == reference else systems[reference], scores, cut)
        for name, values in systems.items()
    }
    table = pd.DataFrame.from_dict(rows, orient="index").rename_axis("system")
    table.attrs |= _about(systems[reference], scores, cut)
    return table


def _about(given: ArrayLike, scores: ArrayLike, cut: float) -> dict[str, float]:
    """Return how many pairs there are, and the accuracy of giving all of them the commoner answer."""
    labels = _checked(given, scores, cut)[2]
    share = float(labels.mean())
    return {"pairs": len(labels), "majority": max(share, 1 - share)}


def _row(given: ArrayLike, reference: ArrayLike | None, scores: ArrayLike, cut: float) -> dict[str, float]:
    """Return one system's row of the table; what is not defined is nan."""
    values, grades, _ = _checked(given, scores, cut)
    found = measure_system(values, grades, cut)
    spread = difference = Interval(*[float("nan")] * 3)
    if not np.isnan(found["Spearman"]):
        spread = _interval(values, grades, statistic=spearman)
        if reference is not None and np.unique(np.asarray(reference)).size > 1:
            difference = ahead(values, reference, grades)
    named = {"ahead": difference.value, "ahead low": difference.low, "ahead high": difference.high}
    return found | {"low": spread.low, "high": spread.high} | named


def _interval(*columns: ArrayLike, statistic: Statistic) -> Interval:
    """Return a statistic's interval over pairs; quietly nan where a sample of them leaves it undefined."""
    pairs = len(np.asarray(columns[0]))
    _refuse_few(pairs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return interval(*columns, statistic=statistic)


def _refuse_few(pairs: int) -> None:
    """Refuse pairs that are too few for an interval."""
    if pairs < LEAST_PAIRS:
        raise ValueError(
            f"There are {pairs} pairs, and an interval over pairs takes {LEAST_PAIRS} or more. Give more pairs; "
            "measure_system(similarities, scores) does without intervals."
        )


def main(arguments: list[str] | None = None) -> int:
    """Measure a checkpoint on a file of pairs, and return the exit status.

    Parameters
    ----------
    arguments : list of str, optional
        By default those of the process.
    """
    parser = argparse.ArgumentParser(
        prog="python -m bertlab.paraphrase",
        description="How well do a BERT's sentence vectors follow what people said of pairs of sentences?",
    )
    parser.add_argument("checkpoint", help="a folder, a name of the Hugging Face Hub, or bertlab-mini")
    parser.add_argument("pairs", type=Path, nargs="?", help="a file of graded pairs; by default the lessons' own")
    parser.add_argument("--glove", type=Path, metavar="FILE", help="word vectors as text, measured as well")
    parser.add_argument("--layers", action="store_true", help="measure the mean after every layer as well")
    parser.add_argument("--cut", type=float, default=CUT, help="the grade from which on a pair is a paraphrase")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="write the table to a file, unrounded")
    parser.add_argument("--figure", type=Path, metavar="FILE", help="write a picture of the table to a PNG file")
    options = parser.parse_args(arguments)
    try:
        for path in filter(None, (options.csv, options.figure)):
            files.check(path)  # before anything slow
        table = _run(options)
        print(table.round(3).to_string(na_rep="", float_format="%.3f"))
        print(
            f"{table.attrs['pairs']} pairs; one answer for all would have an accuracy of {table.attrs['majority']:.3f}."
        )
        if options.csv:
            files.write(options.csv, table.to_csv())
        if options.figure:
            from bertlab.figures import plots
            from bertlab.paraphrase import figures as benchmark_plots

            figure = benchmark_plots.correlations(table).get_figure(root=True)
            files.write(options.figure, plots.png(figure))  # pyrefly: ignore[bad-argument-type]
    except (OSError, RuntimeError, TypeError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _run(options: argparse.Namespace) -> "DataFrame":
    """Return the table that the command line asks for."""
    from tqdm import tqdm

    from bertlab import load, untrained
    from bertlab.paraphrase import similarity as paraphrase

    pairs = paraphrase.read_pairs(options.pairs) if options.pairs else paraphrase.read_pairs()
    _checked(np.zeros(len(pairs)), pairs["score"], options.cut)  # before anything slow
    _refuse_few(len(pairs))
    bert = load(options.checkpoint)
    systems = {}
    for model in (bert, untrained(bert)):
        prefix = "" if model is bert else "untrained twin, "
        found = paraphrase.model_similarities(
            model,
            pairs,
            layers=options.layers and model is bert,
            progress=lambda batches, name=model.name: tqdm(batches, desc=name, unit="batch", file=sys.stderr),
        )
        systems |= {prefix + name: values for name, values in found.items()}
    systems |= paraphrase.baseline_similarities(pairs)
    if options.glove:
        systems["GloVe"] = paraphrase.glove_similarities(options.glove, pairs)
    return compare_systems(systems, pairs["score"], cut=options.cut)


def _labelled(similarities: ArrayLike, labels: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """Return similarities and labels as arrays, or refuse what has no threshold."""
    values, truth = np.asarray(similarities, dtype=float), np.asarray(labels)
    if values.ndim != 1 or values.shape != truth.shape:
        raise ValueError(
            f"There are similarities of shape {values.shape} for labels of shape {truth.shape}. Give each pair one of "
            "both."
        )
    if not np.isfinite(values).all():
        raise ValueError("A similarity is nan or infinite, and each pair needs a number. Leave the pair out.")
    if not np.isin(truth, (False, True)).all():
        raise ValueError("A label says whether a pair is a paraphrase: True or False, for example scores >= 4.")
    return values, truth.astype(bool)


def _checked(similarities: ArrayLike, scores: ArrayLike, cut: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return similarities, grades and labels as arrays, or refuse what cannot be measured."""
    values, grades = np.asarray(similarities, dtype=float), np.asarray(scores, dtype=float)
    if values.ndim != 1 or values.shape != grades.shape:
        raise ValueError(
            f"There are similarities of shape {values.shape} for grades of shape {grades.shape}. Give each pair one of "
            "both."
        )
    if not (np.isfinite(values).all() and np.isfinite(grades).all()):
        raise ValueError("A similarity or a grade is nan or infinite; each pair needs two numbers. Leave the pair out.")
    if not len(grades) or np.all(grades == grades[0]):
        raise ValueError("All pairs have the same grade, so there is no order that a system could follow.")
    labels = grades >= cut
    if min(labels.sum(), (~labels).sum()) < 2:
        raise ValueError(
            f"Of {len(labels)} pairs {labels.sum()} have a grade of {cut:g} or more. To tell paraphrases from others, "
            "two of each are needed: choose another cut, or give more pairs."
        )
    return values, grades, labels


if __name__ == "__main__":
    sys.exit(main())
