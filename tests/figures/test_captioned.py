"""A figure shows itself with its caption, and nothing in a caption becomes markup."""

import io

import matplotlib.pyplot as plt
import pytest

from bertlab.figures import CaptionedFigure, heatmap


def shown(displayed, caption):
    from IPython.core.interactiveshell import InteractiveShell

    figure = CaptionedFigure(heatmap([[1.0]]), caption)
    return displayed(InteractiveShell.instance().display_formatter.format, figure)


def test_the_last_line_of_a_cell_shows_the_picture_then_its_caption(displayed):
    picture, caption = shown(displayed, "One cell, 1.00.")
    _, width, _ = plt.imread(io.BytesIO(picture.data["image/png"])).shape
    assert picture.metadata["image/png"]["width"] == pytest.approx(width / 1.5, abs=1)  # it is sharper than the page
    assert picture.data["text/plain"] == "<Figure: One cell, 1.00.>"
    assert picture.metadata["image/png"]["alt"] == "One cell, 1.00."
    assert "text/html" not in picture.data  # it would hide the picture from untrusted notebooks
    assert "One cell, 1.00." in caption.data["text/html"]
    assert caption.data["text/plain"] == "One cell, 1.00."


def test_captions_never_become_markup(displayed):
    _, caption = shown(displayed, "</p><img src=x onerror=alert(1)> & $x$")
    page = caption.data["text/html"]
    assert "<img" not in page
    assert "&lt;/p&gt;&lt;img src=x onerror=alert(1)&gt; &amp; $x$" in page
    assert "mathjax_ignore" in page  # JupyterLab then leaves $x$ alone
