"""Files that a student brings: cells of text between commas or tabs, read whole or refused by the line."""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pandas import DataFrame, Series


def cells_by_line(file: Path) -> tuple[dict[int, list[str]], bool]:
    """Return the cells of each line that has any, by its number, and whether tabs separate them, or commas."""
    lines = {}
    try:
        with file.open(encoding="utf-8-sig", newline="") as content:
            tabs = "\t" in next(filter(str.strip, content), "")
            content.seek(0)
            # Between tabs a quotation mark is a letter. Between commas one that opens a cell must close it, or lines
            # would be swallowed without a word: strict, which pandas does not offer.
            quoting = csv.QUOTE_NONE if tabs else csv.QUOTE_MINIMAL
            reader = csv.reader(content, delimiter="\t" if tabs else ",", quoting=quoting, strict=True)
            for row in reader:
                lines[reader.line_num] = [cell.strip() for cell in row]
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{file.name} is not UTF-8 at byte {error.start}. Save it as text with that encoding: unpack a file that "
            "is packed, and export a spreadsheet as CSV UTF-8."
        ) from None
    except csv.Error as error:
        raise ValueError(
            f"{file.name}: after line {max(lines, default=0)} a quotation mark is out of place ({error}). A text that "
            'begins with a mark, or holds a comma, is written in marks, its own doubled: """Yes,"" he said."'
        ) from None
    return {line: row for line, row in lines.items() if any(row)}, tabs


def as_table(name: str, lines: Mapping[int, Sequence[str]], width: int) -> "DataFrame":
    """Return lines of so many cells as a table, its index the lines' numbers, or refuse one with more or fewer."""
    import pandas as pd

    for line, row in lines.items():
        if len(row) != width:
            raise ValueError(
                f"{name}: line {line} has {len(row)} cells where {width} are due, as in the first line. Quote a text "
                'that has a comma in it: "Yes, it is."'
            )
    return pd.DataFrame(list(lines.values()), index=list(lines), columns=range(width), dtype=str)


def refuse_lines(name: str, wrong: "Series", says: str) -> None:
    """Refuse a table by the number of the first line that is wrong."""
    if wrong.any():
        raise ValueError(f"{name}: line {wrong.idxmax()} {says}")
