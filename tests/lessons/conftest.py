"""What tests of the lessons need: each lesson, its cells run, and quick stand-ins for its slow parts."""

import socket
import warnings

import pytest

from bertlab import lessons
from bertlab_teaching.marking import worker


@pytest.fixture(params=lessons.paths(), ids=lambda path: path.stem)
def path(request):
    """Every lesson in turn."""
    return request.param


@pytest.fixture
def lesson(path):
    return lessons.read(path)


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
    assert {path.name for path in folder.iterdir()} <= {"my_bert.py"}


@pytest.fixture
def small_bert(tiny_folder, monkeypatch):
    """What `bertlab.load()` loads: a BERT of another shape than the shipped one, with which lessons run sooner."""
    monkeypatch.setenv("BERTLAB_MODEL", str(tiny_folder))


@pytest.fixture
def hardly_trained(monkeypatch):
    """Let lesson 7 hardly train the BERTs of its own: that takes most of its time, and leaves the loaded one alone."""
    read = lessons.read

    def shortened(path):
        lesson = read(path)
        for cell in lesson.cells:
            cell.source = cell.source.replace("STEPS = 1200", "STEPS = 50").replace("(text, 25,", "(text, 1,")
        return lesson

    monkeypatch.setattr(lessons, "read", shortened)
