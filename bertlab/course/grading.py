"""Marks for notebooks that were handed in: each exercise runs apart, in our lesson, and all outcomes are one table.

Nothing that a student's notebook shows counts, nor anything that it changes beside the exercises' cells.
"""

import hashlib
import json
import re
import secrets
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from tqdm import tqdm

from bertlab.course import sandbox
from bertlab.course.needs import needed
from bertlab.course.notebooks import read
from bertlab.course.submissions import Exercise, answers, exercises, find, unusual
from bertlab.data import files

Row = dict[str, str]

KEY = ["student", "lesson", "exercise"]
# The table's. The last tells whether an answer has changed since.
COLUMNS = [*KEY, "stars", "points", "outcome", "said", "answer"]
# A check's reasons that the table calls otherwise.
OUTCOMES = {"blank": "not yet", "wrong": "not quite", "shortcut": "not quite"}
AGAIN = {"too long", "too much memory"}  # outcomes that a slow machine may be to blame for: another run tries again
LONGEST = 500  # letters of what a check said that the table holds
# What Python, torch and the system say where memory is short: there is no one error for it.
MEMORY = re.compile(r"\bMemoryError\b|can't allocate memory|not enough memory|annot allocate memory|failed to map seg")


def grade(folder: Path, into: Path, minutes: float = 5, memory: float = 6) -> tuple[list[Row], list[Path]]:
    """Grade all notebooks below a folder; return all rows of the table, and the notebooks that are named as no lesson.

    The table is written anew after each exercise. Of one that is there, rows of the same answer stand, as do those of
    others. `minutes` and `memory` (GiB, torch and the model included) are one exercise's.
    """
    submissions, unknown = find(folder)
    rows = _earlier(into)
    asked = {lesson: exercises(read(lesson)) for lesson in {submission.lesson for submission in submissions}}
    for submission in tqdm(submissions, desc="grade", unit="notebook"):
        try:
            theirs, damage = answers(submission.path, asked[submission.lesson]), ""
        except (OSError, ValueError) as error:
            theirs, damage = {}, str(error)
        for exercise in asked[submission.lesson]:
            answer = theirs.get(exercise.number)
            key = (_safe(submission.student), submission.lesson.stem, exercise.number)
            version = hashlib.sha256((answer or "").encode(errors="replace")).hexdigest()[:12]
            before = rows.get(key, {})
            if answer is not None and before.get("answer") == version and before["outcome"] not in AGAIN:
                continue
            outcome, said = ("unreadable", damage) if damage else judged(answer, exercise, minutes, memory)
            points = exercise.stars if outcome == "right" else 0
            values = [*key, str(exercise.stars), str(points), outcome, _safe(said), version]
            rows[key] = dict(zip(COLUMNS, values, strict=True))
            table = pd.DataFrame([rows[known] for known in sorted(rows)], columns=COLUMNS)
            files.write(into, table.to_csv(index=False).encode("utf-8-sig"))  # so that Excel reads all letters
    return [rows[key] for key in sorted(rows)], unknown


def _earlier(into: Path) -> dict[tuple[str, ...], Row]:
    """Return the rows of an earlier run."""
    if not into.exists() or not into.stat().st_size:
        return {}
    try:
        table = pd.read_csv(into, dtype=str, keep_default_na=False, index_col=False)
    except ValueError:
        table = pd.DataFrame()
    if list(table.columns) != COLUMNS:
        raise ValueError(
            f"{str(into)!r} is no table of this command, or was changed since. Rename it, or name another with --into."
        )
    rows = [dict(zip(COLUMNS, values, strict=True)) for values in table.itertuples(index=False)]
    return {tuple(row[name] for name in KEY): row for row in rows}


def judged(answer: str | None, exercise: Exercise, minutes: float, memory: float) -> tuple[str, str]:
    """Return the outcome of a student's cell, and what was said; `RuntimeError` if the lesson itself fails."""
    if answer is None:
        return "missing", f"the notebook has no cell of exercise {exercise.number}"
    if answer.strip() == exercise.stub.strip():
        return "not yet", "the cell is as it was handed out"
    reason, said = _run(answer, exercise, minutes, memory)
    if reason == "lesson":  # so it is said, but a cell may have forged that
        if _run(exercise.stub, exercise, minutes, memory)[0] == "lesson":
            raise RuntimeError(
                f"Exercise {exercise.number}: the lesson itself fails here, without anything of a student's: {said}. "
                "`python -m bertlab` says what is missing; --memory allows more than it has now."
            )
        reason = "raised"
    if reason == "right" and (odd := unusual(answer)):  # right values, from a cell that uses what no answer needs
        return "look at it", f"{', '.join(odd)} in the cell, and: {said}"
    if reason == "raised" and MEMORY.search(said):
        return "too much memory", said
    return OUTCOMES.get(reason, reason), said


def _run(answer: str, exercise: Exercise, minutes: float, memory: float) -> tuple[str, str]:
    """Run an answer apart; return the reason of the check's outcome, or why there is none, and what was said."""
    word = secrets.token_hex(16)
    cells = needed(exercise.before, exercise.check, answer)
    task = {"word": word, "memory": memory, "cells": cells, "answer": answer}
    task |= {"function": exercise.function, "check": exercise.check}
    printed, status = sandbox.run("bertlab.course.worker", json.dumps(task), 60 * minutes)
    lines = [line.removeprefix(word) for line in printed.splitlines() if line.startswith(word)]
    if lines:
        try:
            reason, said = json.loads(lines[-1])
            return str(reason), str(said)
        except (ValueError, TypeError, RecursionError):
            return "raised", "the cell wrote something of its own in the outcome's place"
    if status is None:
        return "too long", f"it had not come to an end after {minutes:g} minutes"
    if status in (-9, 137):
        return "raised", f"MemoryError: the system ended it, as where memory is short; {memory:g} GiB is allowed"
    return "raised", f"the cell ended Python, with status {status}"


def _safe(text: str) -> str:
    """Return a text as one short line that no spreadsheet takes for a formula."""
    line = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
    short = line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"
    return f"'{short}" if short.startswith(("=", "+", "-", "@")) else short


def summary(rows: Sequence[Row]) -> str:
    """Return a table for each lesson: students by exercises, and their points."""
    parts = []
    for lesson, part in pd.DataFrame(rows).groupby("lesson"):
        stars = pd.to_numeric(part.drop_duplicates("exercise")["stars"]).sum()
        points = pd.to_numeric(part["points"], errors="coerce").groupby(part["student"]).sum()
        table = part.pivot_table(index="student", columns="exercise", values="outcome", aggfunc="max").fillna("-")
        table[f"points of {stars}"] = points
        parts.append(table.rename_axis(index=None, columns=str(lesson)).to_string())
    return "\n\n".join(parts)
