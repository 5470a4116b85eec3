"""A student goes back to any cell when all have run, and runs it once more: it shows what it showed."""

import ast
import contextlib
import dis
import inspect
import io

import pytest

from bertlab.course import notebooks as lessons

PATHS = lessons.paths()
SHORT = [path for path in PATHS if path.stem[:2] not in ("07", "08")]  # those train for minutes
AT_ONCE = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")
"""Code within a cell that runs with it; a function's body runs later."""


def code_of(path):
    return [cell.source for cell in lessons.read(path).cells if cell.cell_type == "code"]


def taken(code):
    """Return the notebook's names that code within a cell takes."""
    steps = list(dis.get_instructions(code))
    inside = [step.argval for step in steps if inspect.iscode(step.argval)]
    return {step.argval for step in steps if step.opname == "LOAD_GLOBAL"}.union(*map(taken, inside))


def names_of(source):
    """Return the names that a cell takes from the notebook, and those that it sets."""
    found, made = set(), set()
    for step in dis.get_instructions(compile(source, "<cell>", "exec")):
        if step.opname == "STORE_NAME":
            made.add(step.argval)
        elif step.opname == "LOAD_NAME":
            found |= {step.argval} - made
        elif inspect.iscode(step.argval) and step.argval.co_name in AT_ONCE:
            found |= taken(step.argval) - made
    return found, made


def used_for_something_else_later(cells):
    """Return the names that a cell takes from one before it, and that one behind it makes anew, and not from itself."""
    names = [names_of(source) for source in cells]
    lost = []
    for place, (found, _) in enumerate(names):
        before = set().union(*(made for _, made in names[:place]))
        after = set().union(*(made - taken_too for taken_too, made in names[place + 1 :]))
        lost += [(cells[place].splitlines()[0], name) for name in sorted(found & before & after - {"guess"})]
    return lost


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_name_keeps_its_meaning(path):
    assert used_for_something_else_later(code_of(path)) == []


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


def other_the_second_time(cells):
    """Run cells in their order, then each alone among the names that all have left; return what differs then."""
    names = {"__name__": "__main__", "display": print}
    first = [run(source, names) for source in cells]
    again = [run(source, dict(names)) for source in cells]
    return {source: now for source, was, now in zip(cells, first, again, strict=True) if now != was}


@pytest.mark.slow
@pytest.mark.parametrize("path", SHORT, ids=lambda path: path.stem)
def test_each_cell_of_a_lesson_shows_the_same_again(path, monkeypatch):
    monkeypatch.chdir(path.parent)
    assert other_the_second_time(code_of(path)) == {}
