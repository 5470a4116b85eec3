"""Sentences written for the lessons, each file with a datasheet of the same name beside it; and readers of files."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pandas import DataFrame


def read(name: str) -> "DataFrame":
    """Read one of the lessons' tables, by its file's name without ``.csv``; its columns are those of the datasheet.

    Examples
    --------
    >>> read("short_texts").columns.tolist()
    ['topic', 'place', 'sentence']
    """
    import pandas as pd

    # Else a word such as "null" or "NA" would be read as a missing value.
    return pd.read_csv(Path(__file__).with_name(f"{name}.csv"), encoding="utf-8", keep_default_na=False)
