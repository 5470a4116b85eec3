"""Parts of a Markdown page: a table, and the text between two marks."""

import re
from collections.abc import Iterable


def table(header: str, rows: Iterable[Iterable[object]]) -> str:
    """Return a Markdown table."""
    rule = "|" + "---|" * len(header.split(" | "))
    lines = [f"| {' | '.join(map(str, row))} |" for row in rows]
    return "\n".join([f"| {header} |", rule, *lines]).replace("|  |", "| |")


def replaced(page: str, name: str, text: str) -> str:
    """Return a page with the text between its marks ``<!-- name -->`` and ``<!-- -->`` replaced."""
    pattern = rf"(<!-- {name} -->\n).+?(\n *<!-- -->)"
    done, count = re.subn(pattern, lambda marks: f"{marks[1]}{text}{marks[2]}", page, flags=re.S)
    if count != 1:
        raise ValueError(f"The page has {count} places marked <!-- {name} -->; it needs one.")
    return done
