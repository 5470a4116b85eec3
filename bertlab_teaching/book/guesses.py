"""A lesson's guesses as buttons or a field, which book.js checks: the page cannot run cells."""

import html
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nbformat import NotebookNode

ASKED = re.compile(r"guess = None  # (.+)")
ANSWER = re.compile(r"<details><summary>The answer</summary>(The answer is (.+?): .*)</details>", re.S)


def form(asking: "NotebookNode", revealing: "NotebookNode") -> str:
    """Return the form that replaces a cell that asks for a guess; `ValueError` if the next reveals no folded answer."""
    match = ANSWER.search("".join(output.get("data", {}).get("text/html", "") for output in revealing.outputs))
    if match is None:
        raise ValueError(f"Cell {asking.id} asks for a guess, and the next, {revealing.id}, shows no folded answer.")
    answer = html.escape(re.sub(r'^"(\w)"$', r"\1", html.unescape(match[2])))  # a letter without its quotation marks
    hint = ASKED.sub(r"\1", asking.source)
    options = re.split(", | or ", hint)
    if all(re.fullmatch(r'"[^"]+"|\d+', option) for option in options):
        shown = [html.escape(option.strip('"')) for option in options]
        inside = "<legend>Your guess</legend>\n" + "".join(f'<button type="button">{text}</button>\n' for text in shown)
    else:
        number = re.fullmatch(r"-?[\d.]+", answer)
        kind = 'type="number" step="any"' if number else 'type="text" autocomplete="off"'
        inside = f"<label>Your guess, {html.escape(hint)} <input {kind} required></label>\n<button>Answer</button>\n"
    return (
        f'<form class="guess" data-answer="{answer}" data-reveals="{_place(revealing)}">\n'
        f'<fieldset>{inside}</fieldset>\n<p role="status"></p>\n</form>'
    )


def unfoldable(revealing: "NotebookNode") -> None:
    """Reduce the output of a cell that reveals to its answer, which can be unfolded."""
    for output in revealing.outputs:
        if match := ANSWER.search(output.get("data", {}).get("text/html", "")):
            folded = f"<summary>The answer</summary>{match[1]}"
            output.data["text/html"] = f'<details class="answer" id="{_place(revealing)}">{folded}</details>'


def _place(revealing: "NotebookNode") -> str:
    return f"answer-{revealing.id}"
