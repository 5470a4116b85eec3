"""A file of a student's own texts, each with its label: read whole, or refused with what to do about it (lesson 8)."""

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pandas import DataFrame

COLUMNS = ("text", "label")
LEAST = 4
"""A label needs so many different texts: some to practise on, and one or more to be tested on."""


def read_texts(path: str | Path) -> "DataFrame":
    """Read texts with labels from a CSV file.

    Parameters
    ----------
    path
        In UTF-8, separated by commas, with a header that names the columns ``text`` and ``label``; other columns are
        left out.

    Returns
    -------
    pandas.DataFrame
        ``text`` and ``label``, both as strings, in the order of the file.

    Raises
    ------
    ValueError
        If the file is not UTF-8, is no table, lacks a column, holds an empty text or label, has one label only, or a
        label with fewer than `LEAST` different texts; the message says what to do.
    OSError
        If the file cannot be opened.
    """
    import pandas as pd

    file = Path(path)
    try:
        content = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{file.name} is not UTF-8 at byte {error.start}. Save it with that encoding: in a spreadsheet, export it "
            "as CSV UTF-8."
        ) from None
    try:
        # Not splitlines: that breaks a text at signs which word processors leave in it, too.
        rows = [row for row in csv.reader(io.StringIO(content, newline=""), strict=True) if any(map(str.strip, row))]
    except csv.Error as error:
        raise ValueError(
            f"{file.name} is no sound CSV file ({error}). A text that holds a quotation mark or a comma is written in "
            'marks, its own doubled: """Yes,"" he said."'
        ) from None
    header = [name.strip().lower() for name in rows[0]] if rows else []
    if lacking := [name for name in COLUMNS if name not in header]:
        has = f"it has {', '.join(rows[0])}" if rows else "it is empty"
        semicolons = " It seems to be separated by semicolons; commas are needed." if has.count(";") else ""
        raise ValueError(
            f"{file.name} lacks the column {' and '.join(lacking)}; {has}. Its first line has to be text,label."
            + semicolons
        )
    for number, row in enumerate(rows[1:], start=2):
        if len(row) != len(header):
            raise ValueError(
                f"{file.name}: row {number} has {len(row)} cells, and the header {len(header)}. Write a text that "
                'holds a comma in quotation marks: "Yes, it is."'
            )
    found = pd.DataFrame({name: [row[header.index(name)].strip() for row in rows[1:]] for name in COLUMNS}, dtype=str)
    return _checked(found, file.name)


def _checked(found: "DataFrame", name: str) -> "DataFrame":
    """Return texts with labels, or refuse those from which nothing can be learnt."""
    for column in COLUMNS:
        if (empty := (found[column] == "").to_numpy()).any():
            raise ValueError(
                f"{name}: row {int(empty.argmax()) + 2} has an empty {column}. Fill it in, or remove the row."
            )
    counts = found.drop_duplicates("text").groupby("label").size() if len(found) else found["label"]
    if len(counts) < 2:
        said = f"one label only, {counts.index[0]!r}" if len(counts) else "no row below its header"
        raise ValueError(f"{name} has {said}. To tell texts apart, two labels or more are needed, each with texts.")
    if counts.min() < LEAST:
        raise ValueError(
            f"{name}: the label {counts.idxmin()!r} has {counts.min()} different texts, and {LEAST} or more are "
            "needed, some to practise on and some for the test. Add texts, or join labels."
        )
    twice = found.groupby("text")["label"].nunique()
    if (twice > 1).any():
        raise ValueError(
            f"{name}: the text {twice.idxmax()!r:.70} has two different labels. Decide for one of them, or remove it."
        )
    return found
