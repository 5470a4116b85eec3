"""The lessons as files: hand them out to work in, fill in the solutions, run them and store what they show.

A lesson is a notebook. Its exercises' cells carry a tag like ``1.2``, the stub's cell besides ``exercise`` and
the check's ``check``; the lesson's solutions file defines a function of each stub's name.
"""

import ast
import copy
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from nbformat import NotebookNode

TIMEOUT = 120
"""Seconds after which a cell that is still running counts as stuck."""

STYLE = "rise.css"
"""The file with the slides' style. jupyterlab-rise looks for it, under this name, beside the notebook."""

SLIDES = {
    "width": 1280,
    "height": 720,
    "margin": 0.02,
    "minScale": 0.1,
    "center": False,
    "controls": False,
    "slideNumber": "c/t",
    "theme": "white",
    "transition": "none",
}
"""What a lesson tells jupyterlab-rise: slides of this size, made larger or smaller as a whole to fit the screen."""


def folder() -> Path:
    """Return the folder of the lessons: in the repository, or inside an installed package."""
    package = Path(__file__).parent
    for place in (package / "notebooks", package.parent / "notebooks"):
        if place.is_dir():
            return place
    raise FileNotFoundError("The lessons' notebooks are not installed here. Install bertlab again, or clone it.")


def paths() -> list[Path]:
    """Return the lessons' notebooks, in their order."""
    return sorted(folder().glob("[0-9]*.ipynb"))


def read(path: Path) -> "NotebookNode":
    """Read a notebook's file, in nbformat's version 4."""
    import nbformat

    return cast("NotebookNode", nbformat.read(path, as_version=4))


def copy_to(destination: Path, notes: bool = False) -> list[Path]:
    """Copy the lessons to a folder to work in, without stored outputs, so that predictions stay predictions.

    Parameters
    ----------
    destination : pathlib.Path
        Made if missing. A lesson that is already there is left as it is, whatever it holds.
    notes : bool
        Keep the speaker's notes, which students' copies have not, and copy the slides' style: a copy to present from.

    Returns
    -------
    list of pathlib.Path
        The lessons that were copied.

    Raises
    ------
    NotADirectoryError
        If there is a file of that name.
    """
    import nbformat

    make_folder(destination)
    copied = []
    for lesson in paths():
        target = destination / lesson.name
        if not target.exists():
            nbformat.write(handed_out(lesson, notes), target)
            copied.append(target)
    if notes and not (destination / STYLE).exists():
        shutil.copy(folder() / STYLE, destination)
    return copied


def solve_to(destination: Path) -> list[Path]:
    """Write the lessons to a folder with their exercises solved, run top to bottom: a copy for the instructor.

    Parameters
    ----------
    destination : pathlib.Path
        Made if missing. All lessons are run, which takes a minute or two, before the first is written.

    Returns
    -------
    list of pathlib.Path

    Raises
    ------
    NotADirectoryError
        If there is a file of that name.
    FileExistsError
        If the folder already holds anything: neither solved copies nor a student's work are overwritten.
    nbclient.exceptions.CellExecutionError
        If a cell raises.
    """
    import nbformat

    make_folder(destination)
    if any(destination.iterdir()):
        raise FileExistsError(f"{str(destination)!r} already holds files. Give a new folder, or delete this one first.")
    notebooks = {destination / path.name: solved(path) for path in paths()}
    for target, notebook in notebooks.items():
        nbformat.write(notebook, target)
    return list(notebooks)


def make_folder(destination: Path) -> None:
    """Make a folder if it is missing; say so if there is a file of its name."""
    if destination.exists() and not destination.is_dir():
        raise NotADirectoryError(f"{str(destination)!r} is a file. Give a folder's name, or a new one.")
    destination.mkdir(parents=True, exist_ok=True)


def handed_out(path: Path, notes: bool = False) -> "NotebookNode":
    """Return a lesson as it is handed out: as if never run, so that predictions stay predictions, and without notes."""
    blank = without_outputs(read(path))
    blank.cells = [cell for cell in blank.cells if notes or slide_type(cell) != "notes"]
    return blank


