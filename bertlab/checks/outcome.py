"""What a check says, and the answer to a prediction."""

import html
import re
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Literal


@dataclass(frozen=True)
class Outcome:
    """The outcome of a check.

    Attributes
    ----------
    status : {"not yet", "right", "not quite"}
    message
        What to do next, or what the answer gets wrong.
    folded
        What is shown only to who unfolds it, below the message; empty for nothing.
    """

    status: Literal["not yet", "right", "not quite"]
    message: str
    folded: str = ""

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
        What is true, computed. A guess at a float is right when it is within a tenth of it, one at a whole number when
        it is that number: 6, 6.0 or "6".
    because
        One sentence of explanation.
    question
        What is asked, in a sentence. With it, who made no guess is asked again, and the answer stays folded.

    Returns
    -------
    Outcome
    """
    if guess is None and question:
        again = f"{question} Write your guess in its cell above, run that, then this one."
        return Outcome("not yet", again, folded=f"The answer is {answer}: {because}")
    if guess is None:
        return Outcome("not yet", f"you made no guess. The answer is {answer}: {because}")
    number, true = _number(guess), _number(answer)
    if number is not None and true is not None:
        measured = isinstance(answer, Real) and not isinstance(answer, Integral)
        right = abs(number - true) <= (abs(true) / 10 if measured else 0)
    else:
        right = _bare(guess) == _bare(answer)
    if right:
        return Outcome("right", f"the answer is {answer}: {because}")
    return Outcome("not quite", f"you guessed {guess}; the answer is {answer}: {because}")


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
