"""A file of a student's own texts, each with its label: read whole, or refused with what to do about it."""

from pathlib import Path
from typing import TYPE_CHECKING

from bertlab.data.cells import as_table, cells_by_line, refuse_lines

if TYPE_CHECKING:
    from pandas import DataFrame

LEAST = 4
"""A label needs so many different texts: some to practise on, and one or more to be tested on."""


def read_texts(path: str | Path) -> "DataFrame":
    """Read texts with labels from a CSV file.

    Parameters
    ----------
    path
        In UTF-8, with a first line that names the columns ``text`` and ``label``; other columns are left out.

    Returns
    -------
    pandas.DataFrame
        ``text`` and ``label``, both as strings, in the order of the file.

    Raises
    ------
    ValueError
        If the file is not UTF-8, is no table, lacks a column, holds an empty text or label, has one label only, a
        label with fewer than `LEAST` different texts, or a text with two labels; the message says what to do.
    """
    file = Path(path)
    lines, _ = cells_by_line(file)
    names = [cell.lower() for cell in lines.pop(min(lines, default=0), [])]
    if lacking := [name for name in ("text", "label") if name not in names]:
        raise ValueError(
            f"{file.name} lacks the column {' and '.join(lacking)}; its first line has {', '.join(names) or 'none'}. "
            "It has to be text,label, with a comma."
        )
    cells = as_table(file.name, lines, len(names)).set_axis(names, axis=1)
    texts = cells[["text", "label"]]
    for column in texts:
        refuse_lines(file.name, texts[column] == "", f"has an empty {column}. Fill it in, or remove the line.")
    counts = texts.drop_duplicates("text")["label"].value_counts()
    if len(counts) < 2:
        raise ValueError(
            f"{file.name}: different labels are {len(counts)}. To tell texts apart, two or more are needed, each with "
            "texts of its own."
        )
    if counts.min() < LEAST:
        raise ValueError(
            f"{file.name}: the label {counts.idxmin()!r} has {counts.min()} different texts, and {LEAST} or more are "
            "needed, some to practise on and some for the test. Add texts, or join labels."
        )
    both_ways = texts.groupby("text")["label"].transform("nunique") > 1
    says = "has a text that stands in the file with another label, too. Decide for one of them, or remove the text."
    refuse_lines(file.name, both_ways, says)
    return texts.reset_index(drop=True)
