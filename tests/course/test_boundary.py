"""A notebook holds the idea: a helper is plumbing, or its body was written out in an earlier cell.

The cells that write a helper's body carry the tag ``opens:module.function``. They must come before the helper's first
use; and every operation of torch and every part of the model that its code names, or the code of the functions that it
calls in the lessons' rooms, must stand in such cells.
"""

import ast
import inspect
import textwrap
from collections.abc import Mapping
from importlib import import_module

import nbformat
import pytest
import torch

from bertlab.course import notebooks as lessons

PLUMBING = {"load", "untrained", "data", "figures", "evidence", "checks"}
"""What stands after ``bertlab.`` and may be used anywhere: it loads, draws, counts, or checks."""

PLUMBING_IN_ROOMS = {"figures", "verdicts", "tables", "head_view", "model_view", "bar", "progress_callback"} | {
    "read_pairs",
    "read_texts",
    "read_trees",
    "glove_similarities",
    "save",
    "Tree",
}
"""What stands after a lesson's room and may be used anywhere, too: it draws, words a sentence, or reads a file."""

HOUSEKEEPING = (
    {"cpu", "to", "device", "detach", "clone", "no_grad", "tolist", "numpy", "tensor", "asarray", "values", "random"}
    | {"float", "double", "dtype", "int64", "float64", "is_floating_point"}
    | {"T", "shape", "ravel", "indices", "index", "unravel_index", "split", "chunk"}
    | {"full", "full_like", "ones_like", "empty", "zeros", "nan", "inf", "any", "fill_diagonal_", "clamp_min"}
    | {"name", "__init__", "__name__"}
)
"""What package code does with tensors, arrays and mappings that is not the idea of a lesson: types, shapes, guards."""


