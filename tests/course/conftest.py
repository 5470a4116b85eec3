"""What several tests need: a lesson's cells run, the course as pages, and a lesson whose checks need no torch."""

import os
import socket
import warnings

import nbformat
import pytest

from bertlab.course import notebooks as lessons
from bertlab.course import worker

CHECK = """given = secrets.randbelow(10**9) + 1
result = {name}(given)
reason = "right" if result == {right} else "blank" if result is None else "wrong"
Outcome(reason, f"{{given}} is not {{result}}")"""


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """The folder that `make site` writes."""
    from bertlab.course.web import site

    folder = tmp_path_factory.mktemp("site")
    site.build(folder)
    return folder


@pytest.fixture(params=lessons.paths(), ids=lambda path: path.stem)
def path(request):
    """Every lesson in turn."""
    return request.param


@pytest.fixture
def run_cell(tmp_path, monkeypatch):
    """Run a cell among a notebook's names as a kernel does, but in this process, which has imported torch before.

    It returns what was printed, what was printed in red, and what was displayed but for pictures. There is no network,
    and a lesson that leaves a file behind fails.
    """
    import torch
    from IPython.core.interactiveshell import InteractiveShell
    from IPython.display import display
    from IPython.utils.capture import capture_output
    from matplotlib import pyplot

    folder = tmp_path / "empty"
    folder.mkdir()
    monkeypatch.chdir(folder)

    def refused(*_):
        raise OSError("a lesson needs no network")

    monkeypatch.setattr(socket.socket, "connect", refused)
    InteractiveShell.instance()  # else display only prints

    def run(cell, names):
        with capture_output() as captured, warnings.catch_warnings(record=True) as red:
            warnings.simplefilter("always")
            for hidden in (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning):
                warnings.simplefilter("ignore", hidden)
            names.setdefault("display", display)
            value = worker.run(cell.source, f"<{cell.id}>", names)
            if value is not None:
                display(value)
        pyplot.close("all")
        printed = "\n".join(line.rsplit("\r", 1)[-1] for line in captured.stdout.split("\n"))  # without bars
        shown = [{kind: said for kind, said in one.data.items() if "image/" not in kind} for one in captured.outputs]
        return printed, captured.stderr + "".join(str(warning.message) for warning in red), shown

    with torch.random.fork_rng():
        yield run
    InteractiveShell.clear_instance()
    assert list(folder.iterdir()) == []


@pytest.fixture
def small_bert(tiny_folder, monkeypatch):
    """What `bertlab.load()` loads: a BERT of another shape than the shipped one, with which lessons run sooner."""
    monkeypatch.setenv("BERTLAB_MODEL", str(tiny_folder))


@pytest.fixture
def hardly_trained(monkeypatch):
    """Let lesson 7 hardly train the BERTs of its own: that takes most of its time, and leaves the loaded one alone."""
    from bertlab import pretraining

    read = lessons.read

    def shortened(path):
        lesson = read(path)
        for cell in lesson.cells:
            cell.source = cell.source.replace("STEPS = 1200", "STEPS = 50")
        return lesson

    monkeypatch.setattr(lessons, "read", shortened)
    monkeypatch.setattr(pretraining, "train", lambda model, *_, **__: dict.fromkeys(range(0, 701, 25), model))


def code(source, *tags):
    return nbformat.v4.new_code_cell(source, metadata={"tags": list(tags)})


@pytest.fixture
def lesson(tmp_path, monkeypatch):
    """A lesson of two exercises in place of all: `double`, of two stars, and `half`, of three."""
    outcome = "from collections import namedtuple\nOutcome = namedtuple('Outcome', 'reason message')"
    cells = [code(f"import secrets\n{outcome}"), code("raise RuntimeError('a cell that no check needs')")]
    solutions = []
    for number, name, stars, right in (("1.1", "double", "★★", "2 * given"), ("1.2", "half", "★★★", "given / 2")):
        stub = f'def {name}(x):\n    """Return it."""\n    return '
        cells += [
            nbformat.v4.new_markdown_cell(f"### {number} {name} · recall · {stars} · 10 minutes"),
            code(f"{stub}None", "exercise", number),
            code(CHECK.format(name=name, right=right), "check", number),
        ]
        solutions.append(
            stub.replace("    return ", "    # as in the lesson\n    return ") + right.replace("given", "x")
        )
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


@pytest.fixture(scope="session")
def live_folder(tmp_path_factory):
    """The folder with the live page and its weights."""
    from bertlab.course.live import page

    folder = tmp_path_factory.mktemp("live")
    page.write(folder)
    return folder


# How many questions the page has asked of the thread that computes, and no answer has come.
COUNTED = """window.unanswered = 0;
window.Worker = class extends Worker {
    constructor(program) { super(program); this.addEventListener('message', () => window.unanswered--); }
    postMessage(message) { window.unanswered++; super.postMessage(message); }
};"""


@pytest.fixture
def live_page(page, live_folder):
    """The live page, opened from a file, its weights there; at the end no error was written, and nothing asked for."""
    page.context.set_offline(True)
    page.add_init_script(COUNTED)
    page.goto((live_folder / "live.html").as_uri())
    page.wait_for_selector("#progress", state="hidden")
    page.wait_for_selector(".gap")
    yield page
    assert page.errors == []
    assert page.elsewhere == []
