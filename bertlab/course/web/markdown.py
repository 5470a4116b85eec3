"""Markdown as HTML that needs no script: formulas as MathML, headings that can be linked, links between pages."""

import re
from typing import Any

from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath


def to_html(source: str) -> str:
    r"""Return Markdown, with formulas of TeX in it, as HTML.

    Browsers show MathML by themselves, so a formula needs no script and no font from elsewhere. Links to a notebook or
    a page of Markdown in the same folder lead to its page.

    Parameters
    ----------
    source

    Returns
    -------
    str

    Raises
    ------
    ValueError
        If a formula holds what cannot be written as MathML.

    Examples
    --------
    >>> print(to_html("# Step 1: a *head*\nSee [2](02_pooler.ipynb#recap)."))
    <h1 id="step-1-a-head">Step 1: a <em>head</em></h1>
    <p>See <a href="02_pooler.html#recap">2</a>.</p>
    <BLANKLINE>
    >>> "<msqrt>" in to_html(r"$\sqrt{d}$")
    True
    """
    return MarkdownWithMath(renderer=_Renderer(escape=False)).render(source)


def formula(tex: str, block: bool = False) -> str:
    """Return a formula as MathML.

    Parameters
    ----------
    tex
        Without its dollar signs.
    block
        A formula on a line of its own.

    Returns
    -------
    str

    Raises
    ------
    ValueError
        If it holds what cannot be written as MathML.
    """
    try:
        return tex2mathml(tex.strip(), as_block=block)
    except MathError as error:
        raise ValueError(f"The formula {tex.strip()!r} cannot be written as MathML: {error}") from error


class _Renderer(IPythonRenderer):
    """nbconvert's renderer, which would leave formulas to a script."""

    def inline_math(self, body: str) -> str:
        return formula(body)

    def block_math(self, body: str) -> str:
        return formula(body, block=True)

    def latex_environment(self, name: str, body: str) -> str:
        if name.rstrip("*") in ("align", "equation", "gather"):  # a block of MathML is that by itself
            return formula(body, block=True)
        return formula(rf"\begin{{{name}}}{body}\end{{{name}}}", block=True)

    def link(self, text: str, url: str, title: str | None = None) -> str:
        return super().link(text, re.sub(r"^([\w.-]+)\.(?:ipynb|md)(#.*)?$", r"\1.html\2", url), title)

    def heading(self, text: str, level: int, **attributes: Any) -> str:
        words = re.findall(r"[\w.]+", re.sub(r"<[^>]+>", "", text).lower())
        return f'<h{level} id="{"-".join(words)}">{text}</h{level}>\n'
