"""The lines of CoNLL-U, the format in which Universal Dependencies gives out its treebanks."""

import re
from collections.abc import Iterator

CELLS = 10  # of each word, between tabs


def sentences(text: str) -> Iterator[tuple[dict[str, str], list[list[str]]]]:
    """Yield the comments of each sentence, by name, and its rows of cells, one per word.

    Multiword tokens and empty nodes have rows too; their first cells, such as ``1-2`` and ``1.1``, are no whole number.
    """
    for block in re.split(r"\n\s*\n", text.strip()):
        lines = block.split("\n")
        comments = [line[2:].partition(" = ") for line in lines if line.startswith("# ")]
        rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
        yield {name: content for name, _, content in comments}, rows
