"""Write what INSTRUCTORS.md says of the lessons, the slides and the quiz: it follows from their files.

    python instructors/guide.py      # or: make guide

Each section stands between marks, ``<!-- name -->`` and ``<!-- -->``; all between them is written anew.
"""

import re
import textwrap
import tomllib
from collections import Counter
from pathlib import Path

from guessing import RULES, marks, read, score
from measure import replaced

from bertlab.course import notebooks as lessons
from bertlab.course import quiz
from bertlab.course.slides import plan

GUIDE = Path(__file__).parents[1] / "INSTRUCTORS.md"
NUMBERS = {2: "two", 3: "three", 4: "four", 12: "twelve"}
CLASS = 20  # students, for the example
TOLD = 5  # rules of thumb in the table


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


def table(header: str, rows: list) -> str:
    """Return a table of Markdown."""
    names = header.split(" | ")
    lines = [f"| {header} |".replace("|  |", "| |"), "|" + "---|" * len(names)]
    return "\n".join([*lines, *("| " + " | ".join(map(str, row)) + " |" for row in rows)])


def course(every: list[Lesson]) -> str:
    """Return the table of the lessons."""
    rows = []
    for lesson in every:
        title = re.search(r"· (.+)", lesson.first)
        minutes = re.search(r"^(\d+) \+ (\d+) minutes", lesson.first, re.M)
        names = ", ".join(deck.name for deck in lesson.decks)
        slides = ", ".join(str(len(deck.slides)) for deck in lesson.decks)
        rows.append((lesson.number, title[1], *minutes.groups(), names, slides))
    return table(" | lesson | minutes | exercises | sittings | slides", rows)


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
            shown = table("part | full | 50 | 90 | left out in 50 minutes", rows).replace("|  |", "| |")
            sections += [f"### Sitting {sitting['name']}", shown]
            sections += [sitting["remark"].strip()] if "remark" in sitting else []
    return "\n" + "\n\n".join(sections) + "\n"


def forms(every: list[Lesson]) -> str:
    """Return how large the quiz is."""
    kinds = Counter(question.kind for question in quiz.questions("A"))
    return filled(
        f"Two forms of {NUMBERS[kinds.total()]} questions, A for before the first lesson and B for after the last, "
        f"{quiz.MINUTES} minutes each, no computer needed. Question by question they ask for the same ideas with other "
        f"content. All lessons are in it, and in each form {NUMBERS[kinds['shape']]} questions are about shapes and "
        f"{NUMBERS[kinds['code']]} about what a few lines of code print."
    )


def guessing(every: list[Lesson]) -> str:
    """Return what rules of thumb have right, and how far the two readers agree."""
    author, second = read(), read(second=True)
    forms = [*author.values(), *second.values()]
    scores = {name: [score(rule, form) for form in forms] for name, rule in RULES.items()}
    low, high = min(map(min, scores.values())), max(map(max, scores.values()))
    count = len(author["A"])
    rows = [(name, *(f"{right:.1f}" for right in scores[name])) for name in list(RULES)[:TOLD]]
    return "\n\n".join(
        [
            filled(
                f"**Guessing.** Who knows nothing has {NUMBERS[count // 4]} of {NUMBERS[count]} right on average. "
                "Rules of thumb do hardly better (where several options fit a rule, or none does, one is taken by lot)."
                f" All {len(RULES)} rules tried have {low:.1f} to {high:.1f} right, some of them:"
            ),
            table("rule | A | B | A, second reading | B, second reading", rows),
            filled(
                "What is modest or technical was marked in two readings. The second saw questions and options only: "
                "its answers are those of the key, and it agrees on *most modest* "
                f"{agreement(author, second, 'modest')} and on *most technical* "
                f"{agreement(author, second, 'technical')}. Where the two differed, the options were rewritten; the "
                "figures are from before. No student has taken part in this."
            ),
        ]
    )


def agreement(author: dict, second: dict, name: str) -> str:
    """Return how far two readers agree on what is ``modest``, or ``technical``."""
    from sklearn.metrics import cohen_kappa_score

    one, other = marks(author, name), marks(second, name)
    same = sum(a == b for a, b in zip(one, other, strict=True))
    return f"in {same} of {len(one)} options (kappa {cohen_kappa_score(one, other):.2f})"


def difference(every: list[Lesson]) -> str:
    """Return what a difference between the two forms means."""
    from scipy import stats

    count = len(quiz.questions("A"))
    reach = stats.t.ppf(0.975, CLASS - 1) / CLASS**0.5
    luck = (2 * stats.binom(count, 0.5).var()) ** 0.5  # of the difference of two scores
    p = [stats.binomtest(students, students).pvalue for students in range(1, CLASS + 1)]
    one = sum(value >= 0.05 for value in p) + 1
    some = sum(count * value >= 0.05 for value in p) + 1
    points = [
        "the 95 % interval of the mean difference, after minus before, reaches "
        f"{reach:.2f} times the standard deviation of the students' differences to either side (Student's t). That "
        f"deviation is {luck:.1f} if nothing but luck moves answers of which one half are right, so the interval is "
        f"then {reach * luck:.1f} questions to either side, and a smaller rise may be luck;",
        f"one student's difference may come from such luck alone up to {stats.norm.ppf(0.975) * luck:.1f} questions;",
        f"on one question, {one} students who were wrong before and right after, and none the other way round, are "
        f"more than luck (p = {p[one - 1]:.2f}, sign test). Over all {NUMBERS[count]} questions somebody is lucky "
        f"sooner: there it takes {some} (Bonferroni).",
    ]
    head = (
        "**What a difference means.** Do not discuss the answers in between. Look at the questions one by one: which "
        f"wrong option was chosen says more than the sum. In a class of {CLASS},"
    )
    return "\n".join([filled(head), "", *(filled(f"- {point}") for point in points)])


def filled(text: str) -> str:
    """Return a paragraph, or a point of a list, in lines of the guide's width."""
    return textwrap.fill(text, 120, subsequent_indent="  " if text.startswith("- ") else "")


SECTIONS = [course, minutes, aims, sittings, forms, guessing, difference]


def written(page: str) -> str:
    """Return the guide with all of its sections as they follow from the files."""
    every = [Lesson(path) for path in lessons.paths()]
    for section in SECTIONS:
        page = replaced(page, section.__name__, section(every))
    return page


if __name__ == "__main__":
    GUIDE.write_text(written(GUIDE.read_text(encoding="utf8")), encoding="utf8")
