"""The live page in class: large, without scrolling, by a presenter's keys; and for everybody: what axe finds."""

import pytest
from playwright.sync_api import expect

from pages import VIEWS, violations, wait_until_drawn

pytestmark = pytest.mark.browser

SCROLLED = "document.documentElement.scrollHeight - innerHeight"
# The letters of what is read in a hall, without the line of keys.
SMALLEST = """id => Math.min(...[...document.querySelectorAll(`.its, .its *, #${id} *`)].filter(
    one => one.checkVisibility() && !one.closest('.switch') && [...one.childNodes].some(
        node => node.nodeType === 3 && node.textContent.trim())
).map(one => parseFloat(getComputedStyle(one).fontSize)))"""
WIDER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
LETTERS = "parseFloat(getComputedStyle(document.documentElement).fontSize)"
BROKEN = """id => [...document.querySelectorAll(`#${id} .bars .name`)].filter(one => one.checkVisibility() &&
    (one.offsetHeight > 45 || one.scrollWidth > one.clientWidth)).map(one => one.textContent)"""
BELOW = """id => Math.max(...[...document.querySelectorAll(`#${id} .result *`)].filter(one => one.checkVisibility())
    .map(one => one.getBoundingClientRect().bottom)) - document.querySelector('nav').getBoundingClientRect().top"""


def test_large_asks_first_and_shows_every_result_without_scrolling_in_letters_for_the_back_row(live_page):
    live_page.set_viewport_size({"width": 1280, "height": 720})
    live_page.click("#large")
    for view in VIEWS:
        section = live_page.locator(f"#{view}")
        expect(section.locator(".guess .unfold ~ button").first).to_be_visible()
        if view == "heads":
            expect(section.locator(".grid")).to_contain_text("←")  # one has to see what is asked about
        else:
            expect(section.locator(".result")).to_be_hidden()
        text = section.locator(".guess").get_attribute("data-text")
        if text:
            assert live_page.input_value("#sentence") == text  # the guess is about this one
        live_page.keyboard.press("PageDown")
        expect(section.locator(".result")).to_be_visible()
        expect(section.locator(".why")).to_contain_text("The answer: ")
        expect(section.locator(".guess .unfold ~ button").first).to_be_hidden()
        wait_until_drawn(live_page, f"the view {view}")
        assert live_page.evaluate(SCROLLED) <= 0, view
        assert live_page.evaluate(BELOW, view) <= 0, f"the last result of {view} lies under the line of keys"
        assert live_page.evaluate(SMALLEST, view) >= 20, view
        assert live_page.evaluate(WIDER) <= 0, view
        assert live_page.evaluate(BROKEN, view) == [], view
        live_page.keyboard.press("PageDown")
    expect(live_page.locator("#hide .result")).to_be_visible()  # after the last view comes the first
    for _ in ("knobs", "swap", "learning"):
        live_page.keyboard.press("PageUp")
    for part in (".result", ".where", ".three", ".said"):
        expect(live_page.locator(f"#learning {part}")).to_be_visible()
    live_page.click("#large")
    assert live_page.evaluate(LETTERS) == 16


def test_escape_leaves_where_full_screen_is_refused_and_a_sentence_of_ones_own_is_shown_at_once(live_page):
    live_page.evaluate("() => { document.documentElement.requestFullscreen = () => Promise.reject(new Error('no')); }")
    live_page.fill("#sentence", "My cat sat on the mat.")
    live_page.click("#large")
    expect(live_page.locator("#hide .result")).to_be_visible()
    assert live_page.input_value("#sentence") == "My cat sat on the mat."
    live_page.keyboard.press("Escape")
    assert live_page.evaluate(LETTERS) == 16


def test_page_down_shows_the_answer_where_a_link_brings_the_sentence_that_the_guess_is_about(live_page):
    def opened(address):
        live_page.goto(live_page.url.partition("#")[0] + "#" + address)
        live_page.reload()
        live_page.click("#large")
        expect(live_page.locator("section:visible .result")).to_be_visible()  # at once: the deck has asked
        expect(live_page.locator("section:visible .guess")).to_be_hidden()
        live_page.keyboard.press("PageDown")

    opened("view=hide&text=The cat sat on the mat.&hide=cat")
    expect(live_page.locator("#hide .why")).to_contain_text("The answer: a person.")
    live_page.keyboard.press("PageDown")
    expect(live_page.locator("#pieces .guess")).to_be_visible()
    opened("view=hide&text=She opened the door.&hide=door")  # nobody asks about this one
    expect(live_page.locator("#pieces .guess")).to_be_visible()


def test_in_class_hands_are_counted_and_e_shows_the_next_example(live_page):
    live_page.click("#large")
    options = live_page.locator("#hide .guess .unfold ~ button")
    for option, hands in ((0, 3), (2, 2)):
        for _ in range(hands):
            options.nth(option).click()
    assert [options.nth(i).get_attribute("data-hands") for i in range(3)] == ["3", None, "2"]
    expect(live_page.locator("#hide .result")).to_be_hidden()
    live_page.locator("#hide .answer").click()
    expect(live_page.locator("#hide .why")).to_contain_text("The answer: a person.")
    examples = live_page.locator("#examples button").all_text_contents()
    for example in examples[:3]:
        live_page.keyboard.press("e")
        expect(live_page.locator("#sentence")).to_have_value(example)
    live_page.focus("#sentence")
    live_page.keyboard.press("End")
    live_page.keyboard.press("e")
    expect(live_page.locator("#sentence")).to_have_value(f"{examples[2]}e")


def test_axe_finds_nothing_in_any_view(live_page):
    for scheme, width in (("light", 1280), ("dark", 390)):
        live_page.emulate_media(color_scheme=scheme)
        live_page.set_viewport_size({"width": width, "height": 900})
        for view in VIEWS:
            live_page.evaluate("view => { location.hash = `view=${view}`; }", view)
            expect(live_page.locator(f"#{view}")).to_be_visible()
            wait_until_drawn(live_page, f"the view {view}")
            assert violations(live_page) == [], (view, scheme)


def test_training_plays_from_its_beginning(live_page):
    live_page.click("#tab-learning")
    section = live_page.locator("#learning")
    section.get_by_role("button", name="Play").click()
    expect(section.locator(".where")).to_have_text("Never trained")
    expect(section.locator(".where")).to_have_text("After 500 steps")
    section.get_by_role("button", name="Play").click()
    live_page.locator("#step").fill("13")
    expect(section.locator(".where")).to_have_text("After 20,250 steps")
    expect(section.locator(".said")).to_contain_text("A second run began at 20,000 steps")
