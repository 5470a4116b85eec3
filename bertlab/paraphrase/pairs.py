"""Pairs of sentences with a score from 0 to 5 for how much they mean the same (lesson 5).

Files come in several shapes, all of which `read_pairs` knows: the STS Benchmark (Cer et al. 2017) as its authors
gave it out, as it stands in GLUE, and as three columns without a header; any file with the right column names; and
the lessons' own pairs. Nothing is guessed and no line is left out: what cannot be read is an error that names its line.
"""

import csv
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pandas import DataFrame

SHIPPED = Path(__file__).parents[1] / "data" / "graded_pairs.csv"
LOWEST, HIGHEST = 0.0, 5.0
FIRST = ("first", "sentence1", "sentence_1", "text1")
SECOND = ("second", "sentence2", "sentence_2", "text2")
SCORE = ("score", "similarity_score", "label")
# The file sts-dev.csv of the authors has no header: genre, file, year, number, score, two sentences, at times sources.
STS_COLUMNS = {"score": [4], "first": [5], "second": [6]}


def read_pairs(path: str | Path = SHIPPED) -> "DataFrame":
    """Read graded pairs from a file, separated by commas or tabs.

    Parameters
    ----------
    path
        With a header, the columns are named ``first`` or ``sentence1``, ``second`` or ``sentence2``, and ``score``,
        ``similarity_score`` or ``label``; several columns ``grade_...`` are averaged. Without one there are three
        columns in this order, or the seven or more of the STS Benchmark. By default the lessons' own pairs.

    Returns
    -------
    pandas.DataFrame
        ``first``, ``second``, ``score``, in the order of the file.

    Raises
    ------
    ValueError
        If a column is missing, a line has another number of cells, a cell is empty, a score is no number from 0 to 5,
        a quotation mark is out of place, there is no row, or the file is no text in UTF-8.
    OSError
        If the file cannot be opened.

    Examples
    --------
    >>> read_pairs().columns.tolist()
    ['first', 'second', 'score']
    """
    import pandas as pd

    file = Path(path)
    (header, *rows), tabs = _rows(file)
    columns, has_header = _columns(file.name, [cell.strip().lower() for cell in header[1]])
    if not has_header:
        rows = [header, *rows]
    if not rows:
        raise ValueError(f"{file.name} has no rows below its header. Give two sentences and a score in each.")
    # Only the authors' file has lines of several lengths, and there the sources come last.
    longer = tabs and columns is STS_COLUMNS
    least = max(STS_COLUMNS["second"]) + 1 if longer else len(header[1])
    found = []
    for line, cells in rows:
        if len(cells) < least or (len(cells) > least and not longer):
            raise ValueError(
                f"{file.name}: line {line} has {len(cells)} cells where {least} are due, as in the first line. Quote a "
                'sentence that has a comma in it: "Yes, it is."'
            )
        pair = {side: cells[columns[side][0]].strip() for side in ("first", "second")}
        for side, sentence in pair.items():
            if not sentence:
                raise ValueError(
                    f"{file.name}: line {line} has an empty {side} sentence. Fill it in, or remove the line."
                )
        scores = [_score(f"{file.name}: line {line}", cells[place]) for place in columns["score"]]
        found.append({**pair, "score": sum(scores) / len(scores)})
    return pd.DataFrame(found)


def _rows(file: Path) -> tuple[list[tuple[int, list[str]]], bool]:
    """Return the lines that are not empty, each with its number, and whether tabs separate the cells, or commas."""
    try:
        lines = file.read_text(encoding="utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{file.name} is not UTF-8 at byte {error.start}. Save it as text with that encoding: unpack a file that "
            "is packed, and export a spreadsheet as CSV UTF-8."
        ) from None
    tabs = "\t" in next((line for line in lines if line.strip()), "")
    # With tabs a quotation mark is a letter: sentences of the STS Benchmark hold single ones. With commas a mark that
    # opens a cell must close it, or lines would be swallowed: strict, which pandas does not offer.
    quoting = csv.QUOTE_NONE if tabs else csv.QUOTE_MINIMAL
    reader = csv.reader((f"{line}\n" for line in lines), delimiter="\t" if tabs else ",", quoting=quoting, strict=True)
    rows = []
    try:
        for cells in reader:
            if any("\n" in cell for cell in cells):
                raise csv.Error("a line break within a sentence")
            if any(cell.strip() for cell in cells):
                rows.append((reader.line_num, cells))
    except csv.Error as error:
        begun = rows[-1][0] + 1 if rows else 1
        raise ValueError(
            f"{file.name}: from line {begun} to {reader.line_num} a quotation mark is out of place, or a sentence goes "
            f"over several lines ({error}). A sentence that begins with a mark is written in marks, its own doubled: "
            '"""Yes,"" he said."'
        ) from None
    if not rows:
        raise ValueError(f"{file.name} has no rows. Give a file with two sentences and a score in each.")
    return rows, tabs


def _columns(name: str, names: list[str]) -> tuple[dict[str, list[int]], bool]:
    """Return where the sentences and the scores stand, and whether the first row is a header."""
    if not {*FIRST, *SECOND, *SCORE} & set(names):
        if len(names) == 3:
            return {"first": [0], "second": [1], "score": [2]}, False
        if len(names) >= 7:
            return STS_COLUMNS, False
        if any(";" in cell for cell in names):
            raise ValueError(
                f"{name} seems to be separated by semicolons, and commas or tabs are needed. Export it anew with one "
                "of them, and with points in decimal numbers."
            )
        raise ValueError(
            f"{name} has {len(names)} columns and no header that is known; needed are sentence 1, sentence 2, score, "
            "or a first line that names them first,second,score."
        )
    columns = {
        side: [names.index(known) for known in accepted if known in names][:1]
        for side, accepted in (("first", FIRST), ("second", SECOND), ("score", SCORE))
    }
    columns["score"] = columns["score"] or [i for i, column in enumerate(names) if column.startswith("grade_")]
    if lacking := [side for side, places in columns.items() if not places]:
        raise ValueError(
            f"{name} lacks the column {' and '.join(lacking)}; it has {', '.join(names)}. "
            "Name the columns first, second and score."
        )
    return columns, True


def _score(place: str, given: str) -> float:
    """Return a score as a number, or refuse it."""
    try:
        score = float(given)
    except ValueError:
        raise ValueError(f"{place} has the score {given!r}, and not a number from 0 to 5. Correct it.") from None
    if not LOWEST <= score <= HIGHEST:
        raise ValueError(
            f"{place} has the score {score:g}, and the scale goes from 0 (about different things) to 5 "
            "(the same meaning). Bring the scores to that scale first."
        )
    return score
