"""What lesson 4 prints below two of its tables, in sentences made from the values."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd


def patterns_in_words(beside: "Sequence[pd.DataFrame]") -> str:
    """Say which patterns are clearer than in each twin, and which large, from a table of `clearest_heads` a twin."""
    patterns, large = beside[0]["pattern"], beside[0]["weight"] > 0.5
    beyond = np.all([table["difference low"] > 0 for table in beside], axis=0)
    lines = {
        "beyond every twin's clearest head, by an interval each": beyond,
        "large, more than half of a head's weight": large,
        "beyond the twins, and yet not large": beyond & ~large,
    }
    return "\n".join(f"{what}: {', '.join(patterns[which]) or 'none'}" for what, which in lines.items())


def missed_head_in_words(change: "pd.DataFrame", measured: "pd.DataFrame", patterns: Sequence[str]) -> str:
    """Say at what the head that is missed most looks, and how far each clear "previous" head is missed."""
    heads = measured.set_index(["layer", "head"])
    layer, head = (int(change[name].iloc[0]) for name in ("layer", "head"))
    weights = heads.loc[(layer, head), list(patterns)]
    alike = change.merge(measured[measured["previous"] > 0.5], on=["layer", "head"])
    missed = [f"{row.change:.2f} (head {row.head} of layer {row.layer})" for row in alike.itertuples()]
    return "\n".join(
        [
            f"missed most: head {head} of layer {layer}; of {', '.join(patterns)} it looks most at "
            f"{weights.idxmax()!r}, with {weights.max():.2f}",
            f"(a uniform head would have {measured['uniform previous'][0]:.2f})",
            "rises without those that give the piece before more than half of their weight:",
            ", ".join(missed) or "none",
        ]
    )