def helpers(cell):
    """Yield the helpers that a cell uses, as ``module.function``."""
    for node in ast.walk(ast.parse(cell.source)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
            if any(
                name.startswith("bertlab.") or (name == "bertlab" and isinstance(node, ast.ImportFrom))
                for name in names
            ):
                raise AssertionError("lessons say bertlab.module.function in full, so that a reader sees the helper")
        if isinstance(node, ast.Attribute):
            inner = node.value
            if isinstance(inner, ast.Attribute) and isinstance(inner.value, ast.Name) and inner.value.id == "bertlab":
                if inner.attr not in PLUMBING and node.attr not in PLUMBING_IN_ROOMS:
                    yield f"{inner.attr}.{node.attr}"
            elif isinstance(inner, ast.Name) and inner.id == "bertlab" and node.attr not in PLUMBING:
                assert inspect.ismodule(import_module(f"bertlab.{node.attr}")), node.attr


def followed(helper, seen=()):
    """Yield a helper's function and the functions of the lessons' rooms that it calls, those that they call, and so on.

    What a mapping at the top of a module holds, such as the ways to pool, is called, too. Where a function is a helper
    of its own that a cell may use, it is compared by itself.
    """
    yield helper
    names = {node.id for node in ast.walk(source_of(helper)) if isinstance(node, ast.Name)}
    for name in sorted(names):
        thing = inspect.unwrap(helper).__globals__.get(name) if inspect.isfunction(helper) else None
        for function in thing.values() if isinstance(thing, Mapping) else [thing]:
            if inspect.isfunction(function) and function not in (helper, *seen):
                _, room, *_ = [*function.__module__.split("."), ""]
                if function.__module__.startswith("bertlab.") and room not in {*PLUMBING, "bert"}:
                    yield from followed(function, (helper, *seen))


def source_of(thing):
    return ast.parse(textwrap.dedent(inspect.getsource(thing)))


def operations(tree, parts):
    """Return the torch operations and model parts that code names, refusals of bad input left out."""
    for node in ast.walk(tree):
        if hasattr(node, "body") and isinstance(node.body, list):
            node.body = [
                line
                for line in node.body
                if not (isinstance(line, ast.If | ast.For) and all(isinstance(inner, ast.Raise) for inner in line.body))
            ] or [ast.Pass()]
    named = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    return {
        name for name in named if name in parts or hasattr(torch.Tensor, name) or hasattr(torch, name)
    } - HOUSEKEEPING


def violations(notebooks, parts):
    """Return what is wrong with a course of notebooks, in words; nothing if the boundary holds."""
    written: dict[str, str] = {}
    found = []
    for notebook in notebooks:
        for cell in (cell for cell in notebook.cells if cell.cell_type == "code"):
            for helper in helpers(cell):
                if helper not in written:
                    found.append(f"{helper} is used before a cell wrote it out: {cell.source[:60]!r}")
                    continue
                module, function = helper.split(".")
                missing = set()
                for called in followed(getattr(import_module(f"bertlab.{module}"), function)):
                    missing |= operations(source_of(called), parts)
                missing -= operations(ast.parse("\n".join(written.values())), parts)
                if missing:
                    found.append(f"{helper} uses {sorted(missing)}, which no cell that opens it shows")
            for tag in cell.metadata.get("tags", []):
                if tag.startswith("opens:"):
                    helper = tag.removeprefix("opens:")
                    written[helper] = written.get(helper, "") + "\n" + cell.source
    return found


@pytest.fixture(scope="module")
def parts(bert):
    """Return the names of the model's smallest parts: word_embeddings, LayerNorm, query, ..."""
    return {name.split(".")[-1] for name, module in bert.model.named_modules() if not list(module.children())}


def course(*cells):
    made = [nbformat.v4.new_code_cell(source, metadata={"tags": tags}) for source, *tags in cells]
    return [nbformat.v4.new_notebook(cells=made)]


def test_the_lessons_keep_the_boundary(parts):
    notebooks = [lessons.read(path) for path in sorted(lessons.folder().glob("[0-9]*.ipynb"))]
    assert violations(notebooks, parts) == []
    opened = {tag for notebook in notebooks for cell in notebook.cells for tag in cell.metadata.get("tags", [])}
    assert {"opens:embedding.parts", "opens:embedding.cosine"} <= opened


def test_plumbing_may_be_used_at_once(parts):
    assert violations(course(("bert = bertlab.load()\nbertlab.figures.heatmap(x)",)), parts) == []


def test_a_helper_before_its_body_is_found(parts):
    use = ("bertlab.embedding.cosine(a, b)",)
    body = ("def cosine(a, b):\n    return (a * b).sum(-1) / a.norm() / b.norm()", "opens:embedding.cosine")
    assert "embedding.cosine is used before" in violations(course(use, body), parts)[0]
    assert violations(course(body, use), parts) == []


def test_a_tag_alone_opens_nothing(parts):
    empty = ("print('trust me')", "opens:embedding.parts")
    use = ("bertlab.embedding.parts(bert, 'x')",)
    (found,) = violations(course(empty, use), parts)
    for name in ("word_embeddings", "position_embeddings", "token_type_embeddings", "LayerNorm"):
        assert name in found


def test_a_helper_cannot_hide_in_the_functions_that_it_calls(parts, monkeypatch):
    from bertlab.paraphrase import pooling

    cells = [
        (
            "hidden.masked_fill(~real, 0).sum(dim=1) / real.sum(dim=1), hidden[:, 0], real.bool()",
            "opens:paraphrase.pool",
        ),
        ("bertlab.paraphrase.pool(hidden, mask, 'mean')",),
    ]
    (found,) = violations(course(*cells), parts)
    assert found == "paraphrase.pool uses ['amax'], which no cell that opens it shows"
    monkeypatch.setattr(pooling, "POOLINGS", {"mean": pooling.mean})
    assert violations(course(*cells), parts) == []


def test_imports_cannot_hide_a_helper(parts):
    with pytest.raises(AssertionError, match="in full"):
        violations(course(("from bertlab.embedding.similarity import cosine",)), parts)
