"""Changes to the pages that MyST has read: sections that go further are folded, and empty table heads are dropped.

The directive ``further`` folds the rest of its section; its argument is the line to click.
"""

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.util.docutils import SphinxDirective
from sphinx.writers.html5 import HTML5Translator


class Folded(nodes.General, nodes.Element):
    """The folded rest of a section, below its `summary`."""


class Further(SphinxDirective):
    """Mark where the folded part of a section begins."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """Return an empty fold, which `Fold` fills."""
        return [Folded(summary=self.arguments[0])]


class Fold(SphinxTransform):
    """Move what follows an empty fold in its section into the fold."""

    default_priority = 500

    def apply(self, **_: object) -> None:
        """Fill each fold."""
        for fold in list(self.document.findall(Folded)):
            section, place = fold.parent, fold.parent.index(fold)
            fold.extend(section[place + 1 :])
            del section[place + 1 :]


class DropEmptyHeads(SphinxTransform):
    """Drop the empty heads of tables, which Markdown cannot omit."""

    default_priority = 500

    def apply(self, **_: object) -> None:
        """Drop each empty head."""
        for head in list(self.document.findall(nodes.thead)):
            if not head.astext().strip():
                head.parent.remove(head)


def _open(translator: HTML5Translator, fold: Folded) -> None:
    translator.body.append(f'<details class="further"><summary>{translator.encode(fold["summary"])}</summary>\n')


def _close(translator: HTML5Translator, _: Folded) -> None:
    translator.body.append("</details>\n")


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the directive and the transforms to Sphinx."""
    app.add_directive("further", Further)
    app.add_node(Folded, html=(_open, _close))
    app.add_transform(Fold)
    app.add_transform(DropEmptyHeads)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
