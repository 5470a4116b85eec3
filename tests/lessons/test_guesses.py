"""No guess is spoiled: what a reveal keeps folded is not in sight around it.

That is, below it, up to the next heading or guess; and above the question, up to the step's heading: in text, in a
figure's caption, in what was printed, or in that heading.
"""

import html
import re

from bertlab import lessons

FOLDED = re.compile(r"<summary>The answer</summary>The answer is (.*?)</details>", re.S)
NUMBER = re.compile(r"(?<![\w.])\d+(?:[.,]\d+)+(?: ?%)?|(?<![\w.])\d+ ?%|(?<![\w.])\d+ of \d[\d,]*")
SMALL = {"a", "an", "all", "about", "as", "at", "be", "by", "in", "is", "it", "of", "on", "that", "the", "there", "to"}


def in_sight(source):
    """Return a text as a reader sees it who unfolds nothing."""
    return re.sub(r"<!--.*?-->|<details>.*?</details>", "", source, flags=re.S)


def numbers(text):
    """Return the measured numbers of a text, each in one form: 0.73, 73% and 73 % are the same."""
    found = set()
    for number in NUMBER.findall(text.replace("\N{MINUS SIGN}", "-")):
        plain = number.replace(",", "").replace(" ", "")
        found.add(f"{float(plain[:-1]) / 100:g}" if plain.endswith("%") else plain)
    return found


def words(text):
    return set(re.findall(r"[^\W\d_]+", text.casefold())) - SMALL


def spoiled(asked, folded, below):
    """Return what of a folded answer stands in the text below a reveal; what the question says is no secret."""
    answer, _, because = folded.partition(": ")
    told = numbers(because) | ({f"{float(answer):g}"} if re.fullmatch(r"\d+\.\d+", answer) else set())
    found = (told - numbers(asked)) & numbers(below)
    if re.fullmatch(r"[^\W\d]{2,}", answer) and answer not in asked and re.search(rf"\b{answer}\b", below):
        found.add(answer)
    option = re.search(rf"^- `?{re.escape(answer)}`?,? ?[^:\n]*: (.+)$", asked, re.M)
    for sentence in re.split(r"(?<=[.!?:])\s", below) if option else []:
        if len(words(option[1])) > 1 and words(option[1]) <= words(sentence):
            found.add(sentence)
    return found


def given_away(asked, folded, above):
    """Return what of a folded answer stands in what is read before the question; the heading is its first line."""
    answer, heading = folded.partition(": ")[0], above.split("\n")[0]
    measured = answer if re.search(r"\d\.\d", answer) else f"{answer}of"
    found = {number for number in numbers(above) if len(answer) > 1 and number.startswith(measured)}
    option = re.search(rf"^- `?{re.escape(answer)}`?,? ?[^:\n]*: (.+)$", asked, re.M)
    right = words(option[1] if option else answer)
    return found | ({heading} if right and right <= words(heading) and (not option or len(right) > 1) else set())


def before(cells):
    """Return what is in sight of these cells from the last heading on."""
    shown = []
    for cell in reversed(cells):
        outputs = [str(output.get("text") or output.data.get("text/plain")) for output in cell.get("outputs", [])]
        shown.append(in_sight(cell.source) if cell.cell_type == "markdown" else "\n".join(outputs))
        if cell.cell_type == "markdown" and re.match(r"#{2,4} ", cell.source):
            break
    return "\n".join(reversed(shown))


def reveals(lesson):
    """Yield of each reveal its cell, the text that asks and that above, the folded answer, and the text below it."""
    cells = [cell for cell in lesson.cells if not lessons.is_note(cell)]
    for i, cell in enumerate(cells):
        if cell.cell_type == "code" and "checks.reveal(" in cell.source:
            (shown,) = [output.data["text/html"] for output in cell.outputs if "text/html" in output.get("data", {})]
            asked = "\n".join(each.source for each in cells[max(0, i - 3) : i] if each.cell_type == "markdown")
            guess = next(j for j in range(i, -1, -1) if cells[j].source.startswith("guess = "))
            above = before(cells[: guess - 1])
            below = []
            for after in cells[i + 1 :]:
                if re.match(r"#+ " if after.cell_type == "markdown" else r"guess = ", after.source):
                    break
                below += [after] * (after.cell_type == "markdown")
            yield cell, asked, above, html.unescape(FOLDED.search(shown)[1]), below


def test_what_a_reveal_keeps_folded_is_not_in_sight_above_or_below_it(path):
    states = {}
    for cell, asked, above, folded, below in reveals(lessons.read(path)):
        if found := given_away(in_sight(asked), folded, above):
            states[cell.id] = found
        for text in below:
            if found := spoiled(in_sight(asked), folded, in_sight(text.source)):
                states[cell.id, text.id] = found
    assert states == {}
