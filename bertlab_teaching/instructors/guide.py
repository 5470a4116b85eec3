"""Write what follows from other files, between ``<!-- name -->`` and ``<!-- -->`` in pages: ``make guide``."""

import csv
import os
import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path

from bertlab import lessons
from bertlab_teaching import quiz, solving
from bertlab_teaching.book.build import REPOSITORY
from bertlab_teaching.book.lesson import minutes_of
from bertlab_teaching.slides import outline, plan, session
from bertlab_teaching.slides.cells import Cells

HERE = Path(__file__).parent
README, GUIDE = (HERE.parents[1] / name for name in ("README.md", "INSTRUCTORS.md"))
SITTINGS = HERE / "sittings.md"
EVIDENCE, CLAIMS = (lessons.folder() / name for name in ("evidence.md", "claims.csv"))


def table(header: str, rows: Iterable[Iterable[object]]) -> str:
    """Return a Markdown table."""
    rule = "|" + "---|" * len(header.split(" | "))
    lines = [f"| {' | '.join(map(str, row))} |" for row in rows]
    return "\n".join([f"| {header} |", rule, *lines]).replace("|  |", "| |")


def replaced(page: str, name: str, text: str) -> str:
    """Return a page with the text between its marks ``<!-- name -->`` and ``<!-- -->`` replaced."""
    pattern = rf"(<!-- {name} -->\n).+?(\n *<!-- -->)"
    done, count = re.subn(pattern, lambda marks: f"{marks[1]}{text}{marks[2]}", page, flags=re.S)
    if count != 1:
        raise ValueError(f"The page has {count} places marked <!-- {name} -->; it needs one.")
    return done


class Lesson:
    """A lesson's notebook, with its files of slides and of the quiz."""

    def __init__(self, path: Path) -> None:
        self.path, self.number = path, int(path.stem[:2])
        self.notebook = solving.shown(path)
        self.first = self.notebook.cells[0].source
        self.title = re.search(r"· (.+)", self.first)[1]
        slides = path.with_suffix(".slides.toml")
        self.sittings, self.decks = outline.sittings(slides), plan.read(slides, self.notebook)
        self.does = tomllib.loads(slides.read_text(encoding="utf8"))["does"]
        self.quiz = tomllib.loads(path.with_suffix(".quiz.toml").read_text(encoding="utf8"))
        self.cores, self.beside, self.homework = minutes_of(self.first)
        self.core = sum(self.cores)
        self.stars = sum(cell.source.partition("\n")[0].count("★") for cell in self.notebook.cells)
        self.minutes = self._counted()
        tagged = solving.tagged(self.notebook, "further")
        self.further = {heading[1] for cell in tagged if (heading := re.match(r"##+ (.+)", cell.source))}

    def _counted(self) -> Counter[str]:
        """Return the minutes in the speaker's notes, by each part's heading."""
        minutes, part = Counter(), "Setup"
        for cell in self.notebook.cells:
            heading = re.match(r"##+ (.+)", cell.source)
            if lessons.is_note(cell):
                minutes[part] += int(cell.source.partition(" min.\n")[0])
            elif cell.cell_type == "markdown" and heading and heading[1] != "You will be able to":
                part = re.sub(r"^(\d+\.\d) .*", r"Exercise \1", heading[1])
        return minutes

    def rows(self, sitting: dict) -> list[tuple[str, int, int, int, str]]:
        """Return the parts of a sitting: heading, minutes in full, in 50 and in 90 minutes, and what is left out."""
        cells = Cells(self.notebook)
        headings = {row[0]: cells.part(row[0]) for row in sitting["plan"] if row[0].startswith("Step")}
        rows = [(headings.get(part, part), *rest) for part, *rest in sitting["plan"]]
        return [(part, self.minutes.get(part, 0), *rest) for part, *rest in rows]

    def beyond(self) -> dict[str, list[str]]:
        """Return the parts of each sitting that are in neither path, with their minutes; exercises are homework."""
        planned = {row[0]: (sitting["name"], row[2:4]) for sitting in self.sittings for row in self.rows(sitting)}
        name, left = self.sittings[0]["name"], defaultdict(list)
        for part, minutes in self.minutes.items():
            name, paths = planned.get(part, (name, (0, 0)))
            if not any(paths) and not part.startswith("Exercise"):
                left[name].append(f"*{part}* ({minutes})")
        return left

    def aims(self) -> list[str]:
        """Return the exercises and questions about each aim."""
        asked = [(n, question) for n, question in enumerate(quiz.questions("A"), 1) if question.lesson == self.number]
        practice = [question for question in quiz.questions(quiz.PRACTICE) if question.lesson == self.number]
        cells = []
        for i, exercises in enumerate(self.quiz["practised"], 1):
            numbers = [n for n, question in asked if i in question.aims]
            more = sum(i in question.aims for question in practice)
            cells.append(", ".join([*exercises, *(f"Q{n}" for n in numbers), *[f"P: {more}"] * bool(more)]) or "-")
        return cells


