"""The two marks of texts that are typed for a page, in the quiz and on slides: `code` and *emphasis*."""

import html
import re


def marked(text: str) -> str:
    """Return a text with `code` and *emphasis* as HTML; all else in it stays text.

    Parameters
    ----------
    text

    Returns
    -------
    str

    Examples
    --------
    >>> marked("Is `a < b` *always* so?")
    'Is <code>a &lt; b</code> <em>always</em> so?'
    """
    text = html.escape(text, quote=False)
    return re.sub(r"\*([^*]+)\*", r"<em>\1</em>", re.sub(r"`([^`]+)`", r"<code>\1</code>", text))
