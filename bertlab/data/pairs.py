"""Pairs of sentences with a score from 0 to 5 for how much they mean the same, in every shape of file in use."""

from pathlib import Path
from typing import TYPE_CHECKING

from bertlab.data.cells import as_table, cells_by_line, refuse_lines

if TYPE_CHECKING:
    from pandas import DataFrame

SHIPPED = Path(__file__).parent / "graded_pairs.csv"
NAMES = {
    "first": ("first", "sentence1", "sentence_1", "text1"),
    "second": ("second", "sentence2", "sentence_2", "text2"),
    "score": ("score", "similarity_score", "label"),
}
STS = {"first": [5], "second": [6], "score": [4]}
"""The STS Benchmark as its authors gave it out: genre, file, year, number, score, two sentences, at times sources."""


def read_pairs(path: str | Path = SHIPPED) -> "DataFrame":
    """Read graded pairs from a file, separated by commas or tabs.

    Parameters
    ----------
    path
        With a header, the columns are named ``first`` or ``sentence1``, ``second`` or ``sentence2``, and ``score``,
        ``similarity_score`` or ``label``; several columns ``grade_...`` are averaged. Without one there are three
        columns in this order, or the seven or more of the STS Benchmark (Cer et al. 2017). By default the lessons'
        own pairs.

    Returns
    -------
    pandas.DataFrame
        ``first``, ``second``, ``score``, in the order of the file.

    Raises
    ------
    ValueError
        If a column is missing, a line has another number of cells, a cell is empty, a score is no number from 0 to 5,
        a quotation mark is out of place, there is no row, or the file is no text in UTF-8.

    Examples
    --------
    >>> read_pairs().columns.tolist()
    ['first', 'second', 'score']
    """
    import pandas as pd

    file = Path(path)
    lines, tabs = cells_by_line(file)
    names = [cell.lower() for cell in next(iter(lines.values()), [])]
    columns = {}
    for side, accepted in NAMES.items():
        columns[side] = [names.index(name) for name in accepted if name in names][:1]
    columns["score"] = columns["score"] or [i for i, name in enumerate(names) if name.startswith("grade_")]
    width = len(names)
    if any(columns.values()):
        del lines[min(lines)]
    elif width == 3:
        columns = {"first": [0], "second": [1], "score": [2]}
    elif width >= 7:
        columns = STS
        if tabs:  # here alone lines differ in length, by the sources at their ends
            lines, width = {line: row[:7] for line, row in lines.items()}, 7
    if lacking := [side for side, where in columns.items() if not where]:
        raise ValueError(
            f"{file.name} lacks the column {' and '.join(lacking)}; its first line has {', '.join(names) or 'none'}. "
            "Needed are sentence 1, sentence 2, score, between commas or tabs and with points in decimal numbers, or a "
            "first line that names them first,second,score."
        )
    if not lines:
        raise ValueError(f"{file.name} has no rows below its header. Give two sentences and a score in each.")
    cells = as_table(file.name, lines, width)
    pairs = pd.DataFrame({side: cells[columns[side][0]] for side in ("first", "second")})
    for side, sentences in pairs.items():
        refuse_lines(file.name, sentences == "", f"has an empty {side} sentence. Fill it in, or remove the line.")
        over = "ends a sentence that goes over several lines: a quotation mark in one of them is out of place."
        refuse_lines(file.name, sentences.str.contains("\n"), over)
    scores = cells[columns["score"]].apply(pd.to_numeric, errors="coerce")
    scale = "is no number from 0 (about different things) to 5 (the same meaning). Bring all scores to that scale."
    refuse_lines(file.name, ~scores.apply(lambda score: score.between(0, 5)).all(axis=1), f"has a score that {scale}")
    return pairs.assign(score=scores.mean(axis=1)).reset_index(drop=True)
