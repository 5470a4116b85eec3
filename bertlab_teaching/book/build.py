"""Write the book for students, without speaker's notes, solutions, or a key to the two forms of the quiz."""

import io
import os
import re
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bertlab import lessons
from bertlab.data import files
from bertlab_teaching import decks, live, quiz, taught
from bertlab_teaching.book import sources

REPOSITORY = "BERTLAB_REPOSITORY"  # names the repository on GitHub, as owner/name, that Binder and Colab open
KEPT_OUT = {".buildinfo", ".doctrees"}  # what Sphinx writes for its own next run


def build(destination: Path, chosen: Sequence[str] = (), forms: Sequence[str] = ()) -> Path:
    """Write the book of the `chosen` sittings to a folder, with these `forms` of the quiz; return its first page."""
    repository = os.environ.get(REPOSITORY, "")
    if not re.fullmatch(r"([\w.-]+/[\w.-]+)?", repository):
        raise ValueError(f"{REPOSITORY} is {repository!r}. Name a repository on GitHub as owner/name, or unset it.")
    paths = taught.taken_lessons(chosen)
    lacking = {path.stem for path in lessons.paths()} - {path.stem for path in paths}
    with tempfile.TemporaryDirectory() as temporary:
        source, beside, book = (Path(temporary, name) for name in ("source", "beside", "book"))
        _, *sittings = decks.build(beside / "slides", chosen=chosen, notes=False, page=f"../{live.PAGE}")
        quiz.build(beside / "quiz", chosen, forms, keys=False, home="../index.html")
        live.write(beside, lacking)
        (beside / "notebooks").mkdir()
        for path in paths:
            handed_out = sources.unlinked(lessons.handed_out(path), lacking)
            lessons.write(handed_out, beside / "notebooks" / path.name)
        sources.write(source, [deck.stem for deck in sittings], chosen, forms, repository)
        run_sphinx(source, book)
        # Sphinx has also made a page for each of these in its table of contents, which is now replaced.
        shutil.copytree(beside, book, dirs_exist_ok=True)
        place(book, destination)
    return destination / "index.html"


def run_sphinx(source: Path, book: Path) -> None:
    """Make a book from its sources; a warning is a `RuntimeError`."""
    from sphinx.application import Sphinx
    from sphinx.util.docutils import docutils_namespace, patch_docutils

    log = io.StringIO()
    with patch_docutils(source), docutils_namespace():
        app = Sphinx(source, Path(__file__).parent, book, book / ".doctrees", "html", status=None, warning=log)
        app.build()
    if warnings := re.sub(r"\x1b\[[0-9;]*m", "", log.getvalue()):  # without colour codes
        raise RuntimeError(f"Sphinx warns:\n{warnings}")


def place(book: Path, destination: Path) -> None:
    """Copy the finished book to its folder, each file whole or not at all, and none if one would go over another."""
    pages = {path.relative_to(book): path.read_bytes() for path in sorted(book.rglob("*")) if path.is_file()}
    pages = {place: content for place, content in pages.items() if not KEPT_OUT & set(place.parts)}
    for place, content in pages.items():
        files.refuse_other(destination / place, content)
    for place, content in pages.items():
        (destination / place).parent.mkdir(parents=True, exist_ok=True)
        files.write(destination / place, content)
