"""Read the lessons' notebooks, and copy them to a folder to work in."""

import copy
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, cast

from bertlab.data import files

if TYPE_CHECKING:
    from nbformat import NotebookNode


def folder() -> Path:
    """Return the folder of the lessons."""
    return shipped("notebooks")


def shipped(name: str, package: Path = Path(__file__).parent) -> Path:
    """Return a folder that is beside a package in the repository, and inside the package once installed."""
    inside = package / name
    return inside if inside.is_dir() else package.parent / name


def paths() -> list[Path]:
    """Return the lessons' notebooks, in order."""
    return sorted(folder().glob("[0-9]*.ipynb"))


def read(path: Path) -> "NotebookNode":
    """Read a notebook in nbformat's version 4; raise `ValueError` if the file is missing or damaged."""
    import nbformat

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # nbformat warns of each cell without an id of its own, and gives it one
            notebook = nbformat.read(path, as_version=4)
            nbformat.validate(notebook)
    except Exception as error:  # nbformat trips over a damaged file in many ways
        raise ValueError(
            f"{str(path)!r} cannot be read as a notebook: {str(error).splitlines()[0]}. Of a damaged lesson you get a "
            "new copy with `python -m bertlab copy` once this one is renamed."
        ) from error
    return cast("NotebookNode", notebook)


def write(notebook: "NotebookNode", path: Path) -> Path:
    """Write a notebook whole or not at all, whatever was there, and return its path."""
    files.overwrite(path, text(notebook))
    return path


def text(notebook: "NotebookNode") -> str:
    """Return a notebook as the text of a file."""
    import nbformat

    return nbformat.writes(notebook).rstrip("\n") + "\n"


def handed_out(path: Path) -> "NotebookNode":
    """Return a lesson as students get it: without outputs and notes."""
    return without_notes(without_outputs(read(path)))


def copy_to(destination: Path, version: Callable[[Path], "NotebookNode"] = handed_out) -> list[Path]:
    """Copy the lessons and the pages that they link to into a folder, but no file that is there; return new lessons."""
    destination.mkdir(parents=True, exist_ok=True)
    missing = [path for path in paths() if is_missing(destination / path.name)]
    copied = [write(version(path), destination / path.name) for path in missing]
    copy_pages(destination)
    return copied


def copy_pages(destination: Path) -> None:
    """Copy the pages that lessons link to; keep those that are already there."""
    for page in folder().glob("*.md"):
        if is_missing(destination / page.name):
            files.overwrite(destination / page.name, page.read_bytes())


def is_missing(path: Path) -> bool:
    """Return whether there is no file, or an empty one."""
    return not path.exists() or path.stat().st_size == 0


def is_note(cell: "NotebookNode") -> bool:
    """Return whether a cell holds speaker's notes, by the slide type that JupyterLab's property inspector sets."""
    return cell.metadata.get("slideshow", {}).get("slide_type") == "notes"


def without_notes(notebook: "NotebookNode") -> "NotebookNode":
    """Return a copy of a notebook without the speaker's notes."""
    stripped = copy.deepcopy(notebook)
    stripped.cells = [cell for cell in stripped.cells if not is_note(cell)]
    return stripped


def without_outputs(notebook: "NotebookNode") -> "NotebookNode":
    """Return a copy of a notebook without outputs and execution counts."""
    blank = copy.deepcopy(notebook)
    for cell in blank.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    return blank
