"""What a run says of itself: lines of its log ``metrics.jsonl``, and what each attention head looks at.

Losses and speed come every few dozen steps, the loss on held-out text and the state of the heads now and then.

The measure of heads is that of `bertlab.attention.patterns`, on the batches of training, with two differences that
every log of a run shares: only pieces of words look ([MASK] and [UNK] are looked at), and [CLS] counts as the piece
before the first one, [SEP] as the one after the last. A head that looks at [CLS] and [SEP] alone does nothing; a layer
of such heads is dead, and a recipe that makes one is wrong, whatever its loss.
"""

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from torch import Tensor
from transformers import BertForPreTraining

from bertlab.attention.heads import table, tally
from bertlab.attention.patterns import piece_patterns
from bertlab.pretraining.instances import Batch, InstanceMaker
from bertlab.pretraining.network import predict, tensors
from bertlab.pretraining.vocabulary import CLS, FIRST_WORD, SEP

PATTERNS = ("special", "previous", "next", "same piece", "entropy")
CLEAR = ("previous", "next", "same piece", "special")
"""Patterns of which a clear head is looked for."""

LEARNING = "watch-it-learn.csv"
"""The table of a run's snapshots, in the model's folder."""
EARLIER = "earlier-" + LEARNING
"""That of the model which a run began with, in the run's folder; a run that began with random weights has none."""
UNKNOWN = "step,millions_of_pieces\n"
"""What stands there if that model had no such table."""

DEAD = 0.9
HELD_OUT_SEED, HELD_OUT_ROWS, HEAD_ROWS = 12345, 128, 32


@dataclass
class Meter:
    """Sums since the last line of the log."""

    words: float = 0.0
    masked: int = 0
    pairs: float = 0.0
    paired: int = 0
    pieces: int = 0
    since: float = field(default_factory=time.perf_counter)

    def add(self, words: float, pairs: float, batch: Batch) -> None:
        """Add a step: its summed losses, in nats, and what its batch asked for."""
        self.words += words
        self.pairs += pairs
        self.masked += batch.masked
        self.paired += batch.paired
        self.pieces += batch.pieces


def progress_line(meter: Meter, step: int, pieces: int, share: float) -> dict[str, float]:
    """Return a line for the log.

    Parameters
    ----------
    meter
        The sums since the last line.
    step, pieces
        Of the whole run so far.
    share
        The step size of the last step, as a share of the largest.
    """
    return {
        "step": step,
        "pieces": pieces,
        "loss": round(meter.words / max(1, meter.masked), 4),
        "next sentence loss": round(meter.pairs / max(1, meter.paired), 4),
        "share of step size": round(share, 4),
        "pieces a second": round(meter.pieces / (time.perf_counter() - meter.since)),
        "time": round(time.time()),
    }


def held_out_line(bert: BertForPreTraining, maker: InstanceMaker) -> dict[str, float]:
    """Return losses, accuracy and a summary of the heads on a fixed sample of held-out pairs."""
    kind = next((kind for kind in maker.recipe.kinds if kind.pair), maker.recipe.kinds[0])
    batch = maker.draw(kind, np.random.default_rng(HELD_OUT_SEED), HELD_OUT_ROWS)
    found = predict(bert, batch)
    paired = found.next_correct[~np.isnan(found.next_correct)]
    line = {
        "held-out loss": found.loss[found.used].mean(),
        "held-out accuracy": found.correct[found.used].mean(),
        "held-out next sentence": paired.mean() if len(paired) else np.nan,
    }
    heads = head_patterns(bert, batch.part(0, HEAD_ROWS))
    return {name: round(float(value), 4) for name, value in line.items()} | head_summary(heads)


def head_patterns(bert: BertForPreTraining, batch: Batch) -> pd.DataFrame:
    """Measure every head on a batch.

    Parameters
    ----------
    bert
        The model; its attention implementation is set to ``eager`` for the measurement.
    batch
        Sentences, e.g. of `InstanceMaker.draw`; only their word pieces are counted as looking.

    Returns
    -------
    pandas.DataFrame
        A row a head with the columns ``layer``, ``head`` (from 0) and, as means over the looking pieces, the shares
        of attention on ``special`` ([CLS] and [SEP]), the ``previous`` and the ``next`` piece, the ``same piece``
        (other places with the same id, among the pieces that have one), and the ``entropy`` in nats.
        Columns that begin with ``uniform`` hold what a head that looks everywhere alike would show.
    """
    inputs = tensors(batch, next(bert.parameters()).device)
    before, training = str(bert.config._attn_implementation), bert.training
    bert.set_attn_implementation("eager")
    bert.eval()
    try:
        with torch.no_grad():
            output = bert.bert(
                input_ids=inputs["ids"],
                token_type_ids=inputs["segments"],
                attention_mask=inputs["attention"],
                output_attentions=True,
            )
    finally:
        bert.set_attn_implementation(before)
        bert.train(training)
    weights = torch.stack(output.attentions, dim=1).float().cpu()  # (texts, layers, heads, pieces, pieces)
    ids, present = torch.from_numpy(batch.ids), torch.from_numpy(batch.attention).bool()
    return table(tally(map(_text, weights, ids, present)), PATTERNS)


def _text(weights: Tensor, ids: Tensor, present: Tensor) -> tuple[Tensor, dict[str, Tensor]]:
    """Return one text's weights and the places of the patterns, without its padding."""
    length = int(present.sum())
    ids = ids[:length]
    special, everywhere = (ids == CLS) | (ids == SEP), torch.ones(length, dtype=torch.bool)
    return weights[..., :length, :length], piece_patterns(ids, ids >= FIRST_WORD, special, neighbours=everywhere)


def dead_layers(patterns: pd.DataFrame) -> list[int]:
    """Return the layers in which every head puts over 0.9 of its attention on special tokens."""
    least = patterns.groupby("layer")["special"].min()
    return [int(layer) for layer in least.index[least > DEAD]]


def head_summary(patterns: pd.DataFrame) -> dict[str, float]:
    """Return the best head's share for each pattern, the number of dead layers and the largest special share."""
    best = {f"best {name}": round(float(patterns[name].max()), 3) for name in CLEAR[:3]}
    most = float(patterns.groupby("layer")["special"].min().max())
    return best | {"special share of the worst layer": round(most, 3), "dead layers": len(dead_layers(patterns))}


class Log:
    """The log, a JSON object a line; lines from beyond the step a run goes on from are dropped."""

    def __init__(self, path: Path, step: int, active: bool) -> None:
        self.path, self.active = path, active
        if active and path.is_file():
            kept = [line for line in read_log(path) if line["step"] <= step]
            path.write_text("".join(json.dumps(line) + "\n" for line in kept))

    def write(self, line: dict[str, Any]) -> None:
        """Append a line (in the main process only)."""
        if self.active:
            with self.path.open("a") as file:
                file.write(json.dumps(line) + "\n")


def read_log(path: str | Path) -> Iterator[dict[str, Any]]:
    """Yield the lines of a log; a last line cut short by a kill is left out."""
    for line in Path(path).read_text().splitlines():
        try:
            yield json.loads(line)
        except json.JSONDecodeError:
            return
