"""The command line that the scripts of recorded runs share."""

import argparse
from collections.abc import Callable
from pathlib import Path

import pandas as pd

import bertlab
from bertlab.bert.loading import Bert


def record(description: str | None, measure: Callable[[Bert, int], pd.DataFrame], **alternatives: Callable) -> None:
    """Measure a checkpoint and write the table; each of `alternatives` is an option that replaces `measure`."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", type=Path, help="the table to write, as CSV")
    parser.add_argument("--checkpoint", default="bertlab-mini", help="a folder, or a name of the Hugging Face Hub")
    parser.add_argument("--seeds", type=int, default=3, help="runs for each setting")
    choice = parser.add_mutually_exclusive_group()
    for name, function in alternatives.items():
        choice.add_argument(f"--{name}", dest="measure", action="store_const", const=function, help=function.__doc__)
    parser.set_defaults(measure=measure)
    options = parser.parse_args()
    options.table.touch()  # a path that cannot be written is refused before anything slow begins
    table = options.measure(bertlab.load(options.checkpoint), options.seeds)
    table.to_csv(options.table, index=False)
