"""A student goes back to any cell when all have run, and runs it once more: it shows what it showed."""

import ast
import contextlib
import io

import pytest

from bertlab.course import notebooks as lessons

PATHS = [path for path in lessons.paths() if path.stem[:2] not in ("07", "08")]  # these train for minutes


def run(source, names):
    """Run a cell among a notebook's names, and return what it prints and what its last line gives."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "<cell>", "exec"), names)
        value = None if last is None else eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)
    return printed.getvalue() + ("" if value is None else repr(value))


def other_the_second_time(cells):
    """Run cells in their order, then each alone among the names that all have left; return what differs then."""
    names = {"__name__": "__main__", "display": print}
    first = [run(source, names) for source in cells]
    again = [run(source, dict(names)) for source in cells]
    return {source: now for source, was, now in zip(cells, first, again, strict=True) if now != was}


@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_each_cell_of_a_lesson_shows_the_same_again(path, monkeypatch):
    monkeypatch.chdir(path.parent)
    cells = [cell.source for cell in lessons.read(path).cells if cell.cell_type == "code"]
    assert other_the_second_time(cells) == {}


def test_a_name_that_is_used_for_something_else_later_is_found():
    cells = ["weights = [1, 2]", "print(sum(weights))", "weights = [5, 5]", "len(weights)"]
    assert other_the_second_time(cells) == {"print(sum(weights))": "10\n"}
