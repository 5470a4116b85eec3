"""Draw the pictures of README.md from the shipped model: ``make pictures``.

Each PNG holds its caption, which is computed from what is drawn. The README has the caption as the picture's alt text,
and a test computes both anew.
"""

from pathlib import Path

import pandas as pd

import bertlab
from bertlab.evidence import listed
from bertlab.figures import plots
from bertlab.figures.captioned import CaptionedFigure

FOLDER = Path(__file__).parent
SENTENCE, LAYER, HEAD = "The cat sat on the mat.", 1, 3
GAP, STEPS = "The [MASK] sat on the mat.", ("0", "250", "1500", "4000", "24800")


def front() -> CaptionedFigure:
    """Draw one head at work, and what BERT expects in a gap while it learns."""
    bert = bertlab.load("bertlab-mini")
    left, right = plots.axes(2, width=11.5, height=4.4)
    reading = bert.read(SENTENCE)
    weights = reading.attention[LAYER, HEAD]  # (tokens, tokens)
    last = len(reading.tokens) - 1
    for place, token in enumerate(reading.tokens):
        left.text(-0.04, last - place, token, ha="right", va="center", size=15)
        left.text(1.04, last - place, token, ha="left", va="center", size=15)
        for seen in range(last + 1):
            line = {"color": plots.PALETTE[0], "linewidth": 3, "alpha": float(weights[place, seen])}
            left.plot([0, 1], [last - place, last - seen], solid_capstyle="round", **line)
    left.set(xlim=(-0.45, 1.45), ylim=(-0.6, last + 0.6))
    left.set_title("One of 32 heads:\nit looks at the word before", size=15)
    left.axis("off")

    table = pd.read_csv(Path(bertlab.__file__).parent / "bertlab-mini" / "watch-it-learn.csv", dtype=str).set_index(
        "step"
    )
    expected = {f"{int(step):,}": table.loc[step, "the_mat"].split() for step in STEPS}
    for row, (step, words) in enumerate(expected.items()):
        y = len(expected) - 1 - row
        right.text(0.26, y, f"{step} steps", ha="right", va="center", size=15, color="0.35")
        for place, word in enumerate(words):
            right.text(0.34 + 0.24 * place, y, word, va="center", size=16, color=plots.PALETTE[0], weight="bold")
    right.set(xlim=(0, 1), ylim=(-0.6, len(expected) - 0.4))
    right.set_title(f"“{GAP}”\nWhat it expects there, while it learns", size=15)
    right.axis("off")
    first, last_step = list(expected)[2], list(expected)[-1]
    mean = weights.diagonal(-1).mean()
    return CaptionedFigure(
        left,
        f"Left: one of the 32 attention heads in the small BERT of these lessons, on the sentence “{SENTENCE}” Each "
        f"token on the left looks at tokens on the right, and puts on average {mean:.2f} of its weight on the one "
        f"before it. Right: what this BERT expects for the gap in “{GAP}” while it learns: after {first} steps "
        f"{listed(expected[first])}, after {last_step} {listed(expected[last_step])}.",
    )


PICTURES = {"front": front}


def main() -> None:
    """Write each picture with its caption inside, and print the captions for README.md."""
    for name, draw in PICTURES.items():
        picture = draw()
        figure = picture.axes.get_figure(root=True)
        assert figure is not None
        path = FOLDER / f"{name}.png"
        figure.savefig(path, dpi=110, metadata={"Software": None, "Description": picture.caption})
        print(f"{path.name}: {picture.caption}")


if __name__ == "__main__":
    main()
