"""The command line that the scripts of recorded runs share."""

import argparse
from collections.abc import Callable
from pathlib import Path

import pandas as pd

TABLE = Callable[[argparse.Namespace], pd.DataFrame]


def record(description: str | None, *tables: TABLE) -> None:
    """Measure one of the tables, by the name of its file, and write it."""
    functions = {table.__name__: table for table in tables}
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", type=Path, help=f"the table to write, in any folder: {', '.join(functions)}.csv")
    parser.add_argument("--checkpoint", default="bertlab-mini", help="a folder, or a name of the Hugging Face Hub")
    parser.add_argument("--texts", type=Path, help="the texts that bertlab-mini was trained on, for rules that learn")
    parser.add_argument("--seeds", type=int, default=3, help="runs for each setting")
    options = parser.parse_args()
    if options.table.stem not in functions:
        parser.error(f"{options.table.stem!r} is none of {', '.join(functions)}")
    options.table.touch()  # a path that cannot be written is refused before anything slow begins
    functions[options.table.stem](options).to_csv(options.table, index=False)
