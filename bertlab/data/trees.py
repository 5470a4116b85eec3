"""Dependency trees, which say for each word which other word it depends on (de Marneffe et al. 2021)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

OUR_TREES = Path(__file__).with_name("trees.conllu")


@dataclass(frozen=True)
class Tree:
    """A sentence, and of each word its place, class, governor (a number from 0, None for the root) and relation."""

    text: str
    words: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    classes: tuple[str, ...]
    governors: tuple[int | None, ...]
    relations: tuple[str, ...]


def read_trees() -> list[Tree]:
    """Read the dependency trees of the lessons' sentences.

    Each has its ``text``, ``words``, their ``spans`` in it, ``classes``, ``governors`` and ``relations``.

    Examples
    --------
    >>> tree = read_trees()[0]
    >>> tree.words[0], tree.relations[0], tree.words[tree.governors[0]]
    ('Everyone', 'nsubj', 'hoped')
    """
    trees = []
    for comments, rows in sentences(OUR_TREES.read_text(encoding="utf-8")):
        words, classes, governors, relations = (tuple(row[cell] for row in rows) for cell in (1, 3, 6, 7))
        spans, end = [], 0
        for word in words:
            start = comments["text"].index(word, end)
            end = start + len(word)
            spans.append((start, end))
        places = tuple(int(number) - 1 if number != "0" else None for number in governors)  # in the file from 1
        trees.append(Tree(comments["text"], words, tuple(spans), classes, places, relations))
    return trees


def sentences(text: str) -> Iterator[tuple[dict[str, str], list[list[str]]]]:
    """Yield the comments of each sentence in CoNLL-U, by name, and its rows of cells: words, tokens and empty nodes."""
    for block in re.split(r"\n\s*\n", text.strip()):
        lines = block.split("\n")
        comments = [line[2:].partition(" = ") for line in lines if line.startswith("# ")]
        rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
        yield {name: content for name, _, content in comments}, rows
