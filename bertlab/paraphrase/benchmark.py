"""Systems that score pairs of sentences, measured against people's grades (lesson 5)."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from bertlab.arguments import guarded, require_as_many, require_axes
from bertlab.evidence import interval, spearman

CUT = 4.0  # from this grade on, a pair counts as a paraphrase: "mean nearly the same" (Cer et al. 2017)
LEAST_PAIRS = 10  # with fewer, an interval over the pairs says nothing


@dataclass(frozen=True)
class Benchmark:
    """The table of `compare_systems`, the number of pairs, and the accuracy of one answer for all."""

    table: pd.DataFrame
    pairs: int
    majority: float


@guarded
def compare_systems(systems: Mapping[str, ArrayLike], scores: ArrayLike, cut: float = CUT) -> Benchmark:
    """Measure how well the scores of systems follow people's grades of the same pairs.

    Parameters
    ----------
    systems : dict of str to (pairs,)
        Each system's scores: the more similar the two sentences, the higher the score.
    scores : (pairs,)
        The grades.
    cut : float
        The lowest grade of a paraphrase.

    Returns
    -------
    Benchmark
        Its ``table`` has one row per system: the correlations with the grades, ``Spearman`` (with its 95 % bootstrap
        interval, ``low`` to ``high``) and ``Pearson``; ``accuracy``, the share of pairs classified correctly as
        paraphrase or not, each half with the best threshold of the other half; and ``AUC``, the area under the ROC
        curve. An undefined value is nan.

    Examples
    --------
    >>> grades = [0, 1, 1, 2, 2, 3, 4, 4, 5, 5]
    >>> systems = {"word overlap": [0.1, 0.5, 0.2, 0.9, 0.3, 0.8, 0.4, 0.6, 0.5, 0.7], "grades": grades}
    >>> compare_systems(systems, grades).table["Spearman"].round(2).tolist()
    [0.5, 1.0]
    """
    from scipy.stats import pearsonr
    from sklearn.metrics import roc_auc_score

    grades, labels = np.asarray(scores, dtype=float), paraphrases(scores, cut)
    given = {name: np.asarray(values, dtype=float) for name, values in systems.items()}
    require_axes("pairs", **given)
    require_as_many(scores=grades, **given)
    rows = {}
    for name, values in given.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # of numbers that are all equal, which have no order
            ranks, low, high = interval(values, grades, statistic=spearman)
            linear = pearsonr(values, grades).statistic
        rows[name] = {"Spearman": ranks, "Pearson": linear, "accuracy": held_out_accuracy(values, labels)}
        rows[name] |= {"AUC": roc_auc_score(labels, values), "low": low, "high": high}
    share = float(labels.mean())
    table = pd.DataFrame.from_dict(rows, orient="index").rename_axis("system")
    return Benchmark(table, len(labels), max(share, 1 - share))


def best_threshold(values: np.ndarray, labels: np.ndarray) -> float:
    """Return the lowest of the thresholds that classify most pairs correctly; a paraphrase reaches the threshold."""
    levels = np.unique(values)
    thresholds = [-np.inf, *(levels[1:] + levels[:-1]) / 2, np.inf]
    return float(max(thresholds, key=lambda threshold: ((values >= threshold) == labels).sum()))


def held_out_accuracy(values: np.ndarray, labels: np.ndarray) -> float:
    """Return the share of pairs classified correctly, each half with the best threshold of the other half."""
    from sklearn.model_selection import StratifiedKFold

    right = 0
    for practice, test in StratifiedKFold(2, shuffle=True, random_state=0).split(values, labels):
        threshold = best_threshold(values[practice], labels[practice])
        right += int(((values[test] >= threshold) == labels[test]).sum())
    return right / len(values)


def paraphrases(scores: ArrayLike, cut: float = CUT) -> np.ndarray:
    """Return which pairs are paraphrases, (pairs,); refuse pairs that are too few or too one-sided to measure on."""
    labels = np.atleast_1d(scores).astype(float) >= cut
    rarer = min(labels.sum(), (~labels).sum())
    if len(labels) < LEAST_PAIRS or rarer < 2:
        raise ValueError(
            f"Of {len(labels)} pairs {labels.sum()} have a grade of {cut:g} or more. For intervals over the pairs "
            f"{LEAST_PAIRS} of them are needed, and to tell paraphrases from others two of each: give more pairs. The "
            "command line takes another cut, too (--cut 3)."
        )
    return labels
