"""Lesson 8's figures of word classes and kinds of text, and a sentence in coloured words."""

import html
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from bertlab.evidence import wilson
from bertlab.figures import PALETTE, CaptionedFigure, points
from bertlab.finetuning.figures.task import twins

SHADES = {"NOUN": 5, "PROPN": 5, "PRON": 5, "VERB": 6, "AUX": 6, "ADJ": 8, "ADV": 8}  # by what a word refers to
LEGEND = {5: "nouns, names, pronouns", 6: "verbs", 8: "adjectives, adverbs"}
GREY = "#949494"
OTHERS = ("ADP", "CCONJ", "DET", "INTJ", "NUM", "PART", "PUNCT", "SCONJ", "SYM", "X")  # in grey


def counting(counted: ArrayLike, runs: pd.DataFrame) -> CaptionedFigure:
    """Draw the share of texts sorted correctly by counting words and by recorded runs on the same texts."""
    right = np.asarray(counted, dtype=bool)
    shares = {"TF-IDF": wilson(int(right.sum()), len(right))}
    for run in runs.sort_values(["model", "seed"]).to_dict("records"):
        shares[f"{run['model']}, seed {run['seed']}"] = wilson(run["right"], run["of"])
    first = runs["model"].iloc[0]
    controls = {name for name in shares if not name.startswith(first)}
    ax = points(shares, orange=controls, grey=twins(shares), x="share sorted correctly", mark=1 / 3)  # three kinds
    ax.set_xlim(0, 1)
    of_first = runs[runs["model"] == first]
    ahead = int((of_first["ahead_low"] > 0).sum())
    are = "is" if ahead == 1 else "are"
    subject = f"{ahead} of {len(of_first)} runs of {first} {are}" if ahead else f"No run of {first} is"
    return CaptionedFigure(
        ax,
        f"The share of {len(right)} texts sorted correctly, with 95 % intervals; TF-IDF in orange, twins in grey, "
        f"guessing dashed. {subject} significantly ahead of TF-IDF (documents resampled).",
    )


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
