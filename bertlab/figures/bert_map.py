"""The map of BERT at the beginning of every lesson: its parts, their shapes, and "you are here"."""

from matplotlib.patches import FancyBboxPatch

from bertlab import mine
from bertlab.bert.loading import Bert
from bertlab.figures import plots
from bertlab.figures.captioned import CaptionedFigure

# Left edge, bottom edge and width of each box, and the part that it gets its numbers from, on a sheet of 100 x 29: as
# flat as readable letters allow, so that the map and its caption fit a screen together.
_BOXES = {
    "tokenizer": (0, 11, 15, None),
    "embedding layer": (21, 11, 17, "tokenizer"),
    "encoder": (44, 11, 17, "embedding layer"),
    "pooler": (66, 3.5, 13, "encoder"),
    "masked-word head": (80, 18, 20, "encoder"),
    "next-sentence head": (83, 3.5, 17, "pooler"),
}
_HEIGHT = 8
STATIONS = tuple(_BOXES)

# The parts that a student writes for each box (`bertlab.reference`).
_WRITTEN = {
    "embedding layer": {"layer_norm", "embed"},
    "encoder": {"attention_weights", "attention", "all_heads", "feed_forward", "one_layer", "encoder"},
    "pooler": {"linear", "pool"},
    "masked-word head": {"word_logits"},
}


def map_of_bert(bert: Bert, here: str) -> CaptionedFigure:
    """Draw the path of a sentence through BERT, with a mark at the part that the lesson is about, one of `STATIONS`."""
    if here not in STATIONS:
        raise ValueError(f"There is no part {here!r} on the map; its parts are {', '.join(STATIONS)}.")
    config, own = bert.model.config, set(mine.parts().own)
    shapes = {
        "tokenizer": "ids: (tokens)",
        "embedding layer": f"(tokens, {config.hidden_size})",
        "encoder": f"(tokens, {config.hidden_size})",
        "pooler": f"({config.hidden_size})",
        "masked-word head": f"(tokens, {config.vocab_size:,})",
        "next-sentence head": "(2)",
    }
    written = {part for part, functions in _WRITTEN.items() if functions <= own}
    ax = plots.axes(width=10, height=3.1)[0]
    ax.set(xlim=(-1, 101), ylim=(0.3, 29))
    ax.axis("off")
    for part, (x, y, width, source) in _BOXES.items():
        middle, centre = x + width / 2, y + _HEIGHT / 2
        if source:
            left, bottom, its_width, _ = _BOXES[source]
            tail = (left + its_width, bottom + _HEIGHT / 2)
            ax.annotate("", (x, centre), tail, arrowprops={"arrowstyle": "-|>", "linewidth": 2, "color": "0.35"})
        face, weight = (plots.HERE, "bold") if part == here else (plots.PALE, "normal")
        edge, thick = (plots.KINDS[0], 5) if part in written else ("0.35", 1)
        rounded = "round,pad=0,rounding_size=1.5"
        box = FancyBboxPatch((x, y), width, _HEIGHT, boxstyle=rounded, facecolor=face, edgecolor=edge, linewidth=thick)
        ax.add_patch(box)
        label = part.replace(" ", "\n") + (f"\n{config.num_hidden_layers} layers" if part == "encoder" else "")
        label += "\n(not saved)" if part in bert.missing_parts else ""
        ax.text(middle, centre, label, ha="center", va="center", size=14, weight=weight)
        ax.text(middle, y - 0.8, shapes[part], ha="center", va="top", size=13, color="0.2")
        if part == here:
            ax.text(middle, y + _HEIGHT + 0.8, "you are here", ha="center", size=14, weight="bold")
    gone = " and ".join(bert.missing_parts)
    missing = f" This checkpoint was saved without its {gone}." if gone else ""
    yours = f" Green is yours: {len(written)} of {len(_WRITTEN)} boxes." if own else ""
    return CaptionedFigure(
        ax,
        f"A map of {bert.name}; you are at the {here}. A text becomes ids, each id a vector of {config.hidden_size} "
        f"numbers, and the encoder's {config.num_hidden_layers} layers mix these. Two heads read what comes out: one "
        f"guesses hidden words, the other says whether a sentence follows.{yours}{missing}",
    )
