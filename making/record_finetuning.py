"""The recorded runs of lesson 8: bertlab-mini fine-tuned many times, on who did what to whom.

python making/record_finetuning.py bertlab/data/finetuning_runs.csv      # in a quarter of an hour on one core
"""

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import pandas as pd
from tqdm import tqdm

import bertlab
from bertlab.bert.loading import Bert
from bertlab.finetuning import Classifier, predict, role_pairs, train
from bertlab.finetuning.classifier import EPOCHS, RATE

PAIRS = (100, 300, 600)
RATES = (1e-4, 3e-4, 1e-3)  # the largest step sizes (learning rates)
TESTED = 200
TWIN = "untrained twin"


class Setting(NamedTuple):
    """One run: what is trained, on how many pairs, how often, with which step size, and which seed."""

    model: str
    pairs: int
    epochs: int
    rate: float
    seed: int


def plan(name: str, seeds: int) -> list[Setting]:
    """Return the runs: by pairs, of the twin, and by step size and epochs; on fewer pairs as many steps."""
    steps = EPOCHS * PAIRS[-1]
    settings = []
    for seed in range(seeds):
        settings += [Setting(name, pairs, steps // pairs, RATE, seed) for pairs in PAIRS]
        settings += [Setting(TWIN, PAIRS[-1], EPOCHS, RATE, seed)]
        settings += [Setting(name, PAIRS[-1], EPOCHS // 2, RATE, seed)]
        settings += [Setting(name, PAIRS[-1], EPOCHS, rate, seed) for rate in RATES]
    return list(dict.fromkeys(settings))


def measure(bert: Bert, settings: Iterable[Setting], tested: int = TESTED) -> pd.DataFrame:
    """Train anew for each run, and count what is right on words that training never showed."""
    test = role_pairs(2 * tested, "test").iloc[::2]  # one pair an event
    rows = []
    for setting in settings:
        practice = role_pairs(setting.pairs, seed=setting.seed)
        model = bertlab.untrained(bert, setting.seed) if setting.model == TWIN else bert
        classifier = Classifier(model, seed=setting.seed)
        options = {"epochs": setting.epochs, "rate": setting.rate, "together": 2, "seed": setting.seed}
        train(classifier, texts_of(practice), practice["same"], **options)
        right = int((predict(classifier, texts_of(test)).numpy() == test["same"].to_numpy()).sum())
        rows.append({**setting._asdict(), "right": right, "of": len(test)})
    return pd.DataFrame(rows)


def texts_of(pairs: pd.DataFrame) -> list[tuple[str, str]]:
    """Return pairs as what BERT reads."""
    return list(zip(pairs["first"], pairs["second"], strict=True))


def main() -> None:
    """Measure as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", type=Path, help="the table to write, as CSV")
    parser.add_argument("--checkpoint", default="bertlab-mini", help="a folder, or a name of the Hugging Face Hub")
    parser.add_argument("--seeds", type=int, default=3, help="runs for each setting")
    options = parser.parse_args()
    options.table.touch()  # what cannot be written is said before anything slow
    bert = bertlab.load(options.checkpoint)
    table = measure(bert, tqdm(plan(bert.name, options.seeds), unit="run", file=sys.stderr))
    table.to_csv(options.table, index=False)


if __name__ == "__main__":
    main()
