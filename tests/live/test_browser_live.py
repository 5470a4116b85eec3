"""The live page in a browser, opened from a file, with no network: it is used as people do, and as nobody should."""

import re
from urllib.parse import quote

import pytest
import torch

import bertlab
from pages import HOSTILE, TOKENS, VIEWS, wait_until_drawn

pytestmark = pytest.mark.browser

WIDER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
REFUSED = (  # what the page says to what BERT cannot read
    (" ", "Nothing to read yet"),
    ("\u200b", "Nothing is left to read"),
    ("A [SEP] b", "Leave [SEP] out"),
    ("a " * 127, "129 tokens long"),
)


def shown(page, view):
    """Open a view by its tab, and return its section."""
    page.click(f"#tab-{view}")
    return page.locator(f"#{view}")


def test_every_view_can_be_used_by_keyboard_alone(live_page, bert):
    def press(*keys):
        for key in keys:
            live_page.keyboard.press(key)

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

    first = bertlab.masking.fill_mask(bert, "She opened the [MASK] and went into the house.", top_k=2)["piece"]
    says("hide", "door was the original word: rank 1 of 16,000")
    assert [name.strip() for name in live_page.locator("#hide .bars .name").all_inner_texts()[:2]] == first.tolist()
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
    press("ArrowLeft", "ArrowLeft")
    assert focused() == "layer 0, head 1, looks at the next piece"
    says("heads", "Layer 0, head 1")
    tab_to(r"sat|\[CLS\]|the|cat")
    press("Home", "ArrowDown")
    weights = bert.read("The cat sat on the mat.").attention[0, 1, 1]
    says("heads", f"the looks at: cat {weights[2]:.2f}")
    live_page.focus("#tab-heads")
    tab_to("no")
    press("Enter")  # and the page is never trained
    live_page.locator("#heads .grid:not(:has-text('←'))").wait_for()

    on_from("heads", "a mean of all values")
    says("head", "Right.")
    says("head", "weight × value")
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

    on_from("learning", "near, the word after it")
    says("swap", "Right.")
    tab_to("dog, after 1 layer.*")
    press("ArrowDown", "ArrowRight")
    says("swap", "With one vector of the second: near, after 2 layers")

    live_page.focus("#tab-hide")
    press("End")
    assert focused() == "Knobs"
    tab_to("head 2.7")
    press("Home")
    says("knobs", "With your knobs (2.7)")


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
    for text, said in REFUSED:
        live_page.fill("#sentence", text)
        section.locator(".problem", has_text=said).wait_for()
    live_page.fill("#sentence", "She closed the [MASK].")
    section.get_by_text("The sentence has a [MASK]").wait_for()
    assert section.locator(".problem").inner_text() == ""


def test_many_letters_at_once_are_taken_and_the_last_state_is_shown(live_page):
    section = shown(live_page, "heads")
    live_page.fill("#sentence", "")
    typed = "a " * 130
    live_page.focus("#sentence")
    live_page.keyboard.type(typed)
    assert live_page.input_value("#sentence") == typed
    section.locator(".problem", has_text="tokens long").wait_for()
    live_page.fill("#sentence", "The end.")
    section.locator(".to", has_text="end").wait_for()


def test_nothing_has_to_be_scrolled_sideways_on_a_phone_or_in_large_letters(live_page):
    text = f"A {'w' * 90} and the rest of a sentence that goes on, [MASK] and all. " * 2

    def fits(view):
        if live_page.locator("#sentence").is_visible():
            live_page.fill("#sentence", text)
        wait_until_drawn(live_page, f"the view {view}")
        assert live_page.evaluate(WIDER) <= 0, view

    live_page.set_viewport_size({"width": 1280, "height": 844})
    live_page.click("#large")
    for view in VIEWS:
        live_page.keyboard.press("PageDown")  # the answer, and then the next view
        live_page.locator(f"#{view} .result").wait_for()
        fits(view)
        live_page.keyboard.press("PageDown")
    live_page.click("#large")
    live_page.set_viewport_size({"width": 320, "height": 844})
    for view in VIEWS:
        shown(live_page, view)
        fits(view)


FILL = "([text, ...count]) => bertlab.fill(text, ...count).catch(error => error.message)"
READ = "text => bertlab.read(text).catch(error => error.message)"


def test_another_spelling_of_mask_and_one_to_proof_read_are_refused_as_in_python(live_page, bert):
    for typed in ("[mask]", "<mask>", "[ MASK ]"):
        text = f"The [MASK] {typed} sat."
        with pytest.raises(ValueError, match=re.escape(typed)):
            bertlab.masking.fill_mask(bert, text)
        said = f"Type [MASK] in just these letters; here it is {typed}."
        assert live_page.evaluate(FILL, [text]) == said
        live_page.fill("#sentence", text)
        live_page.locator("#hide .problem", has_text=said).wait_for()
    text = "The [MASK] was bigger then that."
    with pytest.raises(ValueError, match=r"holds a \[MASK\]"):
        bertlab.masking.proofread(bert, text)
    section = shown(live_page, "proofread")
    section.locator("textarea").fill("They do then what their kind does. " * 20)
    section.locator("textarea").fill(text)  # while the text before is still looked at, which must not take this back
    wait_until_drawn(live_page, "answers")
    assert section.locator(".problem").inner_text() == "The text holds a [MASK]. Write the word out."


def test_the_console_answers_as_python_does_and_says_what_it_cannot(live_page, bert):
    text = "He wore a mask (a black mask) and [MASK] it."
    wanted = bertlab.masking.fill_mask(bert, text, top_k=3)["piece"].tolist()
    assert [row["piece"] for row in live_page.evaluate(FILL, [text, 3])] == wanted
    assert len(live_page.evaluate(FILL, [text])) == len(bert.tokenizer)
    for count in (-1, 0, "two"):
        assert live_page.evaluate(FILL, [text, count]) == f"count is {count}; it counts pieces, from 1 on."
    for no_text in (None, 5, ["The [MASK] sat."]):
        assert live_page.evaluate(FILL, [no_text]).startswith("Give a sentence in quotes; this is ")
        assert live_page.evaluate(READ, no_text).startswith("Give a sentence in quotes; this is ")
    assert live_page.evaluate(FILL, ["The cat sat."]) == "Write [MASK] in the place of a word."
