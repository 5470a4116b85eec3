"""Watch it learn: the same measures at many points of a run, as one small table.

Every snapshot of the run is measured on the same items. The table ships with the model, so that a lesson can show
when heads for neighbours appear, and what the loss does at that moment, without training anything.
"""

from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from bertlab.bert.loading import load
from bertlab.pretraining.evaluation import measure
from bertlab.pretraining.probes import top_words
from bertlab.pretraining.reports import read_log
from bertlab.pretraining.text import Document

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


def watch_it_learn(run: str | Path, held_out: Iterable[Document]) -> pd.DataFrame:
    """Measure every snapshot of a run and its final model.

    Returns
    -------
    pandas.DataFrame
        A row a snapshot: ``step``, ``pieces`` read so far (millions), the measures under the names in `NAMES`,
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
        raise FileNotFoundError(f"{run} holds no snapshots")
    points = [(int(folder.name.removeprefix("step-")), folder) for folder in folders]
    if (run / "final").is_dir():
        points.append((reports[-1]["step"], run / "final"))
    rows = []
    for step, folder in points:
        bert = load(folder)
        measures, tables = measure(bert, documents)
        pieces = max((line["pieces"] for line in reports if line["step"] <= step), default=0)
        words = " ".join(word for word, _ in top_words(bert, [CAT], 3)[0])
        row = {"step": step, "millions_of_pieces": round(pieces / 1e6, 2)}
        row |= {short: round(measures[name].statistic(*measures[name].columns), 3) for name, short in NAMES.items()}
        rows.append(row | {"dead_layers": len(tables["heads"].attrs["dead layers"]), "the_mat": words})
    return pd.DataFrame(rows).drop_duplicates("step", keep="last")
