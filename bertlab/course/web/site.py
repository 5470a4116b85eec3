"""The course as a folder to put on a web server or a learning platform: lessons, slides, a BERT to try, the quiz.

For students: there are no speaker's notes in it, no solutions, and no key to the quiz.
"""

import re
from base64 import b64encode
from collections.abc import Sequence
from pathlib import Path

from bertlab.course import decks, quiz, running
from bertlab.course import notebooks as lessons
from bertlab.course.live import page as live
from bertlab.course.slides import plan, stored
from bertlab.course.web import markup, page
from bertlab.data import files

INDEX = page.Link("index.html", "All lessons")
TITLE = "BERT, from the inside"


def build(destination: Path) -> list[Path]:
    """Write the course, with its stored outputs, into a folder; return the page of all lessons, then the lessons'."""
    from bertlab.course.web.markdown import to_html

    for path in lessons.paths():  # first: a clone, whose lessons these are, is refused before anything is written
        handed_out = destination / "notebooks" / path.name
        handed_out.parent.mkdir(parents=True, exist_ok=True)
        files.write(handed_out, lessons.text(lessons.handed_out(path)))
    slides, *sittings = decks.build(destination / "slides", notes=False, home=f"../{INDEX.file}")
    sheets = quiz.build(destination / "quiz", keys=False, home=f"../{INDEX.file}")
    forms = [
        page.Link(f"quiz/{path.name}", f"Quiz, form {form}: {when} lesson")
        for path, (form, when) in zip(sheets, quiz.FORMS.items(), strict=True)
    ]
    more = [_write_markdown(path, destination) for path in sorted(lessons.folder().glob("*.md"))]
    paths = lessons.paths()
    notebooks = [lessons.read(path) for path in paths]
    links = [
        page.Link(f"{path.stem}.html", _title(notebook.cells[0].source))
        for path, notebook in zip(paths, notebooks, strict=True)
    ]

    def beside(path: Path) -> list[page.Link]:
        """Return the way to a lesson's notebook, to its slides and to the quiz."""
        of_lesson = [deck for deck in sittings if deck.stem.partition("_")[2] == re.sub(r"^\d+_", "", path.stem)]
        return [
            page.Link(f"notebooks/{path.name}", "Download the notebook"),
            *(page.Link(f"slides/{deck.name}", f"Slides {deck.stem.partition('_')[0]}") for deck in of_lesson),
            *(form._replace(title=form.title.partition(":")[0]) for form in forms),
        ]

    def write(path: Path) -> Path:
        i = paths.index(path)
        ways = [INDEX, *(before._replace(relation="prev") for before in links[max(i - 1, 0) : i])]
        ways += [after._replace(relation="next") for after in links[i + 1 : i + 2]]
        return _write(destination, links[i], page.body(notebooks[i]), ways, beside(path))

    written = running.each(paths, write)
    abouts = [to_html("\n\n".join(notebook.cells[0].source.split("\n\n")[1:3])) for notebook in notebooks]
    live.write(destination)
    pictures = [plan.picture(path, notebook) for path, notebook in zip(paths, notebooks, strict=True)]
    index = markup.render(
        "site.html",
        title=TITLE,
        picture=_front(),
        lessons=zip(links, abouts, pictures, strict=True),
        beside=[*more, page.Link(f"slides/{slides.name}", "Slides"), *forms],
    )
    return [_write(destination, INDEX._replace(title=TITLE), index), *written]


def _front() -> stored.Picture:
    """Return the picture that README.md begins with; the file has in it what the picture shows."""
    from PIL import Image

    path = lessons.shipped("pictures") / "front.png"
    with Image.open(path) as image:
        return stored.Picture(b64encode(path.read_bytes()).decode(), image.info["Description"])


def _title(text: str) -> str:
    """Return the heading that a Markdown text begins with."""
    return text.partition("\n")[0].removeprefix("# ")


def _write(
    destination: Path, link: page.Link, body: str, ways: Sequence[page.Link] = (), beside: Sequence[page.Link] = ()
) -> Path:
    """Write the page that a link leads to, and return its path."""
    path = destination / link.file
    files.write(path, page.write(link.title, body, ways, beside))
    return path


def _write_markdown(path: Path, destination: Path) -> page.Link:
    """Write a page that lessons link to."""
    from bertlab.course.web.markdown import to_html

    text = path.read_text("utf-8")
    link = page.Link(f"{path.stem}.html", _title(text))
    _write(destination, link, to_html(text), [INDEX])
    return link
