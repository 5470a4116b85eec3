"""Marks for notebooks that were handed in: each exercise runs apart, in our lesson, and all outcomes are one table.

Nothing that a student's notebook shows counts, nor anything that it changes beside the exercises' cells.
"""

import hashlib
import json
import re
import secrets
from collections import defaultdict
from collections.abc import Sequence, Set
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

import pandas as pd
from tqdm import tqdm

from bertlab.course import notebooks, sandbox
from bertlab.course.needs import needed
from bertlab.course.notebooks import read, solutions, solutions_of
from bertlab.course.submissions import Exercise, Submission, exercises, find, plain, safe, unusual
from bertlab.data import files

Row = dict[str, str]

KEY = ["student", "number", "lesson", "exercise"]  # the number is Moodle's
# The table's. One tells whether an answer has changed since, the last who answered alike.
COLUMNS = [*KEY, "stars", "points", "outcome", "said", "answer", "same as"]
LEFT_OUT = "left out"
# A check's reasons that the table calls otherwise.
OUTCOMES = {"blank": "not yet", "wrong": "not quite", "shortcut": "not quite"}
AGAIN = {"too long", "too much memory"}  # outcomes that a slow machine may be to blame for: another run tries again
# What Python, torch and the system say where memory is short: there is no one error for it.
MEMORY = re.compile(r"\bMemoryError\b|can't allocate memory|not enough memory|annot allocate memory|failed to map seg")


class LessonError(RuntimeError):
    """A lesson fails without anything of a student's: nobody can be graded."""


def grade(
    folder: Path, into: Path, minutes: float = 5, memory: float = 6, jobs: int = 1, ours: Set[Path] = frozenset()
) -> list[Row]:
    """Grade all notebooks below a folder, and return all rows of the table: also one for each file that is left out.

    The table is written anew after each exercise. Of one that is there, rows of the same answer stand, as do those of
    others. `minutes` and `memory` (GiB, torch and the model included) are one exercise's, `jobs` run at a time. `ours`
    are files and folders in it that nobody handed in.
    """
    asked = {lesson: exercises(read(lesson)) for lesson in notebooks.paths()}
    handed_in = find(folder, asked, ours | {into.resolve()})
    text = into.read_bytes() if into.is_file() else b""
    rows = {key: row for key, row in _earlier(into).items() if row["outcome"] != LEFT_OUT}
    alike = _alike(handed_in, asked)
    tasks = {}
    for one in handed_in:
        if one.lesson is None:
            key = (one.student, one.number, safe(str(one.path.relative_to(folder))), "")
            rows[key] = _row([*key, "", "", LEFT_OUT, one.reason, "", ""])
            continue
        for exercise in asked[one.lesson]:
            key = (one.student, one.number, one.lesson.stem, exercise.number)
            answer, same = one.answers.get(exercise.number), alike.get(key, "")
            version = hashlib.sha256((one.reason if answer is None else answer).encode(errors="replace")).hexdigest()
            before = rows.get(key)
            if before and before["answer"] == version[:12] and before["outcome"] not in AGAIN:
                before["same as"] = same
            elif one.reason:
                rows[key] = _row([*key, exercise.stars, 0, "unreadable", one.reason, version[:12], ""])
            else:
                tasks[key] = answer, exercise, version[:12], same
    text = _write(into, rows, text)
    sandbox.stop.clear()
    pool = ThreadPoolExecutor(jobs)
    try:
        running = {pool.submit(_judged, *task[:2], minutes, memory): key for key, task in tasks.items()}
        for done in tqdm(as_completed(running), total=len(running), desc="grade", unit="exercise"):
            key, (outcome, said) = running[done], done.result()
            _, exercise, version, same = tasks[key]
            points = exercise.stars if outcome == "right" else 0
            rows[key] = _row([*key, exercise.stars, points, outcome, said, version, same])
            text = _write(into, rows, text)
    except BaseException:
        sandbox.stop.set()
        raise
    finally:
        pool.shutdown(cancel_futures=True)
    return [rows[key] for key in sorted(rows)]


