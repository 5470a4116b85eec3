"""The outcome of a check, and the answer to a prediction."""

import html
import re
from dataclasses import dataclass
from numbers import Integral
from typing import Literal

# "too long" comes from the grader, which ends an answer that takes longer than it allows.
Reason = Literal["blank", "raised", "too long", "wrong", "shortcut", "right"]

LETTER = r"\W*([a-z])(\W*|\s*[:.)].*)"  # "c", "(c)", "c: the words of the option"
NUMBER = r"([-+]?(?:\d+(?:,\d{3})*(?:\.\d+)?|\d*[.,]\d+)(?:e[-+]?\d+)?)( ?%)?\.?"  # "-0.5", "0,5", "57 %", "1,400"


@dataclass(frozen=True)
class Outcome:
    """The result of a check: its reason, its message, and a text that the reader has to unfold."""

    reason: Reason
    message: str
    folded: str = ""
    summary: str = "The answer"

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
        """Return the line with the folded text below it, or None if there is none."""
        if not self.folded:
            return None
        folded = f"<pre>{html.escape(self.folded)}</pre>" if "\n" in self.folded else html.escape(self.folded)
        said = re.sub(r"Below, [^.]*\.$", r"<b>\g<0></b>", html.escape(repr(self)))
        return f"<p>{said}</p><details><summary>{self.summary}</summary>{folded}</details>"


def reveal(guess: object, answer: str | float, because: str, *, question: str, of: float | None = None) -> Outcome:
    """Return the answer to a prediction; without a guess, ask again and fold the answer.

    A number may be written as ``57 %`` or ``0,57``, a letter with its option; in words, capitals do not count. `of` is
    the total that `answer` is a part of (1 for a decimal number from -1 to 1); a guess may be off by a twentieth
    of it. Without a total, it is near enough within a tenth of a decimal answer, and has to equal a whole number.
    """
    text = _text(guess)
    if not isinstance(answer, str):
        answer = round(float(answer), 1) if of else answer
        form, shown, guessed = " as a number", f"{answer:g}", text
        verdict = _by_number(text, answer, of)
    elif len(answer) == 1 and answer.isalpha():
        letter = re.fullmatch(LETTER, text.casefold(), re.DOTALL)
        form, shown, guessed = ' as a letter, such as "a",', f'"{answer}"', f'"{letter[1]}"' if letter else ""
        verdict = "unread" if letter is None else "right" if guessed == shown else "wrong"
    else:
        form, shown, guessed = "", answer, text
        verdict = "right" if _bare(text) == _bare(answer) else "wrong"
    if verdict == "unread" or not text:
        again = f"{question} Write your guess{form if text else ''} in its cell above, run that, then this one."
        return Outcome("blank", again, folded=f"The answer is {shown}: {because}")
    if verdict == "right":
        return Outcome("right", f"the answer is {shown}: {because}")
    if verdict == "near":
        return Outcome("right", f"near enough. You guessed {guessed}, and the answer is {shown}: {because}")
    return Outcome("wrong", f"you guessed {guessed}; the answer is {shown}: {because}")


def _text(guess: object) -> str:
    """Return a guess as text; an empty one for no guess, or an object without text."""
    try:
        return "" if guess is None else str(guess).strip()
    except Exception:  # a student's own class may raise anything
        return ""


def _by_number(text: str, answer: float, of: float | None) -> Literal["unread", "right", "near", "wrong"]:
    """Return how near a guessed number is; as a part of 1, 57 means 0.57, and as a part of 100, 0.57 means 57."""
    written = re.fullmatch(NUMBER, text.replace("−", "-").casefold())
    if written is None:
        return "unread"
    whole = isinstance(answer, Integral)
    of = of or (1 if abs(answer) <= 1 and not whole else None)
    number = float(re.sub(r"(?<!\b0),(?=\d{3}\b)", "", written[1]).replace(",", "."))  # 1,400 and 0,125
    if of == 1 and (written[2] or 1 < abs(number) <= 100):
        number /= 100
    elif of and not written[2] and 0 < abs(number) < 1 < of:
        number *= of
    allowed = of / 20 if of else 0 if whole else abs(answer) / 10
    off = abs(number - answer)
    return "right" if off < 1e-9 else "near" if off <= allowed + 1e-9 else "wrong"


def _bare(text: str) -> str:
    """Return words without capitals, a leading *the*, and punctuation unless there is nothing else."""
    return " ".join(re.findall(r"[^\W_]+", text.casefold())).removeprefix("the ") or text
