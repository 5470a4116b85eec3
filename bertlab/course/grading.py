"""Marks for notebooks that were handed in: each exercise runs apart, in our lesson, and all outcomes are one table.

Nothing that a student's notebook shows counts, nor anything that it changes beside the exercises: their cells alone
are taken, and the checks try them on fresh inputs.
"""

import csv
import hashlib
import io
import json
import re
import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from bertlab.course import sealed
from bertlab.course.needs import needed
from bertlab.course.notebooks import paths, read
from bertlab.course.submissions import Exercise, Submission, answers, exercises, find, is_blank, unusual
from bertlab.data import files

Row = dict[str, str]

COLUMNS = ("student", "lesson", "exercise", "stars", "points", "outcome", "said", "answer")
"""The table's. The last tells whether an answer has changed since."""

AGAIN = {"too long", "too much memory"}
"""Outcomes that a slow machine may be to blame for: another run tries again."""

LONGEST = 500
"""Letters of what a check said that the table holds."""

MEMORY = re.compile(
    r"\bMemoryError\b|can't allocate memory|not enough memory|[Cc]annot allocate memory|failed to map segment"
)


def grade(
    folder: Path,
    into: Path,
    minutes: float = 5,
    memory: float = 6,
    lessons: Sequence[Path] | None = None,
    progress: Callable[[list], Iterable] = iter,
) -> tuple[list[Row], list[Path]]:
    """Grade all notebooks below a folder, and keep the table in a file from exercise to exercise.

    Parameters
    ----------
    folder
        See `bertlab.course.submissions.find`.
    into
        A table (CSV). One of an earlier run goes on: what it has of the same answer stands, and so do its other rows.
    minutes
        How long one exercise may take.
    memory
        How much one exercise may use, in GiB, torch and the model included, where the system can limit that.
    lessons
        By default all.
    progress
        Takes the submissions and gives them back one by one: ``tqdm`` shows a bar.

    Returns
    -------
    list of dict
        The file's rows, of an exercise each.
    list of pathlib.Path
        The notebooks that are named as no lesson is.

    Raises
    ------
    ValueError
        As `find`, and if `into` is another table.
    OSError
        If it cannot be written.
    RuntimeError
        If a lesson itself fails.
    """
    found, unknown = find(folder, paths() if lessons is None else lessons)
    files.check(into)
    rows = _earlier(into)
    asked = {lesson: exercises(read(lesson)) for lesson in {one.lesson for one in found}}
    for one in progress(found):
        for row in _outcomes(one, asked[one.lesson], rows, folder, minutes, memory):
            rows[_key(row)] = row
            _write(rows, into)
    return [rows[key] for key in sorted(rows)], unknown


def _key(row: Row) -> tuple[str, ...]:
    return row["student"], row["lesson"], row["exercise"]


def _outcomes(
    one: Submission,
    asked: Sequence[Exercise],
    rows: dict[tuple[str, ...], Row],
    folder: Path,
    minutes: float,
    memory: float,
) -> Iterator[Row]:
    """Yield the rows of a submission that are new."""
    try:
        given, unreadable = answers(one.path, asked), ""
    except ValueError as error:
        given, unreadable = {}, str(error)
    for exercise in asked:
        answer = given.get(exercise.number)
        row = dict.fromkeys(COLUMNS, "")
        row |= {"student": _safe(one.student), "lesson": one.lesson.stem, "exercise": exercise.number}
        row |= {
            "stars": str(exercise.stars),
            "answer": hashlib.sha256((answer or "").encode(errors="replace")).hexdigest()[:12],
        }
        before = rows.get(_key(row), {})
        if before.get("answer") == row["answer"] and before["outcome"] not in AGAIN and answer is not None:
            continue
        if unreadable:
            outcome, said = "unreadable", unreadable
        elif answer is None:
            outcome, said = "missing", f"the notebook has no cell of exercise {exercise.number}"
        else:
            outcome, said = judged(answer, exercise, minutes, memory, hidden=folder)
        points = exercise.stars if outcome == "right" else 0
        yield row | {"points": str(points), "outcome": outcome, "said": _safe(said)}


