"""What a class takes: sittings by their names, such as 3 and 4a; 4 is all of lesson 4, and none are all."""

import re
from collections.abc import Sequence
from pathlib import Path

from bertlab import lessons
from bertlab_teaching.slides import outline, session


def is_taken(sitting: str, chosen: Sequence[str]) -> bool:
    """Return whether a sitting is chosen, by its name or by its lesson's number."""
    return not chosen or sitting in chosen or re.sub(r"(?<=\d)[a-z]$", "", sitting) in chosen


def notebooks(chosen: Sequence[str], among: Sequence[Path] = ()) -> list[Path]:
    """Return the notebooks with the chosen sittings, by default of the session and all lessons; refuse others."""
    among = among or [path for path in (session.path(), *lessons.paths()) if outline.of(path)]
    if not chosen:
        return list(among)
    named = [(entry["name"], path) for path in among for entry in outline.sittings(source(path))]
    for sitting in chosen:
        if not any(is_taken(name, [sitting]) for name, _ in named):
            every = ", ".join(name for name, _ in named)
            raise ValueError(f"There are no slides for sitting {sitting!r}. There are those for {every}.")
    return list(dict.fromkeys(path for name, path in named if is_taken(name, chosen)))


def taken_lessons(chosen: Sequence[str]) -> list[Path]:
    """Return the lessons that have chosen sittings; without a choice, all."""
    return [path for path in notebooks(chosen) if path.stem != session.NAME] if chosen else lessons.paths()


def aims(lesson: Path, chosen: Sequence[str]) -> set[int]:
    """Return the aims of a lesson that its chosen sittings have, counted from 1."""
    entries = [entry for entry in outline.sittings(source(lesson)) if is_taken(entry["name"], chosen)]
    every = [1, 2, 3]
    return {aim for entry in entries for aim in outline.some(every, entry.get("aims", "1-3"), "aims")}


def source(notebook: Path) -> Path:
    """Return a notebook's file of slides, or raise an error if it has none."""
    found = outline.of(notebook)
    if found is None:
        raise ValueError(f"There are no slides for it. {notebook.stem}.slides.toml is missing. See CONTRIBUTING.md.")
    return found
