"""The course as a folder to put on a web server or a learning platform: lessons, slides, the quiz, a page of all.

For students: there are no speaker's notes in it, no solutions, and no key to the quiz.
"""

import html
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bertlab.course import decks, quiz, running
from bertlab.course import notebooks as lessons
from bertlab.course.web import page
from bertlab.data import files

if TYPE_CHECKING:
    from nbformat import NotebookNode

INDEX = "index.html"

TITLE = "BERT, from the inside"

INTRODUCTION = f"""<h1>{TITLE}</h1>
<p>Lessons that open a BERT up, part by part. Each page shows a lesson with all that its code prints and draws. The
lessons themselves are notebooks, in which you run the code, change it and do the exercises.</p>
<h2 id="lessons">Lessons</h2>
"""


def build(destination: Path) -> list[Path]:
    """Write the course as pages for students, with the outputs that are stored in the lessons.

    Parameters
    ----------
    destination
        Made if missing. Pages that are there are written anew.

    Returns
    -------
    list of pathlib.Path
        The page of all lessons, then the lessons.

    Raises
    ------
    ModuleNotFoundError
        If a package that decks need is not installed.
    OSError
        If the folder cannot be made or written.
    RuntimeError
        As `bertlab.course.running.each`, of the slides or of the lessons.
    ValueError
        If a lesson's file is damaged.
    """
    lessons.make_folder(destination)
    slides = _write_slides(destination / "slides")
    forms = _write_quiz(destination / "quiz")
    more = [_write_markdown(path, destination) for path in sorted(lessons.folder().glob("*.md"))]
    paths = lessons.paths()
    notebooks = [lessons.read(path) for path in paths]
    places = [
        page.Place(f"{path.stem}.html", _title(notebook.cells[0].source))
        for path, notebook in zip(paths, notebooks, strict=True)
    ]
    before = dict(zip(paths[1:], places, strict=False))
    after = dict(zip(paths, places[1:], strict=False))

    def written(path: Path) -> Path:
        number = paths.index(path)
        body, place = page.body(notebooks[number]), places[number]
        ways = {"before": before.get(path), "after": after.get(path), "top": INDEX}
        return _write(destination / place.file, place.title, body, **ways)

    made = running.each(paths, written)
    beside = [*more, page.Place(f"slides/{slides.name}", "Slides"), *forms]
    first = index(dict(zip(places, notebooks, strict=True)), beside)
    return [_write(destination / INDEX, TITLE, first), *made]


def index(of_lessons: "dict[page.Place, NotebookNode]", beside: list[page.Place]) -> str:
    """Return what stands on the page of all lessons: each with its question and minutes, and what is beside them.

    Parameters
    ----------
    of_lessons
        The lessons' pages and their notebooks.
    beside

    Returns
    -------
    str
    """
    from bertlab.course.web.markdown import to_html

    items = []
    for place, lesson in of_lessons.items():
        question, minutes = lesson.cells[0].source.split("\n\n")[1:3]
        items.append(f"<li><h3>{_link(place)}</h3>{to_html(question)}{to_html(minutes)}</li>")
    links = [f"<li>{_link(place)}</li>" for place in beside]
    between = '</ol>\n<h2 id="beside-them">Beside them</h2>\n<ul>'
    return "\n".join([f'{INTRODUCTION}<ol class="lessons">', *items, between, *links, "</ul>"])


def _title(text: str) -> str:
    """Return the heading that a Markdown text begins with."""
    return text.partition("\n")[0].removeprefix("# ")


def _link(place: page.Place) -> str:
    """Return a link as HTML."""
    return f'<a href="{place.file}">{html.escape(place.title)}</a>'


def _write(path: Path, title: str, body: str, **ways: Any) -> Path:
    """Write a page, with the ways that `bertlab.course.web.page.write` takes, and return its path."""
    files.write(path, page.write(title, body, **ways))
    return path


def _write_markdown(path: Path, destination: Path) -> page.Place:
    """Write a page that lessons link to."""
    from bertlab.course.web.markdown import to_html

    text = path.read_text("utf-8")
    place = page.Place(f"{path.stem}.html", _title(text))
    _write(destination / place.file, place.title, to_html(text), top=INDEX)
    return place


def _write_quiz(destination: Path) -> list[page.Place]:
    """Write the forms of the quiz, to print or to read, without their keys."""
    lessons.make_folder(destination)
    for form in quiz.FORMS:
        files.write(destination / f"form-{form.lower()}.html", quiz.sheet(form))
    return [
        page.Place(f"quiz/form-{form.lower()}.html", f"Quiz, form {form}: {when} lesson")
        for form, when in zip(quiz.FORMS, ("before the first", "after the last"), strict=True)
    ]


def _write_slides(destination: Path) -> Path:
    """Write the decks without the speaker's notes, links in them leading to the pages; return the page of all decks."""
    made = decks.build(destination, notes=False)
    for path in made:
        files.write(path, re.sub(r'href="([\w.-]+)\.(?:ipynb|md)"', r'href="../\1.html"', path.read_text("utf-8")))
    return made[0]
