"""One page of the course: what a notebook shows, with a title, a list of its parts, and the way on to the next page.

A page is one file. Style, figures and interactive views are inside, formulas are MathML, and nothing is asked of
another host.
"""

import copy
import html
import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import bertlab
from bertlab.course import notebooks as lessons

if TYPE_CHECKING:
    from nbformat import NotebookNode

STYLE = Path(__file__).with_name("page.css")

CODE_STYLE = "xcode"
"""Of the styles of Pygments, the one whose letters all stand out from a light ground (a contrast of 4.5 to 1)."""

# What a page cannot show without scripts of other hosts is left out: none of it is in the lessons. Code comes from
# Pygments, which lets no markup through; nbconvert would clean it once more, and that takes half of its time.
TEMPLATE = """
{%- extends 'index.html.j2' -%}
{%- block input -%}{{ cell.source | highlight_code(metadata=cell.metadata) }}{%- endblock -%}
{%- block data_javascript -%}{%- endblock -%}
{%- block data_widget_view -%}{%- endblock -%}
"""


class Place(NamedTuple):
    """Where a link leads, and what it says."""

    file: str
    title: str


def write(title: str, body: str, *, before: Place | None = None, after: Place | None = None, top: str = "") -> str:
    """Return a whole page.

    Parameters
    ----------
    title
        Plain text.
    body
        HTML, which begins with the only heading of the first level.
    before, after
        The pages that come before this one and after it.
    top
        The page of all pages, empty on that page itself.

    Returns
    -------
    str
    """
    ways = [f'<a href="{top}">All lessons</a>'] if top else []
    for place, relation, says in ((before, "prev", "Previous"), (after, "next", "Next")):
        if place:
            ways.append(f'<a rel="{relation}" href="{place.file}">{says}: {html.escape(place.title)}</a>')
    above, below = (
        f'<nav aria-label="Lessons, {where} of the page">{" ".join(ways)}</nav>' if ways else ""
        for where in ("top", "end")
    )
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{html.escape(title)} | bertlab</title>
<style>
{STYLE.read_text("utf-8")}{_code_style()}
</style></head><body>
{above}
<main>
{body}
</main>
{below}
<footer>bertlab {bertlab.__version__}. Text and figures: CC BY 4.0. Code: Apache License 2.0.</footer>
</body></html>
"""


def body(notebook: "NotebookNode") -> str:
    """Return what a notebook shows as HTML: its text, code and stored outputs, without the speaker's notes.

    Below its title stands a list of its parts.

    Parameters
    ----------
    notebook

    Returns
    -------
    str

    Raises
    ------
    ValueError
        If cells were not run, so that the page would lack what they show, if a stored view is damaged, or if a formula
        cannot be written as MathML.
    """
    from nbconvert.exporters import HTMLExporter

    from bertlab.course.web.markdown import to_html

    cells = [cell for cell in notebook.cells if cell.cell_type == "code" and cell.source.strip()]
    never = sum(cell.execution_count is None for cell in cells)
    if never:
        raise ValueError(
            f"{never} of its {len(cells)} cells with code were not run. Run it first: python -m bertlab run"
        )
    exporter = HTMLExporter(
        template_name="basic", raw_template=TEMPLATE, exclude_input_prompt=True, exclude_output_prompt=True
    )
    exporter.register_filter("markdown2html", to_html)
    found, _ = exporter.from_notebook_node(_with_views(lessons.without_notes(notebook)))
    return re.sub(r"</h1>", lambda end: end[0] + parts(found), found, count=1)


def parts(page: str) -> str:
    """Return the list of a page's parts, as links to its headings of the second and third level, folded.

    Parameters
    ----------
    page
        HTML, as `bertlab.course.web.markdown.to_html` writes headings.

    Returns
    -------
    str
        Empty where there is no such heading.

    Examples
    --------
    >>> print(parts('<h2 id="look">Look</h2><h3 id="step-1">Step 1</h3>'))
    <details class="parts"><summary>Parts of this page</summary><ul>
    <li class="h2"><a href="#look">Look</a></li>
    <li class="h3"><a href="#step-1">Step 1</a></li>
    </ul></details>
    """
    found = re.findall(r'<h([23]) id="(.+?)">(.+?)</h\1>', page)
    items = "\n".join(f'<li class="h{level}"><a href="#{name}">{text}</a></li>' for level, name, text in found)
    title = "<summary>Parts of this page</summary>"
    return f'<details class="parts">{title}<ul>\n{items}\n</ul></details>' if items else ""


def _with_views(notebook: "NotebookNode") -> "NotebookNode":
    """Return a copy of a notebook in which interactive views, stored as what they show, have their page again."""
    from bertlab.attention.views import MIME, View

    drawn = copy.deepcopy(notebook)
    for cell in drawn.cells:
        for output in cell.get("outputs", []):
            if MIME in output.get("data", {}):
                output.data["text/html"] = View.restore(output.data[MIME]).data
    return drawn


def _code_style() -> str:
    """Return the colours of code as a style sheet."""
    from pygments.formatters import HtmlFormatter

    return "\n".join(HtmlFormatter(style=CODE_STYLE).get_token_style_defs([".highlight"]))
