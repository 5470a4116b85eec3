"""A lesson's notebook as the book shows it: a notebook for MyST-NB, made from the stored one."""

import base64
import re
from html import unescape

from nbformat import NotebookNode

from bertlab import lessons
from bertlab.attention.views import MIME, View
from bertlab_teaching import markup

ASKED = re.compile(r"guess = None  # (.+)")
ANSWER = re.compile(r"<details><summary>The answer</summary>(The answer is (.+?): .*)</details>", re.S)
PICTURE = "picture.png"  # the name of a lesson's opening image in its first cell
# Printed lines in columns, which must not be wrapped: one has a gap or a deep indent.
COLUMNS = re.compile(r"\S {2,}\S|^ {3,}\S", re.M)


def for_book(notebook: NotebookNode, name: str, beside: str) -> NotebookNode:
    """Return a copy of a lesson without notes, with views drawn, guesses to make, and `beside` below its title."""
    _refuse_never_run(notebook)
    shown = lessons.without_notes(notebook)
    for cell in shown.cells:
        (_change_code if cell.cell_type == "code" else _change_text)(cell)
    for asking, revealing in zip(shown.cells, shown.cells[1:], strict=False):
        if asking.cell_type == "code" and ASKED.fullmatch(asking.source):
            asking.update(cell_type="markdown", source=raw_html(_form(asking, revealing)))
            del asking["outputs"], asking["execution_count"]
            _unfold(revealing)
            tag(revealing, "hide-input")
    folded = False
    for cell in shown.cells:  # a section that goes further ends where the next begins
        if folded and cell.cell_type == "markdown" and cell.source.startswith("#"):
            cell.source = f"{raw_html('</details>')}\n\n{cell.source}"
            folded = False
        folded |= "further" in cell.metadata.get("tags", [])
    first = shown.cells[0]
    first.pop("attachments", None)
    title, _, rest = first.source.replace(f"attachment:{PICTURE}", f"pictures/{name}.png").partition("\n\n")
    first.source = f"{title}\n\n{raw_html(beside)}\n\n{rest}"
    return shown


def picture(notebook: NotebookNode) -> tuple[bytes, str]:
    """Return the opening image in a lesson's first cell, and its alternative text."""
    first = notebook.cells[0]
    (alt,) = re.findall(rf"!\[(.+)\]\(attachment:{PICTURE}\)", first.source)
    return base64.b64decode(first.attachments[PICTURE]["image/png"]), alt


def minutes_of(first: str) -> tuple[list[int], int, int]:
    """Return the minutes in a lesson's first cell: each sitting's core, the further sections, and the exercises."""
    pattern = r"^Core: ([\d +]+) minutes.*?(?: · further sections: (\d+))? · exercises: (\d+) · "
    ((core, further, exercises),) = re.findall(pattern, first, re.M)
    return [int(sitting) for sitting in core.split(" + ")], int(further or 0), int(exercises)


def raw_html(text: str) -> str:
    """Return HTML as a Markdown directive, which passes it through with its blank lines."""
    return f"````{{raw}} html\n{text}\n````"


def tag(cell: NotebookNode, name: str) -> None:
    """Add a tag to a cell, once; MyST-NB's ``hide-input`` folds its code."""
    cell.metadata.tags = list(dict.fromkeys([*cell.metadata.get("tags", []), name]))


def _refuse_never_run(notebook: NotebookNode) -> None:
    cells = [cell for cell in notebook.cells if cell.cell_type == "code" and cell.source.strip()]
    never = sum(cell.execution_count is None for cell in cells)
    if never:
        raise ValueError(f"{never} of its {len(cells)} code cells were not run. Run it: python -m bertlab run")


def _change_text(cell: NotebookNode) -> None:
    """Remove the comments that mark numbers, and fold a section that goes further."""
    text = re.sub("<!--.*?-->", "", cell.source)
    if "further" in cell.metadata.get("tags", []):
        unfolds = raw_html(r'<details class="further"><summary>\2</summary>')
        text = re.sub(r"\A(#+ .+\n\n)\*(Further.*?)\*", rf"\1{unfolds}", text)
    cell.source = text


def _change_code(cell: NotebookNode) -> None:
    """Fold what JupyterLab folds, leave out what a check says of nothing, draw views, label figures and tables."""
    if cell.metadata.get("jupyter", {}).get("source_hidden"):
        tag(cell, "hide-input")
    if "check" in cell.metadata.get("tags", []):  # nothing can be typed here
        cell.outputs = []
    for output in cell.outputs:
        data = output.get("data", {})
        if MIME in data:
            output.data = {"text/html": View.restore(data[MIME]).data}
        elif "text/html" in data:
            shown = data["text/html"].replace('class="live" src=', 'class="live" data-src=')  # for book.js
            output.data = {"text/html": _with_scopes(shown)}
        elif "image/png" in data:
            cell.metadata.mystnb = {"image": {"alt": output.metadata["image/png"]["alt"]}}
        if COLUMNS.search(output.get("text", data.get("text/plain", ""))):
            tag(cell, "columns")


def _with_scopes(html: str) -> str:
    """Return HTML whose table headers have a scope, column or row; an empty header becomes a plain cell."""

    def with_scope(part: re.Match[str]) -> str:
        scope = {"thead": "col", "tbody": "row"}[part[1]]
        filled = re.sub(r"<th(?: [^>]*)?></th>", "<td></td>", part[0])
        return re.sub(r"<th(?=[ >])", f'<th scope="{scope}"', filled)

    return re.sub(r"<(thead|tbody)>.*?</\1>", with_scope, html, flags=re.S)


def _form(asking: NotebookNode, revealing: NotebookNode) -> str:
    """Return the form, which book.js checks, in place of a cell that asks for a guess: the page cannot run cells."""
    match = ANSWER.search("".join(output.get("data", {}).get("text/html", "") for output in revealing.outputs))
    if match is None:
        raise ValueError(f"Cell {asking.id} asks for a guess, and the next, {revealing.id}, shows no folded answer.")
    answer = re.sub(r'^"(\w)"$', r"\1", unescape(match[2]))  # a letter without its quotation marks
    hint = ASKED.sub(r"\1", asking.source)
    options = re.split(", | or ", hint)
    is_closed = all(re.fullmatch(r'"[^"]+"|\d+', option) for option in options)
    shown = [option.strip('"') for option in options] if is_closed else []
    values = {"answer": answer, "hint": hint, "options": shown, "number": re.fullmatch(r"-?[\d.]+", answer)}
    return markup.render("guess.html", place=f"answer-{revealing.id}", **values)


def _unfold(revealing: NotebookNode) -> None:
    """Reduce the output of a cell that reveals to its answer, which can be unfolded."""
    for output in revealing.outputs:
        if match := ANSWER.search(output.get("data", {}).get("text/html", "")):
            folded = f"<summary>The answer</summary>{match[1]}"
            output.data["text/html"] = f'<details class="answer" id="answer-{revealing.id}">{folded}</details>'
