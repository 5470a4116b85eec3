"""bertviz' two views of attention, for lesson 4, drawn without a network.

bertviz (Vig 2019, "A Multiscale Visualization of Attention in the Transformer Model") writes the page and its script;
d3 and jQuery, which it would fetch from the web, come from the installed packages mpld3 and XStatic-jQuery.

A view is an iframe that holds its whole page (srcdoc) and may do nothing but run scripts (sandbox): several views,
JupyterLab and a deck of slides share no name and no style, and whatever a token says stays away from the notebook and
the network. The price is some 350 KB a view and a height that is fixed beforehand, so that long texts scroll inside;
and as with every script, JupyterLab shows a view only in a notebook that it trusts, one that was run here.
"""

import html
import json
from collections.abc import Iterable, Sequence
from importlib.metadata import distribution
from math import isqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bertlab.plots import PALETTE
from bertlab.reading import Reading

if TYPE_CHECKING:
    from IPython.display import HTML

MAX_LINES = 120_000
"""How many lines a view may draw at once: they take a browser about four seconds; with more it seems to hang."""

DECIMALS = 3
"""To which weights are rounded: a line's opacity is its weight, and nobody sees a finer step."""

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
    const scale = document.documentElement.clientWidth / WIDTH;
    document.getElementById("vis").style.zoom = scale ? Math.max(0.5, Math.min(1, scale)) : 1;
};
addEventListener("resize", fit);
fit();
"""


def head_view(reading: Reading, layer: int | None = None, heads: int | Sequence[int] | None = None) -> "HTML":
    """Draw the attention of one layer as lines between two columns of tokens, a colour for each head.

    A menu changes the layer. For a pair a second one chooses whose attention to whom: A -> A, A -> B, B -> A, B -> B,
    where A is the first sentence with [CLS] and its [SEP].

    Parameters
    ----------
    reading : bertlab.reading.Reading
        With attention weights.
    layer : int, optional
        The layer to begin with, as in ``reading.attention[layer]``: 0 is the first encoder layer, and by default.
    heads : int or sequence of int, optional
        The heads that are switched on at first; by default all.

    Returns
    -------
    IPython.display.HTML
        A notebook shows it as a cell's last line; ``.data`` is the text.

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
    hint = (
        "Each square is a head: click to switch it on or off, double-click to see it alone. Point at a token on the "
        "left to see what it attends to, on the right to see what attends to it."
    )
    # bertviz leaves 110 pixels on each side for the words, and 115 between them: longer words need more room.
    room = max(0, 9 * max(map(len, reading.tokens)) - 100)
    size = (360 + 2 * room, 130 + 22.5 * tokens)
    return _view("head", reading, weights, hint, size, f"#vis {{ padding-left: {room}px; }}", layer=first, heads=on)


def model_view(
    reading: Reading, layers: int | Sequence[int] | None = None, heads: int | Sequence[int] | None = None
) -> "HTML":
    """Draw the attention of all layers (rows) and heads (columns) as small pictures; a click enlarges one.

    For a pair a menu chooses whose attention to whom, as in `head_view`.

    Parameters
    ----------
    reading : bertlab.reading.Reading
        With attention weights.
    layers, heads : int or sequence of int, optional
        Which ones to draw, as in ``reading.attention[layer, head]``; by default all.

    Returns
    -------
    IPython.display.HTML
        A notebook shows it as a cell's last line; ``.data`` is the text.

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
    hint = (
        "Each picture is a head: its lines run from the tokens that attend, on the left, to those they attend to, on "
        "the right. Click a picture to see its words, and again to close it."
    )
    # bertviz draws 970 pixels wide. A token takes 84 pixels, divided by the heads; in an enlarged picture 18.
    size = (990, 110 + max(len(rows) * (84 / n_heads * tokens + 10), 18 * tokens + 55))
    choices = {"include_layers": rows, "include_heads": columns, "display_mode": "light"}
    return _view("model", reading, weights, hint, size, "", **choices)


def _weights(reading: Reading, function: str) -> Any:
    """Return the attention weights of a reading, (layers, heads, tokens, tokens), rounded."""
    if not isinstance(reading, Reading):
        raise TypeError(
            f"{function} draws a reading, and this is {type(reading).__name__}: {reading!r:.60}. "
            f"Read the text first: bertlab.views.{function}(bert.read('The cat sat.'))"
        )
    return reading.attention.double().round(decimals=DECIMALS)  # as float32, 0.3 would be written 0.30000001192092896


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


def _view(
    kind: str, reading: Reading, weights: Any, hint: str, size: tuple[float, float], style: str, **choices: Any
) -> "HTML":
    """Return bertviz' head or model view as an iframe that needs nothing from outside.

    bertviz writes three things: a tag that loads require.js, the menus, and a script that waits for require.js, with
    all data inside. The first is dropped, and the data are written anew: as bertviz leaves them, a token
    ``</script>`` would end the script, and they stand there twice.
    """
    import bertviz
    from IPython.display import HTML

    written: Any = getattr(bertviz, f"{kind}_view")(
        attention=list(weights.unsqueeze(1)),  # one a layer, each a batch of one
        tokens=reading.tokens,
        sentence_b_start=None if reading.pair is None else reading.segments.tolist().index(1),
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
    data = json.dumps(params, separators=(",", ":")).replace("<", "\\u003c")

    layers, heads, tokens, _ = weights.shape
    shape = f"{layers} layers, {heads} heads, {tokens} tokens"
    title = html.escape(f"Attention, {kind} view ({shape}): {' '.join(reading.tokens)}")
    width, height = (round(pixels) for pixels in size)
    jquery, d3 = (Path(str(distribution(name).locate_file(file))).read_text("utf-8") for name, file in _LIBRARIES)
    page = f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<title>{title}</title><style>{_STYLE}{style}</style></head><body>
<p>{hint}</p>
{menus}
<script>{_FIT.replace("WIDTH", str(width))}</script>
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
    return HTML(f"<div>{frame}</div>")  # IPython warns of a bare iframe