def solved(path: Path) -> "NotebookNode":
    """Return a lesson as it is handed out, but for the exercises, which are solved, and run top to bottom."""
    source = (path.parent / "solutions" / f"{path.stem}.py").read_text(encoding="utf-8")
    return run(fill(handed_out(path), source), cwd=path.parent)


def slide_type(cell: "NotebookNode") -> str:
    """Return what a cell is on the slides: slide, subslide, fragment, skip, notes, or ``-`` where it goes on."""
    return cell.metadata.get("slideshow", {}).get("slide_type", "-")


def without_outputs(notebook: "NotebookNode") -> "NotebookNode":
    """Return a copy of a notebook with its code cells as if never run."""
    blank = copy.deepcopy(notebook)
    for cell in blank.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    return blank


def tagged(notebook: "NotebookNode", tag: str) -> "Iterator[NotebookNode]":
    """Yield the cells that carry a tag."""
    return (cell for cell in notebook.cells if tag in cell.metadata.get("tags", []))


def solutions(source: str) -> dict[str, str]:
    """Return the source of each function that a solutions file defines, by name."""
    functions = [node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)]
    return {node.name: ast.get_source_segment(source, node) or "" for node in functions}


def fill(notebook: "NotebookNode", source: str) -> "NotebookNode":
    """Return a copy of a lesson in which every exercise's stub is replaced by its solution.

    Parameters
    ----------
    notebook : nbformat.NotebookNode
    source : str
        The text of the lesson's solutions file.

    Returns
    -------
    nbformat.NotebookNode

    Raises
    ------
    ValueError
        If a stub has no solution, or a solution no stub.
    """
    filled = copy.deepcopy(notebook)
    answers = solutions(source)
    for cell in tagged(filled, "exercise"):
        stub = solutions(cell.source)
        if len(stub) != 1 or not stub.keys() <= answers.keys():
            raise ValueError(f"An exercise's cell defines {sorted(stub)}, and the solutions {sorted(answers)}.")
        cell.source = answers.pop(next(iter(stub)))
    if answers:
        raise ValueError(f"These solutions answer no exercise of the lesson: {sorted(answers)}.")
    return filled


def run(notebook: "NotebookNode", cwd: Path | None = None, views: bool = False) -> "NotebookNode":
    """Return a copy of a notebook, run top to bottom in a fresh kernel, with normalised metadata.

    Parameters
    ----------
    notebook : nbformat.NotebookNode
    cwd : pathlib.Path, optional
        The folder that the cells run in.
    views : bool
        Keep the outputs of the cells tagged ``view``. By default these are dropped: interactive views are as large
        as a book, and appear anew when a reader runs them.

    Returns
    -------
    nbformat.NotebookNode
        With the outputs of all other cells.

    Raises
    ------
    nbclient.exceptions.CellExecutionError
        If a cell raises.
    """
    from nbclient import NotebookClient

    done = without_outputs(notebook)
    resources = {"metadata": {"path": str(cwd or Path.cwd())}}
    quiet = ["--log-level=ERROR"]  # else each kernel warns that its connection, on this machine, is not encrypted
    NotebookClient(done, timeout=TIMEOUT, kernel_name="python3", resources=resources, extra_arguments=quiet).execute()
    for cell in done.cells:
        cell.metadata.pop("execution", None)  # the times of the run
    for cell in () if views else tagged(done, "view"):
        cell.outputs = []
    done.metadata = type(done.metadata)(
        kernelspec={"display_name": "Python 3", "language": "python", "name": "python3"},
        language_info={"name": "python"},
        rise=dict(SLIDES),
    )
    return done


def store(path: Path) -> None:
    """Run a lesson and store it with its outputs, in place."""
    import nbformat

    done = run(read(path), cwd=path.parent)
    nbformat.validate(done)
    nbformat.write(done, path)
