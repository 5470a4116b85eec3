"""Pages from templates of Jinja, in the folder beside this file: a text that is put into one never becomes markup."""

import html
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from markupsafe import Markup

TEMPLATES = Path(__file__).with_name("templates")


def render(template: str, **values: Any) -> str:
    """Return a template with values put in, and with style sheets that it includes."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

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


def marked(text: str) -> "Markup":
    """Return a text with `code` and *emphasis*, the two marks of what is typed for slides and the quiz, as HTML."""
    from markupsafe import Markup

    def tagged(found: re.Match) -> str:  # a star in code, or before a space, marks nothing
        return f"<code>{found[1]}</code>" if found[1] else f"<em>{found[2]}</em>"

    return Markup(re.sub(r"`([^`]+)`|\*(?! )([^*]+)\*", tagged, html.escape(text, quote=False)))


def labelled(note: str) -> list[tuple[str, str]]:
    """Return a speaker's note as paragraphs, each with the words in capitals that it begins with."""
    label = re.compile(r"((?:[A-Z]{2,}[A-Z ]*[,:.]?(?= |$))?) ?(.*)", re.S)
    return [label.findall(paragraph)[0] for paragraph in note.split("\n\n")]


def python(line: str) -> "Markup":
    """Return a line of code in colours."""
    from markupsafe import Markup
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import PythonLexer

    return Markup(highlight(line, PythonLexer(stripnl=False), HtmlFormatter(nowrap=True)).rstrip("\n") or " ")


def gift(text: str) -> "Markup":
    """Return a text in which no character means anything to Moodle's GIFT, where a blank line would end a question."""
    from markupsafe import Markup

    return Markup(re.sub(r"([\\~=#{}:])", r"\\\1", text).replace("\n", r"\n"))
