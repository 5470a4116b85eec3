"""The instructors' guide and quiz agree with the lessons: minutes add up, what is named exists, links resolve."""

import math
import re
from collections import Counter
from pathlib import Path

import pytest

from bertlab.course import notebooks as lessons

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "INSTRUCTORS.md").read_text(encoding="utf-8")
SHEET = (ROOT / "instructors" / "quiz.md").read_text(encoding="utf-8")
KEY = (ROOT / "instructors" / "quiz-key.md").read_text(encoding="utf-8")
LESSONS = {int(path.stem[:2]): lessons.read(path) for path in lessons.paths()}


def rows(markdown, header):
    """Return the rows of the tables that have this header, as lists of stripped cells."""
    pattern = rf"^\| *{re.escape(header)} *\|.*\n\|[-| ]+\|\n((?:\|.*\n)+)"
    return [
        [cell.strip() for cell in line.strip().strip("|").split("|")]
        for table in re.findall(pattern, markdown, re.M)
        for line in table.splitlines()
    ]


def parts(lesson):
    """Return the text of each part of a lesson by its heading's name: Look, Step 2, Exercise 1.1, ..."""
    found, name = {}, ""
    for cell in (cell for cell in lesson.cells if lessons.slide_type(cell) != "notes"):
        heading = re.match(r"##+ (.+)", cell.source)
        if cell.cell_type == "markdown" and heading:
            name = re.sub(r"^(\d\.\d) .*", r"Exercise \1", heading[1])
        found[name] = found.get(name, "") + cell.source + "\n"
    return found


def minutes(lesson):
    """Return the minutes that a lesson's first cell names: of the lesson, of its exercises."""
    return [int(number) for number in re.search(r"^(\d+) \+ (\d+) minutes", lesson.cells[0].source, re.M).groups()]


def note_minutes(lesson):
    """Return the minutes that the speaker's notes name, by part; the first note is for all before the first look."""
    found, name = Counter(), "Setup"
    for cell in lesson.cells:
        heading = re.match(r"##+ (.+)", cell.source)
        if lessons.slide_type(cell) == "notes":
            found[name] += int(re.match(r"(\d+) min\.\n", cell.source)[1])
        elif (
            cell.cell_type == "markdown"
            and heading
            and heading[1] not in ("You will be able to", "Where to go from here")
        ):
            name = re.sub(r"^(\d\.\d) .*", r"Exercise \1", heading[1])
    return dict(found)


def place(number, part):
    """Return the text of a part, named by its heading or by the beginning of it, such as ``Step 2``."""
    (text,) = [
        text for name, text in parts(LESSONS[int(number)]).items() if name == part or name.startswith(f"{part}:")
    ]
    return text


def order():
    """Return the table of the lessons, their minutes and sittings."""
    return rows(GUIDE, "| lesson | minutes | exercises | sittings")


@pytest.fixture(scope="module")
def sittings():
    """The tables of the sittings: {'4a': {part: (full, 50, 90)}}, minutes of a part that is left out being 0."""
    found = {}
    for name, body in re.findall(r"^### Sitting (\w+)\n(.*?)(?=^##)", GUIDE, re.M | re.S):
        table = rows(body, "part | full | 50 | 90 | in 50 minutes")
        found[name] = {row[0]: tuple(0 if cell == "-" else int(cell) for cell in row[1:4]) for row in table}
        for part, *_, left_out in table:
            full, short, _ = found[name][part]
            assert left_out or short in (0, full), f"{name}, {part}: what is left out?"
    return found


