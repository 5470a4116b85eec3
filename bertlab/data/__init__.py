"""Sentences written for the lessons, each file with a datasheet of the same name beside it; and readers of files."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pandas import DataFrame


def read(name: str) -> "DataFrame":
    """Read one of the lessons' tables.

    Parameters
    ----------
    name
        A file of this folder without ``.csv``, such as ``"short_texts"``.

    Returns
    -------
    pandas.DataFrame
        The columns are those of the file's datasheet; texts are kept as they are, numbers are numbers.

    Examples
    --------
    >>> read("short_texts").columns.tolist()
    ['topic', 'place', 'sentence']
    """
    import pandas as pd

    tables = {path.stem: path for path in sorted(Path(__file__).parent.glob("*.csv"))}
    if name not in tables:
        raise ValueError(f"There is no table {name!r}; there are {', '.join(tables)}.")
    # Without this, a word such as "null" or "NA" would be read as a missing value.
    return pd.read_csv(tables[name], encoding="utf-8", keep_default_na=False)
