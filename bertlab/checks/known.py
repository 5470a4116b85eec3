"""What is known of an exercise or a gap: right and wrong answers as students write them, one table a lesson.

A lesson's table, ``NN_name.toml``, has under the number of an exercise (``"5.2"``) or the name of a gap (``5a``):

right      right answers, the source of a function or a line; the first is offered to who asks for it
wrong      by the sentence that names the mistake, its answers: each a source, or what it changes in the source above it
           in the list, else in a right answer. What begins with ``return`` follows the head of the right function
raises     by a part of Python's error, what it means here
given      the names of what the notebook hands over: to a line, all that it has to work with
truth      the body of a function that returns the right value, from a source that is not the lesson's own
draw       of a function, an expression for the list of its cases, drawn anew at each try, the quickest first; in a gap,
           for more of them
atol       what is added to what counts as rounding (`bertlab.checks.compare.ROUNDING`)

of an exercise

praise     what is said of a right answer, with values in braces: of what is `given`, `asked` (the cases), `rights`
shortcuts  by the sentence that names a way around the point of the exercise, an expression that is true of it, of the
           `words` of an `answer` with right values, and of a `case`
counts     the body of a function that returns which values count
regions    the part of the answer that each case tests
changes    what is said of an answer that changes what it is given, where that is wrong
needs      the part that a BERT must have

and of a gap

source     where the truth is from
ready      of a part of BERT, the names under which torch has it
hint       one sentence
"""

import inspect
import math
import re
import textwrap
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn import functional as F

import bertlab
from bertlab import reference
from bertlab.checks import cases, inputs, made_up, parts
from bertlab.checks.student import words

READS = {"read", "read_all", "sentence_vectors", "mean_of_tokens"}  # what reads a text for a student


@dataclass(frozen=True, eq=False)
class Known:
    """An entry of a table."""

    right: Sequence[str] = ()
    wrong: Mapping[str, Sequence[str | Mapping[str, str]]] = field(default_factory=dict)
    raises: Mapping[str, str] = field(default_factory=dict)
    given: str = ""
    truth: str = ""
    draw: str = "[]"
    atol: float = 1e-7
    praise: str = ""
    shortcuts: Mapping[str, str] = field(default_factory=dict)
    counts: str = ""
    regions: Sequence[str] = ()
    changes: str = ""
    needs: str = ""
    source: str = ""
    ready: Sequence[str] = ()
    hint: str = ""

    @cached_property
    def mistakes(self) -> dict[str, list[str]]:
        """The sources of the wrong answers, each a function, by the sentence that names them."""
        return {sentence: self._sources(answers) for sentence, answers in self.wrong.items()}

    def _sources(self, answers: Sequence[str | Mapping[str, str]]) -> list[str]:
        sources, above = [], [*self.right]
        for answer in answers:
            if isinstance(answer, str):
                above.insert(0, answer)
                source = answer
            else:
                source = next(source for source in above if all(old in source for old in answer))
                for old, new in answer.items():
                    source = source.replace(old, new)
            sources.append(self._whole(source))
        return sources

    @cached_property
    def is_function(self) -> bool:
        """Whether the answer is a function, and not a line."""
        return "def " in self.right[0]

    @cached_property
    def target(self) -> str:
        """The name that a line or a function binds."""
        return re.findall(r"^(?:def )?(\w+)", self.right[0], re.MULTILINE)[-1]

    @cached_property
    def names(self) -> str:
        """The names of what a function takes, or of what a line has to work with."""
        return ", ".join(inspect.signature(function(self.right[0])).parameters) if self.is_function else self.given

    @cached_property
    def true(self) -> Callable:
        """The function that returns what is right."""
        return _body(self.names, self.truth)

    @cached_property
    def counting(self) -> Callable | None:
        """The function that returns which values count, if not all do."""
        return _body(self.names, self.counts) if self.counts else None

    def drawn(self, *given: Any) -> list[tuple]:
        """Draw cases, or more of them."""
        with torch.random.fork_rng():
            torch.manual_seed(inputs.new_seed())
            return list(_body(self.given if given else "", f"return {self.draw.strip()}")(*given))

    def praised(self, given: tuple, asked: Sequence[tuple], rights: Sequence[Any]) -> str:
        """Return what is said of a right answer."""
        told = _body(f"asked, rights, truth, {self.given}", f'return f"""{self.praise}"""')
        return told(asked, rights, self.true, *given)

    def shortcut(self, answer: Callable, case: tuple) -> str | None:
        """Return the sentence of the way around that an answer takes, if it takes one."""
        tells = dict(self.shortcuts)
        if self.ready:
            tells["it asks the course's own BERT, or the model. Write it out."] = "words & {'reference', 'model'}"
            tells["torch has it ready. Write it out."] = f"words.intersection({self.ready})"
        has = {"words": words(answer), "answer": answer, "case": case}
        taken = (sentence for sentence, tell in tells.items() if _body(", ".join(has), f"return ({tell})")(**has))
        return next(taken, None)

    def _whole(self, source: str) -> str:
        """Return a source as a function."""
        if self.is_function:
            head = self.right[0].partition("\n    ")[0]
            return f"{head}\n    {source}" if source.startswith("return ") else source
        return f"def line({self.names}):\n{textwrap.indent(source, '    ')}\n    return {self.target}"


@cache
def known(name: str) -> Known:
    """Return what is known of an exercise, such as ``"5.2"``, or of a gap, ``"5a"``."""
    (path,) = Path(__file__).parent.glob(f"{int(re.split('[a-z.]', name)[0]):02}_*.toml")
    return Known(**tomllib.loads(path.read_text("utf-8"))[name])


@cache
def function(source: str) -> Callable:
    """Return the last function that a source defines; it may call the parts of BERT."""
    names: dict[str, Any] = {**vars(reference), "F": F, "bertlab": bertlab, "math": math, "np": np, "parts": parts}
    names |= {"cases": cases, "inputs": inputs, "made_up": made_up, "READS": READS}
    exec(source, names)
    return names[re.findall(r"^def (\w+)", source, re.MULTILINE)[-1]]


def _body(names: str, source: str) -> Callable:
    """Return the function of these names that has a source as its body."""
    return function(f"def body({names}):\n{textwrap.indent(source, '    ')}")
