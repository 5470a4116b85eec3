"""One page of the course: what a notebook or a page of Markdown holds, as one file that asks nothing of other hosts."""

import copy
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import bertlab
from bertlab.course import notebooks as lessons
from bertlab.course.web import markup

if TYPE_CHECKING:
    from nbformat import NotebookNode

# Of the styles of Pygments, the one whose letters all stand out from a light ground (a contrast of 4.5 to 1).
CODE_STYLE = "xcode"

# What a page cannot show without scripts of other hosts is left out: none of it is in the lessons. Code comes from
# Pygments, which lets no markup through; nbconvert would clean it once more, and that takes half of its time.
TEMPLATE = """
{%- extends 'index.html.j2' -%}
{%- block input -%}{{ cell.source | highlight_code(metadata=cell.metadata) }}{%- endblock -%}
{%- block data_javascript -%}{%- endblock -%}
{%- block data_widget_view -%}{%- endblock -%}
"""


class Link(NamedTuple):
    """Where a link leads, and what it says; `relation` is ``prev`` or ``next`` on the way through the lessons."""

    file: str
    title: str
    relation: str = ""


def write(title: str, body: str, links: Sequence[Link] = ()) -> str:
    """Return a whole page; the body is HTML, which begins with the only heading of the first level."""
    from pygments.formatters import HtmlFormatter

    return markup.render(
        "page.html",
        title=title,
        body=body,
        links=links,
        colours="\n".join(HtmlFormatter(style=CODE_STYLE).get_token_style_defs([".highlight"])),
        version=bertlab.__version__,
    )


def body(notebook: "NotebookNode") -> str:
    """Return a notebook's text, code and stored outputs as HTML, with a list of its parts, without speaker's notes."""
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
    html, _ = exporter.from_notebook_node(_with_views(lessons.without_notes(notebook)))
    headings = re.findall(r'<h([23]) id="(.+?)">(.+?)</h\1>', html)
    title, end, rest = html.partition("</h1>")
    return title + end + markup.render("parts.html", headings=headings) + rest


def _with_views(notebook: "NotebookNode") -> "NotebookNode":
    """Return a copy of a notebook in which interactive views, stored as what they show, have their page again."""
    from bertlab.attention.views import MIME, View

    drawn = copy.deepcopy(notebook)
    for cell in drawn.cells:
        for output in cell.get("outputs", []):
            if MIME in output.get("data", {}):
                output.data["text/html"] = View.restore(output.data[MIME]).data
    return drawn
