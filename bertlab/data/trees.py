"""Dependency trees, which say for each word which other word it depends on (de Marneffe et al. 2021)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SHIPPED = Path(__file__).parent / "trees.conllu"


@dataclass(frozen=True)
class Tree:
    """A sentence, and of each word its place, class, governor (a number from 0, None for the root) and relation."""

    text: str
    words: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    classes: tuple[str, ...]
    governors: tuple[int | None, ...]
    relations: tuple[str, ...]


def read_trees(path: str | Path = SHIPPED) -> list[Tree]:
    """Read the dependency trees of sentences from a file.

    Parameters
    ----------
    path : str or path
        A file in CoNLL-U, by default the lessons' own. Each sentence has a line ``# text = ...`` that contains all its
        words; multiword tokens and empty nodes are not allowed.

    Returns
    -------
    list of Tree
        One tree per sentence: its ``text``, ``words``, their ``spans``, ``classes``, ``governors`` and ``relations``.

    Raises
    ------
    ValueError
        If a sentence is not such a tree.

    Examples
    --------
    >>> tree = read_trees()[0]
    >>> tree.words[0], tree.relations[0], tree.words[tree.governors[0]]
    ('Everyone', 'nsubj', 'hoped')
    """
    trees = []
    for number, sentence in enumerate(sentences(Path(path).read_text(encoding="utf-8-sig")), start=1):
        try:
            trees.append(_tree(*sentence))
        except ValueError as error:
            raise ValueError(f"{Path(path).name}: sentence {number} is no tree in CoNLL-U ({error}).") from None
    return trees


def sentences(text: str) -> Iterator[tuple[dict[str, str], list[list[str]]]]:
    """Yield the comments of each sentence, by name, and its rows of cells: words, multiword tokens and empty nodes."""
    for block in re.split(r"\n\s*\n", text.strip()):
        lines = block.split("\n")
        comments = [line[2:].partition(" = ") for line in lines if line.startswith("# ")]
        rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
        yield {name: content for name, _, content in comments}, rows


def _tree(comments: dict[str, str], rows: list[list[str]]) -> Tree:
    """Return the tree of one sentence; an error says what is missing."""
    if "text" not in comments or not rows:
        raise ValueError(f"it has {'a' if 'text' in comments else 'no'} line '# text = ...' and {len(rows)} words")
    text = comments["text"]
    if broken := next((row for row in rows if len(row) < 8 or not row[6].isdigit()), None):
        raise ValueError(f"{' '.join(broken):.60} has not ten cells between tabs, a number in the seventh")
    words = [row[1] for row in rows]
    governors = [int(row[6]) - 1 if row[6] != "0" else None for row in rows]  # in the file from 1, and 0 for the root
    spans, end = [], 0
    for word, governor in zip(words, governors, strict=True):
        start = text.find(word, end)
        if start < 0 or (governor or 0) >= len(words):
            raise ValueError(f"{word!r} is not in the text, or its governor is none of the {len(words)} words")
        end = start + len(word)
        spans.append((start, end))
    classes, relations = (tuple(row[cell] for row in rows) for cell in (3, 7))
    return Tree(text, tuple(words), tuple(spans), classes, tuple(governors), relations)
