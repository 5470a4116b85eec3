"""Read CoNLL-U, the format of the treebanks of Universal Dependencies."""

import re
from collections.abc import Iterator

CELLS = 10  # of each word, between tabs


def sentences(text: str) -> Iterator[tuple[dict[str, str], list[list[str]]]]:
    """Yield the comments of each sentence, by name, and its rows of cells: words, multiword tokens and empty nodes."""
    for block in re.split(r"\n\s*\n", text.strip()):
        lines = block.split("\n")
        comments = [line[2:].partition(" = ") for line in lines if line.startswith("# ")]
        rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
        yield {name: content for name, _, content in comments}, rows
