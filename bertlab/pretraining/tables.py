"""What lesson 7 reads off the tables of recorded runs, and how it prints rounded ones."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd


def what_comes_at_once(runs: "pd.DataFrame") -> tuple[str, str]:
    """Return which of two things comes within 100 steps, from a quarter to three quarters of the way, and a sentence.

    The way begins at what word frequencies alone would give; the middle one of the runs counts.
    """
    took = {}
    for name, column in {"agreement": "agrees", "who barks": "fits"}.items():
        alone = runs[f"{column}_frequencies"]
        way = (runs[column] - alone) / (1 - alone)
        far = float("inf")  # for who never comes there
        quarter, most = (runs["step"].where(way >= mark, far).groupby(runs["seed"]).min() for mark in (0.25, 0.75))
        took[name] = (most - quarter).fillna(far).median()
    at_once = " and ".join(name for name, steps in took.items() if steps < 100) or "neither"
    steps_taken = "; ".join(f"{name}, {steps:,.0f} steps" for name, steps in took.items())
    return at_once, f"from a quarter to three quarters of the way: {steps_taken} (middle one of ten runs)."


def what_is_expected(runs: "pd.DataFrame") -> tuple[str, str]:
    """Return which of two things left out of the text gets half of what the rules give in most runs, and a sentence."""
    without = runs[runs["text"] == "without them"]
    counts = {name: int((without[name.replace(" ", "_")] >= 0.5).sum()) for name in ("young cat", "seen teacher")}
    most = [name for name, count in counts.items() if count > 5]
    answer = {0: "neither", 1: "".join(most), 2: "both"}[len(most)]
    return answer, f"{', '.join(f'{name} in {count}' for name, count in counts.items())} of 10 runs."


def one_digit(table: "pd.DataFrame") -> "pd.DataFrame":
    """Return the numbers of a table as text, rounded to one digit."""
    return table.map(lambda number: f"{float(f'{number:.0e}'):,.0f}")
