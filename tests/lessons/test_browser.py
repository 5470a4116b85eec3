"""What a student sees: ``make lab`` in a real browser, each lesson open, one run to its last cell, all on this machine.

Chromium must be installed. Where it is not, these tests are skipped, unless BERTLAB_BROWSER_REQUIRED is set.
"""

import shutil

import nbformat
import pytest

from bertlab import lessons
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


def test_make_lab_says_what_it_does_and_listens_on_this_machine_only(lab):
    for path in PATHS:
        assert path.name in lab["said"]
    assert "open the http address" in lab["said"]
    assert f"http://127.0.0.1:{lab['port']}/lab" in lab["said"]
    assert "0.0.0.0" not in lab["said"]


def test_the_first_lesson_is_open_and_no_question_is_asked(page, lab):
    page.goto(f"http://127.0.0.1:{lab['port']}/?token={lab['token']}")
    page.wait_for_selector(".jp-Notebook h1:has-text('1 · Embedding layer')")
    page.wait_for_selector("text=Python 3 (ipykernel) | Idle")  # JupyterLab would have asked about its news by now
    assert page.query_selector_all(".Toastify__toast") == []
    assert page.query_selector_all(".jp-Dialog") == []
    assert page.elsewhere == []


def test_a_lessons_link_opens_the_live_page_at_its_sentence_in_a_tab_of_its_own(page, lab):
    page.goto(f"http://127.0.0.1:{lab['port']}/lab/tree/{PATHS[0].name}?token={lab['token']}&reset")
    link = page.locator(".jp-RenderedMarkdown a[href*='live.html']")
    link.wait_for(state="attached")
    with page.context.expect_page() as opened:
        link.evaluate("link => link.click()")
    live = opened.value
    live.locator("#pieces .card").first.wait_for()
    assert live.input_value("#sentence") == "She saw the cat on the mat."
    assert page.elsewhere == []


def codes(path):
    return [cell for cell in lessons.read(path).cells if cell.cell_type == "code"]


def last_number(stored):
    """Return the number of the last cell whose number is seen: a folded one shows none."""
    return max(n for n, cell in enumerate(stored, start=1) if "jupyter" not in cell.metadata)


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
    stored = codes(path)
    (lab["work"] / "stored").mkdir(exist_ok=True)
    shutil.copy(path, lab["work"] / "stored")
    run_notebook(f"stored/{path.name}", last_number(stored), times=0)
    assert_all_is_shown(page, stored)


def test_a_lesson_with_views_and_bars_runs_to_its_last_cell_and_fits_the_window(page, run_notebook):
    stored = codes(RUN)
    assert any("bertlab.figures.progress" in cell.source for cell in stored)
    assert any("view" in cell.metadata.get("tags", []) for cell in stored)
    run_notebook(RUN.name, last_number(stored))
    assert_all_is_shown(page, stored)


def test_a_caption_that_is_code_stays_text(page, lab, run_notebook):
    hostile = "</p><img src=x onerror='document.title=1'> and $x_1$ and <script>alert(1)</script>"
    drawn = "bertlab.figures.heatmap([[1.0]], rows=['$y$'])"
    source = f"import bertlab\nbertlab.figures.CaptionedFigure({drawn}, {hostile!r})"
    metadata = lessons.read(PATHS[0]).metadata  # without a kernel's name JupyterLab asks for it
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)], metadata=metadata)
    nbformat.write(notebook, lab["work"] / "hostile.ipynb")
    run_notebook("hostile.ipynb", 1)
    caption = page.wait_for_selector(".jp-RenderedHTMLCommon p:has-text('Figure.')")
    assert caption.inner_text() == f"Figure. {hostile}"
    assert caption.query_selector_all("img, script, mjx-container") == []
    assert "JupyterLab" in page.title() or "hostile" in page.title()
