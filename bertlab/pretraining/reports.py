"""What a run says of itself: lines of a log, a JSON object each, in ``metrics.jsonl``.

Losses and speed come every few dozen steps, the loss on held-out text and the state of the heads now and then.
"""

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch

from bertlab.pretraining.health import head_patterns, summary
from bertlab.pretraining.instances import IGNORE, Batch, InstanceMaker
from bertlab.pretraining.network import Objective, tensors
from bertlab.pretraining.optimization import Schedule


@dataclass
class Meter:
    """Sums since the last report."""

    words: float = 0.0
    masked: int = 0
    pairs: float = 0.0
    paired: int = 0
    pieces: int = 0
    since: float = field(default_factory=time.perf_counter)


def report(meter: Meter, state: dict[str, Any], schedule: Schedule, bar: Any) -> dict[str, Any]:
    """Return a line for the log and show its main figures on the bar."""
    line = {
        "step": state["step"],
        "pieces": state["pieces"],
        "loss": round(meter.words / max(1, meter.masked), 4),
        "next sentence loss": round(meter.pairs / max(1, meter.paired), 4),
        "share of step size": round(schedule.share(state["step"] - 1), 4),
        "pieces a second": round(meter.pieces / (time.perf_counter() - meter.since)),
        "time": round(time.time()),
    }
    bar.set_postfix({"loss": line["loss"], "pieces/s": line["pieces a second"]})
    return line


def held_out_report(objective: Objective, maker: InstanceMaker, rows: int = 128) -> dict[str, float]:
    """Return losses, accuracy and a summary of the heads on a fixed sample of held-out pairs of 64 pieces."""
    kind = next((kind for kind in maker.recipe.kinds if kind.pair), maker.recipe.kinds[0])
    bert, batch = objective.bert, maker.draw(kind, np.random.default_rng(12345), rows)
    device = next(bert.parameters()).device
    inputs = tensors(batch, device)
    with torch.no_grad():
        hidden, next_scores = objective.encode(inputs["ids"], inputs["segments"], inputs["attention"])
        scores = objective.word_scores(hidden, inputs["positions"])
    labels = inputs["labels"].flatten()
    used, paired = labels != IGNORE, inputs["next_labels"] != IGNORE
    report = {
        "held-out loss": torch.nn.functional.cross_entropy(scores[used], labels[used]).item(),
        "held-out accuracy": (scores[used].argmax(-1) == labels[used]).float().mean().item(),
        "held-out next sentence": (next_scores.argmax(-1) == inputs["next_labels"])[paired].float().mean().item(),
    }
    sample = Batch(**{name: array[:32] for name, array in vars(batch).items()})
    return {name: round(value, 4) for name, value in report.items()} | summary(head_patterns(bert, sample))


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
