"""The quiz: two parallel forms as sheets to print, questions for practice, keys, and files for Moodle.

Its questions stand beside the lessons that they ask about, in ``NN_name.quiz.toml``; CONTRIBUTING.md says how.
"""

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from bertlab import lessons
from bertlab.data import files
from bertlab_teaching import markup

FORMS = {"A": "before the first", "B": "after the last"}  # when each of the two is asked
PRACTICE = "practice"  # the name of the questions that stand in neither
MINUTES = 15  # how long a form takes


class Option(NamedTuple):
    """One answer to choose, and why it is right or which misconception it stands for."""

    text: str
    reason: str


class Question(NamedTuple):
    """A question; `modest`, `technical` and `tried` are letters of options that are so, for whoever guesses."""

    lesson: int
    idea: str
    kind: str
    aims: list[int]
    asks: str
    options: dict[str, Option]
    right: str
    place: str
    code: str = ""
    modest: str = ""
    technical: str = ""
    tried: str = ""


def questions(form: str) -> list[Question]:
    """Return the questions of a form, or those for practice, in the lessons' order.

    Those of the same number in the two forms ask for the same idea.
    """
    asked = []
    for path in sorted(lessons.folder().glob("[0-9]*.quiz.toml")):
        lesson = int(path.name.partition("_")[0])
        for own in _of_lesson(tomllib.loads(path.read_text(encoding="utf-8")), form):
            question = Question(lesson, **own)
            options = {letter: Option(*option) for letter, option in question.options.items()}
            place = f"Lesson {lesson}, {question.place}"
            asked.append(question._replace(options=options, place=place, code=question.code.strip()))
    return asked


def _of_lesson(entries: dict[str, Any], form: str) -> list[dict[str, Any]]:
    """Return the entries of a lesson's file that a form takes, each whole."""
    if form == PRACTICE:
        return entries[PRACTICE]
    both = ("idea", "kind", "aims")
    return [{key: question[key] for key in both} | question[form] for question in entries["question"]]


def sheet(form: str, home: str = "") -> str:
    """Return a form as a page to print, without answers; `home` is where a way back leads, which is not printed."""
    title = f"BERT, from the inside: form {form}"
    return markup.render("quiz.html", title=title, questions=questions(form), minutes=MINUTES, key=False, home=home)


def key(form: str) -> str:
    """Return the answers to a form as a page: the right letters, each option's reason, the place in the lessons."""
    return markup.render("quiz.html", title=f"Key to {_name(form)}", questions=questions(form), key=True, home="")


def gift(form: str) -> str:
    """Return a form in Moodle's GIFT format: a reason for each option, the place in the lessons for all."""
    return markup.render("quiz.gift", name=_name(form), letter=form[0].upper(), questions=questions(form))


def _name(form: str) -> str:
    return f"form {form}" if form in FORMS else f"{form} questions"


def build(folder: Path, forms: Sequence[str] = tuple(FORMS), keys: bool = True, home: str = "") -> list[Path]:
    """Write the sheets of forms into a folder, made if missing, and keys and GIFT files of all; return the paths.

    With a page that is their `home`, sheets lead to it. The questions for practice have no sheet.
    """
    folder.mkdir(parents=True, exist_ok=True)
    pages = {folder / f"form-{form.lower()}.html": sheet(form, home) for form in forms}
    if keys:
        for form, name in {**{form: f"form-{form.lower()}" for form in FORMS}, PRACTICE: PRACTICE}.items():
            pages[folder / f"{name}-key.html"] = key(form)
            pages[folder / f"{name}-moodle.txt"] = gift(form)
    for path, page in pages.items():
        files.write(path, page)
    return list(pages)
