"""The live page and its weights: beside it, within it or in a checkout that is served, whole or damaged."""

import json
import os
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
    "one digit": ("05.js", lambda script: another_digit(script, 700_000)),
}


def another_digit(text, place):
    """Return base64 in which one digit is another."""
    return text[:place] + ("B" if text[place] == "A" else "A") + text[place + 1 :]


def replace(path, text):
    """Write a file anew, which may be a second name of another one."""
    path.unlink()
    path.write_text(text, "utf-8")


@pytest.mark.parametrize("damage", DAMAGED)
def test_weights_that_are_not_whole_are_said_and_nothing_is_computed(page, live_folder, tmp_path, damage):
    name, change = DAMAGED[damage]
    shutil.copytree(live_folder, tmp_path, copy_function=os.link, dirs_exist_ok=True)
    damaged = tmp_path / "live-weights" / name
    script = change(damaged.read_text("utf-8"))
    if script is None:
        damaged.unlink()
    else:
        replace(damaged, script)
    page.goto((tmp_path / "live.html").as_uri())
    said = f"live-weights/{name} is missing or damaged. Copy the folder live-weights beside"
    page.locator("#progress .problem", has_text=said).wait_for()
    assert page.evaluate("bertlab.fill('The [MASK] sat.').catch(error => error.message)").startswith(said)
    assert page.locator(".gap").count() == 0


def test_a_copy_of_the_sibling_that_is_damaged_is_said_and_asked_again_when_it_is_whole(page, live_folder, tmp_path):
    shutil.copytree(live_folder, tmp_path, copy_function=os.link, dirs_exist_ok=True)
    damaged = tmp_path / "live-weights" / "copy-2000.js"
    whole = damaged.read_text("utf-8")
    replace(damaged, another_digit(whole, len(whole) // 2))
    page.goto(f"{(tmp_path / 'live.html').as_uri()}#view=learning")
    page.locator("#learning .ask").click()
    page.locator("#learning .yours .problem", has_text="live-weights/copy-2000.js is missing or damaged.").wait_for()
    replace(damaged, whole)
    page.locator("#learning .ask").click()
    page.locator("#learning .copies section >> nth=3").wait_for()
    assert page.locator("#learning .yours .problem").inner_text() == ""


def test_the_page_that_stands_alone_computes_as_well_and_says_if_it_is_damaged(page, tmp_path, bert):
    alone = write_alone(tmp_path / "alone")
    page.goto(f"{alone.as_uri()}#view=hide&text=The cat sat.&hide=cat")
    first = bertlab.masking.fill_mask(bert, "The [MASK] sat.", top_k=1)["piece"].item()
    page.locator("#hide .bars .name").first.wait_for()
    assert page.locator("#hide .bars .name").first.inner_text().strip() == first
    page.click("#tab-learning")
    page.locator("#learning .away", has_text="open this view").wait_for()  # the sibling's copies are not in it
    assert not page.locator("#sentence, .ask").filter(visible=True).count()
    page.evaluate("location.hash = 'view=learning&inline'")
    page.locator("#learning .yours").wait_for(state="hidden")
    assert (page.errors, page.elsewhere) == ([], [])
    source = alone.read_text("utf-8")
    begins = [found.start() for found in re.finditer('class="weights">', source)]
    cut_off = [source[: begins[place] + 100] for place in (0, -1)]
    for number, damaged in enumerate([*cut_off, another_digit(source, begins[-1] + 100)]):
        path = tmp_path / f"{number}.html"
        path.write_text(damaged, "utf-8")
        page.goto(path.as_uri())
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


def copies_of(tab):
    """Return what the sibling's copies say of the view's own sentence."""
    tab.evaluate("hash => { location.hash = hash; }", "view=learning&text=He shook his head.")
    tab.click("#learning .ask")
    tab.locator("#learning .copies section >> nth=3").wait_for()
    return tab.locator("#learning .copies").inner_text()


def test_a_checkout_that_is_served_answers_as_the_page_that_was_written(live_page, live_folder, browser):
    begin = (live_folder / "live-weights" / "00.js").read_text("utf-8")
    data = json.loads(begin.removeprefix("bertlab.begin(").removesuffix(");\n"))
    with served(live.PROGRAMS.parent) as address:
        tab = browser.new_page()
        tab.goto(f"{address}/live/#view=hide&text=The cat sat.&hide=cat")
        tab.locator("#hide .bars .name").first.wait_for()
        assert tab.evaluate("page.data") | {"ends": 0, "sums": 0} == data | {"ends": 0, "sums": 0}
        assert tab.evaluate(ANSWERS) == live_page.evaluate(ANSWERS)
        assert copies_of(tab) == copies_of(live_page)
        assert tab.locator("a").evaluate_all("all => all.map(one => one.id)") == ["link"]  # there is no book
        tab.close()


def test_a_page_of_a_checkout_that_cannot_be_read_says_how_to_open_it(page, tmp_path):
    (tmp_path / "live").symlink_to(live.PROGRAMS)
    with served(tmp_path) as address:  # without the package
        for opened in (f"{address}/live/", (live.PROGRAMS / "index.html").as_uri()):
            page.goto(opened)
            page.locator("#progress .problem", has_text="Type python -m http.server in the folder").wait_for()
            assert page.locator(".gap").count() == 0
