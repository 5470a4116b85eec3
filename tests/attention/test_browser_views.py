"""What a browser draws of the attention views: every line, in JupyterLab, on an exported page and on a hidden slide.

Nothing but this machine is asked for anything, and nothing that a token says is run.
"""

from dataclasses import replace

import nbformat
import numpy as np
import pytest
import torch
from playwright.sync_api import expect

from bertlab import lessons
from bertlab.attention import views
from bertlab.figures import plots
from pages import TOKENS, wait_until
from rounding import assert_rounded_equal

pytestmark = pytest.mark.browser


def frame(page, number):
    """Return the page inside a view, once its lines are drawn: they are all drawn in one go."""
    inner = page.locator("iframe").nth(number).content_frame
    inner.locator("#vis line").first.wait_for(state="attached")
    return inner


def opacities(inner):
    return inner.locator("#vis line").evaluate_all("lines => lines.map(line => +line.getAttribute('stroke-opacity'))")


def assert_head_view(inner, weights):
    """Each head has a colour of its own, and a line from each token to each, as strong as its weight."""
    heads = len(weights)
    drawn = np.reshape(opacities(inner), weights.shape)
    assert_rounded_equal(drawn * heads, weights, decimals=3)  # bertviz divides by the heads shown
    colours = inner.locator(".headAttention").evaluate_all(
        "heads => heads.map(head => head.querySelector('line').getAttribute('stroke'))"
    )
    assert tuple(colours) == plots.PALETTE[:heads]


def assert_model_view(inner, weights):
    """Each head of each layer is drawn, line by line, and inside the window's width."""
    assert_rounded_equal(np.reshape(opacities(inner), weights.shape), weights, decimals=3)
    ends = inner.locator(".attn_background").evaluate_all(
        "boxes => boxes.map(box => [box.getBoundingClientRect().left, box.getBoundingClientRect().right])"
    )
    assert len(ends) == weights.shape[0] * weights.shape[1]
    width = inner.locator("html").evaluate("page => page.clientWidth")
    assert min(left for left, _ in ends) > 0
    assert max(right for _, right in ends) <= width
    assert inner.locator("html").evaluate("page => page.scrollWidth") <= width


@pytest.fixture
def exported(page, tmp_path):
    """Open views as cells of a notebook that was exported as a page, without a network."""

    def show(*shown, width=1280):
        from nbconvert import HTMLExporter

        outputs = [nbformat.v4.new_output("display_data", {"text/html": view.data}) for view in shown]
        cells = [nbformat.v4.new_code_cell("view", outputs=[output]) for output in outputs]
        # nbconvert's own page asks the web for these. The views must not need them.
        nothing = dict.fromkeys(
            ("mathjax_url", "require_js_url", "jquery_url", "mermaid_js_url"), "data:text/javascript,//"
        )
        html, _ = HTMLExporter(**nothing).from_notebook_node(nbformat.v4.new_notebook(cells=cells))
        (tmp_path / "exported.html").write_text(html, encoding="utf-8")
        page.context.set_offline(True)
        page.set_viewport_size({"width": width, "height": 900})
        page.goto((tmp_path / "exported.html").as_uri())
        return page

    return show


@pytest.fixture(scope="module")
def reading(bert):
    return bert.read("The cat sat on the mat.")


@pytest.fixture(scope="module")
def pair(bert):
    return bert.read("The cat sat on the mat.", "It was tired.")


def test_views_of_an_exported_page_are_drawn_and_menus_change_their_own_one_only(exported, reading, pair):
    page = exported(views.head_view(pair), views.head_view(reading, layer=1), views.model_view(pair))
    first, second, third = (frame(page, number) for number in range(3))
    assert_model_view(third, pair.attention)
    first.get_by_label("Layer").select_option("3")
    assert_head_view(first, pair.attention[3])
    assert_head_view(second, reading.attention[1])
    a, b = pair.segments == 0, pair.segments == 1
    third.get_by_label("Attention").select_option("Sentence B -> Sentence A")
    assert_model_view(third, pair.attention[:, :, b][..., a])
    assert page.errors == []
    assert page.elsewhere == []


