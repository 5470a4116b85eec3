"""Notebooks' cells and files of slides to try things on, and pages as a reader meets them."""

import re
from importlib import resources
from itertools import pairwise

import nbformat
from bs4 import BeautifulSoup

from bertlab import lessons
from bertlab_teaching import live, solving

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
HOSTILE = "<script>document.title='owned'</script><img src=x onerror=alert(1)>"
TOKENS = [
    "</script><img src=x onerror=alert(1)>",
    "<!--<script>",
    "\u2028'\"\\",
    "$x$",
    '"></iframe><script>alert(2)</script>',
    "<img src=x onerror=parent.document.title='owned'>",
    "&lt;b&gt;",
]
ANSWER = "<p>not yet</p><details><summary>The answer</summary>The answer is 0.5 &lt; 1. So it is!</details>"
FOUND = "It is ahead (9 of 12, paired test) by 0.2 (p = 0.03) [0.1, 0.3]."
TABLE = """<table><thead>
<tr><th></th><th></th><th>long name</th></tr><tr><th>layer</th><th>head</th><th></th></tr></thead>
<tbody><tr><th>1</th><th>3</th><td>0.98</td></tr><tr><th>uniform</th><th></th><td>&lt;b&gt;0.08</td></tr></tbody></table>"""

# Until on the live page all is answered, and what waits for the layout is drawn, too; or for a minute and a half.
DRAWN = """async () => {
    const end = performance.now() + 90_000;
    do for (const frame of [1, 2]) await new Promise(requestAnimationFrame);
    while (unanswered && performance.now() < end);
    return unanswered === 0;
}"""


def text(source, name="text", kind=None):
    return nbformat.v4.new_markdown_cell(source, id=name, metadata={"slideshow": {"slide_type": kind}} if kind else {})


def code(source, name="code", *bundles, printed="", alt=""):
    metadata = {"image/png": {"alt": alt}} if alt else {}
    outputs = [nbformat.v4.new_output("display_data", data, metadata=metadata) for data in bundles]
    outputs += [nbformat.v4.new_output("stream", name="stdout", text=printed)] if printed else []
    return nbformat.v4.new_code_cell(source, id=name, outputs=outputs, execution_count=1)


def notebook():
    """A lesson in which there is something of each kind."""
    return nbformat.v4.new_notebook(
        cells=[
            text("# 7 · Tests & decks\n\n**Does <it> hold?**\n\n5 + 5 minutes · builds on nothing", "first"),
            text("## Look", "look"),
            code("draw()", "drawn", {"image/png": PNG}, alt="Two words. A dot at 0.5 & no more. The end."),
            text("2 min.\n\nASK: “Why <b>?”\n\nEXPECT: nothing.", "note", "notes"),
            code("table", "table", {"text/html": TABLE, "text/plain": "x"}),
            code("found()", "found", printed=f"{FOUND}\nShape (2, 3), of [6, 7, 8].\n"),
            code("print(1)", "printed", printed=f"one {HOSTILE}\ntwo\n"),
            text("### Step 1: a loop", "step"),
            code('guess = None  # "up", "down" or "<i>"', "guess"),
            code('guess = None  # "a" or "b"', "letters"),
            code("reveal()", "reveal", {"text/html": ANSWER, "text/plain": "not yet"}),
            code("for i in range(9):\n    x = i  # keep\n    y = x\nprint(y)", "loop"),
            code("mute", "mute"),
            code("draw()", "wordless", {"image/png": PNG}),
            code("two", "two", {"text/html": TABLE}, {"text/html": TABLE}),
            text("## Step 10 is no step 1", "ten"),
        ]
    )


FIGURE = 'part = "Look"\ntitle = "A *dot* & `x < 1`"\nfigure = "drawn"\n'
ASKED = 'part = "Step 1"\ntitle = "Up or down?"\npredict = "guess"\nnotes = "note"\n'
SAID = 'title = "It holds"\nsays = "reveal"\n'


def slides(*entries, name="7a", title=""):
    """Return the text of a file of slides with one sitting."""
    opening = f'[[sitting]]\nname = "{name}"\n' + (f'title = "{title}"\n' if title else "")
    return opening + "".join(f"[[sitting.slide]]\n{entry}" for entry in entries)


def small_course(monkeypatch, folder, entries):
    """Put small lessons, by name, in place of all, each with its file of slides unless it is empty."""
    folder.mkdir(parents=True)
    for name, text in entries.items():
        lessons.write(notebook(), folder / f"{name}.ipynb")
        if text:
            (folder / f"{name}.slides.toml").write_text(text, encoding="utf-8")
    monkeypatch.setattr(lessons, "folder", lambda: folder)
    monkeypatch.setattr(solving, "FOLDER", folder)
    return folder


def page(source):
    """Return a page as the tree that a browser makes of it."""
    return BeautifulSoup(source, "html.parser")


LIVE = page((live.PROGRAMS / "index.html").read_text("utf-8"))
VIEWS = [section["id"] for section in LIVE.main.find_all("section", recursive=False)]


def words(text):
    """Return a text's words and numbers alone, so that markup and line ends make no difference."""
    return " ".join(re.findall(r"\w+", text))


def loaded(tree):
    """Return the addresses that a page loads from somewhere, but for what it holds itself."""
    named = [
        tag.get(name)
        for tag in tree.find_all(["img", "script", "iframe", "object", "embed"])
        for name in ("src", "data")
    ]
    named += [tag.get("href") for tag in tree.find_all("link")]
    styles = re.sub(r"/\*.*?\*/", "", "".join(style.text for style in tree.find_all("style")), flags=re.S)
    named += re.findall(r"(?:url\(|@import)\s*['\"]?([^'\")\s]+)", styles)
    return [address for address in named if address and not address.startswith("data:")]


def violations(tab):
    """Return which rules of accessibility axe-core finds broken on a page."""
    tab.evaluate(resources.files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8"))
    return tab.evaluate(
        """Promise.all(document.getAnimations().map(fading => fading.finished))
        .then(() => axe.run({ preload: false })).then(found => found.violations.map(rule =>
            `${rule.id}: ${rule.nodes.slice(0, 3).map(node => node.html.slice(0, 200))}`))"""
    )


def wait_until(tab, what, holds, argument=None, patience=None):
    """Wait until an expression of JavaScript holds in a tab of a browser, and name what never comes."""
    from playwright.sync_api import TimeoutError

    try:
        tab.wait_for_function(holds, arg=argument, timeout=patience, polling=100)
    except TimeoutError as error:
        raise AssertionError(f"Waited in vain for {what}: {error.message.splitlines()[0]}") from None


def wait_until_drawn(tab, what):
    """Wait until the live page has answered and drawn all, and name what never comes."""
    assert tab.evaluate(DRAWN), f"Waited in vain for {what}"


def shown(page, view):
    """Open a view by its tab, and return its section."""
    page.click(f"#tab-{view}")
    return page.locator(f"#{view}")


def sittings(cells):
    """Return the cells of each sitting."""
    breaks = [i for i, cell in enumerate(cells) if re.match(r"\*\*Part [ab] ends here", cell.source)]
    return [cells[start:end] for start, end in pairwise([0, *breaks, len(cells)])]
