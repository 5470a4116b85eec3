"""*Watch it learn* with one's own sentence: what the sibling's copies expect, beside torch, and how it looks."""

from dataclasses import replace

import pytest
import torch
from playwright.sync_api import expect

import bertlab
from bertlab_teaching import live
from eight_bits import rounded
from pages import violations, wait_until_drawn

pytestmark = pytest.mark.browser

TEXTS = ("She opened the [MASK] and went into the house.", "The dogs near the door [MASK] very old.")
EXPECTED = """([text, copy]) => new Promise(resolve => {
    computing.addEventListener("message", ({ data }) => data.number === -1 && resolve(data.answer.gaps[0].expected));
    computing.postMessage({ number: -1, question: "hidden", text, copy, hide: [], seed: null, count: 16000 });
}).then(expected => Object.fromEntries(expected.map(({ piece, probability }) => [piece, probability])))"""
SCROLLED = "document.documentElement.scrollHeight - innerHeight"
WIDER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def test_four_copies_of_the_sibling_expect_what_torch_computes_of_the_same_numbers(live_page):
    live_page.evaluate("hash => { location.hash = hash; }", "view=learning&text=The dog sat on the mat.")
    live_page.click("#learning .ask")
    columns = live_page.locator("#learning .copies section")
    expect(columns).to_have_count(4)
    wait_until_drawn(live_page, "the copies")
    assert columns.first.locator("small").inner_text().startswith("mat: rank ")
    bert = bertlab.load("bertlab-mini")
    pieces = bert.tokenizer.convert_ids_to_tokens(list(range(len(bert.tokenizer))))
    for text in TEXTS:
        live_page.fill("#sentence", text)
        wait_until_drawn(live_page, text)
        for path, column in zip(live.COPIES, columns.all(), strict=True):
            copy = rounded(bertlab.load("bertlab-mini").model, path.read_bytes())
            ((shares,),) = bertlab.masking.probabilities(replace(bert, model=copy), [text])
            found = live_page.evaluate(EXPECTED, [text, int(path.stem)])
            torch.testing.assert_close(torch.tensor([found[piece] for piece in pieces]), shares, atol=1e-5, rtol=1e-3)
            assert column.locator("h4").inner_text() == f"{int(path.stem):,} steps"
            assert column.locator(".name").all_inner_texts() == [pieces[i] for i in shares.topk(5).indices]
    live_page.fill("#sentence", "The [MASK] dogs [MASK] old.")
    live_page.locator("#learning .problem", has_text="write [MASK] once").wait_for()
    live_page.fill("#sentence", "He shook his head.")
    expect(live_page.locator("#learning .asked")).to_have_text(
        "Hidden: head. Write [MASK] in the place of another word."
    )
    for scheme, width in (("light", 1280), ("dark", 320)):
        live_page.emulate_media(color_scheme=scheme)
        live_page.set_viewport_size({"width": width, "height": 900})
        assert live_page.evaluate(WIDER) <= 0
        assert violations(live_page) == []
    live_page.set_viewport_size({"width": 1280, "height": 720})
    live_page.click("#large")
    wait_until_drawn(live_page, "the copies in large letters")
    expect(columns.last).to_be_visible()
    assert live_page.evaluate(SCROLLED) <= 0