def test_all_of_a_long_text_can_be_scrolled_to_and_long_words_are_whole(exported, bert):
    long = bert.read("Straightforward recommendations, " * 10)
    page = exported(views.head_view(long), views.model_view(long), width=800)
    assert_model_view(frame(page, 1), long.attention)
    for number in range(2):
        html = frame(page, number).locator("html")
        bottom = html.evaluate("() => document.querySelector('svg').getBoundingClientRect().bottom")
        assert bottom <= html.evaluate("page => page.scrollHeight")
        assert html.evaluate("page => page.clientHeight") <= views.MAX_HEIGHT
    lefts = frame(page, 0).locator("#left text").evaluate_all("words => words.map(w => w.getBoundingClientRect().left)")
    assert min(lefts) >= 0


def test_a_view_that_was_hidden_is_drawn_and_fits_when_it_is_shown(page, reading):
    page.set_viewport_size({"width": 700, "height": 700})
    hidden = f"<body style='display:none'>{views.model_view(reading).data}"
    page.set_content(hidden)
    inner = frame(page, 0)
    page.evaluate("document.body.style.display = 'block'")
    wait_until(page, "a wide view", "document.querySelector('iframe').clientWidth > 600")
    inner.locator("#vis[style*='zoom: 0.']").wait_for()
    assert_model_view(inner, reading.attention)


@pytest.mark.parametrize("draw", [views.head_view, views.model_view])
def test_hostile_tokens_are_shown_as_text_and_run_nothing(exported, bert, draw):
    weights = torch.full((1, 2, len(TOKENS), len(TOKENS)), 1 / len(TOKENS))
    hostile = replace(bert.read("The cat sat."), tokens=TOKENS, _attention=weights)
    page = exported(draw(hostile), draw(hostile))
    for number in range(2):
        inner = frame(page, number)
        if draw is views.model_view:
            inner.locator("#attn_background_0_1").click(force=True)
            inner.locator("text.token").first.wait_for()
        shown = inner.locator("text.token, #left text, #right text").all_text_contents()
        assert shown == TOKENS * 2
        assert inner.locator("img, iframe").count() == 0
        assert inner.locator("script").count() == 5
    assert page.locator("iframe").count() == 2
    assert page.title() != "owned"
    assert page.errors == []  # an alert in a sandbox is such an error
    assert page.elsewhere == []


def test_both_views_are_drawn_in_jupyterlab_and_again_when_it_is_run_again(page, lab, run_notebook, reading, pair):
    sources = [
        f"import bertlab\nbert = bertlab.load('bertlab-mini')\nreading = bert.read({reading.text!r})",
        "bertlab.attention.head_view(reading)",
        "bertlab.attention.model_view(reading)",
        f"bertlab.attention.head_view(bert.read({pair.text!r}, {pair.pair!r}))",
    ]
    metadata = lessons.read(lab["work"] / "01_embedding_layer.ipynb").metadata  # the kernel's name
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=metadata), lab["work"] / "views.ipynb")
    page.set_viewport_size({"width": 1280, "height": 2600})  # what is not in the window is not drawn
    run_notebook("views.ipynb", len(sources), times=2)
    expect(page.locator(".jp-OutputArea-output iframe")).to_have_count(3)
    assert page.locator("iframe").count() == 3
    assert_head_view(frame(page, 0), reading.attention[0])
    assert_model_view(frame(page, 1), reading.attention)
    assert_head_view(frame(page, 2), pair.attention[0])
    frame(page, 2).get_by_label("Layer").select_option("2")
    assert_head_view(frame(page, 2), pair.attention[2])
    assert_head_view(frame(page, 0), reading.attention[0])
    assert page.errors == []
    assert page.elsewhere == []
