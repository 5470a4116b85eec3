"""A change to the pages that MyST has read: the empty heads of tables, which Markdown cannot omit, are dropped."""

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform


class DropEmptyHeads(SphinxTransform):
    """Drop the empty heads of tables."""

    default_priority = 500

    def apply(self, **_: object) -> None:
        """Drop each empty head."""
        for head in list(self.document.findall(nodes.thead)):
            if not head.astext().strip():
                head.parent.remove(head)


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the transform to Sphinx."""
    app.add_transform(DropEmptyHeads)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
