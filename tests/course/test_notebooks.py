"""Lessons are copied without loss, filled with their solutions, and run."""

import os
import signal
import subprocess
import sys
import time

import nbformat
import pytest

from bertlab.__main__ import main
from bertlab.attention.views import MIME
from bertlab.course import notebooks as lessons
from bertlab.course import running

PATHS = lessons.paths()


def notebook(*sources, tags=()):
    cells = [nbformat.v4.new_code_cell(source, metadata={"tags": list(tags)}) for source in sources]
    return nbformat.v4.new_notebook(cells=cells)


class TestCopy:
    def test_copies_every_lesson_with_the_page_on_python_and_nothing_else(self, tmp_path):
        copied = lessons.copy_to(tmp_path / "work")
        assert [path.name for path in copied] == [path.name for path in PATHS]
        there = sorted(path.name for path in (tmp_path / "work").iterdir())
        assert there == [*(path.name for path in PATHS), "python_and_torch.md"]

    def test_a_page_that_a_student_wrote_into_stays(self, tmp_path):
        (tmp_path / "python_and_torch.md").write_text("my own", encoding="utf-8")
        lessons.copy_to(tmp_path)
        assert (tmp_path / "python_and_torch.md").read_text(encoding="utf-8") == "my own"

    def test_copies_have_the_cells_but_no_outputs(self, tmp_path):
        (copied, *_) = lessons.copy_to(tmp_path)
        mine, original = lessons.read(copied), lessons.read(PATHS[0])
        kept = [cell for cell in original.cells if not lessons.is_note(cell)]
        assert [cell.source for cell in mine.cells] == [cell.source for cell in kept]
        assert [cell.metadata for cell in mine.cells] == [cell.metadata for cell in kept]
        code = [cell for cell in mine.cells if cell.cell_type == "code"]
        assert all(cell.outputs == [] and cell.execution_count is None for cell in code)

    def test_a_students_work_is_never_overwritten(self, tmp_path):
        (tmp_path / PATHS[0].name).write_text("my own work", encoding="utf-8")
        assert PATHS[0] not in lessons.copy_to(tmp_path)
        assert (tmp_path / PATHS[0].name).read_text(encoding="utf-8") == "my own work"

    def test_a_lesson_that_is_new_joins_the_others(self, tmp_path):
        (copied, *_) = lessons.copy_to(tmp_path)
        copied.unlink()
        (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
        assert lessons.copy_to(tmp_path) == [copied]

    def test_command_line(self, tmp_path, capsys):
        assert main(["copy", str(tmp_path / "work")]) == 0
        assert PATHS[0].name in capsys.readouterr().out
        assert main(["copy", str(tmp_path / "work")]) == 0
        assert "already there" in capsys.readouterr().out

    def test_students_get_no_notes_and_instructors_do(self, tmp_path, monkeypatch, capsys):
        original = nbformat.v4.new_notebook(
            cells=[
                nbformat.v4.new_markdown_cell("# 1 · A lesson", metadata={"tags": ["one"]}),
                nbformat.v4.new_markdown_cell("Ask first.", metadata={"slideshow": {"slide_type": "notes"}}),
                nbformat.v4.new_markdown_cell("For reading."),
                nbformat.v4.new_code_cell("1 + 1"),
            ]
        )
        (tmp_path / "lessons").mkdir()
        nbformat.write(original, tmp_path / "lessons" / "01_lesson.ipynb")
        monkeypatch.setattr(lessons, "folder", lambda: tmp_path / "lessons")

        assert main(["copy", str(tmp_path / "work")]) == 0
        assert main(["copy", "--notes", str(tmp_path / "teach")]) == 0
        assert "01_lesson.ipynb" in capsys.readouterr().out
        for folder, expected in [("work", [0, 2, 3]), ("teach", [0, 1, 2, 3])]:
            copied = lessons.read(tmp_path / folder / "01_lesson.ipynb")
            assert [cell.id for cell in copied.cells] == [original.cells[i].id for i in expected]
            assert [path.name for path in (tmp_path / folder).iterdir()] == ["01_lesson.ipynb"]

    def test_a_file_in_the_way_is_said_so(self, tmp_path, capsys):
        (tmp_path / "work").write_text("", encoding="utf-8")
        assert main(["copy", str(tmp_path / "work")]) == 1
        assert "is a file" in capsys.readouterr().err

    def test_a_link_to_nothing_is_said_so(self, tmp_path, capsys):
        (tmp_path / "work").symlink_to(tmp_path / "gone")
        assert main(["copy", str(tmp_path / "work")]) == 1
        assert f"is a link to '{tmp_path / 'gone'}', which does not exist" in capsys.readouterr().err
        assert not (tmp_path / "gone").exists()

    def test_a_folder_that_cannot_be_written_is_said_so(self, unwritable, capsys):
        for folder, says in [(unwritable, "Nothing can be written into"), (unwritable / "work", "cannot be made")]:
            assert main(["copy", str(folder)]) == 1
            assert f"'{folder}'" in (said := capsys.readouterr().err)
            assert says in said

    def test_what_a_full_disk_kept_out_is_copied_the_next_time(self, tmp_path, full_disk, capsys):
        with full_disk():
            assert main(["copy", str(tmp_path / "work")]) == 1
        assert f"{PATHS[0].name}' could not be written" in capsys.readouterr().err
        assert list((tmp_path / "work").iterdir()) == []
        assert [path.name for path in lessons.copy_to(tmp_path / "work")] == [path.name for path in PATHS]

    def test_an_empty_file_that_a_broken_copy_left_is_no_lesson(self, tmp_path):
        (tmp_path / PATHS[0].name).touch()
        assert tmp_path / PATHS[0].name in lessons.copy_to(tmp_path, notes=True)
        assert lessons.read(tmp_path / PATHS[0].name).cells


BROKEN = {
    "empty": "",
    "text": "my notes",
    "cut off": '{"cells": [{"cell_type": "code", "id": "a", "metada',
    "list": "[]",
    "number": "7",
    "other JSON": '{"a": 1}',
    "version": '{"nbformat": "new", "cells": []}',
    "later version": '{"nbformat": 9, "nbformat_minor": 0, "metadata": {}, "cells": []}',
    "cells": '{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [7]}',
    "cell": '{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [{"cell_type": "code", "id": "a"}]}',
    "output": (
        '{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [{"cell_type": "code", "id": "a",'
        ' "metadata": {}, "source": "1", "execution_count": null, "outputs": [{"output_type": "odd"}]}]}'
    ),
    "no cells": '{"nbformat": 4, "nbformat_minor": 5, "metadata": {}}',
}


class TestRead:
    @pytest.mark.parametrize("text", BROKEN.values(), ids=list(BROKEN))
    def test_what_is_no_notebook_is_said_so_and_left(self, tmp_path, capsys, text):
        path = tmp_path / "mine.ipynb"
        path.write_text(text, encoding="utf-8")
        assert main(["run", str(path)]) == 1
        said = capsys.readouterr()
        assert f"mine.ipynb: '{path}' is no notebook, or a damaged one: " in said.err
        assert "Finished: none." in said.err
        assert path.read_text(encoding="utf-8") == text

    def test_bytes_that_are_no_text(self, tmp_path):
        (tmp_path / "mine.ipynb").write_bytes(b"\xff\xfe\x00")
        with pytest.raises(ValueError, match="is no notebook, or a damaged one"):
            lessons.read(tmp_path / "mine.ipynb")

    def test_a_file_that_is_not_there_and_a_folder(self, tmp_path, capsys):
        for path in (tmp_path / "none.ipynb", tmp_path):
            assert main(["run", str(path)]) == 1
            assert f"'{path}' cannot be read: " in capsys.readouterr().err

    def test_a_notebook_is_read_as_nbformat_does(self):
        for path in PATHS:
            assert lessons.read(path) == nbformat.read(path, as_version=4)


class TestEach:
    def test_the_others_are_done_when_one_fails(self, tmp_path):
        def work(path):
            if path.name == "2":
                raise ValueError("no such thing")
            return path

        paths = [tmp_path / name for name in "123"]
        assert running.each(paths[::2], work) == paths[::2]
        with pytest.raises(RuntimeError, match=r"^2: no such thing\nFinished: 1, 3\.$"):
            running.each(paths, work)

    def test_a_full_disk_ends_it_before_more_is_run_in_vain(self, tmp_path):
        begun = []

        def work(path):
            begun.append(path.name)
            if path.name == "2":
                raise OSError("the disk is full")
            return path

        with pytest.raises(RuntimeError, match=r"^2: the disk is full\nFinished: 1\.$"):
            running.each([tmp_path / name for name in "123"], work)
        assert begun == ["1", "2"]


class TestFill:
    def test_the_stub_becomes_the_solution_and_the_rest_stays(self):
        stub = notebook("def answer():\n    return None", tags=["exercise", "9.1"])
        stub.cells.append(nbformat.v4.new_code_cell("answer()"))
        filled = lessons.fill(stub, "import math\n\n\ndef answer():\n    return 42\n")
        assert [cell.source for cell in filled.cells] == ["def answer():\n    return 42", "answer()"]
        assert stub.cells[0].source.endswith("return None"), "the original is not changed"

    def test_a_stub_without_solution_is_refused(self):
        with pytest.raises(ValueError, match=r"defines \['answer'\].*\['other'\]"):
            lessons.fill(notebook("def answer(): ...", tags=["exercise"]), "def other(): ...")

    def test_a_solution_without_stub_is_refused(self):
        with pytest.raises(ValueError, match=r"answer no exercise.*other"):
            lessons.fill(notebook("x = 1"), "def other(): ...")


class TestSolve:
    @pytest.fixture
    def one_lesson(self, tmp_path, monkeypatch):
        """A folder of lessons that holds a single, small one, with an exercise and a check."""
        small = notebook("1 + 1")
        for source, tag in (("def answer():\n    return None", "exercise"), ("answer()", "check")):
            small.cells.append(nbformat.v4.new_code_cell(source, metadata={"tags": [tag, "1.1"]}))
        (tmp_path / "lessons" / "solutions").mkdir(parents=True)
        nbformat.write(small, tmp_path / "lessons" / "01_small.ipynb")
        answer = tmp_path / "lessons" / "solutions" / "01_small.py"
        answer.write_text("def answer():\n    return 42\n", encoding="utf-8")
        monkeypatch.setattr(lessons, "folder", lambda: tmp_path / "lessons")
        return tmp_path / "lessons" / "01_small.ipynb"

    def test_command_line_solves_runs_and_stores(self, one_lesson, tmp_path, capsys):
        before = one_lesson.read_bytes()
        assert main(["solve", str(tmp_path / "build" / "solved")]) == 0
        assert f"Copied to {tmp_path / 'build' / 'solved'}: 01_small.ipynb." in capsys.readouterr().out
        done = lessons.read(tmp_path / "build" / "solved" / "01_small.ipynb")
        assert [cell.outputs[0].data["text/plain"] for cell in done.cells if cell.outputs] == ["2", "42"]
        assert one_lesson.read_bytes() == before, "the lesson itself stays as it is"

    def test_nothing_is_overwritten(self, one_lesson, tmp_path, capsys):
        (tmp_path / "solved").mkdir()
        (tmp_path / "solved" / "01_small.ipynb").write_text("my notes", encoding="utf-8")
        assert main(["solve", str(tmp_path / "solved")]) == 1
        assert "already holds files" in capsys.readouterr().err
        assert [path.read_text() for path in (tmp_path / "solved").iterdir()] == ["my notes"]

    def test_a_file_in_the_way_is_said_so(self, one_lesson, tmp_path, capsys):
        (tmp_path / "solved").write_text("", encoding="utf-8")
        assert main(["solve", str(tmp_path / "solved")]) == 1
        assert "is a file" in capsys.readouterr().err

    def test_a_lesson_that_does_not_run_is_named_and_the_others_are_there(self, one_lesson, tmp_path, capsys):
        other = one_lesson.with_name("02_other.ipynb")
        nbformat.write(notebook("1 / 0"), other)
        (one_lesson.parent / "solutions" / "02_other.py").touch()
        nbformat.write(notebook("3"), one_lesson.with_name("03_third.ipynb"))
        (one_lesson.parent / "solutions" / "03_third.py").touch()
        assert main(["solve", str(tmp_path / "solved")]) == 1
        said = capsys.readouterr().err
        assert (
            "02_other.ipynb: Cell [1], which begins with '1 / 0', raised ZeroDivisionError: division by zero. " in said
        )
        assert "Finished: 01_small.ipynb, 03_third.ipynb." in said
        assert sorted(path.name for path in (tmp_path / "solved").iterdir()) == ["01_small.ipynb", "03_third.ipynb"]

    def test_nothing_is_run_for_a_folder_that_cannot_be_written(self, one_lesson, unwritable, monkeypatch, capsys):
        monkeypatch.setattr(running, "run", lambda *_, **__: pytest.fail("it was run"))
        for folder, says in [(unwritable, "Nothing can be written into"), (unwritable / "solved", "cannot be made")]:
            assert main(["solve", str(folder)]) == 1
            assert says in capsys.readouterr().err


VIEW = f"""
class View:
    def _repr_mimebundle_(self, **_):
        return {{"text/html": "<p>large</p>", "text/plain": "run me", {MIME!r}: "what it shows"}}
View()
"""


class TestRun:
    def test_outputs_are_made_and_metadata_normalised(self, tmp_path, capsys):
        path = tmp_path / "small.ipynb"
        small = notebook("x = 2", "x + 1", VIEW)
        small.cells.insert(1, nbformat.v4.new_markdown_cell("In between."))
        nbformat.write(small, path)
        assert main(["run", str(path)]) == 0
        done = lessons.read(path)
        text, three, view = done.cells[1:]
        assert text.source == "In between."
        assert [cell.execution_count for cell in done.cells if cell.cell_type == "code"] == [1, 2, 3]
        assert three.outputs[0].data["text/plain"] == "3"
        assert view.outputs[0].data == {"text/plain": "run me", MIME: "what it shows"}, "its page is as large as a book"
        assert done.metadata.kernelspec.name == "python3"
        assert set(done.metadata) == {"kernelspec", "language_info"}
        assert "execution" not in done.cells[0].metadata
        assert "small: 100%" in capsys.readouterr().err, "how far it is can be seen"
        assert [file.name for file in tmp_path.iterdir()] == ["small.ipynb"]

    def test_of_a_progress_bar_that_is_gone_nothing_is_stored(self, tmp_path):
        bar = "import sys, tqdm\nfor _ in tqdm.tqdm([1, 2], leave=False, file=sys.stdout, mininterval=0): pass\n"
        nbformat.write(notebook(bar + "print('done')\nprint('and more')"), tmp_path / "small.ipynb")
        running.store(tmp_path / "small.ipynb")
        (cell,) = lessons.read(tmp_path / "small.ipynb").cells
        assert [output.text for output in cell.outputs] == ["done\nand more\n"]

    def test_of_a_line_that_was_written_over_its_last_writing_is_kept(self):
        def stream(text, name="stdout"):
            return nbformat.v4.new_output("stream", name=name, text=text)

        table = nbformat.v4.new_output("display_data", data={"text/plain": "a table"})
        shown = running.settled(
            [stream("one\r"), table, stream("two\nthree\r\n"), stream("said", "stderr"), stream("x" * 700_000)]
        )
        assert [output.get("text") for output in shown] == ["two\nthree\n" + "x" * 700_000, None, "said"]
        assert shown[1] == table

    def test_a_cell_that_raises_stops_the_run_and_leaves_the_file(self, tmp_path, capsys):
        (broken, whole) = paths = [tmp_path / "broken.ipynb", tmp_path / "whole.ipynb"]
        nbformat.write(notebook("x = 0", "# why?\n1 / x", "print('never')"), broken)
        nbformat.write(notebook("1 + 1"), whole)
        before = broken.read_bytes()
        assert main(["run", *map(str, paths)]) == 1
        said = capsys.readouterr().err
        assert "broken.ipynb: Cell [2], which begins with '# why?', raised ZeroDivisionError: division by zero." in said
        assert "Finished: whole.ipynb." in said
        assert broken.read_bytes() == before
        assert lessons.read(whole).cells[0].outputs[0].data["text/plain"] == "2"

    def test_a_kernel_that_dies_is_said_so_and_leaves_the_file(self, tmp_path, capsys):
        path = tmp_path / "deadly.ipynb"
        nbformat.write(notebook("import os; os._exit(1)"), path)
        before = path.read_bytes()
        assert main(["run", str(path)]) == 1
        assert "Cell [1], which begins with 'import os; os._exit(1)', ended the kernel" in capsys.readouterr().err
        assert path.read_bytes() == before

    def test_no_clock_stops_a_cell_and_no_output_is_given_up(self, monkeypatch):
        made = []

        class StoppedError(Exception):
            pass

        def client(*_, **options):
            made.append(options)
            raise StoppedError

        monkeypatch.setattr("nbclient.NotebookClient", client)
        with pytest.raises(StoppedError):
            running.run(notebook("1"))
        assert made[0]["timeout"] is None
        assert made[0]["raise_on_iopub_timeout"] is True

    def test_a_full_disk_leaves_the_notebook(self, tmp_path, monkeypatch, full_disk, capsys):
        path = tmp_path / "mine.ipynb"
        nbformat.write(notebook("# my work"), path)
        before = path.read_bytes()
        monkeypatch.setattr(running, "run", lambda *_, **__: notebook("#" * 5000))
        with full_disk():
            assert main(["run", str(path)]) == 1
        assert "could not be written" in capsys.readouterr().err
        assert path.read_bytes() == before
        assert [file.name for file in tmp_path.iterdir()] == ["mine.ipynb"]

    def test_nothing_is_run_that_could_not_be_stored(self, tmp_path, monkeypatch, capsys):
        def refuse(path):
            raise PermissionError("write-protected")

        nbformat.write(notebook("1"), tmp_path / "mine.ipynb")
        monkeypatch.setattr("bertlab.data.files.check", refuse)
        monkeypatch.setattr(running, "run", lambda *_, **__: pytest.fail("it was run"))
        assert main(["run", str(tmp_path / "mine.ipynb")]) == 1
        assert "write-protected" in capsys.readouterr().err

    @pytest.mark.slow
    @pytest.mark.skipif(os.name == "nt", reason="Windows sends no such signal")
    def test_ctrl_c_leaves_the_notebook_and_no_kernel(self, tmp_path):
        path = tmp_path / "stuck.ipynb"
        begun = "import os, pathlib, time\npathlib.Path('pid').write_text(str(os.getpid()))\ntime.sleep(600)"
        nbformat.write(notebook("1", begun), path)
        before = path.read_bytes()
        command = [sys.executable, "-m", "bertlab", "run", str(path)]
        ours = signal.signal(signal.SIGINT, signal.default_int_handler)  # what runs in the background may ignore it
        run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        signal.signal(signal.SIGINT, ours)
        until = time.monotonic() + 100
        while not (pid := tmp_path / "pid").exists() or not pid.read_text():
            assert run.poll() is None, run.communicate()
            assert time.monotonic() < until
            time.sleep(0.1)
        run.send_signal(signal.SIGINT)
        _, said = run.communicate(timeout=60)
        assert run.returncode == 130
        assert "Interrupted. What was finished is there; all other files are as they were." in said
        assert "Traceback" not in said
        assert path.read_bytes() == before
        assert sorted(file.name for file in tmp_path.iterdir()) == ["pid", "stuck.ipynb"]
        with pytest.raises(ProcessLookupError):
            os.kill(int(pid.read_text()), 0)
