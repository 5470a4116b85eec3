"""The section of a model card with what the model measures: written with the card, or anew when its run is gone."""

import re
from pathlib import Path

import numpy as np
import pandas as pd

from bertlab.data import files
from bertlab.pretraining.comparison import TWINS, in_words
from bertlab.pretraining.reports import CLEAR

MEASURES, LEARNT = "## What it measures", "### Watch it learn"
"""The headings between which a card says what its model measures."""


def renew_measures(folder: str | Path, comparison: pd.DataFrame, tables: dict[str, pd.DataFrame]) -> Path:
    """Write what is measured anew into the card of a model whose run is no longer at hand; return the card's path.

    All else in the card stays as it is: what the model read, how it was trained, what it learnt when.

    Parameters
    ----------
    folder
        The model's, with its card.
    comparison, tables
        As `bertlab.pretraining.comparison.compare_checkpoints` returns them.

    Raises
    ------
    ValueError
        If the card has not one section of measures, followed by what was learnt when.
    """
    card = Path(folder) / "README.md"
    text = card.read_text(encoding="utf-8")
    parts = re.split(rf"^(?={MEASURES}$|{LEARNT}$)", text, flags=re.MULTILINE)
    if [part.splitlines()[0] for part in parts[1:]] != [MEASURES, LEARNT]:
        raise ValueError(
            f"{card} has not the headings {MEASURES!r} and {LEARNT!r}, once and in this order: put them where the "
            "measures shall stand, or write the card whole with `card`"
        )
    before, _, after = parts
    files.write(card, f"{before}{section(comparison, tables)}\n\n{after}")
    return card


def section(comparison: pd.DataFrame, tables: dict[str, pd.DataFrame]) -> str:
    """Return the section of a card that says what its model measures, in Markdown.

    Parameters
    ----------
    comparison, tables
        As `bertlab.pretraining.comparison.compare_checkpoints` returns them.
    """
    heads = tables["heads"]
    return _TEMPLATE.format(
        comparison=markdown(comparison),
        frequency=markdown(tables["frequency"].astype({"loss": float, "accuracy": float}).round(2)),
        senses=markdown(tables["senses"].round(2)),
        clear="; ".join(f"{name}: {heads.attrs[name]}" for name in CLEAR),
        dead=", ".join(str(layer) for layer in heads.attrs["dead layers"]) or "none",
        special=markdown(_special(heads, tables["twin heads"])),
        twins=TWINS,
        decisions=_decisions(tables),
        words=markdown(tables["words"][["sentence", "first"]]),
    ).strip()


def markdown(table: pd.DataFrame) -> str:
    """Return a table in Markdown."""
    rows = [[str(value) for value in row] for row in table.itertuples(index=False)]
    lines = [list(map(str, table.columns)), ["---"] * table.shape[1], *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def _special(heads: pd.DataFrame, twin_heads: pd.DataFrame) -> pd.DataFrame:
    """Return by layer the smallest and largest share of a head's attention on special tokens, beside the twins."""
    ours, twin = heads.groupby("layer"), twin_heads.groupby("layer")
    return pd.DataFrame(
        {
            "layer": np.arange(ours.ngroups),
            "least of its heads": ours["special"].min().round(2).to_numpy(),
            "most": ours["special"].max().round(2).to_numpy(),
            "untrained twins, most": twin["special"].max().round(2).to_numpy(),
            "uniform": ours["uniform special"].mean().round(2).to_numpy(),
            "entropy (nats), least": ours["entropy"].min().round(2).to_numpy(),
            "untrained twins, least": twin["entropy"].min().round(2).to_numpy(),
        }
    )


def _decisions(tables: dict[str, pd.DataFrame]) -> str:
    """Return in words whether the model may take the place of each other one."""
    found = {name.removeprefix("decision: "): table for name, table in tables.items() if name.startswith("decision: ")}
    said = [in_words(table, "This checkpoint", name) for name, table in found.items()]
    return "\n\n".join(["", *said, ""]) if said else ""


_TEMPLATE = (Path(__file__).parent / "card_measures.md").read_text(encoding="utf-8")
