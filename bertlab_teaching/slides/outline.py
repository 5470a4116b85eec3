"""A lesson's file of slides: where it is, which keys its entries may have, and what they name."""

import re
import tomllib
from pathlib import Path
from typing import Any

from bertlab_teaching import solving

# The keys of a file of slides; CONTRIBUTING.md describes each.
KEYS = {
    "sitting": {"name", "title", "aims", "notes", "agenda", "needs", "plan", "slide", "homework"},
    "homework": {"points", "notes"},
    "slide": {"title", "part", "short", "figure", "caption", "predict", "says", "points", "code", "live", "notes"},
    "figure": {"cell", "rows", "columns", "bars", "full", "line"},
    "says": {"cell", "sentences"},
    "code": {"cell", "lines", "highlight", "comments"},
    "notes": {"cell", "paragraphs"},
}


def of(notebook: Path) -> Path | None:
    """Return a notebook's file of slides, if there is one."""
    return solving.file_of(notebook, ".slides.toml")


def sittings(path: Path) -> list[dict[str, Any]]:
    """Return the sittings of a file of slides as they are typed."""
    try:
        entries = tomllib.loads(path.read_text(encoding="utf-8"))["sitting"]
        if all(isinstance(entry["name"], str) for entry in entries):
            return entries
        raise ValueError("a name is no text")
    except (KeyError, TypeError, ValueError) as error:  # a TOMLDecodeError is a ValueError
        raise ValueError(f"{path.name} holds no slides, [[sitting]] with a name, as it should: {error}.") from None


def known(kind: str, entry: dict[str, Any]) -> dict[str, Any]:
    """Return an entry; refuse unknown keys, because a mistyped one would be ignored silently."""
    unknown = ", ".join(sorted(entry.keys() - KEYS[kind]))
    if unknown:
        raise ValueError(f"a {kind} has no {unknown}")
    return entry


def named(kind: str, value: str | dict[str, Any]) -> dict[str, Any]:
    """Return an entry about a cell, which may be typed as the cell's id alone."""
    return known(kind, {"cell": value} if isinstance(value, str) else value)


def only(items: list, what: str) -> Any:
    """Return the only item of a list."""
    if len(items) != 1:
        raise ValueError(f"{len(items)} {what}")
    return items[0]


def some(items: list, chosen: str, what: str) -> list:
    """Return the items that `chosen` names as in ``3-5, 8``, counted from 1."""
    ends = [re.fullmatch(r"\s*(\d+)(?:-(\d+))?\s*", piece) for piece in chosen.split(",")]
    spans = [range(int(end[1]), int(end[2] or end[1]) + 1) for end in ends if end]
    numbers = [number for span in spans for number in span]
    ordered = numbers == sorted(set(numbers))
    if not (all(ends) and numbers and ordered and numbers[0] > 0 and numbers[-1] <= len(items)):
        raise ValueError(f"{chosen!r} does not name {what}, such as 3-5, 8: there are {len(items)}")
    return [items[number - 1] for number in numbers]
