"""The live page and its weights: beside it, within it or in a checkout that is served, whole or damaged."""

import json
import re
import shutil
import threading
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

import bertlab
from bertlab.page import write_alone
from bertlab_teaching import live

pytestmark = pytest.mark.browser

# What can befall a folder of weights: which script it is, and what stands in it instead; None if it is not there.
DAMAGED = {
    "of another version": ("00.js", lambda script: script.replace('"ends"', '"parts"')),
    "not copied": ("05.js", lambda script: None),
    "cut off": ("05.js", lambda script: script[:300_000]),
    "another part": ("05.js", lambda script: script.replace("part(", "part(1 + ")),
    "too short": ("05.js", lambda script: re.sub('"(.{4000}).*"', r'"\1"', script)),
}


@pytest.mark.parametrize("damage", DAMAGED)
def test_weights_that_are_not_whole_are_said_and_nothing_is_computed(page, live_folder, tmp_path, damage):
    name, change = DAMAGED[damage]
    shutil.copytree(live_folder, tmp_path, dirs_exist_ok=True)
    damaged = tmp_path / "live-weights" / name
    script = change(damaged.read_text("utf-8"))
    damaged.unlink()
    if script is not None:
        damaged.write_text(script, "utf-8")
    page.goto((tmp_path / "live.html").as_uri())
    said = f"live-weights/{name} is missing or damaged. Copy the folder live-weights beside"
    page.locator("#progress .problem", has_text=said).wait_for()
    assert page.evaluate("bertlab.fill('The [MASK] sat.').catch(error => error.message)").startswith(said)
    assert page.locator(".gap").count() == 0


def test_the_page_that_stands_alone_computes_as_well_and_says_if_it_is_cut_off(page, tmp_path, bert):
    alone = write_alone(tmp_path / "alone")
    page.goto(f"{alone.as_uri()}#view=hide&text=The cat sat.&hide=cat")
    first = bertlab.masking.fill_mask(bert, "The [MASK] sat.", top_k=1)["piece"].item()
    page.locator("#hide .bars .name").first.wait_for()
    assert page.locator("#hide .bars .name").first.inner_text().strip() == first
    assert (page.errors, page.elsewhere) == ([], [])
    source = alone.read_text("utf-8")
    begins = [found.start() for found in re.finditer('class="weights">', source)]
    for end in (begins[0] + 100, begins[-1] + 100):
        cut = tmp_path / f"{end}.html"
        cut.write_text(source[:end], "utf-8")
        page.goto(cut.as_uri())
        page.locator("#progress .problem", has_text="A part of this page is missing or damaged.").wait_for()
        assert page.locator(".gap").count() == 0


@contextmanager
def served(folder):
    """Serve a folder as `python -m http.server` does, and give its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(SimpleHTTPRequestHandler, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


# All that the page asks of the thread that computes goes by these two; the second BERT was never trained.
ANSWERS = """async () => [await bertlab.fill("She closed the [MASK] of the naïve café."),
    (await bertlab.read("The cat sat on the mat.")).attention,
    document.querySelector("#hide [role=switch]").click(), await bertlab.fill("The [MASK] sat.")]"""


def test_a_checkout_that_is_served_answers_as_the_page_that_was_written(live_page, live_folder, browser):
    begin = (live_folder / "live-weights" / "00.js").read_text("utf-8")
    data = json.loads(begin.removeprefix("bertlab.begin(").removesuffix(");\n"))
    with served(live.PROGRAMS.parent) as address:
        tab = browser.new_page()
        tab.goto(f"{address}/live/#view=hide&text=The cat sat.&hide=cat")
        tab.locator("#hide .bars .name").first.wait_for()
        assert tab.evaluate("page.data") | {"ends": 0} == data | {"ends": 0}
        assert tab.evaluate(ANSWERS) == live_page.evaluate(ANSWERS)
        assert tab.locator("a").evaluate_all("all => all.map(one => one.id)") == ["link"]  # there is no book
        tab.close()


def test_a_page_of_a_checkout_that_cannot_be_read_says_how_to_open_it(page, tmp_path):
    (tmp_path / "live").symlink_to(live.PROGRAMS)
    with served(tmp_path) as address:  # without the package
        for opened in (f"{address}/live/", (live.PROGRAMS / "index.html").as_uri()):
            page.goto(opened)
            page.locator("#progress .problem", has_text="Type python -m http.server in the folder").wait_for()
            assert page.locator(".gap").count() == 0
