"""The two interactive views of attention by bertviz (Vig 2019), without a network (lesson 4).

A view is an iframe that contains its whole page (srcdoc) and may only run scripts (sandbox): views, JupyterLab and
slides share no names or styles, and the text of a token can reach neither notebook nor network.
"""

import html
import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import distribution
from math import isqrt, prod
from pathlib import Path
from string import Template
from typing import Any

import numpy as np

from bertlab.arguments import guarded, require_place
from bertlab.bert.reading import Reading
from bertlab.figures.plots import PALETTE

MIME = "application/vnd.bertlab.view"  # of the output that holds `View.stored`
INSTEAD = "An interactive view of attention: run this cell to see it."
MAX_LINES = 120_000  # drawn at once, they take a browser about four seconds; with more it seems to hang
WIDTH = 330  # of a head view's lines, in pixels: with bertviz' own 115, lines overlap
STEPS = 1000  # a line's opacity is its weight, and steps finer than a thousandth cannot be seen
LETTERS = {"head": 14, "model": 18}  # pixels: on a slide a head view is drawn larger than a model view
MAX_HEIGHT = 620  # of a view, in pixels: it fits into a window with its cell, and what is longer scrolls inside

OWN = Path(__file__).parent

HINTS = {
    "head": "Each square is a head: click to switch it on or off, double-click to see it alone. Point at a token on "
    "the left to see what it attends to, on the right to see what attends to it.",
    "model": "Each picture is a head: left attends to right. Click one to see its words, and again to close it.",
}


