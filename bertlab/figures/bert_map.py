"""The map of BERT at the beginning of every lesson: its parts, their shapes, and "you are here"."""

from collections.abc import Collection

from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch

from bertlab import mine
from bertlab.bert.loading import Bert
from bertlab.figures import plots
from bertlab.figures.captioned import CaptionedFigure

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

# The parts that a student writes for each box (`bertlab.reference`).
_WRITTEN = {
    "embedding layer": {"layer_norm", "embed"},
    "encoder": {"attention_weights", "attention", "all_heads", "feed_forward", "one_layer", "encoder"},
    "pooler": {"linear", "pool"},
    "masked-word head": {"word_logits"},
}


def shapes(bert: Bert) -> dict[str, str]:
    """Return the shape of each part's output, as text."""
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
    """Draw the path of a sentence through BERT, with a mark at the part that the lesson is about, one of `STATIONS`."""
    config = bert.model.config
    gone = " and ".join(bert.missing_parts)
    missing = f" This checkpoint was saved without its {gone}." if gone else ""
    own = mine.parts().own
    whole = sum(parts <= set(own) for parts in _WRITTEN.values())
    yours = f" Green is yours: {whole} of {len(_WRITTEN)} boxes." if own else ""
    return CaptionedFigure(
        draw_map(bert, here, own),
        f"A map of {bert.name}; you are at the {here}. A text becomes ids, each id a vector of {config.hidden_size} "
        f"numbers, and the encoder's {config.num_hidden_layers} layers mix these. Two heads read what comes out: one "
        f"guesses hidden words, the other says whether one sentence follows another.{yours}{missing}",
    )


def draw_map(bert: Bert, here: str, own: Collection[str] = ()) -> Axes:
    """Draw the map of a BERT with the shapes of its parts: mark one, name what is missing, frame what is one's own."""
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
    labels = _LABELS | {"encoder": f"encoder\n{bert.model.config.num_hidden_layers} layers"}
    output_shapes = shapes(bert)
    for part, (x, y, width, height) in _BOXES.items():
        is_here = part == here
        face = plots.HERE if is_here else plots.PALE
        rounded = "round,pad=0,rounding_size=1.5"
        edge, thick = (plots.KINDS[0], 5) if _WRITTEN.get(part, {""}) <= set(own) else ("0.35", 1)
        box = FancyBboxPatch((x, y), width, height, boxstyle=rounded, facecolor=face, edgecolor=edge, linewidth=thick)
        ax.add_patch(box)
        label = labels.get(part, part) + ("\n(not saved)" if part in bert.missing_parts else "")
        middle, weight = x + width / 2, "bold" if is_here else "normal"
        ax.text(middle, y + height / 2, label, ha="center", va="center", size=14, weight=weight)
        ax.text(middle, y - 0.8, output_shapes[part], ha="center", va="top", size=13, color="0.2")
        if is_here:
            ax.text(middle, y + height + 0.8, "you are here", ha="center", size=14, weight="bold")
    return ax
