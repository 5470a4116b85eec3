"""The sources of the book's pages: the lessons, the pages beside them, and the first page."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from nbformat import NotebookNode

from bertlab import lessons
from bertlab.data import files
from bertlab_teaching import markup, quiz, running, solving, taught
from bertlab_teaching.book import lesson, reference
from bertlab_teaching.slides import session

LIVE = "A BERT in a page"


def write(folder: Path, decks: Sequence[str], chosen: Sequence[str], forms: Sequence[str], repository: str) -> None:
    """Write the sources to a folder; `decks` are the stems of the slides' files of the `chosen` sittings."""
    (folder / "pictures").mkdir(parents=True)
    cards, minutes, paths = [], [], taught.taken_lessons(chosen)
    lacking = {path.stem for path in lessons.paths()} - {path.stem for path in paths}

    def write_lesson(path: Path) -> Path:
        notebook = unlinked(solving.shown(path), lacking)
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

    running.each(paths, write_lesson)
    titles = {card["stem"]: card["title"] for card in cards}
    by_number = {int(stem.partition("_")[0]): title for stem, title in titles.items()}
    sheets = {f"quiz/form-{form.lower()}": f"Quiz, form {form}: {quiz.FORMS[form]} lesson" for form in forms}
    subjects = {stem.partition("_")[2]: title.partition(" · ")[2] for stem, title in titles.items()}
    subjects[session.NAME] = "All of BERT"
    sittings = {f"slides/{deck}": f"{_slides(deck)} · {subjects[deck.partition('_')[2]]}" for deck in decks}
    # Sphinx needs only the titles of these: other pages replace the ones it makes.
    pages = {f"{name}.md": f"# {title}\n" for name, title in {"live": LIVE, **sheets, **sittings}.items()}
    pages |= {path.name: path.read_text("utf-8") for path in sorted(lessons.folder().glob("*.md"))}
    front = lessons.shipped("pictures", Path(__file__).parents[1]) / "page-light.png"
    files.write(folder / "pictures" / front.name, front.read_bytes())
    values = {"cards": cards, "hours": round(sum(minutes) / 60), "sheets": sheets, "repository": repository}
    pages["index.md"] = markup.render("book/index.md", **values)
    pages |= {f"{name}.md": _without_links(markup.render(f"book/{name}.md"), lacking) for name in ("search", "terms")}
    pages["slides.md"] = markup.render("book/slides.md", sittings=sittings)
    practice = quiz.questions(quiz.PRACTICE, chosen)
    pages["practice.md"] = markup.render("book/practice.md", questions=practice, titles=by_number)
    pages |= {f"{name}.rst": text for name, text in reference.pages(paths, titles).items()}
    for name, text in pages.items():
        (folder / name).parent.mkdir(exist_ok=True)
        files.write(folder / name, text)


def unlinked(notebook: NotebookNode, lacking: Iterable[str]) -> NotebookNode:
    """Return a lesson in which links to the `lacking` lessons are their text alone."""
    for cell in notebook.cells:
        cell.source = _without_links(cell.source, lacking)
    return notebook


def _without_links(text: str, lacking: Iterable[str]) -> str:
    """Return a text in which links to the `lacking` lessons, by the stems of their files, are their text alone."""
    for stem in lacking:
        text = re.sub(rf"\[([^\]]+)\]\({stem}\.ipynb[^)]*\)", r"\1", text)
    return text


def _slides(deck: str) -> str:
    """Return what a deck is called, with the name of its sitting if it is a lesson's."""
    name = deck.partition("_")[0]
    return f"Slides {name}" if name[0].isdigit() else "Slides"
