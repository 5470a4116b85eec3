"""Checkpoints side by side, beside several untrained twins; and whether one may take another's place.

Two models are compared on the same items, by the interval of their paired difference. Whether the last may replace an
earlier one is decided by a rule that was fixed before: better where a better BERT should be better, and nowhere worse.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from bertlab.bert.loading import Bert, untrained
from bertlab.evidence.intervals import Interval, spread
from bertlab.pretraining.corpus import Document
from bertlab.pretraining.evaluation import (
    ACCURACY,
    AGREEMENT,
    FACTS,
    FILL_MASK,
    GRAMMAR,
    LOSS,
    NEXT,
    OURS,
    SENSES,
    Measure,
    baseline,
    evaluate,
    pairs_key,
)

TWINS = 5
"""How many untrained twins, with the seeds 0, 1 and so on."""

GAIN = (LOSS, SENSES, GRAMMAR)
"""A model that takes another's place is better on these, and on the mean vectors of all graded pairs."""

HOLD = (ACCURACY, NEXT, AGREEMENT, FACTS, FILL_MASK)
"""And worse on none of those or these. The other measures describe a model; neither end of them is the better one."""

BETTER, OPEN, WORSE, LACKING = "better", "no difference shown", "worse", "not measured on the same items"


def compare_checkpoints(
    models: dict[str, Bert], held_out: Iterable[Document], pairs: str | Path | None = None, twins: int = TWINS
) -> tuple[pd.DataFrame, dict[str, pd.DataFrame]]:
    """Evaluate models side by side; the last is the one in question.

    Parameters
    ----------
    models
        Names and models; the untrained twins of the last are added in front.
    held_out, pairs
        As for `evaluate`.
    twins
        How many untrained twins.

    Returns
    -------
    table : pandas.DataFrame
        A row a measure: the mean of the untrained twins and their range, each model, the baseline; ``ahead of the best
        twin``, the difference of the last model from the twin that is best at this measure; and ``ahead of NAME``, that
        from each other model. Each cell is ``value [low, high]`` at 95 %. A difference is empty where the items are not
        the same: models with other vocabularies are asked for other pieces.
    tables : dict of str to pandas.DataFrame
        Those of `evaluate` for the last model, ``twin heads``, the heads of all twins, and for each other model
        ``decision: NAME``, see `decide`.
    """
    documents = list(held_out)
    *_, (name, bert) = models.items()
    measured = [evaluate(untrained(bert, seed), documents, pairs) for seed in range(twins)]
    untrained_ones = [found for found, _ in measured]
    columns: dict[str, dict[str, Measure]] = {}
    tables: dict[str, pd.DataFrame] = {}
    for each, model in models.items():
        columns[each], tables = evaluate(model, documents, pairs)
    tables["twin heads"] = pd.concat([parts["heads"] for _, parts in measured], ignore_index=True)
    simple, ours = baseline(bert, documents, pairs), columns[name]
    rows: list[dict[str, Any]] = []
    for key, value in ours.items():
        of_twins = [found[key] for found in untrained_ones]
        row = {"measure": key, f"{twins} untrained twins": str(spread([twin.value for twin in of_twins]))}
        row |= {each: str(found[key].figure) for each, found in columns.items() if key in found}
        row["simplest baseline"] = f"{simple[key][1].figure} ({simple[key][0]})" if key in simple else ""
        row["ahead of the best twin"] = str(value.ahead_of(best(of_twins)))
        for each in [each for each in columns if each != name]:
            difference = _ahead(ours, columns[each], key)
            row[f"ahead of {each}"] = "" if difference is None else str(difference)
        rows.append(row)
    for key in (key for key in simple if key not in ours):
        rows.append({"measure": key, "simplest baseline": str(simple[key][1].figure)})
    for each in [each for each in columns if each != name]:
        tables[f"decision: {each}"] = decide(ours, columns[each])
    return pd.DataFrame(rows).fillna(""), tables


def best(measures: Iterable[Measure]) -> Measure:
    """Return the one with the best figure."""
    return max(measures, key=lambda each: each.value if each.higher_is_better else -each.value)


def decide(new: dict[str, Measure], earlier: dict[str, Measure]) -> pd.DataFrame:
    """Say for each measure whether a model is better than an earlier one, and whether it may take its place.

    It may if it is better, by intervals above zero, on every measure of `GAIN` and on the mean vectors of two sets of
    graded pairs or more (our own and another), and worse, by an interval below zero, on none of these and of `HOLD`.

    Parameters
    ----------
    new, earlier
        As `evaluate` returns them, measured on the same texts and pairs.

    Returns
    -------
    pandas.DataFrame
        A row a measure that counts: ``measure``, ``difference``, ``low``, ``high`` (positive is better; not numbers
        where it cannot be compared), what is ``asked``, and the ``verdict``. ``attrs["replaces"]`` is the decision.
    """
    of_pairs = [key for key in new if key.startswith("pairs of ") and key.endswith(", mean")]
    others = [key for key in of_pairs if key != pairs_key(OURS, "mean")]
    gain = [*GAIN, pairs_key(OURS, "mean"), *(others or [pairs_key("another set", "mean")])]
    rows = []
    for key in [*gain, *HOLD]:
        found = _ahead(new, earlier, key)
        value, low, high = found or (float("nan"),) * 3
        verdict = LACKING if found is None else BETTER if low > 0 else WORSE if high < 0 else OPEN
        asked = "better" if key in gain else "not worse"
        rows.append((key, value, low, high, asked, verdict))
    table = pd.DataFrame(rows, columns=["measure", "difference", "low", "high", "asked", "verdict"])
    held = (table["asked"] == "not worse") & ~table["verdict"].isin([WORSE, LACKING])
    table.attrs["replaces"] = bool(((table["verdict"] == BETTER) | held).all())
    return table


def in_words(decision: pd.DataFrame, new: str, earlier: str) -> str:
    """Say in a few sentences what a table of `decide` shows."""
    verbs = {
        BETTER: "is better on",
        OPEN: "is shown to be neither better nor worse on",
        WORSE: "is worse on",
        LACKING: "could not be compared on",
    }
    said = []
    for verdict, verb in verbs.items():
        rows = decision[decision["verdict"] == verdict].to_dict("records")
        figures = ["" if verdict == LACKING else f" {Interval(r['difference'], r['low'], r['high'])}" for r in rows]
        if rows:
            listed = "; ".join(row["measure"] + figure for row, figure in zip(rows, figures, strict=True))
            said.append(f"{new} {verb}: {listed}.")
    asked = decision.loc[(decision["asked"] == "better") & (decision["verdict"] != BETTER), "measure"]
    lost = decision.loc[(decision["asked"] != "better") & decision["verdict"].isin([WORSE, LACKING]), "measure"]
    if decision.attrs["replaces"]:
        said.append(f"So it may take the place of {earlier}: better wherever that is asked, and nowhere worse.")
    else:
        said.append(f"So it may not take the place of {earlier}: {', '.join([*asked, *lost])} stood in the way.")
    return " ".join(said)


def _ahead(new: dict[str, Measure], earlier: dict[str, Measure], key: str) -> Interval | None:
    """Return by how much the new one is ahead at a measure, or None if not both were asked the same."""
    if key not in new or key not in earlier or new[key].items != earlier[key].items:
        return None
    return new[key].ahead_of(earlier[key])
