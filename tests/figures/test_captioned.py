"""A figure shows itself with its caption, and nothing in a caption becomes markup."""

import io

import matplotlib.pyplot as plt
import pytest
from IPython.core.interactiveshell import InteractiveShell
from matplotlib.text import Text

from bertlab.attention.figures import formula
from bertlab.figures import CaptionedFigure, axes, heatmap
from bertlab.figures.plots import png


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


@pytest.mark.parametrize("typed", ["It costs $5 and $6.", "$$", r"$\nothing$"])
def test_what_is_typed_is_no_formula_whatever_function_draws_it(typed):
    ax = axes()[0]  # outside of the lessons' style, where matplotlib looks for formulas
    ax.plot([0, 1], [0, 1], label=typed)
    ax.set_yticks([0], [typed])
    ax.set(title=typed, xlabel=typed)
    ax.annotate(typed, (0, 0))
    ax.text(1, 1, typed)
    ax.legend()
    png(CaptionedFigure(ax, "All that is typed.").axes.figure)  # raises if it is no formula, and is taken for one
    drawn = [text.get_parse_math() for text in ax.figure.findobj(Text) if text.get_text() == typed]
    assert len(drawn) >= 6
    assert not any(drawn)


def test_the_formula_of_attention_is_one():
    assert [text.get_parse_math() for text in formula().axes.texts if "$" in text.get_text()] == [True]
