"""What the book changes in a page that MyST has read: a section that goes further is folded, an empty head is no head.

In a section, the directive ``further`` folds what follows; its argument is what is clicked to unfold that.
"""

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.util.docutils import SphinxDirective
from sphinx.writers.html5 import HTML5Translator


class Folded(nodes.General, nodes.Element):
    """What is folded, below its `summary`."""


class Further(SphinxDirective):
    """Mark where the folded part of a section begins."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """Return an empty fold, which the transform fills."""
        return [Folded(summary=self.arguments[0])]


class Fold(SphinxTransform):
    """Move what follows an empty fold in its section into it."""

    default_priority = 500

    def apply(self, **_: object) -> None:
        """Fill each fold."""
        for fold in list(self.document.findall(Folded)):
            section, place = fold.parent, fold.parent.index(fold)
            fold.extend(section[place + 1 :])
            del section[place + 1 :]


class DropEmptyHeads(SphinxTransform):
    """Take out the heads of tables that have no words: Markdown has no table without a head."""

    default_priority = 500

    def apply(self, **_: object) -> None:
        """Drop each."""
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
