"""A figure shows itself with its caption, and nothing in a caption becomes markup."""

import io

import matplotlib.pyplot as plt
import pytest
from IPython.core.interactiveshell import InteractiveShell

from bertlab.figures import CaptionedFigure, heatmap


def test_a_cell_shows_the_picture_then_its_caption_which_never_becomes_markup(displayed):
    caption = "</p><img src=x onerror=alert(1)> & $x$"
    figure = CaptionedFigure(heatmap([[1.0]]), caption)
    picture, words = displayed(InteractiveShell.instance().display_formatter.format, figure)
    _, width, _ = plt.imread(io.BytesIO(picture.data["image/png"])).shape
    assert picture.metadata["image/png"]["width"] == pytest.approx(width / 2.25, abs=1)  # so letters are as the text
    assert picture.metadata["image/png"]["alt"] == caption
    assert picture.data["text/plain"] == f"<Figure: {caption}>"
    assert "text/html" not in picture.data  # it would hide the picture from untrusted notebooks
    assert words.data["text/plain"] == caption
    assert "<img" not in words.data["text/html"]
    assert "&lt;/p&gt;&lt;img src=x onerror=alert(1)&gt; &amp; $x$" in words.data["text/html"]
    assert "mathjax_ignore" in words.data["text/html"]  # JupyterLab then leaves $x$ alone
