"""Draw the pictures of README.md from the shipped model: ``make pictures``.

Each PNG holds its caption, which is computed from what is drawn. The README has the caption as the picture's alt text,
and a test computes both anew.
"""

from pathlib import Path

import bertlab
from bertlab.embedding import cosine
from bertlab.figures import plots
from bertlab.figures.captioned import CaptionedFigure
from bertlab.paraphrase import sentence_vectors

FOLDER = Path(__file__).parent
SENTENCE, LAYER, HEAD = "The cat sat on the mat.", 1, 3
ORIGINAL = "In 1995, the last survey, those numbers were equal."
BESIDE = {
    "a paraphrase": "The last time the survey was conducted,\nin 1995, those numbers matched.",
    "a denial": "In 1995, the last survey, those\nnumbers were not equal.",
}


def front() -> CaptionedFigure:
    """Draw one head at work, and how near to a sentence BERT puts its paraphrase and its denial."""
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

    texts = [ORIGINAL, *(text.replace("\n", " ") for text in BESIDE.values())]
    vectors = sentence_vectors(bert, texts)
    values = dict(zip(BESIDE, cosine(vectors[1:], vectors[0]).tolist(), strict=True))
    for place, (name, text) in enumerate(BESIDE.items()):
        y = 1.2 - 1.2 * place
        right.barh(y, values[name], height=0.36, color=plots.PALETTE[9 - 8 * place])
        right.text(values[name] - 0.02, y, f"{values[name]:.2f}", ha="right", va="center", size=17, weight="bold")
        right.text(0, y + 0.25, f"{name}: {text}", ha="left", va="bottom", size=14)
    right.set(xlim=(0, 1), ylim=(-0.25, 2.05))
    right.set_title(f"How near, to this small BERT, are these to\n“{ORIGINAL}”", loc="left", size=15)
    right.axis("off")
    mean = weights.diagonal(-1).mean()
    return CaptionedFigure(
        left,
        f"Left: one of the 32 attention heads in the small BERT of these lessons, on the sentence “{SENTENCE}” Each "
        f"token on the left looks at tokens on the right, and puts on average {mean:.2f} of its weight on the one "
        f"before it. Right: cosines with “{ORIGINAL}” Its paraphrase has {values['a paraphrase']:.2f}, its denial "
        f"{values['a denial']:.2f}.",
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
