"""What several tests need: a lesson's cells run, and a lesson whose checks need no torch."""

import os

import nbformat
import pytest

from bertlab import lessons

CHECK = """given = secrets.randbelow(10**9) + 1
result = {name}(given)
reason = "right" if result == {right} else "blank" if result is None else "wrong"
Outcome(reason, f"{{given}} is not {{result}}")"""


@pytest.fixture(params=lessons.paths(), ids=lambda path: path.stem)
def path(request):
    """Every lesson in turn."""
    return request.param


def code(source, *tags):
    return nbformat.v4.new_code_cell(source, metadata={"tags": list(tags)})


@pytest.fixture
def lesson(tmp_path, monkeypatch):
    """A lesson of two exercises in place of all: `double`, of two stars, and `half`, of three."""
    outcome = "from collections import namedtuple\nOutcome = namedtuple('Outcome', 'reason message')"
    cells = [code(f"import secrets\n{outcome}"), code("raise RuntimeError('a cell that no check needs')")]
    solutions = []
    for number, name, stars, right in (("1.1", "double", "★★", "2 * given"), ("1.2", "half", "★★★", "given / 2")):
        stub = f'def {name}(x):\n    """Return it."""\n    return None'
        cells += [
            nbformat.v4.new_markdown_cell(f"### {number} {name} · recall · {stars} · 10 minutes"),
            code(stub, "exercise", number),
            code(CHECK.format(name=name, right=right), "check", number),
        ]
        solutions.append(stub.replace("return None", f"# as in the lesson\n    return {right.replace('given', 'x')}"))
    (tmp_path / "lessons").mkdir()
    (tmp_path / "lessons" / "01_first.solutions.py").write_text("\n\n\n".join(solutions))
    monkeypatch.setattr(lessons, "folder", lambda: tmp_path / "lessons")
    return lessons.write(nbformat.v4.new_notebook(cells=cells), tmp_path / "lessons" / "01_first.ipynb")


@pytest.fixture
def hand_in(lesson, tmp_path):
    """Write a notebook as a student would, with a cell for each exercise; None stands for a cell that was deleted."""

    def write(name, first="", second="", change=lambda notebook: None):
        notebook = lessons.read(lesson)
        for place, source in ((6, second), (3, first)):
            if source is None:
                del notebook.cells[place]
            else:
                notebook.cells[place].source = source or notebook.cells[place].source
        change(notebook)
        try:
            os.fsencode(name)
        except UnicodeEncodeError:
            pytest.skip("names of files here are ASCII alone")
        path = tmp_path / "in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return lessons.write(notebook, path)

    return write
