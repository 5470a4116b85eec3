"""A notebook holds the idea: a helper is plumbing, or its body was written out in an earlier cell.

The cells that write a helper's body carry the tag ``opens:module.function``. They must come before the helper's first
use; and every operation of torch and every part of the model that its code names, or the code of the functions that it
calls in the lessons' rooms, must stand in such cells.
"""

import ast
import inspect
import re
import textwrap
from collections.abc import Mapping
from functools import cache
from importlib import import_module

import torch

from bertlab import lessons, mine
from bertlab_teaching import solving

PLUMBING = {"data", "figures", "evidence", "checks", "reference", "mine"}
"""Rooms whose functions may be used anywhere: they read, draw, count, check, or hand over what the student wrote."""

PLUMBING_IN_ROOMS = {"ahead", "tables", "head_view", "model_view", "spaced", "ColouredWords", "figures.marked"}
PLUMBING_IN_ROOMS |= {"read_pairs", "read_texts", "read_trees", "glove_similarities", "save"}
PLUMBING_IN_ROOMS |= {"all_sentences", "word_tokenizer", "encode", "new_model"}
"""What stands after a lesson's room and may be used anywhere, too: it words a sentence, reads a file, or makes the
sentences of lesson 7's language, their ids, and a BERT of random numbers. Of a room's figures, what draws may."""

HOUSEKEEPING = (
    {"cpu", "device", "to", "as_tensor", "bool", "double", "numpy"}  # where numbers lie, how exact they are
    | {"values", "indices"}
    | {"empty", "full", "full_like", "zeros_like", "fill_diagonal_"}  # a place for results, blank at first
    | {"chunk", "flatten", "ravel", "unravel_index", "view"}  # the same numbers in another shape
    | {"any", "clamp_min"}  # what may be empty, or zero
    | {"split", "name"}  # of strings and columns; tensors have the same words
)
"""What package code does with tensors and arrays that no lesson shows: types, places, shapes, guards."""


def helpers(source):
    """Return the helpers that a cell uses, as ``module.function`` or ``module.figures.function``."""
    hidden = re.search(r"^\s*(from|import) bertlab\b(?!$)", source, re.M)
    assert not hidden, "lessons say bertlab.module.function in full, so that a reader sees the helper"
    used = re.findall(r"\bbertlab\.(\w+)\.((?:figures\.)?\w+)", source)
    named = [f"{room}.{name}" for room, name in used if room not in PLUMBING and name not in PLUMBING_IN_ROOMS]
    return [name for name in named if not draws(name)]


def draws(helper):
    """Say whether a helper is one of a room's figures, and returns what it has drawn."""
    if ".figures." not in helper:
        return False
    returned = inspect.signature(named(helper)).return_annotation
    return getattr(returned, "__name__", returned) in ("CaptionedFigure", "Axes")


def named(helper):
    """Return the function that a helper's name stands for."""
    module, _, name = helper.rpartition(".")
    return getattr(import_module(f"bertlab.{module}"), name)


def followed(function, seen=()):
    """Yield a function and those of the lessons' rooms that it calls, also by a mapping such as the ways to pool."""
    yield function
    names = {node.id for node in ast.walk(source_of(function)) if isinstance(node, ast.Name)}
    for name in sorted(names & getattr(inspect.unwrap(function), "__globals__", {}).keys()):
        thing = inspect.unwrap(function).__globals__[name]
        for called in thing.values() if isinstance(thing, Mapping) else [thing]:
            room = re.match(r"bertlab\.(\w+)", getattr(called, "__module__", None) or "")
            known = called in (function, *seen) or not inspect.isfunction(called)
            if room and not known and room[1] not in {*PLUMBING, "bert"}:
                yield from followed(called, (function, *seen))


def source_of(thing):
    return ast.parse(textwrap.dedent(inspect.getsource(thing)))


def operations(tree, parts):
    """Return the torch operations and model parts that code names, refusals of bad input left out."""

    def refuses(line):
        return isinstance(line, ast.If | ast.For) and all(isinstance(inner, ast.Raise) for inner in line.body)

    for node in ast.walk(tree):
        if isinstance(getattr(node, "body", None), list):
            node.body = [line for line in node.body if not refuses(line)] or [ast.Pass()]
    attributes = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
    named = {node.attr for node in attributes if ast.unparse(node.value) != "re"}  # torch has a word `compile`, too
    known = {name for name in named if hasattr(torch.Tensor, name) or callable(getattr(torch, name, None))}
    return {name for name in (named & parts) | known if not name.startswith("_")}


@cache
def needs(helper, parts):
    """Return the operations and parts that a helper and what it calls name, but for housekeeping."""
    functions = followed(named(helper))
    return set().union(*(operations(source_of(function), parts) for function in functions)) - HOUSEKEEPING


def looked_at(cells, parts):
    """Return what is wrong with a course's cells of code, in words."""
    violations, written, functions_written = [], {}, set()
    for cell in cells:
        early = set(re.findall(r"\bmine\.(?!parts)(\w+)\(", cell.source)) - functions_written
        violations += [f"{part} is used before the student wrote it: {cell.source[:60]!r}" for part in early]
        defined = set(re.findall(r"^def (\w+)", cell.source, re.M))
        functions_written |= defined
        for helper in helpers(cell.source):
            if helper not in written:
                violations.append(f"{helper} is used before a cell wrote it out: {cell.source[:60]!r}")
                continue
            missing = needs(helper, parts) - set().union(*written.values())
            if missing:
                violations.append(f"{helper} uses {sorted(missing)}, which no cell that opens it shows")
        opened = [tag.removeprefix("opens:") for tag in cell.metadata.get("tags", []) if tag.startswith("opens:")]
        for name in (*opened, *defined.intersection(mine.PARTS)):  # what a student writes is shown, too
            written.setdefault(name, set()).update(operations(ast.parse(cell.source), parts))
    return violations


def test_the_lessons_keep_the_boundary(bert):
    modules = bert.model.named_modules()  # of which the smallest count: word_embeddings, LayerNorm, query, ...
    parts = frozenset(name.split(".")[-1] for name, module in modules if not list(module.children()))
    cells = [cell for path in lessons.paths() for cell in solving.shown(path).cells if cell.cell_type == "code"]
    assert looked_at(cells, parts) == []
