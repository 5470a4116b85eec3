"""Write what an instructor reads and follows from other files: tables of INSTRUCTORS.md, sittings.md, solutions.md.

    python instructors/guide.py      # or: make guide

In INSTRUCTORS.md each section stands between marks, ``<!-- name -->`` and ``<!-- -->``; all between them is written
anew. The other two pages, beside this file, are written whole.
"""

import re
import tomllib
from collections import Counter, defaultdict
from pathlib import Path

import solutions
from measure import replaced, table

from bertlab.course import notebooks as lessons
from bertlab.course import quiz
from bertlab.course.slides import outline, plan

HERE = Path(__file__).parent
GUIDE = HERE.parent / "INSTRUCTORS.md"

SITTINGS = """# The sittings, to print

`make guide` writes this page from the speaker's notes and the files of slides. Each table has the parts of a sitting,
as their headings name them, with the minutes in full, in 50 minutes and in 90. The last column says what is left out,
or run and not read, in 50 minutes, and in brackets in 90. The minutes are the authors' estimates: no class has been
timed. The sums are exact. Below the sittings stand the [aims](#aims).

- **90 minutes are a lab**: students run the cells themselves. **50 minutes are a demonstration**: you run them, the
  class guesses.
- Parts marked *further* can be left out. Those with - in both columns, and the sections named below a table, are in no
  path: for who wants more.
- **Slack** is for late starts, questions and slow machines. An **exercise** is in each path; the others are homework.
- A part that is left out is still *run*, because later cells need its results: click into the cell where you go on, and
  choose *Run > Run All Above Selected Cell*. **Run part a again** is one cell, the first after the break: it sets all
  that part b uses; meanwhile students say what they remember of part a. Begin there, and in part b mark the cells of a
  part that is left out (Shift+click) and run those.

How much time a cell has, without exercise and slack. Counted are the cells that show something or ask for a guess, in
all parts that are not left out whole; the others only define, and are run and not read.

"""
AIMS = """## Aims

Each lesson names its three aims at its top. Here they are by their first words, with what practises them and which
questions of the forms ask for them. An aim without a question is not measured by them; one without an exercise is
practised in the lesson's own steps only. The last column counts the questions for practice."""


