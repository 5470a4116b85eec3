"""The quiz: two parallel forms as sheets to print, practice questions, keys, and files for Moodle."""

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from bertlab.data import files
from bertlab_teaching import markup, solving, taught

FORMS = {"A": "before the first", "B": "after the last"}  # and the lesson each goes with
PRACTICE = "practice"  # the name of the questions that are in neither form


class Option(NamedTuple):
    """An option of a question, and why it is right or which misconception it shows."""

    text: str
    reason: str


class Question(NamedTuple):
    """A question; `modest`, `technical` and `tried` name the options that a guesser may prefer for these reasons."""

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


def questions(form: str, chosen: Sequence[str] = ()) -> list[Question]:
    """Return the questions of a form, or those for practice, by lessons; a number asks about one idea in both forms.

    Of the `chosen` sittings, these are the ones about their aims.
    """
    asked = []
    for path in taught.taken_lessons(chosen):
        if (found := solving.file_of(path, ".quiz.toml")) is None:
            continue
        lesson, file = int(path.name.partition("_")[0]), tomllib.loads(found.read_text(encoding="utf-8"))
        both = [{key: each[key] for key in ("idea", "kind", "aims")} | each.get(form, {}) for each in file["question"]]
        for question in (Question(lesson, **entry) for entry in (file[PRACTICE] if form == PRACTICE else both)):
            if chosen and not set(question.aims) <= taught.aims(path, chosen):
                continue
            options = {letter: Option(*option) for letter, option in question.options.items()}
            place = f"Lesson {lesson}, {question.place}"
            asked.append(question._replace(options=options, place=place, code=question.code.strip()))
    return asked


def sheet(form: str, chosen: Sequence[str] = (), home: str = "") -> str:
    """Return a form as a page to print, without answers; on the screen it links back to `home`."""
    title, asked = f"bertlab: BERT, from the inside. Form {form}", questions(form, chosen)
    return markup.render("quiz.html", title=title, questions=asked, minutes=minutes(asked), key=False, home=home)


def key(form: str, chosen: Sequence[str] = ()) -> str:
    """Return the key to a form as a page: right letters, the reason for each option, and places in the lessons."""
    asked = questions(form, chosen)
    return markup.render("quiz.html", title=f"Key to {_name(form)}", questions=asked, key=True, home="")


def gift(form: str, chosen: Sequence[str] = ()) -> str:
    """Return a form in Moodle's GIFT format, with the reason for each option and the place in the lessons."""
    asked = questions(form, chosen)
    return markup.render("quiz.gift", name=_name(form), letter=form[0].upper(), questions=asked)


def minutes(asked: Sequence[Question]) -> int:
    """Return how long these questions take."""
    return len(asked) + 1


def _name(form: str) -> str:
    return f"form {form}" if form in FORMS else f"{form} questions"


def build(
    folder: Path, chosen: Sequence[str] = (), forms: Sequence[str] = tuple(FORMS), keys: bool = True, home: str = ""
) -> list[Path]:
    """Write the sheets of these forms, which link back to `home`, and all keys and GIFT files; return the paths."""
    folder.mkdir(parents=True, exist_ok=True)
    pages = {folder / f"form-{form.lower()}.html": sheet(form, chosen, home) for form in forms}
    if keys:
        for form, name in {**{form: f"form-{form.lower()}" for form in FORMS}, PRACTICE: PRACTICE}.items():
            pages[folder / f"{name}-key.html"] = key(form, chosen)
            pages[folder / f"{name}-moodle.txt"] = gift(form, chosen)
    for path, page in pages.items():
        files.write(path, page)
    return list(pages)
