"""The map of BERT that opens every lesson: all its parts, their shapes, and "you are here"."""

from typing import TYPE_CHECKING

from matplotlib.patches import FancyBboxPatch

from bertlab.bert.loading import Bert
from bertlab.figures import plots
from bertlab.figures.captioned import CaptionedFigure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# The parts on the map, in the order in which a sentence passes them.
STATIONS = ("tokenizer", "embedding layer", "encoder", "pooler", "masked-word head", "next-sentence head")

# Left edge, bottom edge, width, height of each box, on a sheet of 100 x 29: as flat as readable letters allow, so that
# the map and its caption fit a screen together.
_BOXES = {
    "tokenizer": (0, 11, 15, 8),
    "embedding layer": (21, 11, 17, 8),
    "encoder": (44, 11, 17, 8),
    "masked-word head": (80, 18, 20, 8),
    "pooler": (66, 3.5, 13, 8),
    "next-sentence head": (83, 3.5, 17, 8),
}
_LABELS = {
    "embedding layer": "embedding\nlayer",
    "masked-word head": "masked-word\nhead",
    "next-sentence head": "next-sentence\nhead",
}
_ARROWS = (
    ("tokenizer", "embedding layer"),
    ("embedding layer", "encoder"),
    ("encoder", "masked-word head"),
    ("encoder", "pooler"),
    ("pooler", "next-sentence head"),
)


def shapes(bert: Bert) -> dict[str, str]:
    """Return what leaves each part of a BERT, as a line of text."""
    config = bert.model.config
    return {
        "tokenizer": "ids: (tokens)",
        "embedding layer": f"(tokens, {config.hidden_size})",
        "encoder": f"(tokens, {config.hidden_size})",
        "pooler": f"({config.hidden_size})",
        "masked-word head": f"(tokens, {config.vocab_size:,})",
        "next-sentence head": "(2)",
    }


def map_of_bert(bert: Bert, here: str) -> CaptionedFigure:
    """Show the way of a sentence through BERT, and where this lesson stands: `here` is one of `STATIONS`."""
    config = bert.model.config
    missing = (
        f" This checkpoint was saved without its {' and '.join(bert.missing_parts)}." if bert.missing_parts else ""
    )
    return CaptionedFigure(
        draw_map(bert, here),
        f"A map of {bert.name}; you are at the {here}. A text becomes ids, each id a vector of {config.hidden_size} "
        f"numbers, and the encoder's {config.num_hidden_layers} layers mix these. Two heads read what comes out: one "
        f"looks for hidden words, one asks whether a sentence follows.{missing}",
    )


def draw_map(bert: Bert, here: str) -> "Axes":
    """Draw the map of a BERT with its shapes, the lesson's part marked; parts that it lacks are named as missing."""
    if here not in STATIONS:
        raise ValueError(f"There is no part {here!r} on the map; its parts are {', '.join(STATIONS)}.")
    ax = plots.axes(width=10, height=3.1)[0]
    ax.set(xlim=(-1, 101), ylim=(0.3, 29))
    ax.axis("off")
    for start, end in _ARROWS:
        x, y, width, height = _BOXES[start]
        to_x, to_y, _, to_height = _BOXES[end]
        tip, tail = (to_x, to_y + to_height / 2), (x + width, y + height / 2)
        ax.annotate("", tip, tail, arrowprops={"arrowstyle": "-|>", "linewidth": 2, "color": "0.35"})
    layers = bert.model.config.num_hidden_layers
    leaving = shapes(bert)
    for part, (x, y, width, height) in _BOXES.items():
        marked = part == here
        face = plots.PALETTE[1] if marked else "0.94"
        rounded = "round,pad=0,rounding_size=1.5"
        ax.add_patch(FancyBboxPatch((x, y), width, height, boxstyle=rounded, facecolor=face, edgecolor="0.35"))
        name = _LABELS.get(part, part)
        if part == "encoder":
            name += f"\n{layers} layers"
        if part in bert.missing_parts:
            name += "\n(not saved)"
        middle, weight = x + width / 2, "bold" if marked else "normal"
        ax.text(middle, y + height / 2, name, ha="center", va="center", size=14, weight=weight)
        ax.text(middle, y - 0.8, leaving[part], ha="center", va="top", size=13, color="0.2")
        if marked:
            ax.text(middle, y + height + 0.8, "you are here", ha="center", size=14, weight="bold")
    return ax
