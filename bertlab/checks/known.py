"""What is known of an exercise or a gap: right and wrong answers as students write them, one table a lesson.

A lesson's table, ``NN_name.toml``, has under the number of an exercise (``"5.2"``) or the name of a gap (``5a``):

right    right answers, the source of a function or a line; the first is offered to who asks for it
wrong    by the sentence that names the mistake, its answers: each a source, or what it changes in the source above it
         in the list, else in a right answer. What begins with ``return`` follows the head of the right function
raises   by a part of Python's error, what it means here

and of a gap

given    the names of what a line has to work with
truth    the body of a function that returns the right value, from a `source` that is not the lesson's own
draw     of a function, an expression for a list of more arguments, drawn anew at each try
ready    of a part of BERT, the names under which torch has it
hint     one sentence
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
from bertlab.checks import inputs, parts


@dataclass(frozen=True, eq=False)
class Known:
    """An entry of a table."""

    right: Sequence[str] = ()
    wrong: Mapping[str, Sequence[str | Mapping[str, str]]] = field(default_factory=dict)
    raises: Mapping[str, str] = field(default_factory=dict)
    given: str = ""
    truth: str = ""
    source: str = ""
    draw: str = "[]"
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

    @property
    def is_function(self) -> bool:
        """Whether the answer is a function, and not a line."""
        return not self.given

    @property
    def target(self) -> str:
        """The name that a line or a function binds."""
        return re.findall(r"^(?:def )?(\w+)", self.right[0], re.MULTILINE)[-1]

    @property
    def true(self) -> Callable:
        """The function that returns what is right in a gap."""
        names = ", ".join(inspect.signature(function(self.right[0])).parameters) if self.is_function else self.given
        return function(f"def truth({names}):\n{textwrap.indent(self.truth, '    ')}")

    def drawn(self) -> list[tuple]:
        """Return more arguments for a function in a gap."""
        with torch.random.fork_rng():
            torch.manual_seed(inputs.new_seed())
            return function(f"def draw():\n    return {self.draw}")()

    def _whole(self, source: str) -> str:
        """Return a source as a function."""
        if self.is_function:
            head = self.right[0].partition("\n    ")[0]
            return f"{head}\n    {source}" if source.startswith("return ") else source
        return f"def line({self.given}):\n{textwrap.indent(source, '    ')}\n    return {self.target}"


@cache
def known(name: str) -> Known:
    """Return what is known of an exercise, such as ``"5.2"``, or of a gap, ``"5a"``."""
    (path,) = Path(__file__).parent.glob(f"{int(re.split('[a-z.]', name)[0]):02}_*.toml")
    return Known(**tomllib.loads(path.read_text("utf-8"))[name])


@cache
def function(source: str) -> Callable:
    """Return the last function that a source defines; it may call the parts of BERT by name."""
    names: dict[str, Any] = {**vars(reference), "F": F, "bertlab": bertlab, "math": math, "np": np, "parts": parts}
    exec(source, names)
    return names[re.findall(r"^def (\w+)", source, re.MULTILINE)[-1]]
