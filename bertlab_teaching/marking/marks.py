"""The table of marks: read, written, and summarised for the teacher, with one row and one page per student."""

import re
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from bertlab.data import files
from bertlab_teaching import markup
from bertlab_teaching.marking.submissions import safe

Row = dict[str, str]

KEY = ["student", "number", "lesson", "exercise"]  # the number is Moodle's
# `answer` is a checksum of the answer, `same as` lists who gave the same answer.
COLUMNS = [*KEY, "stars", "points", "outcome", "said", "answer", "same as"]
LEFT_OUT = "left out"
AGAIN = {"too long", "too much memory"}  # outcomes that may be due to a slow machine, so another run tries again
OPEN = {"look at it", *AGAIN}  # outcomes that have no points until a teacher gives them


def row_of(values: Sequence[str | int]) -> Row:
    """Return a row of the table, each value a short line that no spreadsheet takes for a formula."""
    return dict(zip(COLUMNS, [safe(str(value)) for value in values], strict=True))


def earlier(into: Path) -> dict[tuple[str, ...], Row]:
    """Return the rows of an earlier run, even if a spreadsheet has saved them with semicolons."""
    if not into.exists() or (into.is_file() and not into.stat().st_size):
        return {}
    try:
        separator = ";" if ";" in into.read_text("utf-8-sig").partition("\n")[0] else ","
        table = pd.read_csv(into, sep=separator, dtype=str, keep_default_na=False, index_col=False)
        table["points"] = table["points"].str.replace(",", ".")  # some are given by hand
        if not np.isfinite(table["points"].replace("", "0").astype(float)).all():
            raise ValueError("points that are no number")
        if set(table.columns) != set(COLUMNS):
            raise KeyError(*table.columns)
        if not table["exercise"].str.fullmatch(r"(\d+\.\d+)?").all():  # some spreadsheets make a date of 4.1
            raise ValueError("an exercise without its number")
    except (OSError, ValueError, KeyError) as error:
        raise ValueError(
            f"{str(into)!r} is no table of this command, some points in it are no number, or more was changed, as by a "
            "spreadsheet that makes dates of 4.1: open it with all columns as text. Rename it, or name another with "
            "--into."
        ) from error
    rows = [dict(zip(COLUMNS, row, strict=True)) for row in table[COLUMNS].to_numpy().tolist()]
    return {tuple(row[name] for name in KEY): row for row in rows}


def write(into: Path, rows: dict[tuple[str, ...], Row], before: bytes) -> bytes:
    """Write the table and return its text; refuse if the file has changed since it was last read."""
    if (into.read_bytes() if into.is_file() else b"") != before:
        raise ValueError(
            f"{str(into)!r} was changed while this command ran, by you or by another run. Nothing of that is lost. "
            "Give the same command again: it goes on from there."
        )
    table = pd.DataFrame([rows[key] for key in sorted(rows)], columns=COLUMNS)
    text = table.to_csv(index=False).encode("utf-8-sig")  # so that Excel reads all letters
    files.overwrite(into, text)
    return text


def _settled(rows: Sequence[Row]) -> list[Row]:
    """Return the rows; an open outcome that has been given points by hand becomes ``read``."""
    return [{**row, "outcome": "read"} if row["outcome"] in OPEN and row["points"] else row for row in rows]


def summary(rows: Sequence[Row]) -> str:
    """Return a table of students by exercises for each lesson, with their points, then the files left out."""
    rows, parts = _settled(rows), []
    for lesson, part in pd.DataFrame([row for row in rows if row["outcome"] != LEFT_OUT]).groupby("lesson"):
        student = (part["student"] + " " + part["number"]).str.strip()
        stars = pd.to_numeric(part.drop_duplicates("exercise")["stars"]).sum()
        table = part.pivot_table(index=student, columns="exercise", values="outcome", aggfunc="max").fillna("-")
        points = pd.to_numeric(part["points"])
        undecided = pd.to_numeric(part["stars"]).where(points.isna(), 0).groupby(student).sum()
        table[f"points of {stars}"] = points.groupby(student).sum().map("{:g}".format)
        table.loc[undecided > 0, f"points of {stars}"] += undecided.map(" + {:g} to look at".format)
        parts.append(table.rename_axis(index=None, columns=str(lesson)).to_string())
    rest = [f"{row['lesson']}: {row['said']}" for row in rows if row["outcome"] == LEFT_OUT]
    return "\n\n".join([*parts, *(["\n".join(["Left out", *rest])] if rest else [])])


def wide(rows: Sequence[Row]) -> bytes:
    """Return a table with one row per student: the points of each exercise, their sum, and what to look at."""
    table = pd.DataFrame(_settled(rows))
    table["points"] = pd.to_numeric(table["points"])
    student = ["student", "number"]
    points = table[table["exercise"] != ""].pivot_table("points", student, "exercise", aggfunc="max")
    points["points"] = points.sum(axis=1)
    unclear = table[table["outcome"].isin({*OPEN, LEFT_OUT, "unreadable"})]
    problem = (unclear["lesson"] + " " + unclear["exercise"]).str.strip() + ": " + unclear["outcome"]
    joined = unclear.assign(**{"to look at": problem}).groupby(student)["to look at"].agg("; ".join)
    return points.join(joined, how="outer").reset_index().to_csv(index=False, float_format="%g").encode("utf-8-sig")


def feedback(rows: Sequence[Row], folder: Path) -> tuple[int, dict[str, str]]:
    """Write one page per student, without what is for the teacher alone; return their number, and who has no page."""
    by_student: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in _settled(rows):
        by_student[row["student"], row["number"]].append(row)
    pages: set[Path] = set()
    failed: dict[str, str] = {}
    for (student, number), of_student in by_student.items():
        name = re.sub(r"(^|/)[. ]+", r"\1", student)  # no way up and out
        page = folder / (f"{name}_{number}_assignsubmission_file_" if number else name) / "feedback.txt"
        numbers = {column: sum(float(row[column] or 0) for row in of_student) for column in ("points", "stars")}
        numbers["undecided"] = sum(float(row["stars"] or 0) for row in of_student if not row["points"])
        try:
            if page in pages:
                raise ValueError(f"{page} is another student's already. Rename the folder of one of them.")
            page.parent.mkdir(parents=True, exist_ok=True)
            files.write(page, markup.render("feedback.txt", student=student, rows=of_student, **numbers))
            pages.add(page)
        except (OSError, ValueError) as error:  # an odd name, or a teacher's file, must not stop the other pages
            failed[student] = str(error)
    return len(pages), failed
