"""Lesson 7's claims once more, from its recorded runs: python making/claims/lesson_7.py.

A run of lesson 7 is a BERT of its own language, so its ten seeds are asked in place of a sibling.
"""

import numpy as np
import pandas as pd
from base import DATA
from scipy import stats

left_out = pd.read_csv(DATA / "left_out_runs.csv")


def report(name: str, values: np.ndarray, rival: float) -> None:
    """Print the mean and range of some seeds, and how far it is from a rival, with Student's interval."""
    low, high = stats.t.interval(0.95, len(values) - 1, values.mean(), stats.sem(values))
    p = stats.wilcoxon(values - rival).pvalue
    print(f"{name}: {values.mean():.3f} ({values.min():.2f} to {values.max():.2f}, {len(values)} seeds)")
    print(f"  beside {rival}: {values.mean() - rival:.2f}, {low - rival:.2f} to {high - rival:.2f}; p {p:.4f}")


without = left_out[left_out["text"] == "without them"]
report("young cat", without["young_cat"].to_numpy(), 0.89)
report("seen teacher", without["seen_teacher"].to_numpy(), 0.0)
print(f"smallest p of ten seeds: {2.0**-9:.2g}")
