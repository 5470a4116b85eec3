"""A student goes back to any cell when all have run, and runs it once more: it shows what it showed."""

import ast
import contextlib
import io

import pytest

from bertlab.course import notebooks as lessons
from names import names_of

SHORT = [path for path in lessons.paths() if path.stem[:2] not in ("07", "08")]  # those train for minutes


def code_of(path):
    return [cell.source for cell in lessons.read(path).cells if cell.cell_type == "code"]


def test_no_cell_takes_a_name_that_one_before_has_set_and_a_later_one_sets_anew(path):
    again = {cell.source for cell in lessons.tagged(lessons.read(path), "part-b")}  # sets what part a had, the same
    names = [(set(), set()) if source in again else names_of(source) for source in code_of(path)]
    for i, (found, _) in enumerate(names):
        before = set().union(*(made for _, made in names[:i]))
        after = set().union(*(made - taken for taken, made in names[i + 1 :]))
        assert found & before & after - {"guess"} == set(), code_of(path)[i]


def run(source, names):
    """Run a cell among a notebook's names, and return what it prints and what its last line gives."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "<cell>", "exec"), names)
        value = None if last is None else eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)
    folded = getattr(value, "_repr_html_", lambda: None)()  # the answer to a prediction
    return printed.getvalue() + ("" if value is None else f"{value!r}{folded}")


@pytest.mark.slow
@pytest.mark.parametrize("path", SHORT, ids=lambda path: path.stem)
def test_each_cell_of_a_lesson_shows_the_same_again(path, monkeypatch):
    monkeypatch.chdir(path.parent)
    cells, names = code_of(path), {"__name__": "__main__", "display": print}
    first = [run(source, names) for source in cells]
    again = [run(source, dict(names)) for source in cells]  # among the names that all have left
    assert again == first
