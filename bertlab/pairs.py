"""Pairs of sentences with a score from 0 to 5 for how much they mean the same (lesson 5).

Files come in several shapes, all of which `read_pairs` knows: the STS Benchmark (Cer et al. 2017) as its authors
gave it out, as it stands in GLUE, and as three columns without a header; any table with the right column names; and
the lessons' own pairs. Nothing is guessed and no line is left out: what cannot be read is an error that names its line.
"""

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pandas import DataFrame

SHIPPED = Path(__file__).parent / "data" / "graded_pairs.csv"
LOWEST, HIGHEST = 0.0, 5.0
FIRST = ("first", "sentence1", "sentence_1", "text1")
SECOND = ("second", "sentence2", "sentence_2", "text2")
SCORE = ("score", "similarity_score", "label")
# The file sts-dev.csv of the authors has no header: genre, file, year, number, score, two sentences, at times sources.
STS_COLUMNS = {"score": 4, "first": 5, "second": 6}


def read_pairs(path: str | Path = SHIPPED) -> "DataFrame":
    """Read graded pairs from a file, separated by commas or tabs.

    Parameters
    ----------
    path : str or Path
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
        If a column is missing, a cell is empty, a score is no number from 0 to 5, there is no row, or the file is
        not UTF-8.
    OSError
        If the file cannot be opened.

    Examples
    --------
    >>> read_pairs().columns.tolist()
    ['first', 'second', 'score']
    """
    file = Path(path)
    try:
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{file.name} is not UTF-8 at byte {error.start}. Save it with that encoding.") from None
    rows = _rows(text)
    if not rows:
        raise ValueError(f"{file.name} has no rows. Give a file with two sentences and a score in each.")
    columns, has_header = _columns(file.name, rows[0][1])
    return _pairs(file.name, rows[1:] if has_header else rows, columns)


def from_hub(name: str = "mteb/stsb_multi_mt", config: str | None = "en", split: str = "dev") -> "DataFrame":
    """Read graded pairs from a data set of the Hugging Face Hub, with the library ``datasets``.

    Parameters
    ----------
    name, config, split : str
        As ``datasets.load_dataset`` takes them; by default the English development split of the STS Benchmark.

    Returns
    -------
    pandas.DataFrame
        As `read_pairs`.

    Raises
    ------
    ImportError
        If ``datasets`` is not installed.
    ValueError
        As `read_pairs`.
    """
    try:
        from datasets import load_dataset  # pyrefly: ignore[missing-import]
    except ModuleNotFoundError as error:
        if error.name != "datasets":
            raise
        raise ImportError(
            "Reading from the Hub needs the library datasets, which the lessons do not install: pip install datasets. "
            "With a file of the same pairs, read_pairs(path) does without."
        ) from None
    return from_table(load_dataset(name, config, split=split).to_pandas(), f"{name}, {split}")


def from_table(table: "DataFrame", name: str = "The table") -> "DataFrame":
    """Return a table's pairs as ``first``, ``second``, ``score``, checked as `read_pairs` does.

    Parameters
    ----------
    table : pandas.DataFrame
        With the column names that `read_pairs` knows.
    name : str
        What messages call it.
    """
    columns = _named(name, [str(column) for column in table.columns])
    cells = table.astype(object).where(table.notna(), "").to_numpy()
    return _pairs(name, [(line, [str(cell) for cell in row]) for line, row in enumerate(cells, start=1)], columns)


def _pairs(name: str, rows: list[tuple[int, list[str]]], columns: dict[str, list[int]]) -> "DataFrame":
    """Return rows as a table of pairs, or refuse the first that is not whole."""
    import pandas as pd

    if not rows:
        raise ValueError(f"{name} has no rows below its header.")
    found = []
    for line, cells in rows:
        if len(cells) <= max(max(places) for places in columns.values()):
            raise ValueError(f"{name}: line {line} has {len(cells)} columns, fewer than the first line.")
        pair = {side: cells[columns[side][0]].strip() for side in ("first", "second")}
        for side, sentence in pair.items():
            if not sentence:
                raise ValueError(f"{name}: line {line} has an empty {side} sentence. Fill it in, or remove the line.")
        scores = [_score(name, line, cells[place]) for place in columns["score"]]
        found.append({**pair, "score": sum(scores) / len(scores)})
    return pd.DataFrame(found)


def _rows(text: str) -> list[tuple[int, list[str]]]:
    """Return the lines that are not empty, each with its number; tabs separate if the first line has any."""
    tabs = "\t" in text.split("\n", 1)[0]
    # With tabs a quotation mark is a letter: sentences of the STS Benchmark hold single ones.
    quoting = csv.QUOTE_NONE if tabs else csv.QUOTE_MINIMAL
    reader = csv.reader(io.StringIO(text), delimiter="\t" if tabs else ",", quoting=quoting)
    return [(reader.line_num, cells) for cells in reader if any(cell.strip() for cell in cells)]


def _columns(name: str, first_row: list[str]) -> tuple[dict[str, list[int]], bool]:
    """Return where the sentences and the scores stand, and whether the first row is a header."""
    names = [cell.strip().lower() for cell in first_row]
    if {*FIRST, *SECOND, *SCORE} & set(names):
        return _named(name, names), True
    if len(names) == 3:
        return {"first": [0], "second": [1], "score": [2]}, False
    if len(names) >= 7:
        return {side: [place] for side, place in STS_COLUMNS.items()}, False
    raise ValueError(
        f"{name} has {len(names)} columns and no header that is known; needed are sentence 1, sentence 2, score, or a "
        "first line that names them first,second,score."
    )


def _named(name: str, names: list[str]) -> dict[str, list[int]]:
    """Return where the sentences and the scores stand, by the columns' names."""
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
    return columns


def _score(name: str, line: int, given: str) -> float:
    """Return a score as a number, or refuse it."""
    try:
        score = float(given)
    except ValueError:
        raise ValueError(f"{name}: line {line} has the score {given!r}, and not a number from 0 to 5.") from None
    if not LOWEST <= score <= HIGHEST:
        raise ValueError(
            f"{name}: line {line} has the score {score:g}, and the scale goes from 0 (about different things) to 5 "
            "(the same meaning). Bring the scores to that scale first."
        )
    return score
