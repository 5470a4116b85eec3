"""Marks for notebooks that were handed in: each exercise runs in a process of its own, in our copy of the lesson."""

import hashlib
import json
import re
import secrets
from collections import defaultdict
from collections.abc import Sequence, Set
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from tqdm import tqdm

from bertlab.lessons import paths, read
from bertlab_teaching.marking import marks, sandbox
from bertlab_teaching.marking.marks import AGAIN, LEFT_OUT, OPEN, Row
from bertlab_teaching.marking.submissions import Exercise, Submission, exercises, find, needed, plain, safe
from bertlab_teaching.marking.usual import unusual
from bertlab_teaching.solving import solutions, solutions_of

# The reasons of a check that have another name in the table.
OUTCOMES = {"blank": "not yet", "wrong": "not quite", "shortcut": "not quite"}
# How Python, torch and the system report that memory is short; they share no one error.
MEMORY = re.compile(r"\bMemoryError\b|can't allocate memory|not enough memory|annot allocate memory|failed to map seg")


class LessonError(RuntimeError):
    """A lesson fails without any student's code, so nobody can be graded."""


def grade(
    folder: Path, into: Path, minutes: float = 5, memory: float = 6, jobs: int = 1, ours: Set[Path] = frozenset()
) -> list[Row]:
    """Grade all notebooks below a folder but `ours`, go on with the table, and return its rows; `memory` is in GiB."""
    asked = {lesson: exercises(read(lesson)) for lesson in paths()}
    handed_in = find(folder, asked, ours | {into.resolve()})
    text = into.read_bytes() if into.is_file() else b""
    rows = {key: row for key, row in marks.earlier(into).items() if row["outcome"] != LEFT_OUT}
    alike = _alike(handed_in, asked)
    tasks = {}
    for submission in handed_in:
        if submission.lesson is None:
            key = (submission.student, submission.number, safe(str(submission.path.relative_to(folder))), "")
            rows[key] = marks.row_of([*key, "", "", LEFT_OUT, submission.reason, "", ""])
            continue
        for exercise in asked[submission.lesson]:
            key = (submission.student, submission.number, submission.lesson.stem, exercise.number)
            answer, same = submission.answers.get(exercise.number), alike.get(key, "")
            content = submission.reason if answer is None else answer
            digest = hashlib.sha256(content.encode(errors="replace")).hexdigest()
            version = f"v{digest[:11]}"  # a letter first, because a spreadsheet takes digits, and 12e4, for a number
            before = rows.get(key)
            if before and before["answer"] == version and (before["outcome"] not in AGAIN or before["points"]):
                before["same as"] = same
            elif submission.reason:
                rows[key] = marks.row_of([*key, exercise.stars, 0, "unreadable", submission.reason, version, ""])
            else:
                tasks[key] = answer, exercise, version, same
    text = marks.write(into, rows, text)
    sandbox.stop.clear()
    pool = ThreadPoolExecutor(jobs)
    try:
        running = {pool.submit(_judged, *task[:2], minutes, memory): key for key, task in tasks.items()}
        for done in tqdm(as_completed(running), total=len(running), desc="grade", unit="exercise"):
            key, (outcome, message) = running[done], done.result()
            _, exercise, version, same = tasks[key]
            points = "" if outcome in OPEN else exercise.stars if outcome == "right" else 0
            rows[key] = marks.row_of([*key, exercise.stars, points, outcome, message, version, same])
            text = marks.write(into, rows, text)
    except BaseException:
        sandbox.stop.set()
        raise
    finally:
        pool.shutdown(cancel_futures=True)
    return [rows[key] for key in sorted(rows)]


def _alike(handed_in: Sequence[Submission], asked: dict[Path, list[Exercise]]) -> dict[tuple[str, ...], str]:
    """Return whose answers each answer equals up to comments and blanks; the lesson's solution counts as an answer."""
    groups: dict[tuple[str, str], list[tuple[str, ...]]] = defaultdict(list)
    for lesson, of_lesson in asked.items():
        solved = solutions(solutions_of(lesson))
        for exercise in of_lesson:
            groups[exercise.number, plain(solved[exercise.function])].append(("the solution",))
            for submission in handed_in:
                answer = submission.answers.get(exercise.number) if submission.lesson == lesson else None
                if answer is not None and plain(answer) != plain(exercise.stub):
                    key = (submission.student, submission.number, lesson.stem, exercise.number)
                    groups[exercise.number, plain(answer)].append(key)
    return {
        key: safe(", ".join(member[0] for member in group if member != key))
        for group in groups.values()
        for key in group
        if len(key) > 1
    }


def _judged(answer: str | None, exercise: Exercise, minutes: float, memory: float) -> tuple[str, str]:
    """Return an outcome and a message, whatever a student's cell does to this program."""
    try:
        return judged(answer, exercise, minutes, memory)
    except LessonError:
        raise
    except Exception as error:
        return "look at it", f"it could not be judged: {type(error).__name__}: {error}"


def judged(answer: str | None, exercise: Exercise, minutes: float, memory: float) -> tuple[str, str]:
    """Return the outcome of a student's cell and a message; `LessonError` if the lesson itself fails."""
    if answer is None:
        return "missing", f"the notebook has no cell of exercise {exercise.number}"
    if answer.strip() == exercise.stub.strip():
        return "not yet", "the cell is as it was handed out"
    reason, message = _run(answer, exercise, minutes, memory)
    if reason in ("lesson", "ended"):  # but a cell may have forged that, or ended Python
        of_stub, why = _run(exercise.stub, exercise, minutes, memory)
        if of_stub in ("lesson", "ended"):
            raise LessonError(
                f"Exercise {exercise.number}: the lesson itself fails here, without anything of a student's: {why}. "
                "`python -m bertlab` says what is missing; --memory allows more than it has now."
            )
        reason = "raised"
    if reason == "right" and (odd := unusual(answer)):  # right values, from a cell that uses what no answer needs
        return "look at it", f"{', '.join(odd)} in the cell, and: {message}"
    if reason == "raised" and MEMORY.search(message):
        return "too much memory", message
    if reason == "raised" and "NameError" in message:
        message = message.rstrip(".") + ". What it needs of your own has to stand in its cell, which is taken alone."
    return OUTCOMES.get(reason, reason), message


def _run(answer: str, exercise: Exercise, minutes: float, memory: float) -> tuple[str, str]:
    """Run an answer in its own process; return the reason of the check's outcome, or of its absence, and a message."""
    word = secrets.token_hex(16)
    cells = needed(exercise.before, exercise.check, answer)
    task = {"word": word, "memory": memory, "seconds": 60 * minutes, "cells": cells, "answer": answer}
    task |= {"function": exercise.function, "check": exercise.check}
    printed, status = sandbox.run("bertlab_teaching.marking.worker", json.dumps(task), 60 * minutes, memory)
    lines = [line.removeprefix(word) for line in printed.splitlines() if line.startswith(word)]
    if lines:
        try:
            reason, message = json.loads(lines[-1])
            return str(reason), str(message)
        except (ValueError, TypeError, RecursionError):
            return "raised", "the cell wrote something of its own in the outcome's place"
    if status is None:
        return "too long", f"it had not come to an end after {minutes:g} minutes"
    if status in (-9, 137):
        return "raised", f"MemoryError: the system ended it, as where memory is short; {memory:g} GiB is allowed"
    return "ended", f"the cell ended Python, with status {status}"
