"""The page of a view holds the reading's weights and nothing that a browser would fetch or that a token could start.

What a browser draws of it is in test_browser_views.py.
"""

import json
from dataclasses import replace
from html.parser import HTMLParser

import pytest
import torch

from bertlab.attention import views
from pages import TOKENS
from rounding import assert_rounded_equal

BOTH = pytest.mark.parametrize("draw", [views.head_view, views.model_view])

HOSTILE = [*TOKENS, "-->", "\n", "const PYTHON_PARAMS = {}; $params"]


class Parsed(HTMLParser):
    """The start tags of a page with their attributes, and the text inside its scripts."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.scripts = [], []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag == "script":
            self.scripts.append("")

    def handle_data(self, data):
        if self.cdata_elem == "script":
            self.scripts[-1] += data

    def names(self):
        return [tag for tag, _ in self.tags]


def frame(view):
    """Return the attributes of the iframe, which is all that the notebook's page gets."""
    outside = Parsed(view.data)
    assert outside.names() == ["div", "iframe"]
    return outside.tags[1][1]


def inside(view):
    return Parsed(frame(view)["srcdoc"])


def data_line(view):
    """Return the line of the page's script that holds all its data."""
    (line,) = [line for line in inside(view).scripts[-2].splitlines() if "const PYTHON_PARAMS = " in line]
    return line


def drawn(view):
    """Return what the page's script draws: bertviz' parameters."""
    return json.loads(data_line(view).partition("const PYTHON_PARAMS = ")[2].removesuffix(";"))


def made_up(bert, shape, tokens=None):
    """Return a reading of random weights, (layers, heads, tokens, tokens)."""
    weights = torch.rand(*shape, shape[-1], generator=torch.Generator().manual_seed(3)).softmax(-1)
    tokens = tokens or [f"w{i}" for i in range(shape[-1])]
    return replace(bert.read("The cat sat."), tokens=tokens, _attention=weights)


@pytest.fixture(scope="module")
def reading(bert):
    return bert.read("The cat sat on the mat.")


@BOTH
def test_a_pair_can_be_shown_sentence_by_sentence(bert, draw):
    pair = bert.read("The cat sat on the mat.", "It was tired.")
    first, second = pair.segments == 0, pair.segments == 1
    expected = {
        "All": (first | second, first | second),
        "Sentence A -> Sentence A": (first, first),
        "Sentence B -> Sentence B": (second, second),
        "Sentence A -> Sentence B": (first, second),
        "Sentence B -> Sentence A": (second, first),
    }
    shown = drawn(draw(pair))["attention"]
    assert [part["name"] for part in shown] == list(expected)
    for part in shown:
        rows, columns = expected[part["name"]]
        assert_rounded_equal(part["attn"], pair.attention[:, :, rows][..., columns], decimals=3)
        assert part["left_text"] == [token for token, here in zip(pair.tokens, rows, strict=True) if here]
        assert part["right_text"] == [token for token, here in zip(pair.tokens, columns, strict=True) if here]


def test_the_layers_and_heads_that_are_asked_for_are_drawn(reading):
    layers, heads = reading.attention.shape[:2]
    assert f"const MATRIX_WIDTH = {views.WIDTH};" in views.head_view(reading).data, "bertviz writes 115 otherwise now"
    chosen = drawn(views.head_view(reading, layer=-1, heads=(0, -2)))
    assert (chosen["layer"], chosen["heads"]) == (layers - 1, [0, heads - 2])
    assert_rounded_equal(chosen["attention"][0]["attn"], reading.attention, decimals=3)  # the menu still has them all
    shown = drawn(views.model_view(reading, layers=[0, -1], heads=2))
    assert (shown["include_layers"], shown["include_heads"]) == ([0, layers - 1], [2])
    assert_rounded_equal(shown["attention"][0]["attn"], reading.attention[[0, -1]][:, [2]], decimals=3)
    texts = [view["attention"][0][side] for view in (chosen, shown) for side in ("left_text", "right_text")]
    assert texts == [reading.tokens] * 4
    with pytest.raises(IndexError, match="layer is 99"):
        views.head_view(reading, layer=99)


@BOTH
def test_a_page_may_run_scripts_and_nothing_else(reading, draw):
    view = draw(reading)
    assert frame(view)["sandbox"] == "allow-scripts"
    page = inside(view)
    (policy,) = [attributes["content"] for tag, attributes in page.tags if tag == "meta" and "content" in attributes]
    assert policy == "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'"
    assert not [tag for tag in page.tags if {"src", "href", "srcset", "data-src"} & tag[1].keys()]


@BOTH
def test_hostile_tokens_are_data_and_stand_in_the_name_for_screen_readers(bert, draw):
    shape = (1, 2, len(HOSTILE))
    hostile, harmless = draw(made_up(bert, shape, HOSTILE)), draw(made_up(bert, shape))
    assert inside(hostile).names() == inside(harmless).names()
    assert drawn(hostile)["attention"][0]["left_text"] == HOSTILE
    assert "<" not in data_line(hostile)
    assert frame(hostile)["title"].endswith(f"(1 layers, 2 heads, {len(HOSTILE)} tokens): {' '.join(HOSTILE)}")


@BOTH
def test_what_a_view_shows_is_stored_in_little_space_and_gives_the_same_page(bert, draw):
    reading = bert.read("One " * 3, "Two. $x$ </script> \u2028 Ω")
    view = draw(reading, heads=[0, -1])
    again = views.View.restore(view.stored)
    assert again == view
    assert again.data == view.data
    assert len(view.stored) < 6 * reading.attention.numel()
    bundle = {"text/html": view.data, "text/plain": views.INSTEAD, views.MIME: view.stored}
    assert view._repr_mimebundle_() == bundle


DAMAGED = {"kind": "neuron", "weights": [[[1000]]], "layers": [], "second": "x", "more": 1}


@pytest.mark.parametrize("part", [None, *DAMAGED])
def test_what_is_no_stored_view_or_a_damaged_one_is_refused(reading, part):
    kept = json.loads(views.model_view(reading).stored)
    text = "" if part is None else json.dumps(kept | {part: DAMAGED[part]})
    with pytest.raises(ValueError, match=r"no stored view, or a damaged one.*Run its cell again"):
        views.View.restore(text)


def test_a_text_that_would_block_the_browser_is_refused(bert, monkeypatch):
    monkeypatch.setattr(views, "MAX_LINES", 200)
    assert drawn(views.head_view(made_up(bert, (4, 2, 10))))  # one layer is drawn at a time
    with pytest.raises(ValueError, match=r"11 tokens long.*242 lines.*1 x 2 pictures.*at most 10 tokens\.$"):
        views.head_view(made_up(bert, (4, 2, 11)))
    with pytest.raises(ValueError, match=r"6 tokens long.*288 lines.*4 x 2 pictures.*at most 5 tokens, or .*layers=\["):
        views.model_view(made_up(bert, (4, 2, 6)))
