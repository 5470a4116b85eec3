"""Ways to score pairs of sentences, measured against what people said of them (lesson 5).

A *system* is anything that gives each pair a number: a pooling of a BERT, a layer, a count of common words. Four
measures compare these numbers with the grades, and a bootstrap over the pairs says how sure each is.
"""

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from bertlab.evidence import williams
from bertlab.evidence.controls import holm
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
    similarities : (pairs,)
        The higher, the more alike, on any scale.
    scores : (pairs,)
        The grades.
    cut
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
    values = _checked(similarities, np.asarray(scores, dtype=float))
    grades = checked_grades(scores, cut)
    return _measures(values, grades, grades >= cut)


def best_threshold(similarities: ArrayLike, labels: ArrayLike) -> float:
    """Return the threshold with the most right answers, if pairs from it upwards count as paraphrases.

    Parameters
    ----------
    similarities : (pairs,)
    labels : (pairs,)
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
    similarities : (pairs,)
    labels : (pairs,)
        Whether each pair is a paraphrase; both halves get the same share of them.
    seed
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
    similarities, others, scores : (pairs,)

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
    systems
        Each system's numbers, (pairs,).
    scores : (pairs,)
        The grades.
    reference
        The system that the others are held against.
    cut
        From this grade on, a pair counts as a paraphrase.

    Returns
    -------
    pandas.DataFrame
        A row a system, in the order given: the four of `measure_system`, ``low`` and ``high`` of Spearman's 95 %
        bootstrap interval, ``ahead`` of the reference, with ``ahead low`` and ``ahead high``; nan where one is not
        defined, as the correlation of equal numbers (see `ahead`). ``p`` is of Williams' test that the two correlations
        differ, corrected for the number of systems (Holm 1979). ``attrs["majority"]`` is the accuracy of giving
        all pairs the commoner answer, ``attrs["pairs"]`` how many there are, ``attrs["reference"]`` its name.

    Raises
    ------
    ValueError
        As `measure_system`, if there are fewer than `LEAST_PAIRS` pairs, and if the reference is none of the systems.
    """
    import pandas as pd

    if reference not in systems:
        raise ValueError(f"There is no system {reference!r} to compare with; there are {', '.join(systems)}.")
    refuse_few(len(grades := checked_grades(scores, cut)))
    labels = grades >= cut
    checked = {name: _checked(values, grades) for name, values in systems.items()}
    rows = {}
    for name, values in checked.items():
        rows[name] = _measures(values, grades, labels)
        spread = difference = Interval(*[float("nan")] * 3)
        p = float("nan")
        if not _flat(values):
            spread = _interval(values, grades, statistic=spearman)
            if name != reference and not _flat(checked[reference]):
                difference = ahead(values, checked[reference], grades)
                p = williams(values, checked[reference], grades)
        rows[name] |= {"low": spread.low, "high": spread.high}
        rows[name] |= dict(zip(("ahead", "ahead low", "ahead high", "p"), (*difference, p), strict=True))
    table = pd.DataFrame.from_dict(rows, orient="index").rename_axis("system")
    tested = table["p"].notna()
    table.loc[tested, "p"] = holm(table.loc[tested, "p"])
    share = float(labels.mean())
    table.attrs |= {"pairs": len(labels), "majority": max(share, 1 - share), "reference": reference}
    return table


def checked_grades(scores: ArrayLike, cut: float = CUT) -> np.ndarray:
    """Return grades as an array, or refuse those on which nothing can be measured.

    Parameters
    ----------
    scores : (pairs,)
    cut
        From this grade on, a pair counts as a paraphrase.

    Returns
    -------
    numpy.ndarray, (pairs,)

    Raises
    ------
    ValueError
        If a grade is missing, all are the same, or fewer than two pairs lie on one side of the cut.
    """
    grades = np.asarray(scores, dtype=float)
    if not np.isfinite(grades).all():
        raise ValueError("A grade is nan or infinite, and each pair needs a number. Leave the pair out.")
    if grades.ndim != 1:
        raise ValueError(
            f"Each pair has one grade, and these are numbers of shape {grades.shape}. Give a list of them."
        )
    if not len(grades) or np.all(grades == grades[0]):
        raise ValueError("All pairs have the same grade, so there is no order that a system could follow.")
    paraphrases = (grades >= cut).sum()
    if min(paraphrases, len(grades) - paraphrases) < 2:
        raise ValueError(
            f"Of {len(grades)} pairs {paraphrases} have a grade of {cut:g} or more. To tell paraphrases from others, "
            "two of each are needed: choose another cut, or give more pairs."
        )
    return grades


def refuse_few(pairs: int) -> None:
    """Refuse pairs that are too few for an interval."""
    if pairs < LEAST_PAIRS:
        raise ValueError(
            f"There are {pairs} pairs, and an interval over pairs takes {LEAST_PAIRS} or more. Give more pairs; "
            "measure_system(similarities, scores) does without intervals."
        )


def _measures(values: np.ndarray, grades: np.ndarray, labels: np.ndarray) -> dict[str, float]:
    """Return how well numbers follow grades; what is not defined is nan."""
    from scipy.stats import pearsonr
    from sklearn.metrics import roc_auc_score

    flat = _flat(values)
    return {
        "Spearman": float("nan") if flat else float(spearman(values, grades)),
        "Pearson": float("nan") if flat else float(pearsonr(values, grades).statistic),
        "accuracy": held_out_accuracy(values, labels),
        "AUC": float(roc_auc_score(labels, values)),
    }


def _flat(values: np.ndarray) -> bool:
    """Return whether all pairs have the same number, which has no order."""
    return bool(np.all(values == values[0]))


def _interval(*columns: ArrayLike, statistic: Statistic) -> Interval:
    """Return a statistic's interval over pairs; quietly nan where a sample of them leaves it undefined."""
    pairs = len(np.asarray(columns[0]))
    refuse_few(pairs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return interval(*columns, statistic=statistic)


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


def _checked(similarities: ArrayLike, grades: np.ndarray) -> np.ndarray:
    """Return a system's numbers as an array, or refuse what cannot be measured."""
    values = np.asarray(similarities, dtype=float)
    if values.shape != grades.shape:
        raise ValueError(
            f"There are similarities of shape {values.shape} for grades of shape {grades.shape}. Give each pair one of "
            "both."
        )
    if not np.isfinite(values).all():
        raise ValueError("A similarity is nan or infinite, and each pair needs a number. Leave the pair out.")
    return values