def _row(values: Sequence[str | int]) -> Row:
    return dict(zip(COLUMNS, [safe(str(value)) for value in values], strict=True))


def _earlier(into: Path) -> dict[tuple[str, ...], Row]:
    """Return the rows of an earlier run, also of one that did not know all columns, or saved with semicolons."""
    if not into.exists() or (into.is_file() and not into.stat().st_size):
        return {}
    try:
        separator = ";" if ";" in into.read_text("utf-8-sig").partition("\n")[0] else ","
        table = pd.read_csv(into, sep=separator, dtype=str, keep_default_na=False, index_col=False)
        table["points"] = table["points"].str.replace(",", ".")  # some are given by hand
        table["points"].replace("", "0").astype(float)
        known = set(table.columns)
        assert {"student", "lesson", "exercise", "outcome", "answer"} <= known <= set(COLUMNS)
    except (OSError, ValueError, KeyError, AssertionError) as error:
        raise ValueError(
            f"{str(into)!r} is no table of this command, or more than its points was changed. Rename it, or name "
            "another with --into."
        ) from error
    values = table.reindex(columns=COLUMNS, fill_value="").to_numpy().tolist()
    rows = [dict(zip(COLUMNS, row, strict=True)) for row in values]
    return {tuple(row[name] for name in KEY): row for row in rows}


def _write(into: Path, rows: dict[tuple[str, ...], Row], before: bytes) -> bytes:
    """Write the table, and return its text; nothing is written over what was not there when it was last read."""
    if (into.read_bytes() if into.is_file() else b"") != before:
        raise ValueError(
            f"{str(into)!r} was changed while this command ran, by you or by another run. Nothing of that is lost. "
            "Give the same command again: it goes on from there."
        )
    table = pd.DataFrame([rows[known] for known in sorted(rows)], columns=COLUMNS)
    text = table.to_csv(index=False).encode("utf-8-sig")  # so that Excel reads all letters
    files.write(into, text)
    return text


def _alike(handed_in: Sequence[Submission], asked: dict[Path, list[Exercise]]) -> dict[tuple[str, ...], str]:
    """Say of each answer whose it equals but for comments and blanks; the lesson's own solution is one of them."""
    groups: dict[tuple[str, str], list[tuple[str, ...]]] = defaultdict(list)
    for lesson, of_lesson in asked.items():
        solved = solutions(solutions_of(lesson))
        for exercise in of_lesson:
            groups[exercise.number, plain(solved[exercise.function])].append(("the solution",))
            for one in handed_in:
                answer = one.answers.get(exercise.number) if one.lesson == lesson else None
                if answer is not None and plain(answer) != plain(exercise.stub):
                    key = (one.student, one.number, lesson.stem, exercise.number)
                    groups[exercise.number, plain(answer)].append(key)
    return {
        key: safe(", ".join(other[0] for other in group if other != key))
        for group in groups.values()
        for key in group
        if len(key) > 1
    }


def _judged(answer: str | None, exercise: Exercise, minutes: float, memory: float) -> tuple[str, str]:
    """Return an outcome and what was said, whatever a student's cell does to this program."""
    try:
        return judged(answer, exercise, minutes, memory)
    except LessonError:
        raise
    except Exception as error:
        return "look at it", f"it could not be judged: {type(error).__name__}: {error}"


def judged(answer: str | None, exercise: Exercise, minutes: float, memory: float) -> tuple[str, str]:
    """Return the outcome of a student's cell, and what was said; `RuntimeError` if the lesson itself fails."""
    if answer is None:
        return "missing", f"the notebook has no cell of exercise {exercise.number}"
    if answer.strip() == exercise.stub.strip():
        return "not yet", "the cell is as it was handed out"
    reason, said = _run(answer, exercise, minutes, memory)
    if reason in ("lesson", "ended"):  # so it is said, but a cell may have forged that, or ended Python
        known, why = _run(exercise.stub, exercise, minutes, memory)
        if known in ("lesson", "ended"):
            raise LessonError(
                f"Exercise {exercise.number}: the lesson itself fails here, without anything of a student's: {why}. "
                "`python -m bertlab` says what is missing; --memory allows more than it has now."
            )
        reason = "raised"
    if reason == "right" and (odd := unusual(answer)):  # right values, from a cell that uses what no answer needs
        return "look at it", f"{', '.join(odd)} in the cell, and: {said}"
    if reason == "raised" and MEMORY.search(said):
        return "too much memory", said
    if reason == "raised" and "NameError" in said:
        said += " What it needs of your own has to stand in the exercise's cell, which is taken alone."
    return OUTCOMES.get(reason, reason), said


