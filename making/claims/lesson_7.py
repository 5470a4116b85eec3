"""Lesson 7's claims once more, from its recorded runs: python making/claims/lesson_7.py.

A run of lesson 7 is a BERT of its own language, so its ten seeds are asked in place of a sibling.
"""

import numpy as np
import pandas as pd
from base import DATA
from scipy import stats

runs = pd.read_csv(DATA / "small_language_runs.csv")
left_out = pd.read_csv(DATA / "left_out_runs.csv")


def above(run: str, step: int) -> np.ndarray:
    """Return how far the runs of a setting end above the floor, in nats."""
    end = runs[(runs["run"] == run) & (runs["step"] == step)]
    return (end["loss"] - end["floor"]).to_numpy()


def report(name: str, values: np.ndarray, rival: float) -> None:
    """Print the mean and range of some seeds, and how far it is from a rival, with Student's interval."""
    low, high = stats.t.interval(0.95, len(values) - 1, values.mean(), stats.sem(values))
    p = stats.wilcoxon(values - rival).pvalue
    print(f"{name}: {values.mean():.3f} ({values.min():.2f} to {values.max():.2f}, {len(values)} seeds)")
    print(f"  beside {rival}: {values.mean() - rival:.2f}, {low - rival:.2f} to {high - rival:.2f}; p {p:.4f}")


report("1,400 steps, nats above the floor", above("lesson", 1400), 2.6)
whole, few = above("lesson", 700), above("3,000 sentences", 700)
low, high = stats.ttest_ind(few, whole, equal_var=False).confidence_interval()
more = few.mean() - whole.mean()
print(f"3,000 sentences: {few.mean():.3f} beside {whole.mean():.3f}; {more:.3f}, {low:.3f} to {high:.3f}")
without = left_out[left_out["text"] == "without them"]
report("young cat", without["young_cat"].to_numpy(), 0.89)
report("seen teacher", without["seen_teacher"].to_numpy(), 0.0)
print(f"smallest p of ten seeds: {2.0**-9:.2g}")
