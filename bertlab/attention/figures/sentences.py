"""What lesson 4 prints below two of its figures, in sentences made from the values."""

from typing import TYPE_CHECKING

from bertlab.evidence.controls import largest_p, listed

if TYPE_CHECKING:
    import pandas as pd


def missed_in_words(change: "pd.DataFrame") -> str:
    """Say without which head the loss rises most, and whether it is shown to rise more than without the second."""
    change = change.sort_values("change", ascending=False)
    first, *others = change.itertuples(index=False)
    said = f"without head {first.head} of layer {first.layer} the loss rises most, by {first.change:.2f} nats."
    if not others:
        return said
    luck = "more than luck" if change["ahead low"].iloc[0] > 0 else "not shown to be more than luck"
    second = f"Head {others[0].head} of layer {others[0].layer} comes second, with {others[0].change:.2f}"
    return f"{said} {second}; with zeros in their place the difference is {luck}."


def ahead_of_rule(relations: "pd.DataFrame") -> str:
    """Say in how many rows of `relation_accuracy` a head is ahead of the rule, and in which."""
    ahead = relations[(relations["p"] < 0.05) & (relations["ahead"] > 0)]
    names = [f"{row.relation} ({row.direction})" for row in ahead.itertuples()]
    if not names:
        return f"no head is shown to be ahead of the rule, in any of {len(relations)} rows."
    shown = f"a head is shown to be ahead of the rule in {len(names)} of {len(relations)} rows: {listed(names)}"
    return f"{shown} (paired test, {largest_p(ahead['p'])})."