def _run(answer: str, exercise: Exercise, minutes: float, memory: float) -> tuple[str, str]:
    """Run an answer apart; return the reason of the check's outcome, or why there is none, and what was said."""
    word = secrets.token_hex(16)
    cells = needed(exercise.before, exercise.check, answer)
    task = {"word": word, "memory": memory, "seconds": 60 * minutes, "cells": cells, "answer": answer}
    task |= {"function": exercise.function, "check": exercise.check}
    printed, status = sandbox.run("bertlab.course.worker", json.dumps(task), 60 * minutes, memory)
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
    return "ended", f"the cell ended Python, with status {status}"


def summary(rows: Sequence[Row]) -> str:
    """Return a table for each lesson, students by exercises, and their points; then the files that are left out."""
    parts = []
    for lesson, part in pd.DataFrame([row for row in rows if row["outcome"] != LEFT_OUT]).groupby("lesson"):
        student = (part["student"] + " " + part["number"]).str.strip()
        stars = pd.to_numeric(part.drop_duplicates("exercise")["stars"]).sum()
        table = part.pivot_table(index=student, columns="exercise", values="outcome", aggfunc="max").fillna("-")
        table[f"points of {stars}"] = pd.to_numeric(part["points"]).groupby(student).sum()
        parts.append(table.rename_axis(index=None, columns=str(lesson)).to_string())
    rest = [f"{row['lesson']}: {row['said']}" for row in rows if row["outcome"] == LEFT_OUT]
    return "\n\n".join([*parts, *(["\n".join(["Left out", *rest])] if rest else [])])


def wide(rows: Sequence[Row]) -> bytes:
    """Return a table of a row for each student: the points of each exercise, their sum, and what is to be looked at."""
    table = pd.DataFrame(rows)
    table["points"] = pd.to_numeric(table["points"])
    whose = ["student", "number"]
    points = table[table["exercise"] != ""].pivot_table("points", whose, "exercise", aggfunc="sum")
    points["points"] = points.sum(axis=1)
    unclear = table[table["outcome"].isin({"look at it", LEFT_OUT, "unreadable", *AGAIN})]
    what = (unclear["lesson"] + " " + unclear["exercise"]).str.strip() + ": " + unclear["outcome"]
    joined = unclear.assign(**{"to look at": what}).groupby(whose)["to look at"].agg("; ".join)
    return points.join(joined, how="outer").reset_index().to_csv(index=False, float_format="%g").encode("utf-8-sig")


def feedback(rows: Sequence[Row], folder: Path) -> int:
    """Write a page for each student, in folders that are named as Moodle's are, and return their number.

    What only the teacher should read is not in it: what is to be looked at, and who answered alike.
    """
    pages: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        name = re.sub(r"(^|/)[. ]+", r"\1", row["student"])  # no way up and out
        name += f"_{row['number']}_assignsubmission_file_" if row["number"] else ""
        said = "your teacher looks at it" if row["outcome"] == "look at it" else f"{row['outcome']}. {row['said']}"
        about = f"{row['lesson']}, exercise {row['exercise']}: {row['points']} of {row['stars']} points"
        pages[name].append(f"{about if row['exercise'] else row['lesson']}\n    {said}\n")
    for name, parts in pages.items():
        page = folder / name / "feedback.txt"
        page.parent.mkdir(parents=True, exist_ok=True)
        files.write(page, "\n".join(parts))
    return len(pages)
