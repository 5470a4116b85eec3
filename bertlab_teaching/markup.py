"""Pages from Jinja templates in the folder beside this file; inserted text never becomes markup."""

import html
import re
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

TEMPLATES = Path(__file__).with_name("templates")


def render(template: str, **values: Any) -> str:
    """Return a template filled with values."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"marked": marked, "labelled": labelled, "python": python, "gift": gift}
    return environment.get_template(template).render(values)


def marked(text: str) -> Markup:
    """Return text typed for slides or the quiz as HTML: its only markup is `code` and *emphasis*."""

    def tagged(match: re.Match) -> str:  # an asterisk in code, or before a space, is not markup
        return f"<code>{match[1]}</code>" if match[1] else f"<em>{match[2]}</em>"

    return Markup(re.sub(r"`([^`]+)`|\*(?! )([^*]+)\*", tagged, html.escape(text, quote=False)))


def labelled(note: str) -> list[tuple[str, str]]:
    """Return the paragraphs of a speaker's note, each split into its leading words in capitals and the rest."""
    label = re.compile(r"((?:[A-Z]{2,}[A-Z ]*[,:.]?(?= |$))?) ?(.*)", re.S)
    return [label.findall(paragraph)[0] for paragraph in note.split("\n\n")]


def python(line: str) -> Markup:
    """Return a line of code as HTML with syntax highlighting."""
    return Markup(highlight(line, PythonLexer(stripnl=False), HtmlFormatter(nowrap=True)).rstrip("\n") or " ")


def gift(text: str) -> Markup:
    """Escape text for Moodle's GIFT, in which a blank line would end a question."""
    return Markup(re.sub(r"([\\~=#{}:])", r"\\\1", text).replace("\n", r"\n"))
