"""The lessons as files: read them, hand them out to work in, fill in the solutions.

A lesson is a notebook. Its exercises' cells carry a tag like ``1.2``, the stub's cell besides ``exercise`` and
the check's ``check``; the lesson's solutions file defines a function of each stub's name.
"""

import ast
import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, cast

from bertlab.data import files

if TYPE_CHECKING:
    from nbformat import NotebookNode


def folder() -> Path:
    """Return the folder of the lessons: in the repository, or inside an installed package."""
    package = Path(__file__).parents[1]
    for place in (package / "notebooks", package.parent / "notebooks"):
        if place.is_dir():
            return place
    raise FileNotFoundError("The lessons' notebooks are not installed here. Install bertlab again, or clone it.")


def paths() -> list[Path]:
    """Return the lessons' notebooks, in their order."""
    return sorted(folder().glob("[0-9]*.ipynb"))


def read(path: Path) -> "NotebookNode":
    """Read a notebook's file, in nbformat's version 4.

    Raises
    ------
    ValueError
        If there is no such file, or it is no notebook or a damaged one.
    """
    import nbformat

    try:
        text = path.read_text(encoding="utf-8")
        if "nbformat" not in dict(json.loads(text)):
            raise ValueError("it does not say which version of nbformat it has")
        notebook = nbformat.reads(text, as_version=4)
        nbformat.validate(notebook)
    except OSError as error:
        raise ValueError(f"{str(path)!r} cannot be read: {error.strerror}. Name a notebook, a file .ipynb.") from error
    except (AttributeError, KeyError, TypeError, ValueError, nbformat.ValidationError) as error:
        raise ValueError(
            f"{str(path)!r} is no notebook, or a damaged one: {str(error).splitlines()[0]}. Of a lesson you get a new "
            "copy with `python -m bertlab copy` once this one is renamed."
        ) from error
    return cast("NotebookNode", notebook)


def copy_to(destination: Path, notes: bool = False) -> list[Path]:
    """Copy the lessons to a folder to work in, without stored outputs, so that predictions stay predictions.

    Parameters
    ----------
    destination
        Made if missing. A file that is already there is left as it is, whatever it holds; an empty one, which a copy
        that broke off has left, counts as none. The pages that lessons link to, such as that on Python, come along.
    notes
        Keep the speaker's notes, which students' copies have not: a copy to teach from.

    Returns
    -------
    list of pathlib.Path
        The lessons that were copied.

    Raises
    ------
    OSError
        If the folder cannot be made or written. What was copied before stays.
    """
    make_folder(destination)
    copied = []
    for lesson in paths():
        target = destination / lesson.name
        if not _is_there(target):
            write(handed_out(lesson, notes), target)
            copied.append(target)
    copy_pages(destination)
    return copied


def copy_pages(destination: Path) -> None:
    """Copy the pages that lessons link to; one that is already there is left as it is."""
    for page in folder().glob("*.md"):
        if not _is_there(destination / page.name):
            files.write(destination / page.name, page.read_bytes())


def _is_there(path: Path) -> bool:
    """Say whether there is a file that holds anything."""
    return path.exists() and path.stat().st_size > 0


def make_folder(destination: Path) -> None:
    """Make a folder if it is missing; say so if there is a file of its name, or if nothing can be written there."""
    if destination.is_symlink() and not destination.exists():
        raise NotADirectoryError(
            f"{str(destination)!r} is a link to {str(destination.readlink())!r}, which does not exist. Delete the "
            "link, or give another folder."
        )
    if destination.exists() and not destination.is_dir():
        raise NotADirectoryError(f"{str(destination)!r} is a file. Give a folder's name, or a new one.")
    try:
        destination.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OSError(
            f"The folder {str(destination)!r} cannot be made: {error.strerror}. Give a folder of your own."
        ) from error
    files.check_folder(destination)


def handed_out(path: Path, notes: bool = False) -> "NotebookNode":
    """Return a lesson as it is handed out: as if never run, so that predictions stay predictions, and without notes."""
    blank = without_outputs(read(path))
    return blank if notes else without_notes(blank)


def is_note(cell: "NotebookNode") -> bool:
    """Say whether a cell holds speaker's notes: its slide type, as JupyterLab's property inspector sets it."""
    return cell.metadata.get("slideshow", {}).get("slide_type") == "notes"


def without_notes(notebook: "NotebookNode") -> "NotebookNode":
    """Return a copy of a notebook without the speaker's notes."""
    silent = copy.deepcopy(notebook)
    silent.cells = [cell for cell in silent.cells if not is_note(cell)]
    return silent


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
    notebook
    source
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


def write(notebook: "NotebookNode", path: Path) -> Path:
    """Write a notebook's file, whole or not at all, and return its path."""
    import nbformat

    nbformat.validate(notebook)
    files.write(path, nbformat.writes(notebook).rstrip("\n") + "\n")
    return path
