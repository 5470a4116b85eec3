"""The course as a folder to put on a web server or a learning platform: lessons, slides, a BERT to try, the quiz.

For students: there are no speaker's notes in it, no solutions, and no key to the quiz.
"""

from collections.abc import Sequence
from pathlib import Path

from bertlab.course import decks, quiz, running
from bertlab.course import notebooks as lessons
from bertlab.course.live import page as live
from bertlab.course.web import markup, page
from bertlab.data import files

INDEX = page.Link("index.html", "All lessons")
TITLE = "BERT, from the inside"


def build(destination: Path) -> list[Path]:
    """Write the course, with its stored outputs, into a folder; return the page of all lessons, then the lessons'."""
    from bertlab.course.web.markdown import to_html

    destination.mkdir(parents=True, exist_ok=True)
    slides, *_ = decks.build(destination / "slides", notes=False)
    forms = [
        page.Link(f"quiz/{path.name}", f"Quiz, form {form}: {when} lesson")
        for path, (form, when) in zip(quiz.build(destination / "quiz", keys=False), quiz.FORMS.items(), strict=True)
    ]
    more = [_write_markdown(path, destination) for path in sorted(lessons.folder().glob("*.md"))]
    paths = lessons.paths()
    notebooks = [lessons.read(path) for path in paths]
    links = [
        page.Link(f"{path.stem}.html", _title(notebook.cells[0].source))
        for path, notebook in zip(paths, notebooks, strict=True)
    ]

    def write(path: Path) -> Path:
        i = paths.index(path)
        ways = [INDEX, *(before._replace(relation="prev") for before in links[max(i - 1, 0) : i])]
        ways += [after._replace(relation="next") for after in links[i + 1 : i + 2]]
        return _write(destination, links[i], page.body(notebooks[i]), ways)

    written = running.each(paths, write)
    abouts = [to_html("\n\n".join(notebook.cells[0].source.split("\n\n")[1:3])) for notebook in notebooks]
    tried = page.Link(live.write(destination).name, "A BERT in a page: type a sentence and look inside")
    beside = [tried, *more, page.Link(f"slides/{slides.name}", "Slides"), *forms]
    index = markup.render("site.html", title=TITLE, lessons=zip(links, abouts, strict=True), beside=beside)
    return [_write(destination, INDEX._replace(title=TITLE), index), *written]


def _title(text: str) -> str:
    """Return the heading that a Markdown text begins with."""
    return text.partition("\n")[0].removeprefix("# ")


def _write(destination: Path, link: page.Link, body: str, ways: Sequence[page.Link] = ()) -> Path:
    """Write the page that a link leads to, and return its path."""
    path = destination / link.file
    files.write(path, page.write(link.title, body, ways))
    return path


def _write_markdown(path: Path, destination: Path) -> page.Link:
    """Write a page that lessons link to."""
    from bertlab.course.web.markdown import to_html

    text = path.read_text("utf-8")
    link = page.Link(f"{path.stem}.html", _title(text))
    _write(destination, link, to_html(text), [INDEX])
    return link
