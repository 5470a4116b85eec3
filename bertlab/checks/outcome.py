"""What a check says, and the answer to a prediction."""

import html
import re
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Literal

# How an answer fared. No check says "too long": the grader does, which ends what takes longer than it allows.
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
        """Return the outcome as the line a student reads."""
        return f"{self.status}: {self.message}"

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
        What the student wrote, or None. Quotes around a number do not count, nor do capitals, spaces, brackets or a
        full stop around a letter or a word: ``"C)"`` is ``"c"``; nor does *about* before a number, or the comma in a
        large one: 70 is ``"about 70"``.
    answer
        What is true. A guess at a float is right within a tenth of it, one at a whole number as 6, 6.0 or "6".
    because
        One sentence of explanation.
    question
        What is asked, in a sentence. With it, who made no guess is asked again, and the answer stays folded.
    """
    if guess is None and question:
        again = f"{question} Write your guess in its cell above, run that, then this one."
        return Outcome("blank", again, folded=f"The answer is {answer}: {because}")
    if guess is None:
        return Outcome("blank", f"you made no guess. The answer is {answer}: {because}")
    if _agree(guess, answer):
        return Outcome("right", f"the answer is {answer}: {because}")
    return Outcome("wrong", f"you guessed {guess}; the answer is {answer}: {because}")


def _agree(guess: object, answer: object) -> bool:
    guessed, true = _number(guess), _number(answer)
    if guessed is None or true is None:
        return _bare(guess) == _bare(answer)
    measured = isinstance(answer, Real) and not isinstance(answer, Integral)
    return abs(guessed - true) <= (abs(true) / 10 if measured else 0)


def _number(value: object) -> float | None:
    """Return a number, whether it is written as one or as text; None for anything else."""
    if not isinstance(value, str | Real) or isinstance(value, bool):
        return None
    try:
        return float(value)
    except ValueError:
        return None


def _bare(value: object) -> str:
    """Return a letter or a word as it is compared."""
    bare = str(value).strip().strip(".()").strip().casefold().removeprefix("about ")
    return re.sub(r"(?<=\d),(?=\d{3}\b)", "", bare)
