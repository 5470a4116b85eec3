"""Run the lessons: top to bottom, as they are or with their exercises solved, and store what they show."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from bertlab.course.notebooks import (
    copy_pages,
    fill,
    handed_out,
    make_folder,
    paths,
    read,
    solutions_of,
    without_outputs,
    write,
)
from bertlab.data import files

if TYPE_CHECKING:
    from nbformat import NotebookNode

Progress = Callable[[list, str], Iterable]
"""What shows how far a run is: gets the cells and the lesson's name, and gives the cells back one by one."""

WAIT = 600
"""Seconds that a kernel has to start, and to send what a cell that is done has shown: it stops a broken kernel. A cell
itself may take as long as it likes: on a busy machine nobody knows how long that is, and whoever watches may stop it.
"""


def each(paths: Iterable[Path], work: Callable[[Path], Path]) -> list[Path]:
    """Make a file of each lesson, whatever becomes of the others, and return the files' paths.

    A disk that cannot be written (`OSError`) ends all. At the end a `RuntimeError` says which failed, and why.
    """
    done, failed = [], []
    for path in paths:
        try:
            done.append(work(path))
        except (OSError, RuntimeError, ValueError) as error:
            failed.append(f"{path.name}: {error}")
            if isinstance(error, OSError):
                break
    if failed:
        finished = ", ".join(path.name for path in done) or "none"
        raise RuntimeError("\n".join([*failed, f"Finished: {finished}."]))
    return done


def run(
    notebook: "NotebookNode", cwd: Path | None = None, progress: Callable[[list], Iterable] = iter
) -> "NotebookNode":
    """Return a copy of a notebook, run top to bottom in a fresh kernel, with all outputs and normalised metadata.

    Of interactive views it holds what they show in place of their page (`bertlab.attention.views`), which is as large
    as a book and appears anew when a reader runs the cell. If a cell raises, or the kernel dies: `RuntimeError`.
    """
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

    from bertlab.attention.views import MIME

    done = without_outputs(notebook)
    client = NotebookClient(
        done,
        timeout=None,
        startup_timeout=WAIT,
        iopub_timeout=WAIT,
        raise_on_iopub_timeout=True,  # else what a cell has shown would be missing, with a line in the log
        kernel_name="python3",
        shutdown_kernel="immediate",  # asked politely, a kernel that is interrupted prints where
        resources={"metadata": {"path": str(cwd or Path.cwd())}},
        extra_arguments=["--log-level=ERROR"],  # else each kernel warns that its connection here is not encrypted
    )
    # Cell by cell, not all at once with client.execute(), which takes Ctrl+C for a kernel that died.
    with client.setup_kernel():
        for place, cell in enumerate(progress(done.cells)):
            try:
                client.execute_cell(cell, place, execution_count=client.code_cells_executed + 1)
            except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
                if isinstance(error, CellExecutionError):
                    what = f"raised {error.ename}: {error.evalue}"
                elif isinstance(error, DeadKernelError):
                    what = "ended the kernel: often there is too little memory for it"
                else:
                    what = "is done, but what it has shown did not arrive"
                raise RuntimeError(
                    f"Cell [{client.code_cells_executed}], which begins with {cell.source.splitlines()[0]!r}, {what}. "
                    "Nothing was stored. Open the notebook in JupyterLab and run it up to there."
                ) from error
    for cell in done.cells:
        cell.metadata.pop("execution", None)  # the times of the run
        if "outputs" in cell:
            cell.outputs = settled(cell.outputs)
        for output in cell.get("outputs", []):
            if MIME in output.get("data", {}):
                output.data.pop("text/html", None)
    done.metadata = type(done.metadata)(
        kernelspec={"display_name": "Python 3", "language": "python", "name": "python3"},
        language_info={"name": "python"},
    )
    return done


def settled(outputs: list["NotebookNode"]) -> list["NotebookNode"]:
    """Return a cell's outputs as they look once it is done: each stream whole, of a line written over its last writing.

    Of a progress bar that cleared itself nothing is left. nbclient's own ``coalesce_streams`` takes minutes for a line
    of 700,000 characters.
    """
    streams: dict[str, NotebookNode] = {}
    kept = []
    for output in outputs:
        if output.output_type != "stream":
            kept.append(output)
        elif output.name in streams:
            streams[output.name].text += output.text
        else:
            streams[output.name] = output
            kept.append(output)
    for output in streams.values():
        lines = output.text.replace("\r\n", "\n").split("\n")
        output.text = "\n".join(line.rsplit("\r", 1)[-1] for line in lines)
    return [output for output in kept if output.get("text") != ""]


def store(path: Path, progress: Progress = lambda cells, name: cells) -> Path:
    """Run a lesson, store it with its outputs, in place, and return its path; if that fails it is as it was."""
    notebook = read(path)
    files.check(path)
    return write(run(notebook, cwd=path.parent, progress=lambda cells: progress(cells, path.stem)), path)


def solve_to(destination: Path, progress: Progress = lambda cells, name: cells) -> list[Path]:
    """Write the lessons to a new folder, solved and run, each as soon as it was run; return their paths."""
    make_folder(destination)
    if any(destination.iterdir()):
        raise FileExistsError(f"{str(destination)!r} already holds files. Give a new folder, or delete this one first.")
    copy_pages(destination)
    return each(paths(), lambda path: write(solved(path, progress), destination / path.name))


def solved(path: Path, progress: Progress = lambda cells, name: cells) -> "NotebookNode":
    """Return a lesson as it is handed out, but for the exercises, which are solved, and run top to bottom."""
    filled = fill(handed_out(path), solutions_of(path))
    return run(filled, cwd=path.parent, progress=lambda cells: progress(cells, path.stem))
