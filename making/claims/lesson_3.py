"""The claims of lesson 3, computed again with transformers and numpy alone.

python making/claims/lesson_3.py bertlab/bertlab-mini    # or another folder with a BERT; a minute
"""

import sys
from itertools import combinations

import numpy as np
import pandas as pd
from base import DATA, Checkpoint, read, span, told


def features(bert: Checkpoint, table: pd.DataFrame) -> dict[str, np.ndarray]:
    """Return what each method knows of each sentence: vectors after each layer, the other pieces, and their rows."""
    layers, counts = [], np.zeros((len(table), len(bert.table)))
    for row, text in enumerate(bert.hidden(table["sentence"])):
        place = span(table["sentence"][row], table["word"][row])
        layers.append([text.word(place, layer).numpy() for layer in range(len(text.hidden))])
        for number, (begin, end) in zip(text.ids[1:-1], text.offsets[1:-1], strict=True):
            if end <= place[0] or begin >= place[1]:
                counts[row, number] += 1
    rare = counts * np.log(len(counts) / np.maximum(1, (counts > 0).sum(axis=0)))
    rows = bert.table.numpy()
    summed = {"word rows": rare @ rows, "rows without the mean row": rare @ (rows - rows.mean(axis=0))}
    units = {name: sums / np.linalg.norm(sums, axis=1, keepdims=True) for name, sums in summed.items()}
    return (
        {f"layer {i}": vectors for i, vectors in enumerate(np.array(layers).swapaxes(0, 1))} | {"bag": counts} | units
    )


def found(points: np.ndarray, table: pd.DataFrame) -> np.ndarray:
    """Return where the nearer centroid, made without the sentence itself, is that of its sense."""
    right = np.zeros(len(table))
    for _, of_word in table.groupby("word"):
        for i, sense in of_word["sense"].items():
            rest = of_word.drop(index=i)
            centres = {name: points[part.index].mean(axis=0) for name, part in rest.groupby("sense")}
            right[i] = min(centres, key=lambda name: np.linalg.norm(points[i] - centres[name])) == sense
    return right


def main(folder: str) -> None:
    """Print the claims."""
    bert, old, new = read(folder), pd.read_csv(DATA / "word_senses.csv"), pd.read_csv(DATA / "homonyms.csv")
    layers = {
        name: int(found(known, old).sum()) for name, known in features(bert, old).items() if name.startswith("layer")
    }
    chosen = max(layers, key=layers.get)
    print("eight words of 40 sentences:", layers, "chosen:", chosen)
    known = features(bert, new)
    right = {name: found(known[name], new) for name in (chosen, *known)}
    for seed in range(5):
        right[f"twin {seed}"] = found(features(read(folder, seed), new)[chosen], new)
    told(f"{new['word'].nunique()} other words", right, new["word"])

    vectors = [text.hidden[-1, 0].numpy() for text in bert.hidden(pd.read_csv(DATA / "short_texts.csv")["sentence"])]
    units = np.array(vectors) / np.linalg.norm(vectors, axis=1, keepdims=True)
    parts = np.mean([units[i] * units[j] for i, j in combinations(range(len(units)), 2)], axis=0)
    two = np.sort(parts)[-2:].sum() / parts.sum()
    print(f"mean cosine of two [CLS] vectors {parts.sum():.2f}; two features make {two:.0%} of it")


if __name__ == "__main__":
    main(sys.argv[1])
