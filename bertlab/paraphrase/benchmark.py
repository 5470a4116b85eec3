"""Systems, which give each pair of sentences a number, measured against what people said of them (lesson 5)."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from bertlab.bert.arguments import require_finite
from bertlab.evidence import Interval, holm, interval, spearman, williams

if TYPE_CHECKING:
    from pandas import DataFrame

CUT = 4.0  # from this grade on, a pair counts as a paraphrase: "mean nearly the same" (Cer et al. 2017)
MEASURES = ["Spearman", "Pearson", "accuracy", "AUC", "low", "high", "ahead", "ahead low", "ahead high", "p"]
LEAST_PAIRS = 10  # with fewer, an interval over the pairs says nothing


@dataclass(frozen=True)
class Benchmark:
    """Systems measured on the same pairs: the table, and what its numbers are held against."""

    table: "DataFrame"
    pairs: int
    majority: float  # the accuracy of giving all pairs the commoner answer
    reference: str


def compare_systems(
    systems: Mapping[str, ArrayLike], scores: ArrayLike, reference: str = "word overlap", cut: float = CUT
) -> Benchmark:
    """Measure systems, numbers that are the higher the more alike a pair is, and hold each against the `reference`.

    Returns
    -------
    Benchmark
        Its ``table`` has a row a system: ``Spearman`` and ``Pearson`` correlation with the grades; ``accuracy`` at
        telling paraphrases (from the grade `cut` on) from others, each half of the pairs with the threshold that is
        best on the other half; ``AUC``; ``low`` and ``high`` of Spearman's 95 % bootstrap interval; ``ahead`` of the
        reference, with ``ahead low`` and ``ahead high``, and ``p`` of Williams' test of that, corrected for the number
        of systems (Holm 1979). What is not defined, as the correlation of equal numbers, is nan.
    """
    import pandas as pd
    from scipy.stats import pearsonr
    from sklearn.metrics import roc_auc_score

    grades, labels = np.asarray(scores, dtype=float), paraphrases(scores, cut)
    numbers = {name: np.asarray(values, dtype=float) for name, values in systems.items()}
    other = numbers[reference]
    rows = {}
    for name, values in numbers.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # of numbers that are all equal, which have no order
            ranks, low, high = interval(values, grades, statistic=spearman)
            linear = pearsonr(values, grades).statistic
        rows[name] = {"Spearman": ranks, "Pearson": linear, "accuracy": held_out_accuracy(values, labels)}
        rows[name] |= {"AUC": roc_auc_score(labels, values), "low": low, "high": high}
        if name != reference:
            rows[name] |= dict(zip(("ahead", "ahead low", "ahead high"), ahead(values, other, grades), strict=True))
            rows[name]["p"] = williams(values, other, grades)
    table = pd.DataFrame.from_dict(rows, orient="index").reindex(columns=MEASURES).rename_axis("system")
    tested = table["p"].notna()
    table.loc[tested, "p"] = holm(table.loc[tested, "p"])
    share = float(labels.mean())
    return Benchmark(table, len(labels), max(share, 1 - share), reference)


def ahead(similarities: ArrayLike, others: ArrayLike, scores: ArrayLike) -> Interval:
    """Return how far one system's Spearman is ahead of another's, with a paired bootstrap interval, all (pairs,).

    The same pairs are drawn for both systems, so that what makes a pair easy or hard for both cancels out. The ends are
    nan where one grade, or one number of a system, is so common that samples of the pairs hold no other.
    """

    def difference(own: np.ndarray, other: np.ndarray, grades: np.ndarray, axis: int = -1) -> np.ndarray:
        return spearman(own, grades, axis) - spearman(other, grades, axis)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return interval(similarities, others, scores, statistic=difference)


def best_threshold(values: np.ndarray, labels: np.ndarray) -> float:
    """Return the lowest threshold with the most right answers, if pairs from it upwards count as paraphrases."""
    levels = np.unique(values)
    tried = [-np.inf, *(levels[1:] + levels[:-1]) / 2, np.inf]
    right = [((values >= threshold) == labels).sum() for threshold in tried]
    return float(tried[int(np.argmax(right))])


def held_out_accuracy(values: np.ndarray, labels: np.ndarray) -> float:
    """Return the share of right answers, each half of the pairs with the threshold that is best on the other half."""
    from sklearn.model_selection import StratifiedKFold

    right = 0
    for chosen_on, tested_on in StratifiedKFold(2, shuffle=True, random_state=0).split(values, labels):
        threshold = best_threshold(values[chosen_on], labels[chosen_on])
        right += int(((values[tested_on] >= threshold) == labels[tested_on]).sum())
    return right / len(values)


def paraphrases(scores: ArrayLike, cut: float = CUT) -> np.ndarray:
    """Return which pairs count as paraphrases, (pairs,), or refuse pairs on which nothing can be measured."""
    require_finite(scores=scores)
    labels = np.asarray(scores, dtype=float) >= cut
    rarer = min(labels.sum(), (~labels).sum())
    if len(labels) < LEAST_PAIRS or rarer < 2:
        raise ValueError(
            f"Of {len(labels)} pairs {labels.sum()} have a grade of {cut:g} or more. For intervals over the pairs "
            f"{LEAST_PAIRS} of them are needed, and to tell paraphrases from others two of each: give more pairs. The "
            "command line takes another cut, too (--cut 3)."
        )
    return labels
