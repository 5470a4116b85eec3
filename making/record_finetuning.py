"""The recorded runs of lesson 8: bertlab-mini fine-tuned many times, on who did what to whom.

python making/record_finetuning.py bertlab/data/finetuning_runs.csv               # a quarter of an hour on one core
python making/record_finetuning.py bertlab/data/finetuning_longer.csv --longer   # an hour: see `longer`
"""

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from tqdm import tqdm

import bertlab
from bertlab.bert.loading import Bert
from bertlab.finetuning import Classifier, as_texts, is_right, role_pairs, train
from bertlab.finetuning.classifier import EPOCHS, RATE
from bertlab.finetuning.roles import VOICES

ONE_OF_EACH, *_, MIXED = VOICES
PAIRS = (100, 300, 600)
RATES = (1e-4, 3e-4, 1e-3)  # the largest step sizes (learning rates)
MIXED_EPOCHS = (6, 12, 24)
TO_THE_END = 60  # epochs after which a twin knows its own pairs
TESTED = 200
TWIN = "untrained twin"


class Setting(NamedTuple):
    """One run: what is trained, on how many pairs, how often, with which step size, which seed, and which voices."""

    model: str
    pairs: int
    epochs: int
    rate: float
    seed: int
    voices: str = ONE_OF_EACH


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


def longer(name: str, seeds: int) -> list[Setting]:
    """Return the runs on mixed voices, and those of twins until they know their own pairs."""
    settings = []
    for seed in range(seeds):
        settings += [Setting(name, PAIRS[-1], epochs, RATE, seed, MIXED) for epochs in MIXED_EPOCHS]
        settings += [Setting(TWIN, PAIRS[-1], TO_THE_END, RATE, seed)]
        settings += [Setting(TWIN, PAIRS[-1], TO_THE_END, RATE, seed, MIXED)]
    return settings


def measure(bert: Bert, settings: Iterable[Setting], tested: int = TESTED) -> pd.DataFrame:
    """Train anew for each run; count what is right of its own pairs, of the test's, and of six kinds of pair."""
    test = role_pairs(2 * tested, "test").iloc[::2]  # one pair an event
    by_voices = [role_pairs(tested, "test", voices=voices) for voices in VOICES if voices != MIXED]
    rows = []
    for setting in settings:
        model = bertlab.untrained(bert, setting.seed) if setting.model == TWIN else bert
        practice = role_pairs(setting.pairs, seed=setting.seed, voices=setting.voices)
        classifier = Classifier(model, seed=setting.seed)
        options = {"epochs": setting.epochs, "rate": setting.rate, "together": 2, "seed": setting.seed}
        train(classifier, as_texts(practice), practice["same"], **options)
        row = {**setting._asdict(), "right": is_right(classifier, test).sum(), "of": len(test)}
        row["learned"] = is_right(classifier, practice).sum()
        six = [is_right(classifier, pairs) for pairs in by_voices]  # three of voices, each the same or not
        row |= {"six_right": np.sum(six), "six_of": np.size(six)}
        rows.append(row)
    return pd.DataFrame(rows)


def main() -> None:
    """Measure as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", type=Path, help="the table to write, as CSV")
    parser.add_argument("--checkpoint", default="bertlab-mini", help="a folder, or a name of the Hugging Face Hub")
    parser.add_argument("--seeds", type=int, default=3, help="runs for each setting")
    parser.add_argument("--longer", action="store_true", help="the longer runs, and those on mixed voices")
    options = parser.parse_args()
    options.table.touch()  # what cannot be written is said before anything slow
    bert = bertlab.load(options.checkpoint)
    settings = (longer if options.longer else plan)(bert.name, options.seeds)
    table = measure(bert, tqdm(settings, unit="run", file=sys.stderr))
    (table if options.longer else table.loc[:, :"of"].drop(columns="voices")).to_csv(options.table, index=False)


if __name__ == "__main__":
    main()
