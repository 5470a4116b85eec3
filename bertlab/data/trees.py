"""Dependency trees, annotated by hand: who depends on whom in a sentence (de Marneffe et al. 2021)."""

from dataclasses import dataclass
from pathlib import Path

SHIPPED = Path(__file__).parent / "trees.conllu"


@dataclass(frozen=True)
class Tree:
    """A sentence and its dependency tree. Words are counted from 0, punctuation marks included.

    Attributes
    ----------
    text
    words
    spans
        Where each word stands in the text: ``text[start:end]`` is the word.
    governors
        The number of the word that each word depends on (treebanks call it the head); None for the root.
    relations
        How each word depends on its governor, such as ``"nsubj"``; ``"root"`` for the root.
    """

    text: str
    words: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    governors: tuple[int | None, ...]
    relations: tuple[str, ...]


def read_trees(path: str | Path = SHIPPED) -> list[Tree]:
    """Return the trees of a file in CoNLL-U, the format of Universal Dependencies; by default the lessons' own.

    Every word must stand in the text, so lines of multiword tokens and of empty nodes are a `ValueError`.

    Examples
    --------
    >>> tree = read_trees()[0]
    >>> tree.text
    'Everyone hoped that the storm would pass before morning.'
    >>> tree.words[0], tree.relations[0], tree.words[tree.governors[0]]
    ('Everyone', 'nsubj', 'hoped')
    """
    trees = []
    for block in Path(path).read_text(encoding="utf-8").strip().split("\n\n"):
        lines = block.split("\n")
        (text,) = [line.removeprefix("# text = ") for line in lines if line.startswith("# text = ")]
        rows = [line.split("\t") for line in lines if not line.startswith("#")]
        words = tuple(row[1] for row in rows)
        numbers = [int(row[6]) for row in rows]  # from 1, and 0 for the root
        governors = tuple(number - 1 if number else None for number in numbers)
        spans, end = [], 0
        for word in words:
            start = text.index(word, end)
            end = start + len(word)
            spans.append((start, end))
        trees.append(Tree(text, words, tuple(spans), governors, tuple(row[7] for row in rows)))
    return trees
