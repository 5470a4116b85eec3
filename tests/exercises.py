"""Every exercise's check, ready to be called with a model and an answer, and every solution."""

import re
import tomllib
from pathlib import Path

import torch

from bertlab import lessons
from bertlab.checks import exercise, made_up
from bertlab.checks.known import known
from bertlab_teaching import solving

LESSONS = Path(__file__).parent.parent / "notebooks"
HANDED_IN = {  # answers that no table has, by their exercise or gap
    name: answers
    for file in sorted((Path(__file__).parent / "checks" / "handed_in").glob("*.toml"))
    for name, answers in tomllib.loads(file.read_text("utf-8")).items()
}

GAPS = [name for path in lessons.paths() for name in solving.gap_lines(solving.solutions_of(path))]

PAIRS = [("It rained all day.", "So we stayed at home."), ("The cat was ill.", "We called the doctor.")] * 2
PAIRS += [("He bought a guitar.", "Then he learned a song.")]
STRANGERS = [("It rained all day.", "A heart is a muscle."), ("The cat was ill.", "White opened with a pawn.")] * 2
STRANGERS += [("He bought a guitar.", "The moon has many craters.")]
SENTENCES = ["The cat sat on the mat.", "It rained all day."]


def given(number, bert):
    """Return what these tests hand over to an exercise's check in place of what the notebook does."""
    made = {"bert": bert, "twin": bert, "following": PAIRS, "unrelated": STRANGERS, "sentences": SENTENCES}
    with torch.random.fork_rng():
        torch.manual_seed(4)
        made["vectors"] = {word: made_up.labelled(20) for word in ("bank", "spring")}
    grades = torch.arange(120) % 6
    cosines = 0.8 + 0.02 * grades + 0.03 * torch.randn(120, generator=torch.Generator().manual_seed(4))
    made |= {"practice": cosines[:60], "grades": grades[:60].float(), "test": cosines[60:]}
    made |= {"shares": [0.5, 0.6, 0.9, 0.7, 0.55, 0.8]}
    return [made[name] for name in known(number).given.split(", ") if name]


def check(number, bert, answer):
    """Check an answer to an exercise."""
    return exercise(number, answer, *given(number, bert))


def solutions(then=lambda value: value):
    """Return the function that solves each exercise, by its number; `then` is applied to what it returns.

    Both stand in one namespace, as in a notebook: some checks read a function's names and those of its helpers.
    """
    found = {}
    for path in sorted(LESSONS.glob("*.solutions.py")):
        source = path.read_text("utf-8")
        for place, name in enumerate(re.findall(r"^def (\w+)", source, re.MULTILINE), start=1):
            notebook = {"then": then}
            exec(f"{source}\n\ndef changed(*given): return then({name}(*given))", notebook)
            found[f"{int(path.name[:2])}.{place}"] = notebook["changed"]
    return found


EXERCISES = [*solutions()]