def judged(
    answer: str, exercise: Exercise, minutes: float, memory: float, hidden: Path | None = None
) -> tuple[str, str]:
    """Run an answer apart, and return the outcome and what was said.

    Parameters
    ----------
    answer
        The source of a student's cell.
    exercise
    minutes
    memory
        In GiB.
    hidden
        A folder that the answer must not read, as far as that can be had.

    Returns
    -------
    str
        ``right``, ``not quite``, ``not yet``, ``raised``, ``too long``, ``too much memory``, or ``look at it`` where
        the values are right and the cell uses what no answer needs.
    str

    Raises
    ------
    RuntimeError
        If the lesson itself fails.
    """
    if is_blank(answer, exercise):
        return "not yet", "the cell is as it was handed out"
    word = secrets.token_hex(16)
    task = {
        "word": word,
        "memory": memory,
        "cells": needed(exercise.before, exercise.check, answer),
        "answer": answer,
        "function": exercise.function,
        "check": exercise.check,
    }
    printed, status = sealed.run("bertlab.course.worker", json.dumps(task), 60 * minutes, hidden)
    lines = [line.removeprefix(word) for line in printed.splitlines() if line.startswith(word)]
    if not lines:
        return _ended(status, minutes, memory)
    who, *rest = json.loads(lines[-1])
    if who == "lesson" and MEMORY.search(rest[0]):
        raise RuntimeError(f"The lesson itself needs more than {memory:g} GiB ({rest[0]}). Allow more with --memory.")
    if who == "lesson":
        raise RuntimeError(
            f"Exercise {exercise.number}: the lesson itself fails here, without anything of a student's: {rest[0]}. "
            "`python -m bertlab` says what is missing."
        )
    if who == "cell":
        return ("too much memory" if MEMORY.search(rest[0]) else "raised"), rest[0]
    status_of_check, said = rest
    return _named(status_of_check, said, answer)


def _ended(status: int | None, minutes: float, memory: float) -> tuple[str, str]:
    """Return the outcome of a process that ended without one."""
    if status is None:
        return "too long", f"it had not come to an end after {minutes:g} minutes"
    if status in (-9, 137):
        return "too much memory", f"the system ended it, which it does where memory is short; {memory:g} GiB is allowed"
    return "raised", f"the cell ended Python, with status {status}"


def _named(status: str, said: str, answer: str) -> tuple[str, str]:
    """Return the outcome of a check, told apart by what the checks' runner says."""
    if status == "right":
        odd = unusual(answer)
        return ("look at it", f"{', '.join(odd)} in the cell, and: {said}") if odd else (status, said)
    if "your function was stopped: it had not returned" in said:
        return "too long", said
    if re.search(r"your function raised \w+:", said):
        return ("too much memory" if MEMORY.search(said) else "raised"), said
    return status, said


def _safe(text: str) -> str:
    """Return a text as one short line that no spreadsheet takes for a formula."""
    line = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
    short = line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"
    return f"'{short}" if short.startswith(("=", "+", "-", "@")) else short


def _earlier(into: Path) -> dict[tuple[str, ...], Row]:
    """Return the rows of an earlier run."""
    if not into.exists() or not into.stat().st_size:
        return {}
    try:
        table = csv.DictReader(io.StringIO(into.read_text("utf-8-sig"), newline=""))
        rows = list(table)
    except (UnicodeDecodeError, csv.Error):
        table, rows = None, []
    if table is None or tuple(table.fieldnames or ()) != COLUMNS or any(None in (*row, *row.values()) for row in rows):
        raise ValueError(
            f"{str(into)!r} is no table of this command, or was changed since. Rename it, or name another with --into."
        )
    return {_key(row): row for row in rows}


def _write(rows: dict[tuple[str, ...], Row], into: Path) -> None:
    text = io.StringIO(newline="")
    table = csv.DictWriter(text, COLUMNS)
    table.writeheader()
    table.writerows(rows[key] for key in sorted(rows))
    files.write(into, text.getvalue().encode("utf-8-sig"))  # so that Excel reads all letters


def summary(rows: Sequence[Row]) -> str:
    """Return a table for each lesson: students by exercises, and their points.

    Examples
    --------
    >>> row = {"student": "anna", "lesson": "01_first", "exercise": "1.1", "stars": "2", "points": "2"}
    >>> print(summary([row | {"outcome": "right"}, row | {"student": "ben", "points": "0", "outcome": "not yet"}]))
    01_first  1.1      points of 2
    anna      right    2
    ben       not yet  0
    """
    parts = []
    for lesson in sorted({row["lesson"] for row in rows}):
        here = [row for row in rows if row["lesson"] == lesson]
        stars = {row["exercise"]: int(row["stars"]) for row in here}
        lines = [[lesson, *sorted(stars), f"points of {sum(stars.values())}"]]
        for student in sorted({row["student"] for row in here}):
            theirs = {row["exercise"]: row for row in here if row["student"] == student}
            outcomes = [theirs[number]["outcome"] if number in theirs else "-" for number in sorted(stars)]
            lines.append([student, *outcomes, str(sum(int(row["points"]) for row in theirs.values()))])
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        text = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines]
        parts.append("\n".join(line.rstrip() for line in text))
    return "\n\n".join(parts)
