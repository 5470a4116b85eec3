"""What stands in the live page's address: a link, a reload, *Back*, and what goes along from view to view."""

import pytest
from playwright.sync_api import expect

import bertlab
from pages import shown, wait_until

pytestmark = pytest.mark.browser


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
    wait_until(live_page, "the address", "() => /Once\\+upon.*hide=time/.test(location.hash)")
    live_page.reload()
    live_page.locator("#hide").get_by_text("In place of time").wait_for()
    shown(live_page, "heads")
    assert live_page.input_value("#sentence") == "The cat sat on the mat."  # an example makes room for another
    own = "My dog chased my cat."
    live_page.fill("#sentence", own)
    live_page.locator("#heads .grid button").nth(12).click()
    wait_until(live_page, "the address", "() => location.hash.includes('chased+my+cat.&layer=1&head=4')")
    live_page.reload()
    live_page.locator("#heads").get_by_text("Layer 1, head 4").wait_for()
    assert live_page.input_value("#sentence") == own
    section = shown(live_page, "pieces")
    section.get_by_role("button", name="it is unknown").click()
    expect(live_page.locator("#sentence")).not_to_have_value(own)
    section.get_by_role("button", name="Back to your sentence").click()
    expect(live_page.locator("#sentence")).to_have_value(own)
    expect(section.locator(".back")).to_be_hidden()
    own = "They do then what their kind does."
    section = shown(live_page, "proofread")
    section.locator("textarea").fill(own)
    section.locator(".guess .unfold ~ button").first.click()
    expect(section.locator("textarea")).not_to_have_value(own)
    section.locator(".back").click()
    expect(section.locator("textarea")).to_have_value(own)


def test_back_goes_to_the_view_before_with_its_sentence(live_page):
    views = {"hide": "My dog chased my cat.", "heads": "He sat by the bakery.", "pieces": "The bakery was closed."}
    for view, text in views.items():
        shown(live_page, view)
        live_page.fill("#sentence", text)  # and on at once
    shown(live_page, "vectors")
    for view, text in reversed(views.items()):
        live_page.go_back()
        expect(live_page.locator(f"#{view}")).to_be_visible()
        expect(live_page.locator("#sentence")).to_have_value(text)
    live_page.go_forward()
    expect(live_page.locator("#heads .to")).to_contain_text("baker")


def test_what_a_guess_switched_on_goes_with_its_view_and_what_the_person_switched_on_stays(live_page, bert):
    trained = bertlab.masking.fill_mask(bert, "The [MASK] sat.", top_k=1)["piece"].item()

    def first():
        return live_page.evaluate("bertlab.fill('The [MASK] sat.', 1)")[0]["piece"]

    switches = live_page.locator("section:visible [role=switch]")
    by_tab, by_link = (lambda: shown(live_page, "hide")), (lambda: live_page.click("#heads .numbers"))
    for leave in (by_tab, by_link, lambda: live_page.evaluate("location.hash = 'view=pieces&text=The cat.'")):
        shown(live_page, "heads").locator(".guess .unfold ~ button", has_text="no").click()
        expect(switches).to_have_attribute("aria-checked", "true")
        assert first() != trained
        leave()
        expect(switches).to_have_attribute("aria-checked", "false")
        assert first() == trained
    switches.click()
    shown(live_page, "vectors").locator(".guess .unfold ~ button", has_text="higher").click()
    shown(live_page, "hide")
    expect(switches).to_have_attribute("aria-checked", "true")


def test_on_a_phone_a_guess_is_one_line_that_unfolds(live_page):
    live_page.set_viewport_size({"width": 390, "height": 844})
    guess = shown(live_page, "heads").locator(".guess")
    assert guess.bounding_box()["height"] < 45
    assert live_page.locator("#heads .lines").bounding_box()["y"] < 800
    guess.locator(".unfold").click()
    guess.get_by_role("button", name="no", exact=True).click()
    expect(guess.locator(".why")).to_contain_text("Right.")


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
