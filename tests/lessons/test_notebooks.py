"""Lessons are copied without loss, filled with their solutions, and run."""

import os
import signal
import subprocess
import sys
import time

import nbformat
import pytest
from nbconvert.exporters import ScriptExporter

from bertlab import lessons
from bertlab.__main__ import main
from bertlab.attention.views import MIME
from bertlab_teaching import running, solving
from pages import PNG
from pages import notebook as small_lesson

PATHS = lessons.paths()
NAMES = [path.name for path in PATHS]
PAGES = ["evidence.md", "python_and_torch.md"]


def notebook(*sources, tags=()):
    cells = [nbformat.v4.new_code_cell(source, metadata={"tags": list(tags)}) for source in sources]
    return nbformat.v4.new_notebook(cells=cells)


class TestCopy:
    def test_command_line_copies_every_lesson_with_the_pages_beside_them_and_nothing_else(
        self, tmp_path, capsys, monkeypatch
    ):
        monkeypatch.setattr("bertlab.page.page_parts", lambda: iter(["{}", "AAAA"]))  # a page without a BERT
        assert main(["copy", str(tmp_path / "work")]) == 0
        said = capsys.readouterr().out
        assert NAMES[0] in said
        assert sorted(path.name for path in (tmp_path / "work").iterdir()) == sorted([*NAMES, *PAGES, "live.html"])
        assert main(["copy", str(tmp_path / "work")]) == 0
        assert "already there" in capsys.readouterr().out

    @pytest.mark.parametrize("notes", [False, True])
    def test_copies_have_the_cells_but_no_outputs_and_notes_and_lines_only_for_who_presents(self, tmp_path, notes):
        (copied, *_) = lessons.copy_to(tmp_path, *[solving.to_present] * notes)
        cells, original = lessons.read(copied).cells, nbformat.read(PATHS[0], as_version=4).cells
        kept = solving.shown(PATHS[0]).cells if notes else [cell for cell in original if not lessons.is_note(cell)]
        assert any(lessons.is_note(cell) for cell in kept) is notes
        for note in filter(lessons.is_note, kept):
            note.source = f'<blockquote class="speaker">\n\n{note.source}\n\n</blockquote>'
        parts = ("source", "metadata", "attachments")
        have, meant = ([[cell.get(part) for part in parts] for cell in some] for some in (cells, kept))
        assert have == meant
        assert cells[0].attachments
        assert not any(cell.get("outputs") or cell.get("execution_count") for cell in cells)

    def test_a_students_work_is_never_overwritten_and_a_lesson_that_is_new_joins_it(self, tmp_path):
        mine = [tmp_path / name for name in (NAMES[0], *PAGES, "notes.txt")]
        for path in mine:
            path.write_text("my own work", encoding="utf-8")
        (tmp_path / NAMES[1]).touch()  # a copy that broke off has left it
        assert [path.name for path in lessons.copy_to(tmp_path)] == NAMES[1:]
        assert [path.read_text(encoding="utf-8") for path in mine] == ["my own work"] * 4

    def test_what_is_no_folder_is_refused(self, tmp_path, capsys):
        (tmp_path / "notes.txt").write_text("mine")
        with pytest.raises(SystemExit):
            main(["copy", str(tmp_path / "notes.txt")])
        assert "notes.txt' is no folder: give the name of one" in capsys.readouterr().err


def test_a_teacher_sees_each_line_in_the_cell_that_goes_on_with_it_and_no_check(path):
    stored, shown = lessons.read(path), solving.shown(path)
    code = [cell.source for cell in shown.cells if cell.cell_type == "code"]
    assert not [source for source in code if "your line" in source or "checks.gap(" in source]
    lines = [line.replace("\n", "\n    ") for line in solving.gap_lines(solving.solutions_of(path)).values()]
    assert [sum(line in source for source in code) for line in lines] == [1] * len(lines)
    gone = {cell.id for cell in stored.cells} - {cell.id for cell in shown.cells}
    left = [[cell.id for cell in solving.tagged(stored, tag)] for tag in ("gap", "gap-check")]
    assert set(left[1]) <= gone <= {*left[0], *left[1]}
    checks = [cell for cell in stored.cells if cell.id not in left[1] and cell.get("outputs")]
    assert [cell.outputs for cell in checks] == [cell.outputs for cell in shown.cells if cell.get("outputs")]


