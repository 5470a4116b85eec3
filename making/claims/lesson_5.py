"""The claims of lesson 5, computed again with transformers, scipy and scikit-learn alone.

python making/claims/lesson_5.py bertlab/bertlab-mini    # or another folder with a BERT; a minute
"""

import random
import sys
from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
from base import DATA, Checkpoint, read, told
from scipy import stats
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import roc_auc_score

Vectors = Callable[[Sequence[str]], np.ndarray]


def units(vectors: Sequence[np.ndarray]) -> np.ndarray:
    """Return vectors made as long as one."""
    return np.array(vectors) / np.linalg.norm(vectors, axis=1, keepdims=True)


def means(bert: Checkpoint) -> Vectors:
    """Return what makes a text the mean of its last vectors, [CLS] and [SEP] among them, as lesson 5 does."""
    return lambda texts: units([text.hidden[-1].mean(dim=0).numpy() for text in bert.hidden(texts)])


def word_rows(bert: Checkpoint, weights: np.ndarray | float = 1.0) -> Vectors:
    """Return what makes a text the sum of the rows of its pieces, each row times its weight."""
    rows, options = bert.table.numpy() * weights, {"add_special_tokens": False}
    return lambda texts: units([rows[ids].sum(axis=0) for ids in bert.tokenizer(list(texts), **options)["input_ids"]])


def rarity(bert: Checkpoint, known: Sequence[str]) -> np.ndarray:
    """Return the weight of each piece, large if few texts have it, (pieces, 1)."""
    having = np.zeros(len(bert.table))
    for ids in bert.tokenizer(list(known))["input_ids"]:
        having[sorted(set(ids))] += 1
    return np.log(len(known) / np.maximum(1, having))[:, None]


def overlap(first: Sequence[str], second: Sequence[str]) -> np.ndarray:
    """Return the share of words that two texts have in common, of each first with each second."""
    words = TfidfVectorizer(token_pattern=r"\w+").build_analyzer()
    sides = [[set(words(text)) for text in texts] for texts in (first, second)]
    return np.array([[len(a & b) / len(a | b) for b in sides[1]] for a in sides[0]])


def finds(near: np.ndarray) -> np.ndarray:
    """Return where the partner is nearer than all others."""
    return (near >= near.diagonal()[:, None] - 1e-6).sum(axis=1) == 1


def searched(bert: Checkpoint, twins: list[Checkpoint], first: list[str], second: list[str], known: list[str]) -> dict:
    """Return where each method finds the partner."""
    rare = TfidfVectorizer(token_pattern=r"\w+").fit(known)
    near = {"BERT": means(bert), "word rows": word_rows(bert, rarity(bert, known))}
    near |= {"TF-IDF": lambda texts: rare.transform(texts).toarray().round(6)}
    near |= {f"twin {seed}": means(twin) for seed, twin in enumerate(twins)}
    found = {name: finds(vectors(first) @ vectors(second).T) for name, vectors in near.items()}
    return found | {"word overlap": finds(overlap(first, second))}


def correlation(numbers: np.ndarray, grades: np.ndarray) -> float:
    """Return Spearman's correlation."""
    return stats.spearmanr(numbers, grades).statistic


def auc(numbers: np.ndarray, grades: np.ndarray) -> float:
    """Return how often a paraphrase has the larger number."""
    return roc_auc_score(grades >= 4, numbers)


def compared(what: str, score: Callable[..., float], values: dict[str, np.ndarray], grades: np.ndarray) -> None:
    """Print what each method scores, and the first method's lead with its 95 % bootstrap interval over pairs."""
    first, draws = values["BERT"], np.random.default_rng(0).integers(len(grades), size=(999, len(grades)))
    print(f"{what}: BERT {score(first, grades):.3f} on {len(grades)} pairs")
    for name, numbers in list(values.items())[1:]:
        leads = [score(first[of], grades[of]) - score(numbers[of], grades[of]) for of in draws]
        size, (low, high) = score(first, grades) - score(numbers, grades), np.quantile(leads, [0.025, 0.975])
        print(f"  {name} {score(numbers, grades):.3f}; lead {size:.3f}, {low:.3f} to {high:.3f}")


def main(folder: str) -> None:
    """Print the claims."""
    bert, twins = read(folder), [read(folder, seed) for seed in range(3)]
    pairs, trios = pd.read_csv(DATA / "graded_pairs.csv"), pd.read_csv(DATA / "paraphrases.csv")
    same = pairs[(pairs["grade_a"] == 5) & (pairs["grade_b"] == 5)]
    sides, every = [same[side].tolist() for side in ("first", "second")], [*pairs["first"], *pairs["second"]]
    found, wordless = searched(bert, twins, *sides, every), (same["tag"] == "no_overlap").to_numpy()
    for which, kept in {"not written against counting": ~wordless, "written to share no word": wordless}.items():
        told(f"searches {which}", {name: values[kept] for name, values in found.items()})
    hundred = [trios[side].tolist() for side in ("sentence", "paraphrase")]
    told("searches of the hundred trios", searched(bert, twins, *hundred, [*hundred[0], *hundred[1]]))

    models = {"BERT": means(bert)} | {f"twin {seed}": means(twin) for seed, twin in enumerate(twins)}
    for name, vectors in models.items():
        nearer = []
        for seed in range(5):
            chance = random.Random(seed)
            orders = [" ".join(chance.sample(words, len(words))) for words in (one[:-1].split() for one in sides[0])]
            salads = [f"{order}{one[-1]}" for order, one in zip(orders, sides[0], strict=True)]
            asked, answers, mixed = vectors(sides[0]), vectors(sides[1]), vectors(salads)
            nearer.append(int(((asked * mixed).sum(axis=1) > (asked * answers).sum(axis=1)).sum()))
        print(f"{name}: salad nearer than the paraphrase in {nearer} of {len(same)}, by seed")

    scores = models | {"word rows": word_rows(bert)}
    values = {name: (of(pairs["first"]) * of(pairs["second"])).sum(axis=1).round(6) for name, of in scores.items()}
    values["word overlap"] = overlap(pairs["first"], pairs["second"]).diagonal()
    grades = pairs[["grade_a", "grade_b"]].mean(axis=1).to_numpy()
    compared("Spearman", correlation, values, grades)
    for kind, kept in {"far": (grades >= 4) | (grades < 2), "close": grades >= 2}.items():
        of_kind = {name: numbers[kept] for name, numbers in values.items()}
        compared(f"AUC against {kind} pairs", auc, of_kind, grades[kept])


if __name__ == "__main__":
    main(sys.argv[1])