@dataclass(frozen=True)
class View:
    """An interactive view of attention. A notebook shows it if it is the last line of a cell."""

    kind: str  # "head" or "model"
    tokens: list[str]
    second: int | None  # the position at which the second sentence of a pair begins
    weights: list = field(repr=False)  # in thousandths, (layers, heads, tokens, tokens)
    layers: list[int]  # what a model view draws, or what a head view begins with
    heads: list[int] | None  # None for all

    @property
    def stored(self) -> str:
        """What it holds, as JSON."""
        return json.dumps(asdict(self), ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def restore(cls, stored: str) -> "View":
        """Return the view that was stored as JSON; raise `ValueError` if the text is damaged."""
        try:
            view = cls(**json.loads(stored))
            _ = view.data  # an error, unless all contents fit together
        except (TypeError, ValueError, LookupError) as error:
            raise ValueError(f"This is no stored view, or a damaged one: {error}. Run its cell again.") from error
        return view

    @property
    def data(self) -> str:
        """The view as HTML: an iframe that loads nothing."""
        return _frame(self)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        """Return the forms in which a notebook shows and stores the view."""
        return {"text/html": self.data, "text/plain": INSTEAD, MIME: self.stored}


@guarded
def head_view(reading: Reading, layer: int = 0, heads: int | Sequence[int] | None = None) -> View:
    """Draw the attention of one layer as lines between two columns of tokens, one colour per head (Vig 2019).

    A menu changes the layer; for a pair, a second menu chooses the sentences that attend and are attended to.

    Parameters
    ----------
    reading : Reading
        The reading of a text, or of a pair, with attention weights.
    layer, heads : int; int or list of int, optional
        The layer that is shown first, and the heads that are switched on at first, by default all.

    Returns
    -------
    View
        A notebook shows it as the last line of a cell.

    Examples
    --------
    >>> "<iframe" in head_view(bertlab.load("bertlab-mini").read("The cat sat."), layer=2).data
    True
    """
    n_layers, n_heads, *_ = reading.attention.shape
    layers = _numbers(n_layers, layer=layer)
    chosen = None if heads is None else _numbers(n_heads, heads=heads)
    return _view("head", reading, layers, chosen, pictures=(1, n_heads))


@guarded
def model_view(
    reading: Reading, layers: int | Sequence[int] | None = None, heads: int | Sequence[int] | None = None
) -> View:
    """Draw the attention of many heads as small pictures, one row per layer, one column per head (Vig 2019).

    A click enlarges a picture. For a pair there is a menu, as in `head_view`.

    Parameters
    ----------
    reading : Reading
        As for `head_view`.
    layers, heads : int or list of int, optional
        The layers and heads to draw, by default all.

    Returns
    -------
    View
        A notebook shows it as the last line of a cell.

    Examples
    --------
    >>> "<iframe" in model_view(bertlab.load("bertlab-mini").read("Who sat?", "The cat did."), layers=[0, -1]).data
    True
    """
    n_layers, n_heads, *_ = reading.attention.shape
    rows = _numbers(n_layers, layers=range(n_layers) if layers is None else layers)
    columns = _numbers(n_heads, heads=range(n_heads) if heads is None else heads)
    return _view("model", reading, rows, columns, pictures=(len(rows), len(columns)))


def _numbers(count: int, **chosen: int | Sequence[int]) -> list[int]:
    """Return one argument, layers or heads of which the model has `count`, as numbers from 0."""
    ((name, places),) = chosen.items()
    numbers = np.atleast_1d(places).tolist()
    for number in numbers:
        require_place(count, -count, **{name: number})
    return [number % count for number in numbers]


def _view(kind: str, reading: Reading, layers: list[int], heads: list[int] | None, pictures: tuple[int, int]) -> View:
    """Return a view of a reading, with rounded weights; refuse one that a browser cannot draw in a few seconds."""
    tokens, at_once = len(reading.tokens), prod(pictures)
    if at_once * tokens**2 > MAX_LINES:
        fewer = ", or choose layers and heads: model_view(reading, layers=[0, 1], heads=[0, 1])" * (kind == "model")
        raise ValueError(
            f"This text is {tokens} tokens long, so the view would draw {at_once * tokens**2:,} lines at once "
            f"({pictures[0]} x {pictures[1]} pictures of {tokens} x {tokens}), and with more than {MAX_LINES:,} a "
            f"browser seems to hang. Read a text of at most {isqrt(MAX_LINES // at_once)} tokens{fewer}."
        )
    second = None if reading.pair is None else reading.segments.tolist().index(1)
    thousandths = (reading.attention.double() * STEPS).round().int().tolist()
    return View(kind, reading.tokens, second, thousandths, layers, heads)


def _parameters(view: View) -> dict[str, Any]:
    """Return the parameters of bertviz' script: the weights, by sentence, and which of them to show."""
    weights = np.array(view.weights) / STEPS  # (layers, heads, tokens, tokens)
    layers = list(range(len(weights)))
    shown = {"layer": view.layers[0], "heads": view.heads, "include_layers": layers}
    if view.kind == "model":
        shown = {"include_layers": view.layers, "include_heads": view.heads, "total_heads": weights.shape[1]}
        weights = weights[view.layers][:, view.heads]
    everything, a, b = slice(None), slice(view.second), slice(view.second, None)
    parts = [("All", everything, everything)]
    if view.second is not None:
        parts += [("Sentence A -> Sentence A", a, a), ("Sentence B -> Sentence B", b, b)]
        parts += [("Sentence A -> Sentence B", a, b), ("Sentence B -> Sentence A", b, a)]
    names = ("name", "attn", "left_text", "right_text")
    attention = [
        dict(zip(names, (name, weights[:, :, row, to].tolist(), view.tokens[row], view.tokens[to]), strict=True))
        for name, row, to in parts
    ]
    return {"attention": attention, "default_filter": "0", "root_div_id": "view", "display_mode": "light"} | shown


def _frame(view: View) -> str:
    """Return bertviz' head or model view as an iframe that loads nothing, as high as it needs at any width."""
    parameters = _parameters(view)
    layers, heads, tokens, _ = np.shape(view.weights)
    menus, room = [], 0
    if view.kind == "head":
        menus.append('Layer: <select id="layer" aria-label="Layer"></select>')
        room = max(0, 9 * max(map(len, view.tokens)) - 100)  # bertviz leaves 110 pixels on each side for the words
        width, height = 245 + WIDTH + 2 * room, 130 + 22.5 * tokens
    else:
        # bertviz draws 970 pixels wide. A token takes 84 pixels, divided by the heads; in an enlarged picture 18.
        width, height = 990, 145 + max(len(view.layers) * (84 / heads * tokens + 10), 18 * tokens + 55)
    if view.second is not None:
        names = [part["name"] for part in parameters["attention"]]
        options = "".join(f'<option value="{i}">{html.escape(name)}</option>' for i, name in enumerate(names))
        menus.append(f'Attention: <select id="filter" aria-label="Attention">{options}</select>')
    shape = f"{layers} layers, {heads} heads, {tokens} tokens"
    title = html.escape(f"Attention, {view.kind} view ({shape}): {' '.join(view.tokens)}")
    bertviz = Path(str(distribution("bertviz").locate_file(f"bertviz/{view.kind}_view.js"))).read_text("utf-8")
    if view.kind == "head":
        bertviz = bertviz.replace("const MATRIX_WIDTH = 115;", f"const MATRIX_WIDTH = {WIDTH};")
    else:
        bertviz = re.sub(r"const (HEADING_TEXT_SIZE|TEXT_SIZE) = \d+;", rf"const \1 = {LETTERS['model']};", bertviz)
    page = Template((OWN / "view.html").read_text("utf-8")).substitute(
        title=title,
        letters=LETTERS[view.kind],
        hint=HINTS[view.kind],
        menus=" ".join(menus),
        room=room,
        width=width,
        palette=json.dumps(PALETTE),
        params=json.dumps(parameters, separators=(",", ":")).replace("<", "\\u003c"),  # a token may be </script>
        bertviz=bertviz,
        selection=(OWN / "d3/d3-selection.min.js").read_text("utf-8"),
        color=(OWN / "d3/d3-color.min.js").read_text("utf-8"),
    )
    most, least = (min(round(pixels), MAX_HEIGHT) for pixels in (height, height / 2 + 90))
    frame = (
        f'<iframe title="{title}" sandbox="allow-scripts" srcdoc="{html.escape(page)}" '
        f'style="width:100%;aspect-ratio:{width}/{round(height)};min-height:{least}px;'
        f'max-height:{most}px;border:1px solid #bbb;background:white"></iframe>'
    )
    return f"<div>{frame}</div>"  # IPython warns of a bare iframe
