"""The lessons as slides: decks of reveal.js that open from a file, in any browser, with no network in the room.

Nothing is run: a deck shows the outputs that are stored in its notebook. nbconvert makes the slides from the cells'
slide types; reveal.js and its speaker view are copied beside them from the package sphinx-revealjs. What a deck looks
like stands in ``rise.css``, in the lessons' folder, which jupyterlab-rise reads too, so that a lesson looks the same
live and as a deck.
"""

import copy
import html
import shutil
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import TYPE_CHECKING

from bertlab.course import notebooks as lessons
from bertlab.course import running
from bertlab.data import files

if TYPE_CHECKING:
    from nbformat import NotebookNode

PACKAGES = ("nbconvert", "bertviz", "mpld3", "XStatic-jQuery", "sphinx-revealjs")
"""What decks are made with: slides, their interactive views, reveal.js."""

REVEAL = "reveal"
"""The folder of reveal.js, beside the decks."""

LINES = 19
"""How many lines of code, text and table a slide has room for."""

VIEW = 16
"""To how many lines an interactive view, which fills what room there is, shall be equal at least."""

# nbconvert's own template asks the web for require.js, jQuery, MathJax and Mermaid. A deck needs none of them: the
# lessons hold no formula and no diagram, and reveal.js loads by itself.
TEMPLATE = """
{%- extends 'index.html.j2' -%}
{%- block html_head_js -%}{%- endblock -%}
{%- block html_head_js_mathjax -%}{%- endblock -%}
{%- block html_head_css -%}<style>{{ resources.slides_css }}</style>{%- endblock -%}
{%- block footer_js -%}
<script src="{{ resources.reveal.url_prefix }}/dist/reveal.js"></script>
<script src="{{ resources.reveal.url_prefix }}/plugin/notes/notes.js"></script>
<script>
Reveal.initialize({
    width: {{ resources.reveal.width }}, height: {{ resources.reveal.height }}, margin: 0.02, center: false, hash: true,
    controls: false, transition: "none", slideNumber: "{{ resources.reveal.number }}", plugins: [RevealNotes],
});
</script>
{%- endblock -%}
"""

