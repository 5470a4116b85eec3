"""What a student sees: ``make lab`` in a real browser, each lesson run to its last cell, nothing but this machine.

Chromium must be installed. Where it is not, these tests are skipped, unless BERTLAB_BROWSER_REQUIRED is set.
"""

import os
import re
import shutil
import signal
import socket
import subprocess
from pathlib import Path

import nbformat
import pytest

from bertlab import lessons

pytestmark = pytest.mark.browser

REPOSITORY = Path(__file__).parent.parent
PATHS = sorted(lessons.folder().glob("[0-9]*.ipynb"))
MINUTE = 60_000


@pytest.fixture(scope="session")
def browser():
    from playwright.sync_api import sync_playwright

    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None:
        if os.environ.get("BERTLAB_BROWSER_REQUIRED"):
            pytest.fail("Chromium is required here and not installed.")
        pytest.skip("Chromium is not installed")
    # The last three keep Chromium itself from calling home; a page's own requests are watched in each test.
    switches = ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=chromium, args=switches)
        yield running
        running.close()


@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    """Start JupyterLab as a student does, on a fresh copy of the lessons; give its address and the copy."""
    if not (REPOSITORY / ".venv" / ".installed").is_file():
        pytest.skip("make lab was never run here")
    work = tmp_path_factory.mktemp("student") / "work"
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {name: value for name, value in os.environ.items() if "DISPLAY" not in name}
    server = subprocess.Popen(
        ["make", "lab", f"WORK={work}", f"PORT={port}"],
        cwd=REPOSITORY,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    said = []
    for line in server.stdout:
        said.append(line)
        address = re.search(rf"(http://127\.0\.0\.1:{port}/lab\S*token=(\w+))", line)
        if address:
            break
    else:
        pytest.fail("make lab ended without an address:\n" + "".join(said))
    yield {"port": port, "token": address[2], "work": work, "said": "".join(said)}
    os.killpg(server.pid, signal.SIGTERM)
    server.wait(timeout=20)


@pytest.fixture
def page(browser, lab):
    """A tab of its own, in which console errors and requests that leave this machine are written down."""
    context = browser.new_context(viewport={"width": 1280, "height": 1000})
    tab = context.new_page()
    tab.errors, tab.elsewhere = [], []
    tab.on("console", lambda message: tab.errors.append(message.text) if message.type == "error" else None)
    tab.on("pageerror", lambda error: tab.errors.append(str(error)))
    ours = (f"http://127.0.0.1:{lab['port']}/", f"ws://127.0.0.1:{lab['port']}/", "data:", "blob:")
    tab.on("request", lambda sent: None if sent.url.startswith(ours) else tab.elsewhere.append(sent.url))
    yield tab
    context.close()


def open_lesson(page, lab, name):
    page.goto(f"http://127.0.0.1:{lab['port']}/lab/tree/{name}?reset&token={lab['token']}")
    page.wait_for_selector(".jp-Notebook .jp-CodeCell", timeout=MINUTE)
    page.wait_for_selector("text=Python 3 (ipykernel) | Idle", timeout=MINUTE)


def run_all(page, cells):
    """Run all cells, and wait until the last of so many code cells has its number: they run in order."""
    page.click(".lm-MenuBar-item:has-text('Run')")
    page.click(".lm-Menu-item:has-text('Run All Cells') >> nth=0")
    # The kernel's own word, idle or busy, is no help: between two cells it is idle for a moment.
    page.wait_for_function(
        """last => {
            const panel = document.querySelector('.jp-WindowedPanel-outer');
            panel.scrollTop = panel.scrollHeight;
            const prompts = [...document.querySelectorAll('.jp-CodeCell .jp-InputPrompt')];
            return prompts.some(prompt => prompt.innerText === last);
        }""",
        arg=f"[{cells}]:",
        polling=250,
        timeout=2 * MINUTE,
    )


WALK = """async () => {
    // JupyterLab keeps only the cells near the window on the page, so look at every screenful.
    const panel = document.querySelector('.jp-WindowedPanel-outer');
    const cells = {}, wide = new Set();
    panel.scrollTop = 0;
    for (let before = -1; panel.scrollTop !== before;) {
        before = panel.scrollTop;
        const prompts = () => [...document.querySelectorAll('.jp-CodeCell .jp-InputPrompt')];
        for (let tries = 0; tries < 10; tries++) {  // a busy machine draws cells late
            await new Promise(done => setTimeout(done, 200));
            if (tries && prompts().every(prompt => prompt.innerText)) break;
        }
        for (const cell of document.querySelectorAll('.jp-CodeCell')) {
            const outputs = [...cell.querySelectorAll('.jp-OutputArea-output')];
            const prompt = cell.querySelector('.jp-InputPrompt').innerText;
            if (prompt) cells[prompt] = outputs.map(output => output.dataset.mimeType); // else not drawn yet
        }
        for (const box of document.querySelectorAll('.jp-OutputArea-output, .jp-RenderedMarkdown, .cm-scroller'))
            if (box.scrollWidth > box.clientWidth + 1) wide.add(box.innerText.slice(0, 80));
        panel.scrollTop += panel.clientHeight / 2;
    }
    return [cells, [...wide]];
}"""


def test_make_lab_says_what_it_does_and_listens_on_this_machine_only(lab):
    for path in PATHS:
        assert path.name in lab["said"]
    assert "open the http address" in lab["said"]
    assert f"http://127.0.0.1:{lab['port']}/lab" in lab["said"]
    assert "0.0.0.0" not in lab["said"]


def test_the_first_lesson_is_open_and_no_question_is_asked(page, lab):
    page.goto(f"http://127.0.0.1:{lab['port']}/?token={lab['token']}")
    page.wait_for_selector(".jp-Notebook h1:has-text('1 · Embedding layer')", timeout=MINUTE)
    page.wait_for_timeout(3000)  # JupyterLab asks about its news a moment after it has started
    assert page.query_selector_all(".Toastify__toast") == []
    assert page.query_selector_all(".jp-Dialog") == []
    assert page.elsewhere == []


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_lesson_runs_to_its_last_cell_and_fits_the_window(page, lab, path):
    open_lesson(page, lab, path.name)
    stored = [cell for cell in lessons.read(path).cells if cell.cell_type == "code"]
    run_all(page, len(stored))
    cells, wide = page.evaluate(WALK)
    assert sorted(cells, key=lambda prompt: int(prompt[1:-2])) == [f"[{n}]:" for n in range(1, len(stored) + 1)]
    for n, cell in enumerate(stored, start=1):
        kinds = cells[f"[{n}]:"]
        assert not [kind for kind in kinds if "stderr" in kind or "error" in kind], cell.source
        figures = sum("image/png" in output.get("data", {}) for output in cell.outputs)
        assert kinds.count("image/png") == figures, cell.source
    assert wide == [], "these need scrolling sideways"
    assert page.errors == []
    assert page.elsewhere == []


def test_a_caption_that_is_code_stays_text(page, lab):
    hostile = "</p><img src=x onerror='document.title=1'> and $x_1$ and <script>alert(1)</script>"
    source = f"import bertlab\nbertlab.plots.show(bertlab.plots.heatmap([[1.0]], rows=['$y$']), {hostile!r})"
    metadata = lessons.read(PATHS[0]).metadata  # without a kernel's name JupyterLab asks for it
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)], metadata=metadata)
    nbformat.write(notebook, lab["work"] / "hostile.ipynb")
    open_lesson(page, lab, "hostile.ipynb")
    run_all(page, 1)
    caption = page.wait_for_selector(".jp-RenderedHTMLCommon p:has-text('Figure.')", timeout=MINUTE)
    assert caption.inner_text() == f"Figure. {hostile}"
    assert caption.query_selector_all("img, script, mjx-container") == []
    assert "JupyterLab" in page.title() or "hostile" in page.title()
