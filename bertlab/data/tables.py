"""Read tables that a student brings; an error names the line that is wrong."""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from unicodedata import normalize

from bertlab.arguments import guarded

if TYPE_CHECKING:
    from pandas import DataFrame, Series

OUR_PAIRS = Path(__file__).with_name("graded_pairs.csv")
NAMES = {
    "first": ("first", "sentence1", "sentence_1", "text1"),
    "second": ("second", "sentence2", "sentence_2", "text2"),
    "score": ("score", "similarity_score", "label"),
}
# The STS Benchmark as its authors published it: genre, file, year, number, score, two sentences, at times sources.
STS = {"first": [5], "second": [6], "score": [4]}
FEWEST = 4  # different texts of each label: some to practise on, and one or more to be tested on


@guarded
def read_pairs(path: str | Path = OUR_PAIRS) -> "DataFrame":
    """Read pairs of sentences with grades of their similarity.

    Parameters
    ----------
    path : str or path
        A file separated by commas or tabs, by default the lessons' own pairs. Its header names the columns ``first``
        or ``sentence1``, ``second`` or ``sentence2``, and ``score``, ``similarity_score`` or ``label``; several columns
        ``grade_...`` are averaged. Without a header it has three columns, or those of the STS Benchmark.

    Returns
    -------
    pandas.DataFrame
        ``first``, ``second`` and ``score`` of each pair. A file that is incomplete is a `ValueError` with the line.

    Examples
    --------
    >>> read_pairs().columns.tolist()
    ['first', 'second', 'score']
    """
    import pandas as pd

    file = Path(path)
    lines, tabs = cells_by_line(file)
    names = [cell.lower() for cell in next(iter(lines.values()), [])]
    columns = {side: [names.index(name) for name in known if name in names][:1] for side, known in NAMES.items()}
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


@guarded
def read_texts(path: str | Path) -> "DataFrame":
    r"""Read texts, each with its label, from a table.

    Parameters
    ----------
    path : str or path
        A CSV file in UTF-8, whose first line names the columns ``text`` and ``label``; others are ignored.

    Returns
    -------
    pandas.DataFrame
        ``text`` and ``label`` of each text, both strings. A file that is incomplete, or too small to train and test on,
        is a `ValueError` that says what to do.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "texts.csv")
    ...     _ = file.write_text("text,label\n" + "".join(f"text {i},{'ab'[i % 2]}\n" for i in range(8)))
    ...     read_texts(file).shape
    (8, 2)
    """
    file = Path(path)
    lines, _ = cells_by_line(file)
    names = [cell.lower() for cell in lines.pop(min(lines, default=0), [])]
    if wrong := [name for name in ("text", "label") if names.count(name) != 1]:
        raise ValueError(
            f"{file.name} needs one column {' and one '.join(wrong)}; its first line has {', '.join(names) or 'none'}. "
            "It has to be text,label, with a comma."
        )
    cells = as_table(file.name, lines, len(names)).set_axis(names, axis=1)
    texts = cells[["text", "label"]]
    for column in texts:
        refuse_lines(file.name, texts[column] == "", f"has an empty {column}. Fill it in, or remove the line.")
    counts = texts.drop_duplicates("text")["label"].value_counts()
    if len(counts) < 2 or counts.min() < FEWEST:
        raise ValueError(
            f"{file.name}: two labels or more are needed, each with {FEWEST} different texts or more, some to practise "
            f"on and some for the test; these are {counts.to_dict()}. Add texts, or join labels."
        )
    both_ways = texts.groupby("text")["label"].transform("nunique") > 1
    says = "has a text that stands in the file with another label, too. Decide for one of them, or remove the text."
    refuse_lines(file.name, both_ways, says)
    return texts.reset_index(drop=True)


def cells_by_line(file: Path) -> tuple[dict[int, list[str]], bool]:
    """Return the cells of each line that is not empty, by its number, and whether tabs, not commas, separate them."""
    lines = {}
    try:
        with file.open(encoding="utf-8-sig", newline="") as content:
            tabs = "\t" in next(filter(str.strip, content), "")
            content.seek(0)
            # Between tabs a quotation mark is a letter. Between commas, one that opens a cell must close it, else lines
            # would be lost in silence; csv's strict mode, which pandas does not have, refuses that.
            quoting = csv.QUOTE_NONE if tabs else csv.QUOTE_MINIMAL
            reader = csv.reader(content, delimiter="\t" if tabs else ",", quoting=quoting, strict=True)
            for row in reader:
                lines[reader.line_num] = [normalize("NFC", cell.strip()) for cell in row]  # é may be two characters
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
    """Return lines as a table with their numbers as index; raise `ValueError` if one does not have `width` cells."""
    import pandas as pd

    for line, row in lines.items():
        if len(row) != width:
            raise ValueError(
                f"{name}: line {line} has {len(row)} cells where {width} are due, as in the first line. Quote a text "
                'that has a comma in it: "Yes, it is."'
            )
    return pd.DataFrame(list(lines.values()), index=list(lines), columns=range(width), dtype=str)


def refuse_lines(name: str, wrong: "Series", says: str) -> None:
    """Raise `ValueError` for the first line that is wrong, if there is one."""
    if wrong.any():
        raise ValueError(f"{name}: line {wrong.idxmax()} {says}")
