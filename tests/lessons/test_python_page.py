"""The pages on Python and torch and on evidence say what Python really answers, and lie where lessons look for them."""

import ast
import doctest
import re

import pandas as pd
import pytest
import torch

from bertlab import lessons

PAGES = sorted(lessons.folder().glob("*.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_python_answers_what_the_page_says(page):
    text = page.read_text("utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.M | re.S)
    said = []
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "page", str(page), 0)
    assert doctest.DocTestRunner(verbose=False).run(test, out=said.append).attempted == text.count("\n>>> ") > 0
    assert said == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_first_lesson_links_it_and_a_copy_has_it_beside_the_lessons(page, tmp_path):
    first, *_ = lessons.copy_to(tmp_path)
    title = page.read_text("utf-8").splitlines()[0].removeprefix("# ")
    assert f"[{title}]({page.name})" in first.read_text(encoding="utf-8")
    assert (tmp_path / page.name).read_bytes() == page.read_bytes()


KINDS, KNOWN = (torch.Tensor, pd.DataFrame, pd.Series), (str, list, dict, int)
OURS = {"special"}  # columns of a table, which pandas has under other meanings


def base(node):
    """Return the name that a chain of attributes, calls and brackets begins with."""
    while isinstance(node, ast.Attribute | ast.Call | ast.Subscript):
        node = node.func if isinstance(node, ast.Call) else node.value
    return getattr(node, "id", "")


def names_beyond_a_beginner(source):
    """Yield what a cell takes from Python's library, torch, numpy, pandas, scipy and scikit-learn."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute) and base(node) != "bertlab":
            library = isinstance(node.value, ast.Name) and node.value.id in ("torch", "np", "pd", "re", "random")
            method = any(hasattr(kind, node.attr) for kind in KINDS)
            if library or (method and not any(hasattr(kind, node.attr) for kind in KNOWN)):
                yield node.attr
        elif isinstance(node, ast.ImportFrom) and node.module.split(".")[0] not in ("bertlab", "transformers", "torch"):
            yield from (alias.name for alias in node.names)


@pytest.mark.parametrize("path", lessons.paths(), ids=lambda path: path.stem)
def test_the_page_has_every_name_that_a_lesson_uses_and_a_beginner_cannot_know(path):
    words = set(re.findall(r"\w+", (lessons.folder() / "python_and_torch.md").read_text("utf-8")))
    cells = [cell.source for cell in lessons.read(path).cells if cell.cell_type == "code"]
    assert {name for source in cells for name in names_beyond_a_beginner(source)} - words - OURS == set()
