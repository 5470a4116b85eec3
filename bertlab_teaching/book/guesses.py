"""A lesson's guesses as buttons or a field, which book.js checks: the page cannot run cells."""

import html
import re

from nbformat import NotebookNode

from bertlab_teaching import markup

ASKED = re.compile(r"guess = None  # (.+)")
ANSWER = re.compile(r"<details><summary>The answer</summary>(The answer is (.+?): .*)</details>", re.S)


def form(asking: NotebookNode, revealing: NotebookNode) -> str:
    """Return the form that replaces a cell that asks for a guess; `ValueError` if the next reveals no folded answer."""
    match = ANSWER.search("".join(output.get("data", {}).get("text/html", "") for output in revealing.outputs))
    if match is None:
        raise ValueError(f"Cell {asking.id} asks for a guess, and the next, {revealing.id}, shows no folded answer.")
    answer = re.sub(r'^"(\w)"$', r"\1", html.unescape(match[2]))  # a letter without its quotation marks
    hint = ASKED.sub(r"\1", asking.source)
    options = re.split(", | or ", hint)
    is_closed = all(re.fullmatch(r'"[^"]+"|\d+', option) for option in options)
    shown = [option.strip('"') for option in options] if is_closed else []
    values = {"answer": answer, "hint": hint, "options": shown, "number": re.fullmatch(r"-?[\d.]+", answer)}
    return markup.render("guess.html", place=_place(revealing), **values)


def unfoldable(revealing: NotebookNode) -> None:
    """Reduce the output of a cell that reveals to its answer, which can be unfolded."""
    for output in revealing.outputs:
        if match := ANSWER.search(output.get("data", {}).get("text/html", "")):
            folded = f"<summary>The answer</summary>{match[1]}"
            output.data["text/html"] = f'<details class="answer" id="{_place(revealing)}">{folded}</details>'


def _place(revealing: NotebookNode) -> str:
    return f"answer-{revealing.id}"
