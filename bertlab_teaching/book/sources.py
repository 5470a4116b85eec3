"""The sources of the book's pages: the lessons, the pages beside them, and the first page."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from string import Template

from PIL import Image

from bertlab import lessons
from bertlab.data import files
from bertlab_teaching import quiz, running, solving
from bertlab_teaching.book import lesson, practice, reference
from bertlab_teaching.slides import session

HERE = Path(__file__).parent
NOTEBOOK = "notebooks/{name}.ipynb"  # the path of a lesson in the book and in the repository
LIVE = "A BERT in a page"
ELSEWHERE = {
    "Open in Binder": f"https://mybinder.org/v2/gh/{{repository}}/HEAD?urlpath=lab/tree/{NOTEBOOK}",
    "Open in Colab": f"https://colab.research.google.com/github/{{repository}}/blob/main/{NOTEBOOK}",
}


def write(folder: Path, decks: Sequence[str], forms: Sequence[str], repository: str) -> None:
    """Write the sources to a folder; `decks` are the stems of the slides' files."""
    (folder / "pictures").mkdir(parents=True)
    titles, cards = {}, []

    def write_lesson(path: Path) -> Path:
        notebook = solving.shown(path)
        titles[path.stem], question, *_ = notebook.cells[0].source.removeprefix("# ").split("\n\n")
        picture, alt = lesson.picture(notebook)
        files.write(folder / "pictures" / f"{path.stem}.png", picture)
        cards.append(_card(path.stem, titles[path.stem], question, alt))
        beside = _beside(path.stem, decks, repository)
        return lessons.write(lesson.for_book(notebook, path.stem, beside), folder / path.name)

    running.each(lessons.paths(), write_lesson)
    by_number = {int(stem.partition("_")[0]): title for stem, title in titles.items()}
    sheets = {f"quiz/form-{form.lower()}": f"Quiz, form {form}: {quiz.FORMS[form]} lesson" for form in forms}
    subjects = {stem.partition("_")[2]: title.partition(" · ")[2] for stem, title in titles.items()}
    subjects[session.NAME] = "All of BERT"
    sittings = {f"slides/{deck}": f"{_slides(deck)} · {subjects[deck.partition('_')[2]]}" for deck in decks}
    # Sphinx needs only the titles of these: other pages replace the ones it makes.
    pages = {f"{name}.md": f"# {title}\n" for name, title in {"live": LIVE, **sheets, **sittings}.items()}
    pages |= {path.name: path.read_text("utf-8") for path in sorted(lessons.folder().glob("*.md"))}
    front = lessons.shipped("pictures", HERE.parent) / "front.png"
    files.write(folder / "pictures" / front.name, front.read_bytes())
    with Image.open(front) as image:  # which contains its own description
        pages["index.md"] = _filled(
            "index.md", front=[image.info["Description"]], cards=cards, lessons=titles, sheets=sheets
        )
    pages["slides.md"] = _filled("slides.md", sittings=sittings)
    pages["practice.md"] = practice.page(by_number)
    pages |= {f"{name}.rst": text for name, text in reference.pages(titles).items()}
    for name, text in pages.items():
        (folder / name).parent.mkdir(exist_ok=True)
        files.write(folder / name, text)


def _filled(template: str, **lists: Iterable[str]) -> str:
    """Return a page's template filled with lists, one entry per line."""
    text = (HERE / "templates" / template).read_text("utf-8")
    return Template(text).substitute({name: "\n".join(entries) for name, entries in lists.items()})


def _card(stem: str, title: str, question: str, alt: str) -> str:
    """Return a lesson's card on the first page: its opening image, its title and its question."""
    options = f":link: {stem}\n:link-type: doc\n:img-top: pictures/{stem}.png\n:img-alt: {alt}"
    return f"```{{grid-item-card}} {title}\n{options}\n\n{question.strip('*')}\n```"


def _beside(stem: str, decks: Sequence[str], repository: str) -> str:
    """Return the links below a lesson's title as HTML."""
    links = {f'download href="{NOTEBOOK.format(name=stem)}"': "Download the notebook"}
    if repository:
        links |= {
            f'href="{address.format(repository=repository, name=stem)}"': text for text, address in ELSEWHERE.items()
        }
    of_lesson = [deck for deck in decks if deck.partition("_")[2] == stem.partition("_")[2]]
    links |= {f'href="slides/{deck}.html"': _slides(deck) for deck in of_lesson}
    links['href="practice.html"'] = "Practice questions"
    inside = "\n".join(f"<a {attributes}>{text}</a>" for attributes, text in links.items())
    return f'<nav class="beside" aria-label="With this lesson">\n{inside}\n</nav>'


def _slides(deck: str) -> str:
    """Return what a deck is called, with the name of its sitting if it is a lesson's."""
    name = deck.partition("_")[0]
    return f"Slides {name}" if name[0].isdigit() else "Slides"
