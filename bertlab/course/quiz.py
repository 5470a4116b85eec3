"""The quiz: two parallel forms as sheets to print, keys, and files for Moodle.

Its questions stand beside the lessons that they ask about, in ``NN_name.quiz.toml``; CONTRIBUTING.md says how.
"""

import tomllib
from pathlib import Path
from typing import NamedTuple

from bertlab.course import notebooks as lessons
from bertlab.course.web import markup
from bertlab.data import files

FORMS = {"A": "before the first", "B": "after the last"}  # when each of the two is asked
MINUTES = 15  # how long a form takes


class Option(NamedTuple):
    """One answer to choose, and why it is right or which misconception it stands for."""

    text: str
    reason: str


class Question(NamedTuple):
    """A question of one form; ``modest`` and ``technical`` are letters, empty where no option is so."""

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


def questions(form: str) -> list[Question]:
    """Return the questions of a form, in the lessons' order; those of the same number ask for the same idea."""
    asked = []
    for path in sorted(lessons.folder().glob("[0-9]*.quiz.toml")):
        lesson = int(path.name.partition("_")[0])
        for question in tomllib.loads(path.read_text(encoding="utf-8"))["question"]:
            both = {key: question[key] for key in ("idea", "kind", "aims")}
            own = Question(lesson, **both, **question[form])
            options = {letter: Option(*option) for letter, option in own.options.items()}
            place = f"Lesson {lesson}, {own.place}"
            asked.append(own._replace(options=options, place=place, code=own.code.strip()))
    return asked


def sheet(form: str, home: str = "") -> str:
    """Return a form as a page to print, without answers; `home` is where a way back leads, which is not printed."""
    title = f"BERT, from the inside: form {form}"
    return markup.render("quiz.html", title=title, questions=questions(form), minutes=MINUTES, key=False, home=home)


def key(form: str) -> str:
    """Return the answers to a form as a page: the right letters, each option's reason, the place in the lessons."""
    return markup.render("quiz.html", title=f"Key to form {form}", questions=questions(form), key=True, home="")


def gift(form: str) -> str:
    """Return a form in Moodle's GIFT format: a reason for each option, the place in the lessons for all."""
    return markup.render("quiz.gift", form=form, questions=questions(form))


def build(folder: Path, keys: bool = True, home: str = "") -> list[Path]:
    """Write the sheet of each form, with its key and GIFT file, into a folder, made if missing; return the paths.

    With a page that is their `home`, sheets lead to it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    pages = {}
    for form in FORMS:
        pages[folder / f"form-{form.lower()}.html"] = sheet(form, home)
        if keys:
            pages[folder / f"form-{form.lower()}-key.html"] = key(form)
            pages[folder / f"form-{form.lower()}-moodle.txt"] = gift(form)
    for path, page in pages.items():
        files.write(path, page)
    return list(pages)
