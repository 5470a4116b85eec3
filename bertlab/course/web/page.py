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

# Of the styles of Pygments, those whose letters all stand out from a light and a dark ground (a contrast of 4.5 to 1).
CODE_STYLES = {"light": "xcode", "dark": "lightbulb"}

# What a page cannot show without scripts of other hosts is left out: none of it is in the lessons. Code comes from
# Pygments, which lets no markup through; nbconvert would clean it once more, and that takes half of its time. Printed
# lines say whether they stand in columns.
TEMPLATE = """
{%- extends 'index.html.j2' -%}
{%- block input -%}{{ cell.source | highlight_code(metadata=cell.metadata) }}{%- endblock -%}
{%- block stream_stdout -%}
<div class="output_subarea output_text{{ " columns" if output.text | in_columns }}"><pre>
{{- output.text | ansi2html -}}
</pre></div>
{%- endblock -%}
{%- block data_javascript -%}{%- endblock -%}
{%- block data_widget_view -%}{%- endblock -%}
"""


class Link(NamedTuple):
    """Where a link leads, and what it says; `relation` is ``prev`` or ``next`` on the way through the lessons."""

    file: str
    title: str
    relation: str = ""


def write(title: str, body: str, links: Sequence[Link] = (), beside: Sequence[Link] = ()) -> str:
    """Return a whole page; the body is HTML, which begins with the only heading of the first level.

    `links` lead to other pages, and a page that has some lists its own parts; `beside` is what belongs to a lesson.
    """
    heading, end, rest = body.partition("</h1>")
    return markup.render(
        "page.html",
        title=title,
        heading=heading + end,
        headings=re.findall(r'<h([23]) id="(.+?)">(.+?)</h\1>', rest) if links else [],
        body=rest,
        links=links,
        beside=beside,
        colours=_colours(),
        version=bertlab.__version__,
    )


def body(notebook: "NotebookNode") -> str:
    """Return a notebook's text, code and stored outputs as HTML, without speaker's notes."""
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
    exporter.register_filter("in_columns", _in_columns)
    html, _ = exporter.from_notebook_node(_whole(lessons.without_notes(notebook)))
    return _with_scopes(html)


def _in_columns(text: str) -> bool:
    """Say whether printed lines stand in columns, which a break would tear: there is a gap in one, or a deep indent."""
    return bool(re.search(r"\S {2,}\S|^ {3,}\S", text, re.M))


def _with_scopes(html: str) -> str:
    """Return HTML in which the labels of tables say what they label: a column above, or a row beside them."""

    def labelled(part: re.Match[str]) -> str:
        scope = {"thead": "col", "tbody": "row"}[part[1]]
        return re.sub(r"<th(?=[ >])", f'<th scope="{scope}"', part[0])

    return re.sub(r"<(thead|tbody)>.*?</\1>", labelled, html, flags=re.S)


def _colours() -> str:
    """Return the style of code, for a light ground and for a dark one."""
    from pygments.formatters import HtmlFormatter

    light, dark = (
        "\n".join(HtmlFormatter(style=style).get_token_style_defs([".highlight"])) for style in CODE_STYLES.values()
    )
    return f"{light}\n@media screen and (prefers-color-scheme: dark) {{\n{dark}\n}}"


def _whole(notebook: "NotebookNode") -> "NotebookNode":
    """Return a copy of a notebook in which views have their pages again, and attached pictures stand in their text."""
    from bertlab.attention.views import MIME, View

    drawn = copy.deepcopy(notebook)
    for cell in drawn.cells:
        for name, attached in cell.get("attachments", {}).items():
            cell.source = cell.source.replace(f"attachment:{name}", f"data:image/png;base64,{attached['image/png']}")
        for output in cell.get("outputs", []):
            if MIME in output.get("data", {}):
                output.data["text/html"] = View.restore(output.data[MIME]).data
    return drawn
