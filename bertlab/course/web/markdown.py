"""Markdown as HTML, with headings that can be linked and links between pages."""

import re
from typing import Any

from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath


def to_html(source: str) -> str:
    """Return Markdown as HTML; links to a notebook or a page of Markdown in the same folder lead to its page.

    A paper that is named by its number of arXiv is linked.
    """
    return MarkdownWithMath(renderer=_Renderer(escape=False)).render(source)


class _Renderer(IPythonRenderer):
    """nbconvert's renderer, which knows nothing of the other pages."""

    def text(self, text: str) -> str:
        return re.sub(r"\barXiv:(\d{4}\.\d{4,5})", r'<a href="https://arxiv.org/abs/\1">\g<0></a>', super().text(text))

    def link(self, text: str, url: str, title: str | None = None) -> str:
        return super().link(text, re.sub(r"^([\w.-]+)\.(?:ipynb|md)(#.*)?$", r"\1.html\2", url), title)

    def heading(self, text: str, level: int, **attributes: Any) -> str:
        words = re.findall(r"[\w.]+", re.sub(r"<[^>]+>", "", text).lower())
        return f'<h{level} id="{"-".join(words)}">{text}</h{level}>\n'
