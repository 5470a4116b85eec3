"""The live page in a browser, opened from a file, with no network: by keyboard, by links, and as nobody should."""

import re
from urllib.parse import quote

import pytest
import torch
from playwright.sync_api import expect

import bertlab
from pages import HOSTILE, TOKENS, VIEWS, shown, violations, wait_until, wait_until_drawn

pytestmark = pytest.mark.browser

WIDER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def test_every_view_can_be_used_by_keyboard_alone(live_page, bert):
    press = live_page.keyboard.press

    def focused():
        return live_page.evaluate(
            "document.activeElement.getAttribute('aria-label') ?? document.activeElement.innerText"
        )

    def tab_to(name):
        wait_until_drawn(live_page, "all answers")  # what is to be reached may come with the last one
        for _ in range(40):
            press("Tab")
            if re.fullmatch(name, focused()):
                return
        raise AssertionError(f"Tab never comes to {name}")

    def on_from(view, name, key="Enter"):
        """Go to the next view by an arrow, and press what has this name in it."""
        live_page.focus(f"#tab-{view}")
        press("ArrowRight")
        tab_to(name)
        press(key)

    def says(view, text):
        live_page.locator(f"#{view}").get_by_text(text).first.wait_for()

    says("hide", "door was the original word: rank 1 of 16,000")
    tab_to("Hide a word")
    tab_to("a person")
    press("Enter")  # guesses, and hides the cat
    says("hide", "Right.")
    says("hide", "In place of cat")
    tab_to("mat")
    press("Space")
    says("hide", "In place of mat")
    assert focused() == "[MASK], for mat"

    on_from("hide", "two pieces")
    says("pieces", "4,271")

    on_from("pieces", "layer 1, head 3, looks at the previous piece", "ArrowUp")
    press("ArrowLeft")
    press("ArrowLeft")
    assert focused() == "layer 0, head 1, looks at the next piece"
    says("heads", "Layer 0, head 1")
    tab_to(r"sat|\[CLS\]|the|cat")
    press("Home")
    press("ArrowDown")
    weights = bert.read("The cat sat on the mat.").attention[0, 1, 1]
    says("heads", f"the looks at: cat {weights[2]:.2f}")
    live_page.focus("#tab-heads")
    tab_to("no")
    press("Enter")  # and the page is never trained
    live_page.locator("#heads .grid:not(:has-text('←'))").wait_for()

    on_from("heads", "Guess: in layer 1.*")  # unfolds it
    tab_to("a mean of all values")
    press("Enter")
    says("head", "Right.")
    says("head", "What each adds to number 0")
    tab_to("Forward")
    press("Enter")
    says("head", "Output projection")

    on_from("head", "Never trained", "Space")
    wait_until_drawn(live_page, "random pairs")
    untrained = float(re.search(r"random pairs: (\S+);", live_page.locator("#vectors .layers li").last.inner_text())[1])
    tab_to("Never trained")
    press("Space")
    reading = bert.read("Our boat hit the muddy bank, and the bank in town was closed.")
    banks = [
        torch.stack([bertlab.vectors.word_vector(reading, "bank", i, layer) for i in (0, 1)]) for layer in range(5)
    ]
    cosines = [f"cosine {torch.cosine_similarity(*both, dim=0):.2f}" for both in banks]
    says("vectors", cosines[-1])
    wait_until_drawn(live_page, "random pairs")
    assert live_page.locator("#vectors .layers b").all_inner_texts() == cosines
    trained = float(re.search(r"random pairs: (\S+);", live_page.locator("#vectors .layers li").last.inner_text())[1])
    assert trained < 0.35 < untrained

    on_from("vectors", "the denial")
    texts = [
        "In 1995, the last survey, those numbers were equal.",
        "In 1995, the last survey, those numbers were not equal.",
    ]
    alike = torch.cosine_similarity(*bertlab.paraphrase.sentence_vectors(bert, texts), dim=0)
    says("second", f"Cosine {alike:.2f}.")
    assert live_page.locator("#second circle").count() == len(bertlab.data.read("graded_pairs"))

    on_from("second", "three or four")
    says("proofread", "are doubtful")

    live_page.focus("#tab-proofread")
    press("ArrowRight")
    assert focused() == "Watch it learn"
    live_page.focus("#step")
    press("Home")
    says("learning", "Never trained")
    press("ArrowRight")
    assert live_page.locator("#learning .three").inner_text().split() == ["the", "of", "."]

    on_from("learning", "its neighbours, the and near")
    says("swap", "Right.")
    tab_to("dog, after 1 layer.*")
    press("ArrowDown")
    press("ArrowRight")
    says("swap", "With one vector of the second: near, after 2 layers")

    live_page.focus("#tab-hide")
    press("End")
    assert focused() == "Knobs"
    tab_to("L2H7")
    press("Home")
    says("knobs", "With your knobs (L2H7)")


