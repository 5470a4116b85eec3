"""What a check says, and the answer to a prediction."""

import html
import re
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Literal

# How an answer fared. No check says "too long": the grader does, which ends what takes longer than it allows.
# A number as a guess may be written: "about 70", "~0,5", ".5", "57 %", "1,400 steps".
DIGITS = r"(?P<digits>[-+]?(\d+(,\d{3})*(\.\d+)?|\d*[.,]\d+)(e\d+)?)"
NUMBER = rf"(about |~|≈|ca\.? )? *{DIGITS}(?P<percent> *(%|per ?cent))?( +[a-z]+)?"
Reason = Literal["blank", "raised", "too long", "wrong", "shortcut", "right"]


@dataclass(frozen=True)
class Outcome:
    """How an answer fared, what to say about it, and what is shown only to who unfolds it."""

    reason: Reason
    message: str
    folded: str = ""

    @property
    def status(self) -> Literal["not yet", "right", "not quite"]:
        """The word that students read."""
        if self.reason == "blank":
            return "not yet"
        return "right" if self.reason == "right" else "not quite"

    def __repr__(self) -> str:
        """Return the outcome as the line a student reads: "right: ...", or "right, but ..."."""
        return f"{self.status}{', ' if self.message.startswith('but ') else ': '}{self.message}"

    def _repr_html_(self) -> str | None:
        """Return the line with what is folded below it; where nothing is, the line stays text."""
        if not self.folded:
            return None
        folded = f"<details><summary>The answer</summary>{html.escape(self.folded)}</details>"
        return f"<p>{html.escape(repr(self))}</p>{folded}"


def reveal(guess: object, answer: object, because: str, question: str = "") -> Outcome:
    """Answer a prediction, made or not.

    Parameters
    ----------
    guess
        What the student wrote, or None. A number may be written as text, with *about*, per cent or a decimal comma;
        of a letter or a word, neither capitals count, nor marks around it, nor *the* before it.
    answer
        What is true. A guess at a float is near enough within a tenth of it; one at a whole number as 6, 6.0 or "6".
    because
        One sentence of explanation.
    question
        What is asked, in a sentence. With it, who made no guess is asked again, and the answer stays folded.
    """
    shown = f"{answer:g}" if isinstance(answer, float) else answer  # 50, not 50.0
    if guess is None and question:
        again = f"{question} Write your guess in its cell above, run that, then this one."
        return Outcome("blank", again, folded=f"The answer is {shown}: {because}")
    if guess is None:
        return Outcome("blank", f"you made no guess. The answer is {shown}: {because}")
    if _says_the_same(guess, answer):
        return Outcome("right", f"the answer is {shown}: {because}")
    if _is_near(guess, answer):
        return Outcome("right", f"near enough. You guessed {guess}, and it is {shown}: {because}")
    return Outcome("wrong", f"you guessed {guess}; the answer is {shown}: {because}")


def _says_the_same(guess: object, answer: object) -> bool:
    guessed, true = _number(guess, answer), _number(answer)
    if guessed is None or true is None:
        return _bare(guess) == _bare(answer)
    return guessed == true or (_measured(answer) and round(guessed, 2) == round(true, 2))


def _is_near(guess: object, answer: object) -> bool:
    guessed, true = _number(guess, answer), _number(answer)
    return guessed is not None and true is not None and _measured(answer) and abs(guessed - true) <= abs(true) / 10


def _measured(answer: object) -> bool:
    return isinstance(answer, Real) and not isinstance(answer, Integral)


def _number(value: object, asked: object = None) -> float | None:
    """Return a number, whether it is written as one or as text; None for anything else.

    Where a share is `asked` for, 15 and "15 %" are 0.15; where a number of 100 is, 0.15 is 15.
    """
    if callable(item := getattr(value, "item", None)) and getattr(value, "ndim", None) == 0:
        value = item()  # of a tensor or array that holds a single number
    if not isinstance(value, str | Real) or isinstance(value, bool):
        return None
    text = str(value).replace("−", "-").lstrip(" ('\"").rstrip(" .)'\"").casefold()
    written = re.fullmatch(NUMBER, text)
    if written is None:
        return None
    digits = re.sub(r"(?<!\b0),(?=\d{3}\b)", "", written["digits"]).replace(",", ".")  # 1,400 and 0,125
    number = float(digits)
    if not isinstance(asked, Real) or isinstance(asked, Integral):
        return number
    if abs(float(asked)) <= 1 and (written["percent"] or 1 < abs(number) <= 100):
        return number / 100
    return 100 * number if abs(float(asked)) > 1 and 0 < abs(number) < 1 else number


def _bare(value: object) -> str:
    """Return a letter or words as they are compared: without capitals, marks, and *the* or *about* in front."""
    return " ".join(re.findall(r"\w+", str(value).casefold())).removeprefix("the ").removeprefix("about ")
