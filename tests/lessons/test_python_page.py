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
def test_python_answers_what_the_page_says_and_the_first_lesson_links_the_copy_beside_it(page, tmp_path):
    text = page.read_text("utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.M | re.S)
    said = []
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "page", str(page), 0)
    assert doctest.DocTestRunner(verbose=False).run(test, out=said.append).attempted == text.count("\n>>> ") > 0
    assert said == []
    first, *_ = lessons.copy_to(tmp_path)
    assert f"[{text.splitlines()[0].removeprefix('# ')}]({page.name})" in first.read_text(encoding="utf-8")
    assert (tmp_path / page.name).read_bytes() == page.read_bytes()


KINDS, KNOWN = (torch.Tensor, pd.DataFrame, pd.Series), (str, list, dict, int)
OURS = {"special"}  # columns of a table, which pandas has under other meanings


@pytest.mark.parametrize("path", lessons.paths(), ids=lambda path: path.stem)
def test_the_page_has_every_name_that_a_lesson_uses_and_a_beginner_cannot_know(path):
    page = set(re.findall(r"\w+", (lessons.folder() / "python_and_torch.md").read_text("utf-8")))
    source = "\n".join(cell.source for cell in lessons.read(path).cells if cell.cell_type == "code")
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Attribute)]
    nodes = [node for node in nodes if not ast.unparse(node).startswith("bertlab.")]
    used = {node.attr for node in nodes if ast.unparse(node.value) in ("torch", "np", "pd", "re", "random")}
    methods = {node.attr for node in nodes if any(hasattr(kind, node.attr) for kind in KINDS)}
    used |= {name for name in methods if not any(hasattr(kind, name) for kind in KNOWN)}
    for names in re.findall(r"^from (?!bertlab|transformers|torch)\S+ import (.+)", source, re.M):
        used |= set(names.split(", "))
    assert used - page - OURS == set()