class Lesson:
    """A lesson's notebook, with its files of slides and of the quiz."""

    def __init__(self, path: Path) -> None:
        self.number = int(path.stem[:2])
        self.notebook = lessons.read(path)
        self.first = self.notebook.cells[0].source
        self.sittings = outline.sittings(path.with_suffix(".slides.toml"))
        self.decks = plan.read(path.with_suffix(".slides.toml"), self.notebook)
        self.quiz = tomllib.loads(path.with_suffix(".quiz.toml").read_text(encoding="utf8"))
        self.minutes, self.cells = self._counted()
        tagged = lessons.tagged(self.notebook, "further")
        self.further = {heading[1] for cell in tagged if (heading := re.match(r"##+ (.+)", cell.source))}

    def _counted(self) -> tuple[Counter[str], Counter[str]]:
        """Return of each part, by its heading, the minutes of the speaker's notes and the cells to look at."""
        minutes, cells, part = Counter(), Counter(), "Setup"
        for cell in self.notebook.cells:
            heading = re.match(r"##+ (.+)", cell.source)
            if lessons.is_note(cell):
                minutes[part] += int(cell.source.partition(" min.\n")[0])
            elif cell.cell_type == "markdown" and heading and heading[1] != "You will be able to":
                part = re.sub(r"^(\d\.\d) .*", r"Exercise \1", heading[1])
            elif cell.cell_type == "code":
                cells[part] += bool(cell.outputs) or cell.source.startswith("guess = None")
        return minutes, cells

    def rows(self, sitting: dict) -> list[tuple[str, int, int, int, str]]:
        """Return the parts of a sitting: heading, minutes in full, of 50 and of 90, and what is left out."""
        cells = plan.Cells(self.notebook)
        headings = {row[0]: cells.part(row[0]) for row in sitting["plan"] if row[0].startswith("Step")}
        rows = [(headings.get(part, part), *rest) for part, *rest in sitting["plan"]]
        return [(part, self.minutes.get(part, 0), *rest) for part, *rest in rows]

    def pace(self, sitting: dict) -> list[tuple[int, int, int]]:
        """Return the minutes, the cells to look at, and the seconds a cell, in 50 minutes and in 90."""
        paces = []
        for column in (2, 3):
            rows = [row for row in self.rows(sitting) if not re.match("Exercise|Run part|Slack", row[0])]
            minutes = sum(row[column] for row in rows)
            cells = sum(self.cells[row[0]] for row in rows if row[column])
            paces.append((minutes, cells, round(60 * minutes / cells)))
        return paces

    def beyond(self) -> dict[str, list[str]]:
        """Return for each sitting the parts that no plan names, with their minutes; exercises are homework."""
        of_part = {row[0]: sitting["name"] for sitting in self.sittings for row in self.rows(sitting)}
        name, left = self.sittings[0]["name"], defaultdict(list)
        for part, minutes in self.minutes.items():
            name = of_part.get(part, name)
            if part not in of_part and not part.startswith("Exercise"):
                left[name].append(f"*{part}* ({minutes})")
        return left

    def aims(self) -> list[tuple[str, str, str, int]]:
        """Return each aim by its first words, what practises it, the forms' questions on it, how many for practice."""
        (cell,) = [cell for cell in self.notebook.cells if cell.source.startswith("## You will be able to")]
        said = re.findall(r"^\d\. (.+)$", cell.source, re.M)
        asked = [(n, question) for n, question in enumerate(quiz.questions("A"), 1) if question.lesson == self.number]
        practice = [question for question in quiz.questions(quiz.PRACTICE) if question.lesson == self.number]
        aims = []
        for i, (aim, exercises) in enumerate(zip(said, self.quiz["practised"], strict=True), 1):
            numbers = [str(n) for n, question in asked if i in question.aims]
            words = re.sub(r"[*`]", "", aim).partition(",")[0].rstrip(".")
            more = sum(i in question.aims for question in practice)
            aims.append((words, ", ".join(exercises) or "-", ", ".join(numbers) or "-", more))
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
    first, last = ((f"[quiz](#the-quiz), form {form}", quiz.MINUTES, quiz.MINUTES) for form in quiz.FORMS)
    total = ("in all", short + 2 * quiz.MINUTES, long + 2 * quiz.MINUTES)
    return table("minutes of a course | 50 | 90", [first, (f"{len(sittings)} sittings", short, long), last, total])


def aims(every: list[Lesson]) -> str:
    """Return the table of the aims, by their first words."""
    return table(
        "lesson | aim | exercises | quiz | practice",
        [(lesson.number, *aim) for lesson in every for aim in lesson.aims()],
    )


def sittings(every: list[Lesson]) -> str:
    """Return the page with the table of each sitting, and how much time a cell has."""
    paces = [
        (sitting["name"], *(n for pace in lesson.pace(sitting) for n in pace))
        for lesson in every
        for sitting in lesson.sittings
    ]
    header = "sitting | 50: minutes | cells | seconds a cell | 90: minutes | cells | seconds a cell"
    sections = [table(header, paces)]
    for lesson in every:
        for sitting in lesson.sittings:
            rows = [
                (part + " (further)" * (part in lesson.further), *(n or "-" for n in numbers), out)
                for part, *numbers, out in lesson.rows(sitting)
            ]
            shown = table("part | full | 50 | 90 | left out in 50 minutes", rows)
            sections += [f"## Sitting {sitting['name']}", shown]
            if left := lesson.beyond()[sitting["name"]]:
                sections += [f"Further, with their minutes: {', '.join(left)}."]
            sections += [sitting["remark"].strip()] if "remark" in sitting else []
    return SITTINGS + "\n\n".join([*sections, AIMS, aims(every)]) + "\n"


SECTIONS = [course, minutes]


def written(page: str) -> dict[Path, str]:
    """Return each page by its path, the guide with its sections as they follow from the files."""
    every = [Lesson(path) for path in lessons.paths()]
    for section in SECTIONS:
        page = replaced(page, section.__name__, section(every))
    return {GUIDE: page, HERE / "sittings.md": sittings(every), HERE / "solutions.md": solutions.page()}


if __name__ == "__main__":
    for path, page in written(GUIDE.read_text(encoding="utf8")).items():
        path.write_text(page, encoding="utf8")