@pytest.mark.parametrize("content", [b"", b"[]", b"\xff\xfe"])
def test_what_is_no_notebook_is_said_so_and_left(tmp_path, capsys, content):
    path = tmp_path / "mine.ipynb"
    path.write_bytes(content)
    assert main(["run", str(path)]) == 1
    assert f"mine.ipynb: '{path}' cannot be read as a notebook: " in capsys.readouterr().err
    assert path.read_bytes() == content


class TestSolve:
    @pytest.fixture
    def three(self, tmp_path, monkeypatch):
        """A folder of three small lessons, of which the second does not run."""
        folder = tmp_path / "lessons"
        monkeypatch.setattr(lessons, "folder", lambda: folder)
        folder.mkdir()
        stub = notebook("def answer():\n    return None", tags=["exercise", "1.1"])
        stub.cells.append(nbformat.v4.new_code_cell("answer()"))
        for name, lesson in (("01_small", stub), ("02_other", notebook("1 / 0")), ("03_third", notebook("3"))):
            nbformat.write(lesson, folder / f"{name}.ipynb")
            (folder / f"{name}.solutions.py").write_text("import math\n\n\ndef answer():\n    return 42\n")
        return folder

    def test_command_line_solves_runs_and_stores_and_names_what_does_not_run(self, three, tmp_path, capsys):
        before = (three / "01_small.ipynb").read_bytes()
        assert main(["solve", str(tmp_path / "build" / "solved")]) == 1
        said = capsys.readouterr().err
        assert "02_other.ipynb: Cell [1], which begins with '1 / 0', raised ZeroDivisionError: division by z" in said
        assert "Finished: 01_small.ipynb, 03_third.ipynb." in said
        there = sorted((tmp_path / "build" / "solved").iterdir())
        assert [path.name for path in there] == ["01_small.ipynb", "03_third.ipynb"]
        stub, call = lessons.read(there[0]).cells
        assert (stub.source, call.outputs[0].data["text/plain"]) == ("def answer():\n    return 42", "42")
        assert (three / "01_small.ipynb").read_bytes() == before, "the lesson itself stays as it is"

    def test_what_was_saved_while_it_ran_is_not_overwritten(self, tmp_path, capsys, monkeypatch):
        path, saved = lessons.write(notebook("1"), tmp_path / "mine.ipynb"), nbformat.writes(notebook("2"))
        monkeypatch.setattr(running, "run", lambda before, *_: path.write_text(saved) and before)
        assert main(["run", str(path)]) == 1
        assert "It was saved by somebody else while it ran" in capsys.readouterr().err
        assert path.read_text() == saved
        assert lessons.read(tmp_path / "mine.run.ipynb").cells[0].source == "1"

    def test_what_is_there_is_left_and_what_an_interrupted_run_did_not_reach_joins_it(
        self, three, tmp_path, monkeypatch
    ):
        monkeypatch.setattr(running, "run", lambda filled, *_: filled)
        (tmp_path / "02_other.ipynb").write_text("solved before", encoding="utf-8")
        (tmp_path / "03_third.ipynb").touch()  # nothing was written yet
        assert [path.name for path in running.solve_to(tmp_path)] == ["01_small.ipynb", "03_third.ipynb"]
        assert (tmp_path / "02_other.ipynb").read_text(encoding="utf-8") == "solved before"