def test_what_is_typed_is_text_and_what_cannot_be_read_is_said(live_page):
    elements = "document.querySelectorAll('main img, main script, main iframe, main a').length"
    links = live_page.evaluate(elements)
    for hostile in (" ".join(TOKENS[:4]), " ".join(TOKENS[4:]), HOSTILE):
        live_page.goto(live_page.url.partition("#")[0] + "#" + "text=" + quote(hostile))
        assert live_page.input_value("#sentence") == hostile
        for view in VIEWS:
            section = shown(live_page, view)
            if view in ("second", "swap", "proofread"):
                section.locator("input, textarea").first.fill(hostile)
            wait_until_drawn(live_page, f"the view {view} of {hostile}")
    assert live_page.evaluate(elements) == links
    assert live_page.title() == "A BERT in a page | bertlab"
    section = shown(live_page, "hide")
    for text, said in (
        (" ", "Nothing to read yet"),
        ("\u200b", "Nothing is left to read"),
        ("A [SEP] b", "Leave [SEP] out"),
        ("a " * 127, "129 tokens long"),
    ):
        live_page.fill("#sentence", text)
        live_page.locator(".its .problem", has_text=said).wait_for()
        expect(section.locator(".gaps")).to_be_hidden()  # it is of another sentence
    live_page.fill("#sentence", "She closed the [MASK].")
    section.get_by_text("The sentence has a [MASK]").wait_for()
    assert live_page.locator(".its .problem").inner_text() == ""
    second = shown(live_page, "second")
    second.locator("#other").fill("a " * 127)
    second.locator("#other ~ *, .problem", has_text="129 tokens long").wait_for()  # under the field that it is about
    assert live_page.locator(".its .problem").inner_text() == ""


def test_nothing_has_to_be_scrolled_sideways_on_a_phone(live_page):
    live_page.set_viewport_size({"width": 320, "height": 844})
    for view in VIEWS:
        shown(live_page, view)
        if live_page.locator("#sentence").is_visible():
            live_page.fill("#sentence", f"A {'w' * 90} and the rest of a sentence that goes on, [MASK] and all. " * 2)
        wait_until_drawn(live_page, f"the view {view}")
        assert live_page.evaluate(WIDER) <= 0, view


AROUND = "header p, nav, footer, [role=tablist], .title + p, .guess, #examples, .presets, .ends"


def test_inline_there_is_a_view_and_its_sentence_alone_which_stays_as_it_is_typed(live_page):
    for view in VIEWS:
        live_page.evaluate("hash => { location.hash = hash; }", f"view={view}&inline")
        wait_until_drawn(live_page, f"the view {view}")
        assert [part for part in live_page.locator(AROUND).all() if part.is_visible()] == [], view
        for width in (850, 390):
            live_page.set_viewport_size({"width": width, "height": 844})
            assert live_page.evaluate(WIDER) <= 0, view
        for theme in ("light", "dark"):
            live_page.evaluate("theme => { postMessage({ theme }, '*'); }", theme)
            expect(live_page.locator("html")).to_have_css("color-scheme", theme)
            wait_until_drawn(live_page, f"the view {view}")
            assert violations(live_page) == [], (view, theme)
    live_page.evaluate("hash => { location.hash = hash; }", "view=pieces&text=A+dog.&inline")
    live_page.fill("#sentence", "My catfish sat.")
    wait_until(live_page, "the address", "() => location.hash === '#view=pieces&text=My+catfish+sat.&inline='")
    live_page.reload()
    live_page.locator("#pieces").get_by_text("##fish").wait_for()
    assert live_page.locator("nav").is_hidden()


FILL = "([text, ...count]) => bertlab.fill(text, ...count).catch(error => error.message)"


def test_what_python_refuses_is_refused_in_the_page_and_in_its_console(live_page, bert):
    text = "The [MASK] <mask> sat."
    with pytest.raises(ValueError, match="<mask>"):
        bertlab.masking.fill_mask(bert, text)
    said = "Type [MASK] in just these letters; here it is <mask>."
    assert live_page.evaluate(FILL, [text]) == said
    live_page.fill("#sentence", text)
    live_page.locator(".its .problem", has_text=said).wait_for()
    assert len(live_page.evaluate(FILL, ["He wore a mask (a black mask) and [MASK] it.", 3])) == 3
    for asked, said in (
        (["The [MASK] sat.", 0], "count is 0; it counts pieces, from 1 on."),
        ([5], "Give a sentence in quotes; this is "),
        (["The cat sat."], "Write [MASK] in the place of a word."),
    ):
        assert live_page.evaluate(FILL, asked).startswith(said)


def test_only_the_last_text_to_proof_read_is_answered(live_page):
    section = shown(live_page, "proofread")
    section.locator("textarea").fill("They do then what their kind does. " * 20)
    section.locator("textarea").fill("The [MASK] was bigger then that.")  # while the text before is still looked at
    wait_until_drawn(live_page, "answers")
    assert section.locator(".problem").inner_text() == "The text holds a [MASK]. Write the word out."
