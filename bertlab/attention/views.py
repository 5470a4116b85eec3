"""bertviz' two views of attention, for lesson 4, drawn without a network.

bertviz (Vig 2019, "A Multiscale Visualization of Attention in the Transformer Model") writes the page and its script;
d3 and jQuery, which it would fetch from the web, come from the installed packages mpld3 and XStatic-jQuery.

A view is an iframe that holds its whole page (srcdoc) and may do nothing but run scripts (sandbox): several views,
JupyterLab and a deck of slides share no name and no style, and whatever a token says stays away from the notebook and
the network. The price is some 350 KB a view and a height that is fixed beforehand, so that long texts scroll inside;
and as with every script, JupyterLab shows a view only in a notebook that it trusts, one that was run here.

A stored notebook holds what a view shows, some 10 KB, instead of its page; slides are made from that.
"""

import html
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import distribution
from math import isqrt
from pathlib import Path
from typing import Any

from bertlab.bert.reading import Reading
from bertlab.figures.plots import PALETTE

MIME = "application/vnd.bertlab.view"
"""The type of output that holds what a view shows, as `View.stored` writes it. A program that does not know it shows
the output's text instead."""

INSTEAD = "An interactive view of attention: run this cell to see it."
"""What stands in a view's place where it cannot be drawn."""

MAX_LINES = 120_000
"""How many lines a view may draw at once: they take a browser about four seconds; with more it seems to hang."""

WIDTH = 330
"""Of the lines in a head view, in pixels: bertviz' own 115 are so narrow that lines lie on one another."""

STEPS = 1000
"""Weights are rounded to thousandths: a line's opacity is its weight, and nobody sees a finer step."""

MAX_HEIGHT = 620
"""Of a view, in pixels: it fits into a window together with its cell. What is longer scrolls inside."""

_LIBRARIES = (("XStatic-jQuery", "xstatic/pkg/jquery/data/jquery.slim.min.js"), ("mpld3", "mpld3/js/d3.v5.min.js"))

_POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'"
"""The page runs what stands in it, and loads nothing from anywhere."""

_STYLE = """
html { scrollbar-gutter: stable; }
body { margin: 8px; background: white; color: black; font: 14px Helvetica, Arial, sans-serif; }
p { margin: 0 0 8px; }
svg { display: block; overflow: visible; }
"""

# A view wider than its window, or than a slide, shrinks as a picture would. On a slide that is not shown yet it has no
# width at all, and is fitted when it gets one.
_FIT = """
const fit = () => {
    const scale = document.documentElement.clientWidth / PIXELS;
    document.getElementById("vis").style.zoom = scale ? Math.max(0.5, Math.min(1, scale)) : 1;
};
addEventListener("resize", fit);
fit();
"""