INDEX = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>bertlab: the lessons as slides</title>
<style>body {{ max-width: 44em; margin: 3em auto; font: 20px/1.5 Helvetica, Arial, sans-serif; }}</style></head><body>
<h1>The lessons as slides</h1>
<ul>
{items}
</ul>
<p>Space goes on, Shift+Space back, Esc shows all slides, F fills the screen, and S opens the speaker's view with notes
and a clock.</p>
</body></html>
"""


def build(destination: Path, notebooks: Sequence[Path] | None = None) -> list[Path]:
    """Write notebooks as decks, with reveal.js and a page that links them.

    Parameters
    ----------
    destination
        Made if missing. Decks that are there are written anew.
    notebooks
        By default the lessons.

    Returns
    -------
    list of pathlib.Path
        The page that links the decks, then the decks.

    Raises
    ------
    ModuleNotFoundError
        If a package that decks need is not installed.
    OSError
        If the folder cannot be made or written.
    RuntimeError
        As `bertlab.course.each`. The page links the decks that were made.
    """
    page = destination / "index.html"
    entries: list[tuple[str, str]] = []

    def listed(path: Path) -> Path:
        target = _write(path, destination)
        entries.append((target.name, _title(lessons.read(path))))
        files.write(page, index(entries))
        return target

    _copy_reveal(destination)
    files.write(page, index(entries))
    return [page, *running.each(lessons.paths() if notebooks is None else notebooks, listed)]


def write(path: Path, destination: Path) -> Path:
    """Write one notebook as a deck, with its stored outputs and interactive views, and reveal.js beside it.

    Parameters
    ----------
    path, destination
        The notebook's file, and a folder.

    Returns
    -------
    pathlib.Path
        The deck.

    Raises
    ------
    ModuleNotFoundError, OSError
        As `build`.
    ValueError
        If the file is no notebook, or one with cells that were not run: their slides would lack what they show.
    """
    _copy_reveal(destination)
    return _write(path, destination)


def _write(path: Path, destination: Path) -> Path:
    """Write one notebook as a deck."""
    lesson = lessons.read(path)
    cells = [cell for cell in lesson.cells if cell.cell_type == "code" and cell.source.strip()]
    never = sum(cell.execution_count is None for cell in cells)
    if never:
        raise ValueError(
            f"{never} of its {len(cells)} cells with code were not run, or are stored without what they show. Run it "
            f"first: python -m bertlab run {path}"
        )
    target = destination / f"{path.stem}.html"
    files.write(target, deck(lesson))
    return target


def _copy_reveal(destination: Path) -> None:
    """Make the folder, and copy reveal.js into it."""
    reveal = _reveal()
    lessons.make_folder(destination)
    unneeded = shutil.ignore_patterns("*.map", "*.esm.js")
    try:
        for part in ("dist", "plugin/notes"):
            shutil.copytree(reveal / part, destination / REVEAL / part, ignore=unneeded, dirs_exist_ok=True)
        shutil.copy(reveal / "LICENSE", destination / REVEAL)
    except OSError as error:
        why = error.args[0][0][2] if isinstance(error, shutil.Error) else error  # which lists (from, to, why)
        raise OSError(
            f"reveal.js could not be copied into {str(destination)!r}: {why}. See to that and try again."
        ) from error


def deck(notebook: "NotebookNode") -> str:
    """Return a notebook with its outputs as the HTML of a deck, which expects reveal.js in the folder `REVEAL`.

    Cells with the slide type ``notes`` become the speaker's notes, those with ``skip`` are left out.

    Parameters
    ----------
    notebook

    Returns
    -------
    str
    """
    from nbconvert.exporters import SlidesExporter

    exporter = SlidesExporter(
        raw_template=TEMPLATE,
        reveal_url_prefix=REVEAL,
        reveal_theme="white",
        reveal_number="c/t",
        reveal_width="1280",
        reveal_height="720",
        exclude_input_prompt=True,
        exclude_output_prompt=True,
    )
    slides = spread(with_views(notebook))
    slides.metadata["title"] = _title(notebook)
    css = (lessons.folder() / lessons.STYLE).read_text("utf-8")
    page, _ = exporter.from_notebook_node(slides, resources={"slides_css": css})
    return page


def with_views(notebook: "NotebookNode") -> "NotebookNode":
    """Return a copy of a notebook in which interactive views, stored as what they show, have their page again.

    Parameters
    ----------
    notebook

    Returns
    -------
    nbformat.NotebookNode

    Raises
    ------
    ValueError
        If what is stored is damaged.
    """
    from bertlab.attention.views import MIME, View

    drawn = copy.deepcopy(notebook)
    for cell in drawn.cells:
        for output in cell.get("outputs", []):
            if MIME in output.get("data", {}):
                output.data["text/html"] = View.restore(output.data[MIME]).data
    return drawn


def spread(notebook: "NotebookNode") -> "NotebookNode":
    """Return a copy of a notebook in which code and output stand on two slides where one has no room for both.

    That is so for every figure, and for what has more than `LINES` lines, where a view counts as `VIEW`. Notes that
    follow such a cell are on both slides.

    Parameters
    ----------
    notebook

    Returns
    -------
    nbformat.NotebookNode
    """
    slides = copy.deepcopy(notebook)
    slides.cells, cells = [], slides.cells
    for place, cell in enumerate(cells):
        slides.cells.append(cell)
        if cell.cell_type != "code" or not _needs_two(cell):
            continue
        output = copy.deepcopy(cell)
        output.id = f"{cell.id}-output"
        output.metadata["slideshow"] = {"slide_type": "subslide"}
        output.metadata["transient"] = {"remove_source": True}  # nbconvert's name for a cell that shows outputs only
        cell.outputs = []
        for note in cells[place + 1 :]:
            if lessons.slide_type(note) != "notes":
                break
            slides.cells.append(copy.deepcopy(note))
            slides.cells[-1].id = f"{note.id}-source"
        slides.cells.append(output)
    return slides


def index(entries: list[tuple[str, str]]) -> str:
    """Return the page that links the decks.

    Parameters
    ----------
    entries
        A deck's file and title.

    Returns
    -------
    str

    Examples
    --------
    >>> '<a href="1.html">Heads &amp; tails</a>' in index([("1.html", "Heads & tails")])
    True
    """
    items = [f'<li><a href="{html.escape(file)}">{html.escape(title)}</a></li>' for file, title in entries]
    return INDEX.format(items="\n".join(items))


def _title(notebook: "NotebookNode") -> str:
    """Return a lesson's title, the heading that it begins with."""
    return notebook.cells[0].source.partition("\n")[0].removeprefix("# ")


def _needs_two(cell: "NotebookNode") -> bool:
    """Say whether a code cell's source and output together are more than a slide."""
    lines = len(cell.source.splitlines())
    for output in cell.outputs:
        data = output.get("data", {})
        page = data.get("text/html", "")
        if "image/png" in data:
            return True
        if "<iframe" in page:
            lines += VIEW
        rows = page.count("<tr") or len((output.get("text") or data.get("text/plain", "")).splitlines())
        lines += 1 + round(1.4 * rows) if "<tr" in page else rows
    return lines > LINES


def _reveal() -> Path:
    """Return the folder of reveal.js, in the package that brings it."""
    try:
        places = [distribution(name).locate_file("sphinx_revealjs/_static/revealjs") for name in PACKAGES]
    except PackageNotFoundError as error:
        raise ModuleNotFoundError(
            f"Decks need the package {error.name}, which is not installed. Get it with: "
            "pip install 'bertlab[lab,decks]'"
        ) from None
    return Path(str(places[-1]))
