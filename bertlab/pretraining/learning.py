"""What a model had learnt when: every snapshot of its run, measured on the same items.

The table ships with the model, so that a lesson can show when heads for neighbours appear, and what the loss does at
that moment, without training anything. A run that began with a model's weights goes on where that model's table ends.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from bertlab.bert.loading import load
from bertlab.masking import fill_mask
from bertlab.pretraining.corpus import Document
from bertlab.pretraining.evaluation import evaluate
from bertlab.pretraining.reports import CLEAR, EARLIER, read_log

NAMES = {
    "masked words, held-out loss (nats)": "held_out_loss",
    "masked words, accuracy": "held_out_accuracy",
    "next sentence, accuracy": "next_sentence_accuracy",
    "senses, leave-one-out accuracy": "sense_accuracy",
    "fill-mask: a sensible word in the first five": "sensible_words",
    "clearest head: previous": "previous_head",
    "clearest head: next": "next_head",
    "clearest head: same piece": "same_piece_head",
    "clearest head: special": "special_head",
}
CAT = "The [MASK] sat on the mat."

ROUNDING = 0.0015
"""Nats: the tables have three decimals."""


@dataclass(frozen=True)
class Beginning:
    """Where a run began that began with a model's weights.

    Parameters
    ----------
    steps, pieces
        How many steps that model had taken and how many pieces it had read; 0 if no table says so.
    loss_then, loss_now
        Held-out loss of these weights (nats): as that model's table has it, and as measured with this run.
    """

    steps: int = 0
    pieces: float = 0.0
    loss_then: float = float("nan")
    loss_now: float = float("nan")

    @property
    def known(self) -> bool:
        """Whether a table says what that model had learnt when."""
        return self.steps > 0

    @property
    def moved(self) -> bool:
        """Whether the same weights have another loss now: then the held-out text is not the same."""
        return abs(self.loss_then - self.loss_now) > ROUNDING


def beginning(run: str | Path, learning: pd.DataFrame) -> Beginning | None:
    """Return where a run began, or None if it began with random weights; `learning` is its `watch_it_learn`."""
    earlier = _earlier(run)
    if earlier is None:
        return None
    if earlier.empty:
        return Beginning()
    last, first = earlier.iloc[-1], learning.iloc[0]
    now = float(first["held_out_loss"]) if first["step"] == 0 else float("nan")
    return Beginning(int(last["step"]), 1e6 * float(last["millions_of_pieces"]), float(last["held_out_loss"]), now)


def with_earlier(run: str | Path, learning: pd.DataFrame) -> pd.DataFrame:
    """Return what was learnt when, from the earlier model's first step on, steps and pieces added up.

    The step at which the run began stands once, as measured with this run. The columns are those of `watch_it_learn`.
    """
    earlier = _earlier(run)
    if earlier is None or earlier.empty:
        return learning
    last = earlier.iloc[-1]
    moved = learning.assign(
        step=learning["step"] + int(last["step"]),
        millions_of_pieces=(learning["millions_of_pieces"] + float(last["millions_of_pieces"])).round(2),
    )
    both = pd.concat([earlier, moved], ignore_index=True)[list(learning.columns)]
    return both.drop_duplicates("step", keep="last", ignore_index=True)


def watch_it_learn(run: str | Path, held_out: Iterable[Document]) -> pd.DataFrame:
    """Measure every snapshot of a run and its final model.

    Returns
    -------
    pandas.DataFrame
        A row a snapshot: ``step``, ``millions_of_pieces`` read so far, the measures under the names in `NAMES`,
        ``dead_layers``, and ``the_mat``, the first three words for "The [MASK] sat on the mat."

    Raises
    ------
    FileNotFoundError
        If the folder holds no snapshot.
    """
    run, documents = Path(run), list(held_out)
    reports = [line for line in read_log(run / "metrics.jsonl") if "pieces" in line]
    folders = sorted((run / "snapshots").glob("step-*"))
    if not folders:
        raise FileNotFoundError(f"{run} holds no snapshots: give the folder that `train` wrote, with snapshots/ in it")
    points = [(int(folder.name.removeprefix("step-")), folder) for folder in folders]
    if (run / "final").is_dir():
        points.append((reports[-1]["step"], run / "final"))
    rows = []
    for step, folder in points:
        bert = load(folder)
        measures, tables = evaluate(bert, documents)
        pieces = max((line["pieces"] for line in reports if line["step"] <= step), default=0)
        words = " ".join(fill_mask(bert, CAT, 3)["piece"])
        row = {"step": step, "millions_of_pieces": round(pieces / 1e6, 2)}
        row |= {short: round(measures[name].value, 3) for name, short in NAMES.items()}
        rows.append(row | {"dead_layers": len(tables["heads"].attrs["dead layers"]), "the_mat": words})
    return pd.DataFrame(rows).drop_duplicates("step", keep="last")


def plot_learning(learning: pd.DataFrame, begun: Beginning | None = None) -> Figure:
    """Draw the held-out loss and the clearest heads over the pieces read, and a line where the run began."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained")
    left.plot(learning["millions_of_pieces"], learning["held_out_loss"], marker=".", color="C0")
    left.set(xlabel="millions of pieces read", ylabel="nats", title="Masked words, held-out loss")
    drawn = {"the previous piece": "-", "the next piece": "--", "the same piece": ":", "[CLS] and [SEP]": "-."}
    for (label, style), pattern in zip(drawn.items(), CLEAR, strict=True):
        name = NAMES[f"clearest head: {pattern}"]
        right.plot(learning["millions_of_pieces"], learning[name], style, marker=".", label=label)
    right.set(
        xlabel="millions of pieces read", ylabel="share of attention", title="The clearest head for...", ylim=(0, 1)
    )
    right.legend(loc="lower right", bbox_to_anchor=(1, 0.1))
    if begun is not None and begun.known:
        for ax in (left, right):
            ax.axvline(begun.pieces / 1e6, color="0.4", linestyle=":", linewidth=1)
        left.annotate(
            "begun again",
            (begun.pieces / 1e6, 0.95),
            xytext=(4, 0),
            textcoords="offset points",
            xycoords=("data", "axes fraction"),
            va="top",
        )
    return figure


def _earlier(run: str | Path) -> pd.DataFrame | None:
    """Return the table of the model that a run began with, or None if it began with random weights."""
    path = Path(run) / EARLIER
    return pd.read_csv(path, keep_default_na=False) if path.is_file() else None