@dataclass(frozen=True)
class View:
    """A view of attention: what it shows, and the page that shows it.

    A notebook shows it as a cell's last line.

    Attributes
    ----------
    kind
        ``"head"`` or ``"model"``.
    tokens
    second
        Where the second sentence of a pair begins.
    weights : (layers, heads, tokens, tokens)
        In thousandths.
    layers
        Those that a model view draws; the one that a head view begins with.
    heads
        Those that a model view draws; those that are switched on at first in a head view, by default all.
    """

    kind: str
    tokens: list[str]
    second: int | None
    weights: list = field(repr=False)
    layers: list[int]
    heads: list[int] | None

    @property
    def stored(self) -> str:
        """What the view shows, as text in JSON: the same reading gives the same."""
        return json.dumps(asdict(self), ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def restore(cls, stored: str) -> "View":
        """Return the view that `stored` was made of.

        Parameters
        ----------
        stored

        Returns
        -------
        View

        Raises
        ------
        ValueError
            If this is no stored view, or a damaged one.

        Examples
        --------
        >>> import bertlab
        >>> view = head_view(bertlab.load("bertlab-mini").read("The cat sat."))
        >>> View.restore(view.stored) == view
        True
        """
        import torch

        try:
            view = cls(**json.loads(stored))
            layers, heads, *square = torch.tensor(view.weights).shape
            text = " ".join(view.tokens)
            if view.kind not in ("head", "model") or square != [len(view.tokens)] * 2:
                raise ValueError(f"a {view.kind} view of {text!r} with weights {square}")
            _chosen(view.layers, layers, "layer")
            _chosen(range(heads) if view.heads is None else view.heads, heads, "head")
            _chosen(0 if view.second is None else view.second, len(view.tokens), "token")
        except (TypeError, ValueError) as error:
            raise ValueError(f"This is no stored view, or a damaged one: {error}. Run its cell again.") from error
        return view

    @property
    def data(self) -> str:
        """The view as HTML: an iframe that needs nothing from outside."""
        return _head_page(self) if self.kind == "head" else _model_page(self)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        """Return what a notebook shows, and what it stores."""
        return {"text/html": self.data, "text/plain": INSTEAD, MIME: self.stored}


def head_view(reading: Reading, layer: int | None = None, heads: int | Sequence[int] | None = None) -> View:
    """Draw the attention of one layer as lines between two columns of tokens, a colour for each head.

    A menu changes the layer. For a pair a second one chooses whose attention to whom: A -> A, A -> B, B -> A, B -> B,
    where A is the first sentence with [CLS] and its [SEP].

    Parameters
    ----------
    reading
        With attention weights.
    layer
        The layer to begin with, as in ``reading.attention[layer]``: 0 is the first encoder layer, and by default.
    heads
        The heads that are switched on at first; by default all.

    Returns
    -------
    View
        A notebook shows it as a cell's last line; ``.data`` is its HTML.

    Raises
    ------
    TypeError
        If `reading` is no reading.
    ValueError
        If the reading holds no attention weights, if there is no such layer or head, or if the text is so long that
        a browser would seem to hang.

    Examples
    --------
    >>> import bertlab
    >>> bert = bertlab.load("bertlab-mini")
    >>> view = head_view(bert.read("The cat sat."), layer=2)
    >>> "<iframe" in view.data
    True
    """
    weights = _weights(reading, "head_view")
    n_layers, n_heads, tokens, _ = weights.shape
    first = 0 if layer is None else _chosen([layer], n_layers, "layer")[0]
    on = None if heads is None else _chosen(heads, n_heads, "head")
    _refuse_size(1, n_heads, tokens, "")
    return _view("head", reading, weights, [first], on)


def model_view(
    reading: Reading, layers: int | Sequence[int] | None = None, heads: int | Sequence[int] | None = None
) -> View:
    """Draw the attention of all layers (rows) and heads (columns) as small pictures; a click enlarges one.

    For a pair a menu chooses whose attention to whom, as in `head_view`.

    Parameters
    ----------
    reading
        With attention weights.
    layers, heads
        Which ones to draw, as in ``reading.attention[layer, head]``; by default all.

    Returns
    -------
    View
        A notebook shows it as a cell's last line; ``.data`` is its HTML.

    Raises
    ------
    TypeError, ValueError
        As `head_view`.

    Examples
    --------
    >>> import bertlab
    >>> bert = bertlab.load("bertlab-mini")
    >>> view = model_view(bert.read("Who sat?", "The cat did."), layers=[0, -1])
    >>> "<iframe" in view.data
    True
    """
    weights = _weights(reading, "model_view")
    n_layers, n_heads, tokens, _ = weights.shape
    rows = _chosen(range(n_layers) if layers is None else layers, n_layers, "layer")
    columns = _chosen(range(n_heads) if heads is None else heads, n_heads, "head")
    instead = ", or choose layers and heads: model_view(reading, layers=[0, 1], heads=[0, 1])"
    _refuse_size(len(rows), len(columns), tokens, instead)
    return _view("model", reading, weights, rows, columns)


def _weights(reading: Reading, function: str) -> Any:
    """Return the attention weights of a reading, (layers, heads, tokens, tokens)."""
    if not isinstance(reading, Reading):
        raise TypeError(
            f"{function} draws a reading, and this is {type(reading).__name__}: {reading!r:.60}. "
            f"Read the text first: bertlab.attention.{function}(bert.read('The cat sat.'))"
        )
    return reading.attention


def _chosen(places: int | Iterable[int], count: int, what: str) -> list[int]:
    """Return layers or heads, counted from 0, or refuse those that do not exist."""
    chosen = []
    for place in places if isinstance(places, Iterable) else [places]:
        try:
            chosen.append(range(count)[place])
        except (IndexError, TypeError):
            raise ValueError(
                f"There is no {what} {place!r}: this reading has {what}s 0 to {count - 1}; negative numbers count "
                "from the end, -1 is the last."
            ) from None
    if not chosen:
        raise ValueError(f"No {what} is chosen, so there is nothing to draw. Name at least one of 0 to {count - 1}.")
    return chosen


def _refuse_size(layers: int, heads: int, tokens: int, instead: str) -> None:
    """Refuse what a browser cannot draw in a few seconds."""
    lines = layers * heads * tokens**2
    if lines > MAX_LINES:
        raise ValueError(
            f"This text is {tokens} tokens long, so the view would draw {lines:,} lines at once ({layers} x {heads} "
            f"pictures of {tokens} x {tokens}), and with more than {MAX_LINES:,} a browser seems to hang. Read a text "
            f"of at most {isqrt(MAX_LINES // (layers * heads))} tokens{instead}."
        )


def _view(kind: str, reading: Reading, weights: Any, layers: list[int], heads: list[int] | None) -> View:
    """Return a view of a reading, its weights rounded."""
    second = None if reading.pair is None else reading.segments.tolist().index(1)
    thousandths = (weights.double() * STEPS).round().int().tolist()
    return View(kind, reading.tokens, second, thousandths, layers, heads)


def _head_page(view: View) -> str:
    """Return a head view as HTML."""
    hint = (
        "Each square is a head: click to switch it on or off, double-click to see it alone. Point at a token on the "
        "left to see what it attends to, on the right to see what attends to it."
    )
    # bertviz leaves 110 pixels on each side for the words: longer words need more room.
    room = max(0, 9 * max(map(len, view.tokens)) - 100)
    size = (245 + WIDTH + 2 * room, 130 + 22.5 * len(view.tokens))
    choices = {"layer": view.layers[0], "heads": view.heads}
    return _page(view, hint, size, f"#vis {{ padding-left: {room}px; }}", **choices)


def _model_page(view: View) -> str:
    """Return a model view as HTML."""
    hint = (
        "Each picture is a head: its lines run from the tokens that attend, on the left, to those they attend to, on "
        "the right. Click a picture to see its words, and again to close it."
    )
    # bertviz draws 970 pixels wide. A token takes 84 pixels, divided by the heads; in an enlarged picture 18.
    tokens, heads = len(view.tokens), len(view.weights[0])
    size = (990, 110 + max(len(view.layers) * (84 / heads * tokens + 10), 18 * tokens + 55))
    choices = {"include_layers": view.layers, "include_heads": view.heads, "display_mode": "light"}
    return _page(view, hint, size, "", **choices)


def _page(view: View, hint: str, size: tuple[float, float], style: str, **choices: Any) -> str:
    """Return bertviz' head or model view as an iframe that needs nothing from outside.

    bertviz writes three things: a tag that loads require.js, the menus, and a script that waits for require.js, with
    all data inside. The first is dropped, and the data are written anew: as bertviz leaves them, a token
    ``</script>`` would end the script, and they stand there twice.
    """
    import bertviz
    import torch

    weights = torch.tensor(view.weights).double() / STEPS  # as float32, 0.3 would be written 0.30000001192092896
    written: Any = getattr(bertviz, f"{view.kind}_view")(
        attention=list(weights.unsqueeze(1)),  # one a layer, each a batch of one
        tokens=view.tokens,
        sentence_b_start=view.second,
        prettify_tokens=False,  # it would show other tokens than BERT's where a text holds ▁ or Ġ
        html_action="return",
        **choices,
    )
    menus, _, script = written.data.partition('<script type="text/javascript">')
    menus = menus[menus.index("<div") :].replace('<select id="layer"', '<select id="layer" aria-label="Layer"')
    menus = menus.replace('<select id="filter"', '<select id="filter" aria-label="Attention"')
    start, _, rest = script[script.index("requirejs(") :].partition("const params = ")
    params, end = json.JSONDecoder().raw_decode(rest)
    body = rest[end:].partition("\n")[2].rpartition("</script>")[0]
    # The random name is not needed on a page of its own, and the same reading shall give the same page.
    menus, params["root_div_id"] = menus.replace(params["root_div_id"], "view"), "view"
    body = body.replace("const MATRIX_WIDTH = 115;", f"const MATRIX_WIDTH = {WIDTH};")  # a head view's, no other's
    data = json.dumps(params, separators=(",", ":")).replace("<", "\\u003c")

    layers, heads, tokens, _ = weights.shape
    shape = f"{layers} layers, {heads} heads, {tokens} tokens"
    title = html.escape(f"Attention, {view.kind} view ({shape}): {' '.join(view.tokens)}")
    width, height = (round(pixels) for pixels in size)
    jquery, d3 = (Path(str(distribution(name).locate_file(file))).read_text("utf-8") for name, file in _LIBRARIES)
    page = f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<title>{title}</title><style>{_STYLE}{style}</style></head><body>
<p>{hint}</p>
{menus}
<script>{_FIT.replace("PIXELS", str(width))}</script>
<script>{jquery}</script>
<script>{d3}</script>
<script>
d3.schemeCategory10 = {json.dumps(PALETTE)};
const requirejs = (names, draw) => draw(jQuery, d3);
{start}const params = {data};
{body}</script>
</body></html>"""
    frame = (
        f'<iframe title="{title}" sandbox="allow-scripts" srcdoc="{html.escape(page)}" '
        f'style="width:100%;height:{min(height, MAX_HEIGHT)}px;border:1px solid #bbb;background:white"></iframe>'
    )
    return f"<div>{frame}</div>"
