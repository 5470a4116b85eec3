"""The live page's address in a browser: a link or a reload shows a view and its sentence, and one's own comes back."""

import pytest
from playwright.sync_api import expect

from pages import wait_until

pytestmark = pytest.mark.browser

ADDRESS = "part => location.hash.includes(part)"


def shown(page, view):
    """Open a view by its tab, and return its section."""
    page.click(f"#tab-{view}")
    return page.locator(f"#{view}")


def test_a_link_opens_each_view_at_what_it_names_and_the_page_makes_the_same_link(live_page):
    live_page.set_viewport_size({"width": 390, "height": 844})  # a phone shows some of the tabs
    for link, view, shown_there in (
        ("view=hide&text=The+cat+sat.&hide=sat", "hide", "In place of sat"),
        ("view=heads&text=The+cat+sat.&layer=2&head=4&token=1", "heads", "Layer 2, head 4"),
        ("view=second&text=The+cat+sat.&other=The+cat+sat.&seed=3", "second", "Cosine 1.00."),
        ("view=learning&text=The+cat+sat.&steps=2000", "learning", "After 2,000 steps"),
        ("view=pieces&text=The+cat+sat.", "pieces", "6 tokens"),
    ):
        live_page.evaluate("hash => { location.hash = hash; }", link)
        live_page.locator(f"#{view}").get_by_text(shown_there).first.wait_for()
        expect(live_page.locator(f"#tab-{view}")).to_be_in_viewport(ratio=0.9)
        wait_until(live_page, "the link", "link => document.querySelector('#link').hash === `#${link}`", link)
    live_page.evaluate("hash => { location.hash = hash; }", "view=heads&layer=99&head=x&token=-1&text=The end.")
    shown(live_page, "heads").get_by_text("Layer 2, head 4").wait_for()  # what names nothing is left out


def test_a_reload_shows_the_same_view_and_sentence_again_and_an_example_gives_ones_own_back(live_page):
    live_page.click("#examples button >> nth=1")
    wait_until(live_page, "the address", ADDRESS, "Once+upon")
    live_page.reload()
    live_page.locator("#hide").get_by_text("In place of time").wait_for()
    shown(live_page, "heads")
    assert live_page.input_value("#sentence") == "The cat sat on the mat."  # an example makes room for another
    own = "My dog chased my cat."
    live_page.fill("#sentence", own)
    live_page.locator("#heads .grid button").nth(12).click()
    wait_until(live_page, "the address", ADDRESS, "chased+my+cat.&layer=1&head=4")
    live_page.reload()
    live_page.locator("#heads").get_by_text("Layer 1, head 4").wait_for()
    assert live_page.input_value("#sentence") == own
    section = shown(live_page, "pieces")
    section.get_by_role("button", name="it is unknown").click()
    expect(live_page.locator("#sentence")).not_to_have_value(own)
    section.get_by_role("button", name="Back to your sentence").click()
    expect(live_page.locator("#sentence")).to_have_value(own)
    expect(section.locator(".back")).to_be_hidden()
    shown(live_page, "vectors")
    expect(live_page.locator("#sentence")).to_have_value(own)
    section = shown(live_page, "proofread")
    section.locator("textarea").fill("They do then what their kind does.")
    section.locator(".guess button").first.click()
    expect(section.locator("textarea")).not_to_have_value("They do then what their kind does.")
    section.locator(".back").click()
    expect(section.locator("textarea")).to_have_value("They do then what their kind does.")


def test_a_sentence_from_another_view_has_one_word_hidden_until_it_is_pressed(live_page):
    pressed = live_page.locator("#hide .piece[aria-pressed=true]")
    for text, hidden in (("My dog chased my cat.", "cat"), ("He sat by the bakery!", "the")):
        shown(live_page, "heads")
        live_page.fill("#sentence", text)
        shown(live_page, "hide").get_by_text(f"In place of {hidden}").wait_for()
        expect(pressed).to_have_count(1)
        pressed.click()
        live_page.get_by_text("Press a word above to hide it.").wait_for()
    live_page.fill("#sentence", "My [MASK] sat.")
    live_page.locator("#hide").get_by_text("In place of [MASK]").wait_for()
    expect(pressed).to_have_count(0)
