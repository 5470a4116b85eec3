"""The live page and its weights: beside it or within it, whole or damaged."""

import re

import pytest

import bertlab
from bertlab_teaching import live

pytestmark = pytest.mark.browser

# What can befall a folder of weights: which script it is, and what stands in it instead; None if it is not there.
DAMAGED = {
    "no first script": ("00.js", lambda read: None),
    "an empty first script": ("00.js", lambda read: ""),
    "a first script of another version": ("00.js", lambda read: read("00.js").replace('"ends"', '"parts"')),
    "not copied": ("05.js", lambda read: None),
    "cut off": ("05.js", lambda read: read("05.js")[:300_000]),
    "a page that was not found": ("05.js", lambda read: "<h1>Not Found</h1>"),
    "another part": ("05.js", lambda read: read("04.js")),
    "a part that is too short": ("05.js", lambda read: re.sub('"(.{4000}).*"', r'"\1"', read("05.js"))),
    "a last part that is too short": ("last", lambda read: re.sub('"(.{4000}).*"', r'"\1"', read("last"))),
    "no base64": ("05.js", lambda read: read("05.js").replace("A", "!")),
}


@pytest.mark.parametrize("damage", DAMAGED)
def test_weights_that_are_not_whole_are_said_and_nothing_is_computed(page, live_folder, tmp_path, damage):
    weights = sorted((live_folder / "live-weights").iterdir())
    paths = {path.name: path for path in weights} | {"last": weights[-1]}
    name, change = DAMAGED[damage]
    damaged, source = paths[name], change(lambda name: paths[name].read_text("utf-8"))
    (tmp_path / "live-weights").mkdir()
    for path in weights:
        if path != damaged:
            (tmp_path / "live-weights" / path.name).symlink_to(path)
    if source is not None:
        (tmp_path / "live-weights" / damaged.name).write_text(source, "utf-8")
    (tmp_path / "live.html").symlink_to(live_folder / "live.html")
    page.goto((tmp_path / "live.html").as_uri())
    said = f"live-weights/{damaged.name} is missing or damaged. Copy the folder live-weights beside"
    page.locator("#progress .problem", has_text=said).wait_for()
    assert page.evaluate("bertlab.fill('The [MASK] sat.').catch(error => error.message)").startswith(said)
    assert page.locator(".gap").count() == 0


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """The page as one file."""
    return live.write_alone(tmp_path_factory.mktemp("alone"))


def test_the_page_that_stands_alone_computes_as_well_and_says_if_it_is_cut_off(page, alone, tmp_path, bert):
    page.goto(f"{alone.as_uri()}#view=hide&text=The cat sat.&hide=cat")
    first = bertlab.masking.fill_mask(bert, "The [MASK] sat.", top_k=1)["piece"].item()
    page.locator("#hide .bars .name").first.wait_for()
    assert page.locator("#hide .bars .name").first.inner_text().strip() == first
    assert (page.errors, page.elsewhere) == ([], [])
    source = alone.read_text("utf-8")
    begins = [found.start() for found in re.finditer('class="weights">', source)]
    for end in (begins[0] + 100, begins[3] + 100, begins[-1] + 100):
        cut = tmp_path / f"{end}.html"
        cut.write_text(source[:end], "utf-8")
        page.goto(cut.as_uri())
        page.locator("#progress .problem", has_text="A part of this page is missing or damaged.").wait_for()
        assert page.locator(".gap").count() == 0
