"""Many fine-tuning runs from the command line: ``python -m bertlab.finetuning FILE``."""

import argparse
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tqdm import tqdm

from bertlab import load, untrained
from bertlab.data import files
from bertlab.finetuning.classifier import EPOCHS, RATE, Classifier, predict, train
from bertlab.finetuning.roles import role_pairs

if TYPE_CHECKING:
    from pandas import DataFrame

    from bertlab.bert.loading import Bert

PAIRS = (100, 300, 600)
RATES = (1e-4, 3e-4, 1e-3)
TESTED = 200
TWIN = "untrained twin"


class Run(NamedTuple):
    """One run: what is trained, on how many pairs, how often, with which step size, and which seed."""

    model: str
    pairs: int
    epochs: int
    rate: float
    seed: int


def plan(name: str, seeds: int) -> list[Run]:
    """Return the runs of lesson 8's table: by pairs, of the twin, and by step size and epochs.

    Runs on fewer pairs have more epochs, so that all take as many steps.
    """
    steps = EPOCHS * PAIRS[-1]
    by_pairs = [Run(name, pairs, steps // pairs, RATE, seed) for pairs in PAIRS for seed in range(seeds)]
    twins = [Run(TWIN, pairs, steps // pairs, RATE, seed) for pairs in PAIRS[-1:] for seed in range(seeds)]
    settings = [(RATE, EPOCHS // 2), *((rate, EPOCHS) for rate in RATES)]
    by_setting = [Run(name, PAIRS[-1], epochs, rate, seed) for rate, epochs in settings for seed in range(seeds)]
    return list(dict.fromkeys([*by_pairs, *twins, *by_setting]))


def measure(
    bert: "Bert", runs: Sequence[Run], progress: Callable[[Sequence[Run]], Iterable[Run]] = iter
) -> "DataFrame":
    """Train anew for each run, and count what is right on words that training never showed.

    Parameters
    ----------
    bert
    runs
    progress
        Takes the runs and yields them again, as ``tqdm.tqdm`` does.

    Returns
    -------
    pandas.DataFrame
        The runs, with ``right`` and ``of``.
    """
    import pandas as pd

    test = role_pairs(2 * TESTED, "test").iloc[::2]  # one pair an event
    asked = list(zip(test["first"], test["second"], strict=True))
    rows = []
    for run in progress(runs):
        practice = role_pairs(run.pairs, seed=run.seed)
        classifier = Classifier(untrained(bert, run.seed) if run.model == TWIN else bert, seed=run.seed)
        pairs = list(zip(practice["first"], practice["second"], strict=True))
        train(classifier, pairs, practice["same"].tolist(), epochs=run.epochs, rate=run.rate, together=2, seed=run.seed)
        right = int((predict(classifier, asked).numpy() == test["same"].to_numpy()).sum())
        rows.append({**run._asdict(), "right": right, "of": len(test)})
    return pd.DataFrame(rows)


def main(arguments: list[str] | None = None) -> int:
    """Measure a checkpoint in many runs, and return the exit status.

    Parameters
    ----------
    arguments
        By default those of the process.
    """
    parser = argparse.ArgumentParser(
        prog="python -m bertlab.finetuning",
        description="Fine-tune a BERT many times, on who did what to whom, and write a table of the runs.",
    )
    parser.add_argument("table", type=Path, metavar="FILE", help="the table to write, as CSV")
    parser.add_argument("--checkpoint", help="a folder, a name of the Hugging Face Hub; by default bertlab-mini")
    parser.add_argument("--seeds", type=int, default=3, help="runs for each setting")
    options = parser.parse_args(arguments)
    try:
        files.check(options.table)  # before anything slow
        bert = load(options.checkpoint or "bertlab-mini")
        found = measure(bert, plan(bert.name, options.seeds), lambda runs: tqdm(runs, unit="run", file=sys.stderr))
        files.write(options.table, found.to_csv(index=False))
    except (OSError, RuntimeError, TypeError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{len(found)} runs in {options.table}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
