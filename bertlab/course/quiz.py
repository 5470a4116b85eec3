"""The quiz: two parallel forms as sheets to print, keys, and files for Moodle, all made from ``quiz.toml``."""

import html
import re
import tomllib
from pathlib import Path
from typing import NamedTuple

from bertlab.course import notebooks as lessons
from bertlab.course.markup import marked
from bertlab.data import files

FORMS = ("A", "B")
"""One for before the course and one for after it."""

SOURCE = Path(__file__).with_suffix(".toml")

PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>{title}</title>
<style>
@page {{ size: A4; margin: 18mm; }}
body {{ max-width: 44em; margin: 2em auto; padding: 0 1em; font: 11pt/1.4 Helvetica, Arial, sans-serif;
    overflow-wrap: anywhere; }}
section {{ break-inside: avoid; margin-top: 1.4em; }}
h1 {{ font-size: 16pt; }} h2 {{ font-size: 11pt; margin: 0; }}
p, ol {{ margin: 0.3em 0; }} pre, code {{ font: 10pt/1.3 monospace; }} pre {{ margin: 0.5em 0 0.5em 1.5em;
    overflow-x: auto; }}
@media print {{ body {{ max-width: none; margin: 0; padding: 0; }} }}
</style></head><body>
<h1>{title}</h1>
{body}
</body></html>
"""

SHEET = """<p>Name or code: ______________________________ &emsp; Date: ______________</p>
<p>Each question has one right answer; mark its letter. If you do not know it, leave the question blank. You have
{minutes} minutes and need no computer. [CLS], [SEP], [PAD] and [MASK] are special tokens, which BERT reads besides the
words.</p>"""


class Option(NamedTuple):
    """One answer to choose, and why it is right or which misconception it stands for."""

    text: str
    reason: str


class Question(NamedTuple):
    """A question of one form; ``modest`` and ``technical`` are letters, empty where no option is so."""

    idea: str
    kind: str
    asks: str
    code: str
    options: dict[str, Option]
    right: str
    modest: str
    technical: str
    place: str


def minutes() -> int:
    """Return how long a form takes."""
    return tomllib.loads(SOURCE.read_text(encoding="utf-8"))["minutes"]


def questions(form: str) -> list[Question]:
    """Return the questions of a form, in their order.

    Parameters
    ----------
    form
        ``"A"`` or ``"B"``. Questions of the same number ask for the same idea.

    Examples
    --------
    >>> first = questions("A")[0]
    >>> first.right, first.options["A"].text
    ('C', 'no rows, for these places are cut away')
    """
    found = []
    for both in tomllib.loads(SOURCE.read_text(encoding="utf-8"))["question"]:
        own = both[form]
        options = {letter: Option(*option) for letter, option in own["options"].items()}
        found.append(
            Question(
                both["idea"],
                both["kind"],
                own["asks"],
                own.get("code", "").strip(),
                options,
                own["right"],
                own.get("modest", ""),
                own.get("technical", ""),
                own["place"],
            )
        )
    return found


def sheet(form: str) -> str:
    """Return a form as a page to print, without answers."""
    sections = [
        f"<section><h2>Question {number}</h2>{_asked(question)}\n<ol type='A'>\n"
        + "\n".join(f"<li>{marked(option.text)}</li>" for option in question.options.values())
        + "\n</ol></section>"
        for number, question in enumerate(questions(form), 1)
    ]
    body = "\n".join([SHEET.format(minutes=minutes()), *sections])
    return PAGE.format(title=f"BERT, from the inside: form {form}", body=body)


def key(form: str) -> str:
    """Return the answers to a form as a page: the right letters, each option's reason, the place in the lessons."""
    asked = list(enumerate(questions(form), 1))
    sections = [
        f"<section><h2>Question {number}: {question.right}</h2><p>{marked(question.place)}</p>\n<ol type='A'>\n"
        + "\n".join(
            f"<li>{marked(option.text)}<br>{'<b>Right.</b> ' if letter == question.right else ''}"
            f"<em>{marked(option.reason)}</em></li>"
            for letter, option in question.options.items()
        )
        + "\n</ol></section>"
        for number, question in asked
    ]
    row = "<p>" + " &ensp; ".join(f"{number}&nbsp;<b>{question.right}</b>" for number, question in asked) + "</p>"
    return PAGE.format(title=f"Key to form {form}", body="\n".join([row, *sections]))


def gift(form: str) -> str:
    r"""Return a form in Moodle's GIFT format: a reason for each option, the place in the lessons for all.

    A line that is blank ends a question in GIFT, so the lines of a code stand in one, as ``\n``.
    """
    blocks = [f"$CATEGORY: bertlab/form {form}"]
    for number, question in enumerate(questions(form), 1):
        answers = [
            f"{'=' if letter == question.right else '~'}{_escaped(marked(option.text))}"
            f"#{_escaped(marked(option.reason))}"
            for letter, option in question.options.items()
        ]
        name = _escaped(f"{form}{number:02} {question.idea}")
        end = f"####{_escaped(marked(question.place))}"
        blocks.append("\n".join([f"::{name}::[html]{_escaped(_asked(question))}{{", *answers, end, "}"]))
    return "\n\n".join(blocks) + "\n"


def build(folder: Path) -> list[Path]:
    """Write the sheet, the key and the GIFT file of each form.

    Parameters
    ----------
    folder
        Made if missing. Files of these names that are there are written anew.

    Returns
    -------
    list of pathlib.Path

    Raises
    ------
    OSError
        If the folder cannot be made or written.
    """
    lessons.make_folder(folder)
    made = {}
    for form in FORMS:
        made[folder / f"form-{form.lower()}.html"] = sheet(form)
        made[folder / f"form-{form.lower()}-key.html"] = key(form)
        made[folder / f"form-{form.lower()}-moodle.txt"] = gift(form)
    for path, text in made.items():
        files.write(path, text)
    return list(made)


def _asked(question: Question) -> str:
    """Return what a question asks, with its code, as HTML."""
    code = f"\n<pre>{html.escape(question.code, quote=False)}</pre>" if question.code else ""
    return f"<p>{marked(question.asks)}</p>{code}"


def _escaped(text: str) -> str:
    """Return a text in which no character means anything to GIFT."""
    return re.sub(r"([\\~=#{}:])", r"\\\1", text).replace("\n", r"\n")
