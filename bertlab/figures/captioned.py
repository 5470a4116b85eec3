"""A figure with its caption: what a lesson shows in one call."""

import html
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.text import Text

from bertlab.figures.plots import SHARPNESS, png, styled


@dataclass(frozen=True, eq=False, repr=False)
class CaptionedFigure:
    """A figure and its caption. As the last line of a cell it is shown, the caption in words below the picture.

    JupyterLab shows no alternative text of a picture, so the caption, computed from what is drawn, says in words what
    the figure says. It is stored as the picture's ``alt`` text as well, which exported pages use.
    """

    axes: Axes
    caption: str

    @styled
    def __post_init__(self) -> None:
        """Refuse a figure that says nothing, and draw what somebody typed as it is: a ``$`` begins no formula."""
        if not self.caption.strip():
            raise ValueError("A figure needs a caption that says in words what it shows.")
        for text in self.axes.figure.findobj(Text):
            text.set_parse_math(False)

    def __repr__(self) -> str:
        """Return what stands for the figure where no picture can be shown."""
        return f"<Figure: {self.caption}>"

    def _ipython_display_(self) -> None:
        """Show the picture, then the caption. Two outputs: an untrusted notebook shows HTML in the picture's place."""
        from IPython.display import display

        figure = self.axes.get_figure(root=True)
        assert figure is not None, "these Axes were removed from their figure"
        picture = png(figure)
        width = int.from_bytes(picture[16:20], "big")  # where a PNG file has it
        shown = {"image/png": {"alt": self.caption, "width": round(width / SHARPNESS)}}
        display({"image/png": picture, "text/plain": repr(self)}, metadata=shown, raw=True)
        display({"text/html": _paragraph(self.caption), "text/plain": self.caption}, raw=True)


def _paragraph(caption: str) -> str:
    """Return a caption as a paragraph of HTML in which neither tags nor formulas come alive."""
    inside = f"<b>Figure.</b> {html.escape(caption)}"
    return f'<p class="tex2jax_ignore mathjax_ignore" style="max-width:60em">{inside}</p>'
