"""A figure with its caption, which a lesson shows in one call."""

import html
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.text import Text

from bertlab.figures.plots import SHARPNESS, png, styled


@dataclass(frozen=True, eq=False, repr=False)
class CaptionedFigure:
    """A figure and a caption that says the same in words. A notebook shows both if it is the last line of a cell.

    The caption stands below the picture, because JupyterLab shows no alternative text; exported pages use it as such.
    """

    axes: Axes
    caption: str

    @styled()
    def __post_init__(self) -> None:
        """Draw a ``$`` that somebody typed as it is, not as the beginning of a formula."""
        for text in self.axes.figure.findobj(Text):
            text.set_parse_math(False)

    def __repr__(self) -> str:
        """Return the caption, for places that cannot show the picture."""
        return f"<Figure: {self.caption}>"

    def _ipython_display_(self) -> None:
        """Show the picture, then the caption, as two outputs: in one, an untrusted notebook would show HTML alone."""
        from IPython.display import display

        figure = self.axes.get_figure(root=True)
        assert figure is not None, "these Axes were removed from their figure"
        picture = png(figure)
        width = int.from_bytes(picture[16:20], "big")  # where a PNG file has it
        shown = {"image/png": {"alt": self.caption, "width": round(width / SHARPNESS)}}
        display({"image/png": picture, "text/plain": repr(self)}, metadata=shown, raw=True)
        style = 'class="tex2jax_ignore mathjax_ignore" style="max-width:60em"'  # tags and formulas stay plain text
        paragraph = f"<p {style}><b>Figure.</b> {html.escape(self.caption)}</p>"
        display({"text/html": paragraph, "text/plain": self.caption}, raw=True)
