"""The sources of the book's pages: the lessons, the pages beside them, and the first page."""

import re
from collections.abc import Sequence
from pathlib import Path

from PIL import Image

from bertlab import lessons
from bertlab.data import files
from bertlab_teaching import markup, quiz, running, solving
from bertlab_teaching.book import lesson, reference
from bertlab_teaching.slides import session

LIVE = "A BERT in a page"


def write(folder: Path, decks: Sequence[str], forms: Sequence[str], repository: str) -> None:
    """Write the sources to a folder; `decks` are the stems of the slides' files."""
    (folder / "pictures").mkdir(parents=True)
    cards, minutes = [], []

    def write_lesson(path: Path) -> Path:
        notebook = solving.shown(path)
        title, question, *_ = notebook.cells[0].source.removeprefix("# ").split("\n\n")
        picture, alt = lesson.picture(notebook)
        files.write(folder / "pictures" / f"{path.stem}.png", picture)
        core, *_ = lesson.minutes_of(notebook.cells[0].source)
        minutes.extend(core)
        (builds_on,) = re.findall(r" · builds on (.+)", notebook.cells[0].source)
        card = {"stem": path.stem, "title": title, "question": question.strip("*"), "alt": alt}
        cards.append(card | {"core": " + ".join(map(str, core)), "builds_on": builds_on})
        of_lesson = {deck: _slides(deck) for deck in decks if deck.partition("_")[2] == path.stem.partition("_")[2]}
        beside = markup.render("beside.html", stem=path.stem, decks=of_lesson, repository=repository)
        return lessons.write(lesson.for_book(notebook, path.stem, beside), folder / path.name)

    running.each(lessons.paths(), write_lesson)
    titles = {card["stem"]: card["title"] for card in cards}
    by_number = {int(stem.partition("_")[0]): title for stem, title in titles.items()}
    sheets = {f"quiz/form-{form.lower()}": f"Quiz, form {form}: {quiz.FORMS[form]} lesson" for form in forms}
    subjects = {stem.partition("_")[2]: title.partition(" · ")[2] for stem, title in titles.items()}
    subjects[session.NAME] = "All of BERT"
    sittings = {f"slides/{deck}": f"{_slides(deck)} · {subjects[deck.partition('_')[2]]}" for deck in decks}
    # Sphinx needs only the titles of these: other pages replace the ones it makes.
    pages = {f"{name}.md": f"# {title}\n" for name, title in {"live": LIVE, **sheets, **sittings}.items()}
    pages |= {path.name: path.read_text("utf-8") for path in sorted(lessons.folder().glob("*.md"))}
    front = lessons.shipped("pictures", Path(__file__).parents[1]) / "front.png"
    files.write(folder / "pictures" / front.name, front.read_bytes())
    with Image.open(front) as image:  # which contains its own description
        values = {"cards": cards, "hours": round(sum(minutes) / 60), "sheets": sheets, "repository": repository}
        pages["index.md"] = markup.render("book/index.md", front=image.info["Description"], **values)
    pages |= {f"{name}.md": markup.render(f"book/{name}.md") for name in ("search", "terms")}
    pages["slides.md"] = markup.render("book/slides.md", sittings=sittings)
    pages["practice.md"] = markup.render("book/practice.md", questions=quiz.questions(quiz.PRACTICE), titles=by_number)
    pages |= {f"{name}.rst": text for name, text in reference.pages(titles).items()}
    for name, text in pages.items():
        (folder / name).parent.mkdir(exist_ok=True)
        files.write(folder / name, text)


def _slides(deck: str) -> str:
    """Return what a deck is called, with the name of its sitting if it is a lesson's."""
    name = deck.partition("_")[0]
    return f"Slides {name}" if name[0].isdigit() else "Slides"
