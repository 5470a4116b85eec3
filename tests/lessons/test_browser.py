"""What a student sees: ``make lab`` in a real browser, each lesson open, one run to its last cell, all on this machine.

Chromium must be installed. Where it is not, these tests are skipped, unless BERTLAB_BROWSER_REQUIRED is set.
"""

import shutil

import pytest

from bertlab import lessons
from bertlab_teaching import solving
from pages import wait_until

pytestmark = pytest.mark.browser

PATHS = lessons.paths()
RUN = lessons.folder() / "04_attention.ipynb"  # it has views and bars


# JupyterLab puts one cell after the other on the page, and lays out those near the window.
DRAWN = """([cells, figures]) => document.querySelectorAll('.jp-CodeCell').length === cells
    && document.querySelectorAll('.jp-OutputArea-output img').length === figures
    && [...document.images].every(image => image.complete)"""
LAID_OUT = "* { content-visibility: visible !important }"
SEEN = """() => {
    const cells = [...document.querySelectorAll('.jp-CodeCell')].map(
        cell => [...cell.querySelectorAll('.jp-OutputArea-output')].map(output => output.dataset.mimeType));
    const boxes = [...document.querySelectorAll('.jp-OutputArea-output, .jp-RenderedMarkdown, .cm-scroller')];
    const wide = boxes.filter(box => box.scrollWidth > box.clientWidth + 1).map(box => box.innerText.slice(0, 80));
    const images = [...document.querySelectorAll('.jp-OutputArea-output img')];
    const drawn = image => Number(image.getAttribute('width')) || image.naturalWidth;  // some have finer pixels
    const shrunk = images.filter(image => 2 * image.clientWidth < drawn(image)).map(image => image.alt || drawn(image));
    const pictures = [...document.querySelectorAll('.jp-RenderedMarkdown img')].map(image => image.naturalWidth > 0);
    return [cells, wide, shrunk, pictures];
}"""


def test_lesson_1_is_open_and_no_question_is_asked(page, lab):
    page.goto(f"http://127.0.0.1:{lab['port']}/?token={lab['token']}")
    page.wait_for_selector(".jp-Notebook h1:has-text('1 · Embedding layer')")
    page.wait_for_selector("text=Python 3 (ipykernel) | Idle")  # JupyterLab would have asked about its news by now
    assert page.query_selector_all(".Toastify__toast, .jp-Dialog") == []
    assert page.elsewhere == []


def test_n_hides_and_shows_the_notes_which_have_a_border_in_a_teachers_copy(page, lab):
    lessons.write(solving.to_present(PATHS[0]), lab["work"] / "taught.ipynb")
    page.goto(f"http://127.0.0.1:{lab['port']}/lab/tree/taught.ipynb?token={lab['token']}")
    note = page.locator(".jp-MarkdownCell:has(blockquote.speaker)").first
    note.click()
    assert note.locator("blockquote").evaluate("quote => getComputedStyle(quote).borderTopStyle") == "dashed"
    for height in ("=== 0", "> 20", "=== 0"):
        page.keyboard.press("n")
        wait_until(page, f"a note {height}", f"note => note.offsetHeight {height}", note.element_handle())


def stored_cells(path):
    """Return a lesson's cells of code, and the number of the last one whose number is seen: a folded one shows none."""
    cells = [cell for cell in lessons.read(path).cells if cell.cell_type == "code"]
    return cells, max(n for n, cell in enumerate(cells, start=1) if "jupyter" not in cell.metadata)


def assert_all_is_shown(page, stored):
    """Every cell of code of a lesson that is open has its outputs, which fit the window, and nothing went wrong."""
    figures = [sum("image/png" in output.get("data", {}) for output in cell.outputs) for cell in stored]
    wait_until(page, "all cells and their figures", DRAWN, [len(stored), sum(figures)])
    page.add_style_tag(content=LAID_OUT)
    cells, wide, shrunk, pictures = page.evaluate(SEEN)
    for kinds, cell, count in zip(cells, stored, figures, strict=True):
        assert not [kind for kind in kinds if "stderr" in kind or "error" in kind], cell.source
        assert kinds.count("image/png") == count, cell.source
    assert wide == [], "these need scrolling sideways"
    assert shrunk == [], "these are wider than the page, and their letters less than half their size"
    assert pictures == [True], "the lesson's own, on its first screen"
    assert page.errors == []
    assert page.elsewhere == []


@pytest.mark.parametrize("path", [path for path in PATHS if path != RUN], ids=lambda path: path.stem)
def test_a_lesson_that_has_run_fits_the_window(page, lab, run_notebook, path):
    stored, last = stored_cells(path)
    (lab["work"] / "stored").mkdir(exist_ok=True)
    shutil.copy(path, lab["work"] / "stored")
    run_notebook(f"stored/{path.name}", last, times=0)
    assert_all_is_shown(page, stored)


def test_a_lesson_with_views_and_bars_runs_to_its_last_cell_fits_the_window_and_has_the_live_page_in_it(
    page, run_notebook
):
    stored, last = stored_cells(RUN)
    assert any("bertlab.figures.progress" in cell.source for cell in stored)
    assert any("view" in cell.metadata.get("tags", []) for cell in stored)
    run_notebook(RUN.name, last)
    assert_all_is_shown(page, stored)
    frames = page.locator("iframe.live")
    assert frames.count() == sum("bertlab.live(" in cell.source for cell in stored)
    for frame in frames.all():
        frame.scroll_into_view_if_needed()
        frame.content_frame.locator("section:not([hidden]) [role=radio]").first.wait_for()
        frame.content_frame.get_by_label("Type your sentence").fill("A dog ran.")
        frame.content_frame.locator("section:not([hidden]) [role=radio]", has_text="ran").first.wait_for()
    with page.context.expect_page() as opened:
        page.get_by_role("link", name="Open the whole page").last.click()
    opened.value.locator("#heads .from button").first.wait_for()
    assert opened.value.input_value("#sentence") == "The cat sat on the mat."
    assert page.elsewhere == []
