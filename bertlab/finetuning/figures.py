"""What lesson 8 draws: pairs to judge, on cards, and a sentence in coloured words."""

import html
from collections.abc import Mapping

from matplotlib.patches import Rectangle

from bertlab.arguments import Some, guarded, require_as_many
from bertlab.figures import PALETTE, CaptionedFigure, plots

ANSWERS = {"the same": plots.KINDS[0], "not the same": plots.KINDS[1]}
SHADES = {"NOUN": 5, "PROPN": 5, "PRON": 5, "VERB": 6, "AUX": 6, "ADJ": 8, "ADV": 8}  # by what a word refers to
LEGEND = {5: "nouns, names, pronouns", 6: "verbs", 8: "adjectives, adverbs"}
GREY = "#949494"
BOX = "display:inline-block;margin:2px;padding:2px 5px"


class ColouredWords:
    """A sentence that a notebook shows with each word's class below it, in one colour for related classes.

    Examples
    --------
    >>> ColouredWords(["It", "rained"], ["PRON", "VERB"])
    It/PRON rained/VERB
    """

    @guarded
    def __init__(self, words: Some[str], classes: Some[str]) -> None:
        require_as_many(words=words, classes=classes)
        self.words, self.classes = words, classes

    def __repr__(self) -> str:
        """Return each word with its class, as plain text."""
        return " ".join(f"{word}/{its_class}" for word, its_class in zip(self.words, self.classes, strict=True))

    def _repr_html_(self) -> str:
        """Return the words side by side, each above its class."""
        cells = []
        for word, its_class in zip(self.words, self.classes, strict=True):
            colour = PALETTE[SHADES[its_class]] if its_class in SHADES else GREY
            style = f"{BOX};border-bottom:5px solid {colour};text-align:center"
            inside = f"{html.escape(word)}<br><small>{html.escape(its_class)}</small>"
            cells.append(f'<span class="tex2jax_ignore mathjax_ignore" style="{style}">{inside}</span>')
        names = {PALETTE[shade]: name for shade, name in LEGEND.items()} | {GREY: "others"}
        legend = " ".join(f'<span style="color:{colour}">■</span> {name}' for colour, name in names.items())
        return f"<div>{' '.join(cells)}<br><small>{legend}</small></div>"


@plots.styled()
def to_judge(first: str, seconds: Mapping[str, str]) -> CaptionedFigure:
    """Draw a sentence with each of some second ones on a card, and whether both say the same: an answer or "?"."""
    ax = plots.axes(width=7.2, height=1.25 * len(seconds))[0]
    ax.set(xlim=(0, 100), ylim=(len(seconds), 0))
    ax.axis("off")
    for row, (second, answer) in enumerate(seconds.items()):
        colour = ANSWERS.get(answer, "black")
        ax.add_patch(Rectangle((1, row + 0.08), 68, 0.84, facecolor="0.96", edgecolor="0.6"))
        ax.text(4, row + 0.32, first, va="center")
        ax.text(4, row + 0.68, second, va="center")
        ax.text(85, row + 0.5, answer, color=colour, weight="bold", ha="center", va="center", size=16)
    asked = ", ".join(f"“{second}” ({answer})" for second, answer in seconds.items())
    return CaptionedFigure(ax, f"Does “{first}” say the same as these? {asked}.")