def door(_every: list[Lesson]) -> str:
    """Return the README's first line: addresses if the repository's name is told, or else what stands there."""
    if not (repository := os.environ.get(REPOSITORY, "")):
        (stands,) = re.findall(r"<!-- door -->\n(.+?)\n<!-- -->", README.read_text(encoding="utf8"), re.S)
        return stands
    owner, name = repository.split("/")
    pages = f"https://{owner}.github.io/{name}"
    lesson = f"notebooks/{lessons.paths()[0].name}"
    colab = f"https://colab.research.google.com/github/{repository}/blob/HEAD/{lesson}"
    binder = f"https://mybinder.org/v2/gh/{repository}/HEAD?urlpath=lab/tree/{lesson.replace('notebooks', 'work')}"
    return (
        f"**[Try it in your browser]({pages}/live.html)** · **[read the book]({pages}/)** · "
        f"open lesson 1 in [Colab]({colab}) or on [Binder]({binder})"
    )


def front(every: list[Lesson]) -> str:
    """Return the README's table of the lessons."""
    rows = []
    for each in every:
        sittings = " + ".join(map(str, each.cores))
        rows.append((each.number, f"[{each.title}](notebooks/{each.path.name})", sittings, each.does))
    return table(" | lesson | minutes, by sitting | what you do", rows)


def course(every: list[Lesson]) -> str:
    """Return the table of the lessons."""
    rows = []
    for each in every:
        names, slides = (deck.name for deck in each.decks), (str(len(deck.path())) for deck in each.decks)
        numbers = (each.core, each.beside, each.homework, each.stars)
        rows.append((each.number, each.title, *numbers, ", ".join(names), ", ".join(slides)))
    rows.append(("", "in all", *(sum(row[column] for row in rows) for column in range(2, 6)), "", ""))
    return table(" | lesson | core | further | exercises | stars | sittings | slides", rows)


def minutes(every: list[Lesson]) -> str:
    """Return a sentence with the minutes of the course."""
    plans = [sitting["plan"] for lesson in every for sitting in lesson.sittings]
    asked = quiz.questions("A")
    short, long = (sum(row[at] for rows in plans for row in rows) + 2 * quiz.minutes(asked) for at in (1, 2))
    return (
        f"{len(plans)} sittings, and {quiz.minutes(asked)} minutes for the {len(asked)} questions of each form of the\n"
        f"[quiz](#the-quiz), take {short:,} minutes if a sitting has 50, and {long:,} if it has 90."
    )


def sittings(every: list[Lesson]) -> str:
    """Return a table for the one session and for each sitting."""
    (of_session,) = outline.sittings(session.path().with_suffix(".slides.toml"))
    planned = table("part | 50 | 90", ((part, short or "-", long) for part, short, long, _ in of_session["plan"]))
    sections = ["## One session", planned]
    for lesson in every:
        for sitting, deck in zip(lesson.sittings, lesson.decks, strict=True):
            rows = [
                (part + " (further)" * (part in lesson.further), *(n or "-" for n in paths), out)
                for part, _full, *paths, out in lesson.rows(sitting)
                if any(paths)
            ]
            shown = table("part | 50 | 90 | left out in 50", rows)
            live = ", ".join(str(n) for n, slide in enumerate(deck.path(), 1) if slide.live)
            sections += [f"## Sitting {deck.name}", shown, f"Live page: slides {live}."]
            if left := lesson.beyond()[sitting["name"]]:
                sections += [f"In neither path: {', '.join(left)}."]
    return "\n\n".join(sections)


def needs(every: list[Lesson]) -> str:
    """Return a table of what each sitting needs, of which slides of earlier ones, and its questions of the quiz."""
    decks, asked = {deck.name: deck.path() for lesson in every for deck in lesson.decks}, quiz.questions("A")
    rows = []
    for sitting in (sitting for lesson in every for sitting in lesson.sittings):
        shown = []
        for what, name, part in sitting.get("needs", []):
            numbers = [n for n, slide in enumerate(decks[name], 1) if re.match(rf"{part}(?!\w)", slide.part)]
            shown.append(f"{what} ({name}: {numbers[0]}-{numbers[-1]})")
        of_sitting = quiz.questions("A", [sitting["name"]])
        rows.append((sitting["name"], "; ".join(shown), ", ".join(f"Q{asked.index(each) + 1}" for each in of_sitting)))
    return table("sitting | needs (deck: slides) | quiz", rows)


def aims(every: list[Lesson]) -> str:
    """Return a table of the exercises and questions about each aim."""
    by_lesson = [(lesson.number, *lesson.aims()) for lesson in every]
    columns = [f"aim {i}" for i in range(1, max(map(len, by_lesson)))]
    return table(" | ".join(["lesson", *columns]), by_lesson)


def claims(_every: list[Lesson]) -> str:
    """Return what the lessons claim, a row each, without the cell that has its number."""
    with CLAIMS.open(encoding="utf8", newline="") as file:
        rows = [{name: cell for name, cell in row.items() if name != "cell"} for row in csv.DictReader(file)]
    wide = table(" | ".join(rows[0]), (row.values() for row in rows))
    return wide.replace("| ", "|").replace(" |", "|")


SECTIONS = {README: [door, front], GUIDE: [course, minutes], EVIDENCE: [claims], SITTINGS: [needs, sittings, aims]}


def written() -> dict[Path, str]:
    """Return each page by its path."""
    every, pages = [Lesson(path) for path in lessons.paths()], {}
    for path, sections in SECTIONS.items():
        pages[path] = path.read_text(encoding="utf8")
        for section in sections:
            pages[path] = replaced(pages[path], section.__name__, section(every))
    return pages


if __name__ == "__main__":
    for path, page in written().items():
        path.write_text(page, encoding="utf8")
