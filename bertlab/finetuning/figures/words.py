"""A sentence in coloured words."""

import html
from collections.abc import Sequence
from dataclasses import dataclass

from bertlab.figures import PALETTE

SHADES = {"NOUN": 5, "PROPN": 5, "PRON": 5, "VERB": 6, "AUX": 6, "ADJ": 8, "ADV": 8}  # by what a word refers to
LEGEND = {5: "nouns, names, pronouns", 6: "verbs", 8: "adjectives, adverbs"}
GREY = "#949494"
OTHERS = ("ADP", "CCONJ", "DET", "INTJ", "NUM", "PART", "PUNCT", "SCONJ", "SYM", "X")  # in grey


@dataclass(frozen=True)
class ColouredWords:
    """A sentence that a notebook shows with each word's class below it, in one colour for related classes.

    Parameters
    ----------
    words, classes : list of str
        The words, and one class per word, such as ``"NOUN"``.

    Examples
    --------
    >>> ColouredWords(["It", "rained"], ["PRON", "VERB"])
    It/PRON rained/VERB
    """

    words: Sequence[str]
    classes: Sequence[str]

    def __repr__(self) -> str:
        """Return each word with its class, as plain text."""
        return " ".join(f"{word}/{its_class}" for word, its_class in zip(self.words, self.classes, strict=True))

    def _repr_html_(self) -> str:
        """Return the words side by side, each above its class."""
        strange = sorted({*self.classes} - SHADES.keys() - {*OTHERS})  # classes that a student has made up
        shades = SHADES | {name: i % len(PALETTE) for i, name in enumerate(strange)}
        cells = []
        for word, its_class in zip(self.words, self.classes, strict=True):
            colour = PALETTE[shades[its_class]] if its_class in shades else GREY
            style = (
                f"display:inline-block;margin:2px;padding:2px 5px;border-bottom:5px solid {colour};text-align:center"
            )
            inside = f"{html.escape(word)}<br><small>{html.escape(its_class)}</small>"
            cells.append(f'<span class="tex2jax_ignore mathjax_ignore" style="{style}">{inside}</span>')
        names = [] if strange else [f'<span style="color:{PALETTE[i]}">■</span> {name}' for i, name in LEGEND.items()]
        legend = f'<br><small>{" ".join(names)} <span style="color:{GREY}">■</span> others</small>' if names else ""
        return f"<div>{' '.join(cells)}{legend}</div>"