VIEW = f"""
class View:
    def _repr_mimebundle_(self, **_):
        return {{"text/html": "<p>large</p>", "text/plain": "run me", {MIME!r}: "what it shows"}}
View()
"""
BAR = """import sys, tqdm
for _ in tqdm.tqdm([1, 2], leave=False, file=sys.stdout, mininterval=0): pass
print('done')
print('and more')"""


class TestRun:
    def test_outputs_are_made_and_metadata_normalised(self, tmp_path, capsys):
        path = tmp_path / "small.ipynb"
        small = notebook("x = 2", "x + 1", VIEW, BAR)
        small.cells.insert(1, nbformat.v4.new_markdown_cell("In between."))
        nbformat.write(small, path)
        assert main(["run", str(path)]) == 0
        done = lessons.read(path)
        prose, three, view, bar = done.cells[1:]
        assert prose.source == "In between."
        assert [cell.execution_count for cell in done.cells if cell.cell_type == "code"] == [1, 2, 3, 4]
        assert three.outputs[0].data["text/plain"] == "3"
        assert view.outputs[0].data == {"text/plain": "run me", MIME: "what it shows"}, "its page is as large as a book"
        assert [output.text for output in bar.outputs] == ["done\nand more\n"], "the bar is gone"
        assert set(done.metadata) == {"kernelspec", "language_info"}
        assert ScriptExporter().from_notebook_node(done)[1]["output_extension"] == ".py"
        assert "execution" not in done.cells[0].metadata
        assert "small: 100%" in capsys.readouterr().err, "how far it is can be seen"
        assert [file.name for file in tmp_path.iterdir()] == ["small.ipynb"]

    def test_a_kernel_that_dies_leaves_the_file(self, tmp_path, capsys):  # and a cell that raises: see TestSolve
        path = lessons.write(notebook("x = 0", "import os; os._exit(1)", "print('never')"), tmp_path / "broken.ipynb")
        before = path.read_bytes()
        assert main(["run", str(path)]) == 1
        said = "broken.ipynb: Cell [2], which begins with 'import os; os._exit(1)', ended the kernel"
        assert said in capsys.readouterr().err
        assert path.read_bytes() == before

    def test_a_lessons_picture_is_attached_to_its_first_cell_and_a_copy_keeps_its_own(self, tmp_path, monkeypatch):
        monkeypatch.setattr(running, "run", lambda before, *_: before)
        drawn, path = small_lesson(), tmp_path / NAMES[0]
        for attached in ("its own", running.opening(PNG)):
            drawn.cells[0].attachments = {"picture.png": {"image/png": "its own"}}
            done = lessons.read(running.store(lessons.write(drawn, path)))
            assert done.cells[0].attachments == {"picture.png": {"image/png": attached}}
            path.with_suffix(".slides.toml").write_text('picture = "drawn"', encoding="utf-8")

    @pytest.mark.slow
    @pytest.mark.skipif(os.name == "nt", reason="Windows sends no such signal")
    def test_an_interrupt_leaves_the_notebook_and_no_kernel(self, tmp_path):
        path, pid = tmp_path / "stuck.ipynb", tmp_path / "pid"
        begun = "import os, pathlib, time\npathlib.Path('pid').write_text(str(os.getpid()))\ntime.sleep(600)"
        nbformat.write(notebook("1", begun), path)
        before = path.read_bytes()
        command = [sys.executable, "-m", "bertlab", "run", str(path)]
        ours = signal.signal(signal.SIGINT, signal.default_int_handler)  # what runs in the background may ignore it
        run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        signal.signal(signal.SIGINT, ours)
        while not pid.exists() or not pid.read_text():
            assert run.poll() is None, run.communicate()
            time.sleep(0.1)
        run.send_signal(signal.SIGINT)
        _, said = run.communicate()
        assert run.returncode == 130
        assert "Interrupted. What was finished is there; all other files are as they were." in said
        assert "Traceback" not in said
        assert path.read_bytes() == before
        assert {path, pid} == set(tmp_path.iterdir())
        with pytest.raises(ProcessLookupError):
            os.kill(int(pid.read_text()), 0)
