"""Write the tables of INSTRUCTORS.md that follow from the files of the lessons, the slides and the quiz.

    python instructors/guide.py      # or: make guide

Each section stands between marks, ``<!-- name -->`` and ``<!-- -->``; all between them is written anew.
"""

import re
import tomllib
from collections import Counter
from pathlib import Path

from measure import replaced, table

from bertlab.course import notebooks as lessons
from bertlab.course import quiz
from bertlab.course.slides import plan

GUIDE = Path(__file__).parents[1] / "INSTRUCTORS.md"


class Lesson:
    """A lesson's notebook, with its files of slides and of the quiz."""

    def __init__(self, path: Path) -> None:
        self.number = int(path.stem[:2])
        self.notebook = lessons.read(path)
        self.first = self.notebook.cells[0].source
        self.sittings = plan.entries(path.with_suffix(".slides.toml"))
        self.decks = plan.read(path.with_suffix(".slides.toml"), self.notebook)
        self.quiz = tomllib.loads(path.with_suffix(".quiz.toml").read_text(encoding="utf8"))
        self.minutes = self._minutes()

    def _minutes(self) -> dict[str, int]:
        """Return the minutes of each part by its heading, as the speaker's notes name them."""
        minutes, part = Counter(), "Setup"
        for cell in self.notebook.cells:
            heading = re.match(r"##+ (.+)", cell.source)
            if lessons.is_note(cell):
                minutes[part] += int(cell.source.partition(" min.\n")[0])
            elif cell.cell_type == "markdown" and heading and heading[1] != "You will be able to":
                part = re.sub(r"^(\d\.\d) .*", r"Exercise \1", heading[1])
        return minutes

    def rows(self, sitting: dict) -> list[tuple[str, int, int, int, str]]:
        """Return the parts of a sitting: heading, minutes in full, of 50 and of 90, and what is left out."""
        cells = plan.Cells(self.notebook)
        headings = {row[0]: cells.part(row[0]) for row in sitting["plan"] if row[0].startswith("Step")}
        rows = [(headings.get(part, part), *rest) for part, *rest in sitting["plan"]]
        return [(part, self.minutes.get(part, 0), *rest) for part, *rest in rows]

    def aims(self) -> list[tuple[str, str, str]]:
        """Return each aim by its first words, the exercises that practise it, and the questions that ask for it."""
        (cell,) = [cell for cell in self.notebook.cells if cell.source.startswith("## You will be able to")]
        said = re.findall(r"^\d\. (.+)$", cell.source, re.M)
        asked = [(n, question) for n, question in enumerate(quiz.questions("A"), 1) if question.lesson == self.number]
        aims = []
        for i, (aim, exercises) in enumerate(zip(said, self.quiz["practised"], strict=True), 1):
            numbers = [str(n) for n, question in asked if i in question.aims]
            words = re.sub(r"[*`]", "", aim).partition(",")[0]
            aims.append((words, ", ".join(exercises) or "-", ", ".join(numbers) or "-"))
        return aims


def minutes_of(first: str) -> tuple[int, int, int]:
    """Return the minutes that a lesson's first cell gives: of its core, of what goes further, of its exercises."""
    named = re.search(r"^(\d+) minutes(?:, (\d+) more for what goes further)?, (\d+) for the exercises", first, re.M)
    return int(named[1]), int(named[2] or 0), int(named[3])


def course(every: list[Lesson]) -> str:
    """Return the table of the lessons."""
    rows = []
    for lesson in every:
        title = re.search(r"· (.+)", lesson.first)
        names = ", ".join(deck.name for deck in lesson.decks)
        slides = ", ".join(str(len(deck.slides)) for deck in lesson.decks)
        rows.append((lesson.number, title[1], *minutes_of(lesson.first), names, slides))
    return table(" | lesson | core | further | exercises | sittings | slides", rows)


def minutes(every: list[Lesson]) -> str:
    """Return the table of the minutes of a course."""
    sittings = [sitting["plan"] for lesson in every for sitting in lesson.sittings]
    short, long = (sum(row[column] for rows in sittings for row in rows) for column in (1, 2))
    first, last = ((f"[quiz](#a-quiz), form {form}", quiz.MINUTES, quiz.MINUTES) for form in quiz.FORMS)
    total = ("in all", short + 2 * quiz.MINUTES, long + 2 * quiz.MINUTES)
    return table("minutes of a course | 50 | 90", [first, (f"{len(sittings)} sittings", short, long), last, total])


def aims(every: list[Lesson]) -> str:
    """Return the table of the aims."""
    return table(
        "lesson | aim | exercises | quiz", [(lesson.number, *aim) for lesson in every for aim in lesson.aims()]
    )


def sittings(every: list[Lesson]) -> str:
    """Return the table of each sitting."""
    sections = []
    for lesson in every:
        for sitting in lesson.sittings:
            rows = [(part, *(n or "-" for n in numbers), out) for part, *numbers, out in lesson.rows(sitting)]
            shown = table("part | full | 50 | 90 | left out in 50 minutes", rows)
            sections += [f"### Sitting {sitting['name']}", shown]
            sections += [sitting["remark"].strip()] if "remark" in sitting else []
    return "\n" + "\n\n".join(sections) + "\n"


SECTIONS = [course, minutes, aims, sittings]


def written(page: str) -> str:
    """Return the guide with all of its sections as they follow from the files."""
    every = [Lesson(path) for path in lessons.paths()]
    for section in SECTIONS:
        page = replaced(page, section.__name__, section(every))
    return page


if __name__ == "__main__":
    GUIDE.write_text(written(GUIDE.read_text(encoding="utf8")), encoding="utf8")