class TestGuide:
    def test_minutes_are_those_of_the_lessons(self):
        assert len(order()) == len(LESSONS)
        for number, title, lesson, exercises, _ in order():
            first = LESSONS[int(number)].cells[0].source
            assert first.startswith(f"# {number} · {title}\n")
            assert [int(lesson), int(exercises)] == minutes(LESSONS[int(number)])

    def test_sittings_have_every_part_of_every_lesson_in_order(self, sittings):
        for number, lesson in LESSONS.items():
            named = [part for name, table in sittings.items() if name[0] == str(number) for part in table]
            named = [part for part in named if part != "Questions" and not part.startswith("Exercise")]
            skipped = {"", "You will be able to", "Open the box", "Exercises", "Where to go from here"}
            expected = [part for part in parts(lesson) if part not in skipped and not part.startswith("Exercise")]
            assert named == expected
        assert list(sittings) == re.findall(r"\d[ab]?", " ".join(row[4] for row in order()))

    def test_full_minutes_add_up_to_the_lesson(self, sittings):
        for number, lesson in LESSONS.items():
            tables = [table for name, table in sittings.items() if name[0] == str(number)]
            full = sum(m[0] for t in tables for part, m in t.items() if not part.startswith(("Exercise", "Questions")))
            assert full == minutes(lesson)[0], number

    @pytest.mark.parametrize("path", [50, 90])
    def test_each_path_adds_up(self, sittings, path):
        column = {50: 1, 90: 2}[path]
        assert {name: sum(m[column] for m in table.values()) for name, table in sittings.items()} == dict.fromkeys(
            sittings, path
        )
        for table in sittings.values():
            assert all(m[column] <= m[0] for m in table.values())

    def test_the_speakers_notes_take_as_long(self, sittings):
        for number, lesson in LESSONS.items():
            expected = {
                part: full for name, t in sittings.items() if name[0] == str(number) for part, (full, *_) in t.items()
            }
            expected |= {
                part: int(re.search(r"· (\d+) minutes", place(number, part))[1])
                for part in parts(lesson)
                if re.fullmatch(r"Exercise \d\.\d", part)
            }
            expected.pop("Questions", None)
            assert note_minutes(lesson) == expected, number

    def test_exercises_take_the_minutes_that_they_say(self, sittings):
        for table in sittings.values():
            for part, (full, _, _) in table.items():
                if part.startswith("Exercise"):
                    heading = place(part.split()[1][0], part).splitlines()[0]
                    assert f"· {full} minutes" in heading

    def test_each_misconception_is_dispelled_where_it_says(self):
        found = rows(GUIDE, "students think | in truth | shown in")
        assert len(found) >= 12
        for _, _, where in found:
            number, part, words = re.fullmatch(r"lesson (\d), ([^:]+): `(.+)`", where).groups()
            assert words in place(number, part), where
            assert not set("*`_") & set(words), "so that a search in the rendered page finds them"
        assert {re.match(r"lesson (\d)", row[2])[1] for row in found} == {str(number) for number in LESSONS}

    def test_the_sum_for_a_class_is_right(self):
        left, total, gib = re.search(r"^    ([\d+* ]+) = ([\d,]+) MiB, (\d+) GiB$", GUIDE, re.M).groups()
        exact = sum(math.prod(int(factor) for factor in term.split("*")) for term in left.split("+"))
        assert (int(total.replace(",", "")), int(gib)) == (exact, round(exact / 1024))

    def test_commands_exist(self):
        typed = "\n".join(re.findall(r"^    .+$", GUIDE, re.M))
        targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)
        assert set(re.findall(r"\bmake (\w+)", typed)) <= set(targets)
        commands = (ROOT / "bertlab" / "__main__.py").read_text(encoding="utf-8")
        for name in set(re.findall(r"-m bertlab (\w+)", typed)):
            assert f'add_parser("{name}"' in commands
        for path in re.findall(r"\b(?:tests|notebooks)/\w+\.py", typed):
            assert (ROOT / path).is_file(), path


@pytest.mark.parametrize(
    "path", ["CONTRIBUTING.md", "INSTRUCTORS.md", "README.md", "instructors/quiz.md", "instructors/quiz-key.md"]
)
def test_links_resolve(path):
    text = (ROOT / path).read_text(encoding="utf-8")
    headings = [re.sub(r"[^\w -]", "", h).lower().replace(" ", "-") for h in re.findall(r"^#+ (.+)$", text, re.M)]
    for link in re.findall(r"\]\(([^)]+)\)", text):
        if link.startswith("#"):
            assert link[1:] in headings, link
        elif not link.startswith("http"):
            assert ((ROOT / path).parent / link).exists(), link


def test_the_readme_leads_to_the_guide():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "## For instructors" in readme
    assert "](INSTRUCTORS.md)" in readme


def questions(markdown):
    """Return {number: (text before the options, {letter: option})}."""
    found = {}
    for number, body in re.findall(r"^### Question (\d+)\n(.*?)(?=^### |\Z)", markdown, re.M | re.S):
        options = dict(re.findall(r"^- ([A-Z])\. (.+)$", body, re.M))
        found[int(number)] = body.split("\n- A.")[0].strip(), options
    return found


class TestQuiz:
    def right(self):
        return {number: re.match(r"Right: ([A-D])\.", text)[1] for number, (text, _) in questions(KEY).items()}

    def test_questions_of_four_options_and_a_reason_for_each_option(self):
        assert list(questions(SHEET)) == list(questions(KEY))
        for markdown in (SHEET, KEY):
            asked = questions(markdown)
            assert list(asked) == list(range(1, len(asked) + 1))
            assert all(list(options) == ["A", "B", "C", "D"] for _, options in asked.values())
            assert all(len(set(options.values())) == 4 for _, options in asked.values())
        reasons = [reason for _, options in questions(KEY).values() for reason in options.values()]
        assert all(len(reason.split()) >= 6 for reason in reasons)

    def test_one_option_is_right_and_its_reason_says_so(self):
        for number, (_, reasons) in questions(KEY).items():
            assert [letter for letter, text in reasons.items() if text.startswith("Right: ")] == [self.right()[number]]

    def test_the_sheet_does_not_give_the_answers_away(self):
        assert "right:" not in SHEET.lower()
        number = len(self.right())
        assert max(Counter(self.right().values()).values()) <= number / 3, "right answers are spread over the letters"
        longest = [max(options, key=lambda letter: len(options[letter])) for _, options in questions(SHEET).values()]
        assert max(Counter(longest).values()) < number * 2 / 3, "no letter has the longest option all the time"
        same = sum(letter == self.right()[n] for n, letter in enumerate(longest, 1))
        assert same <= number / 3, "nor has the right answer"

    def test_two_questions_a_lesson_or_more_each_with_its_place(self):
        covered = []
        for text, _ in questions(KEY).values():
            number, part, words = re.search(r"Lesson (\d), ([^:]+): `(.+)`$", text).groups()
            assert words in place(number, part), text
            covered.append(int(number))
        assert covered == sorted(covered)
        assert min(covered.count(number) for number in LESSONS) >= 2
