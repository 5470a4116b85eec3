"""What the book's search looks through: each section's title, words and place, in a script that a file may load.

A page that is opened from a file may not read others, so this takes the place of Sphinx's own index, which has titles
and single words only.
"""

import json
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

NAME = "found.js"  # the script, beside the pages
ENTRIES = (nodes.section, nodes.definition_list_item, addnodes.desc)  # a part, a term, a function


def setup(app: Sphinx) -> dict[str, bool]:
    """Collect the sections of each page as it is written, and write them all at the end."""
    pages: dict[str, list[list[str]]] = {}
    app.connect("builder-inited", lambda app: setattr(app.builder, "search", False))
    app.connect("doctree-resolved", lambda _app, tree, name: pages.update({name: list(entries(tree))}))
    app.connect("build-finished", lambda app, _error: _write(Path(app.outdir, NAME), pages))
    return {"parallel_read_safe": True}


def entries(tree: nodes.document) -> Iterator[list[str]]:
    """Yield, for each section of a page, its anchor, title, words in bold, text and code, with a line for each block.

    A page's first section is the page. A term of a glossary and a function of the reference count as sections.
    """
    for entry in (node for node in tree.findall(nodes.Element) if isinstance(node, ENTRIES)):
        first = entry.children[0]
        assert isinstance(first, nodes.Element)
        anchor = (entry if isinstance(entry, nodes.section) else first)["ids"][:1]
        if not anchor:  # a list of definitions that is no glossary
            continue
        title = anchor[0] if isinstance(entry, addnodes.desc) else first.astext()
        blocks = [block for child in entry.children[1:] for block in _blocks(child) if block[1]]
        bold = [strong.astext() for strong in entry.findall(nodes.strong) if _owner(strong) is entry]
        text, code = ("\n".join(line for is_code, line in blocks if is_code == kind) for kind in (False, True))
        yield [anchor[0], title, ", ".join(bold), text, code]


def _owner(node: nodes.Node) -> nodes.Node:
    return node if isinstance(node, ENTRIES) else _owner(node.parent)


def _blocks(node: nodes.Node) -> Iterator[tuple[bool, str]]:
    """Yield the blocks of text below a node, but not those of another section, each with whether it is code."""
    if isinstance(node, nodes.row):
        yield False, _line(" · ".join(cell.astext() for cell in node))
    elif isinstance(node, nodes.literal_block):
        if "output" not in node["classes"]:  # what a cell printed
            yield True, _line(node.astext())
    elif isinstance(node, nodes.raw):
        yield False, _line(unescape(re.sub("<nav.+?</nav>|<[^>]+>", " ", node.astext(), flags=re.S)))
    elif isinstance(node, nodes.TextElement):
        yield False, _line(node.astext())
    elif not isinstance(node, ENTRIES):
        for child in node.children:
            yield from _blocks(child)


def _line(text: str) -> str:
    return " ".join(text.split())


def _write(path: Path, pages: dict[str, list[list[str]]]) -> None:
    every = [[name, *entry] for name in sorted(pages) for entry in pages[name] if name != "search"]
    path.write_text(f"const SECTIONS = {json.dumps(every, ensure_ascii=False, separators=(',', ':'))};\n", "utf-8")
