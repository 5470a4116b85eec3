"""The lessons' tables, each with a datasheet of the same name beside it, and readers for files of the same kinds."""

from pathlib import Path
from typing import TYPE_CHECKING

from bertlab.arguments import guarded

if TYPE_CHECKING:
    from pandas import DataFrame


@guarded
def read(name: str) -> "DataFrame":
    """Read one of the lessons' tables, whose columns the datasheet beside the file describes.

    Parameters
    ----------
    name : str
        The name of the file, without ``.csv``.

    Examples
    --------
    >>> read("short_texts").columns.tolist()
    ['topic', 'place', 'sentence']
    """
    import pandas as pd

    # By default pandas would read words such as "null" or "NA" as missing values.
    return pd.read_csv(Path(__file__).with_name(f"{name}.csv"), encoding="utf-8", keep_default_na=False)
