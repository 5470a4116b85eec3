"""What a student sees of the book: each page opened from a file, without a network, light or dark, on a phone."""

import pytest
from playwright.sync_api import expect

from pages import violations, wait_until

pytestmark = pytest.mark.browser

WIDER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
UNFOLD = "for (const fold of document.querySelectorAll('details')) fold.open = true"
# Slides and the live page are other pages, with tests of their own.
OTHERS = ("slides/", "live", "_static/")
KINDS = ("04_attention.html", "evidence.html", "index.html", "practice.html", "reference/attention.html")
KINDS += ("search.html?q=token", "terms.html")


@pytest.fixture
def tab(page, book):
    """A tab without a network in which a page of the book is opened by its name; nothing may go wrong in it."""
    page.context.set_offline(True)

    def show(name):
        page.goto(f"{book.as_uri()}/{name}")
        return page

    yield show
    assert page.errors == []
    assert page.elsewhere == []


def test_every_page_is_whole_and_fits_a_phone_and_axe_finds_nothing_in_one_of_each_kind(tab, page, book):
    names = [str(path.relative_to(book)) for path in sorted(book.rglob("*.html"))]
    names = [name for name in names if not name.startswith(OTHERS)]
    assert len(names) > 20
    drawn = 0
    page.set_viewport_size({"width": 390, "height": 844})
    for name in names:
        tab(name)
        for frame in page.locator("iframe:not(.live)").all():
            frame.content_frame.locator("#vis line").first.wait_for(state="attached")
            drawn += 1
        page.evaluate(UNFOLD)
        assert all(page.evaluate("[...document.images].map(image => image.naturalWidth)")), name
        assert page.evaluate(WIDER) <= 0, f"{name} has to be scrolled sideways on a phone"
    assert drawn == 3
    page.set_viewport_size({"width": 1280, "height": 1000})
    for name in KINDS:
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            tab(name)
            assert page.evaluate("document.documentElement.dataset.theme") == scheme
            page.evaluate(UNFOLD)
            assert violations(page) == [], (name, scheme)


# How many views have begun to load, each time that one is ready.
BEGUN = """window.begun = [];
addEventListener("message", ({ data }) => {
    if (data.ready) begun.push(document.querySelectorAll("iframe.live[src]").length);
});"""
HEIGHT = "body => Math.ceil(body.getBoundingClientRect().height)"


def test_views_load_in_sight_one_after_another_and_are_as_high_and_as_dark_as_they_should_be(tab, page):
    page.add_init_script(BEGUN)
    page = tab("04_attention.html")
    frames = page.locator("iframe.live")
    assert frames.evaluate_all("all => all.map(one => one.src)") == ["", "", ""]
    frames.evaluate_all("all => document.querySelector('article').prepend(...all)")
    page.evaluate("scrollTo(0, 0)")
    for number, frame in enumerate(frames.all()):
        frame.scroll_into_view_if_needed()
        frame.content_frame.locator("section:not([hidden]) [role=radio]").first.wait_for()
        body = frame.content_frame.locator("body")
        wait_until(
            page,
            "its height",
            "([n, high]) => document.querySelectorAll('iframe.live')[n].clientHeight === high",
            [number, body.evaluate(HEIGHT)],
        )
    assert list(dict.fromkeys(page.evaluate("begun"))) == [1, 2, 3]
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    for frame in frames.all():
        expect(frame.content_frame.locator("html")).to_have_css("color-scheme", "dark")
        expect(frame.content_frame.locator("body")).to_have_css("background-color", "rgb(20, 23, 27)")


def test_a_guess_is_answered_by_mouse_and_by_keyboard_and_the_answer_unfolds(tab):
    page = tab("04_attention.html")
    form = page.locator("form.guess").first
    answer = page.locator(f"#{form.get_attribute('data-reveals')}")
    expect(answer).not_to_have_attribute("open", "")
    form.get_by_role("button", name="b", exact=True).click()
    expect(form.get_by_role("status")).to_have_text("Not so: you guessed b. The answer is unfolded below.")
    expect(answer.get_by_text('The answer is "a": the rows')).to_be_visible()
    expect(page.locator("details.answer[open]")).to_have_count(1)
    right = form.get_by_role("button", name="a", exact=True)
    right.focus()
    page.keyboard.press("Enter")
    expect(form.get_by_role("status")).to_have_text("Right. The answer is unfolded below.")
    expect(form.locator("[aria-pressed=true]")).to_have_text(["a"])


def test_a_guess_at_a_number_or_a_word_is_compared(tab):
    for lesson, answer, guesses in (
        ("01_embedding_layer", "6", {"6": "Right.", "7": "Not so: you guessed 7."}),
        ("02_pooler", "0.625", {"0.60": "Near enough: you guessed 0.60, and it is 0.625.", "0.5": "Not so: you gue"}),
        ("04_attention", "cat", {" Cat": "Right.", "mat": "Not so: you guessed mat."}),
    ):
        page = tab(f"{lesson}.html")
        form = page.locator(f'form.guess[data-answer="{answer}"]:has(input)').first
        page.evaluate(UNFOLD)
        for guess, said in guesses.items():
            form.get_by_role("textbox").or_(form.get_by_role("spinbutton")).fill(guess)
            page.keyboard.press("Enter")
            expect(form.get_by_role("status")).to_contain_text(said)


def test_a_link_into_what_goes_further_unfolds_it(tab):
    page = tab("04_attention.html")
    answer = page.locator("details.further details.answer").first
    place = answer.get_attribute("id")
    expect(answer).not_to_be_visible()
    page.evaluate("place => { location.hash = place }", place)
    expect(page.locator(f"#{place} summary")).to_be_visible()


def test_the_search_shows_the_line_of_a_section_and_leads_to_it(tab):
    page = tab("index.html")
    page.keyboard.press("Control+k")
    page.keyboard.type("what are residual connections?")
    page.keyboard.press("Enter")
    results = page.locator("#results li")
    expect(results.first).to_contain_text("residual connectionTerms")
    expect(results.nth(1)).to_contain_text("Step 5: a token keeps what it had4 · Attention")
    expect(results.nth(1).locator("p")).to_contain_text("These are the residual connections.")
    expect(results.nth(1).locator("p mark")).to_have_text(["residual", "connection"])
    results.nth(1).get_by_role("link").click()
    expect(page.locator("#step-5-a-token-keeps-what-it-had mark").first).to_be_in_viewport()
    assert page.locator("mark").count() == page.locator("#step-5-a-token-keeps-what-it-had mark").count()


def test_a_word_in_a_folded_part_is_unfolded_and_what_is_typed_stays_text(tab):
    page = tab("search.html")
    for asked, first in (("what is a token", "token"), ("twin", "twin"), ("softmax", "softmax")):
        page.get_by_role("searchbox", name="Search the course").fill(asked)
        expect(page.locator("#results li").first).to_contain_text(f"{first}Terms")
    page.get_by_role("searchbox", name="Search the course").fill("<img src=x onerror=alert(1)> zzz")
    expect(page.get_by_role("status")).to_contain_text("Nothing has “img” and “src”")
    page.get_by_role("searchbox", name="Search the course").fill("attention sink")
    page.locator("#results").get_by_role("link", name="The token itself, and [CLS]").click()
    expect(page.locator("details.further[open] mark", has_text="sink")).to_be_in_viewport()


def test_a_figure_opens_so_large_that_its_letters_can_be_read(tab, page):
    page.set_viewport_size({"width": 390, "height": 844})
    tab("04_attention.html")
    links = page.locator("a.image-reference").all()
    link = max(links, key=lambda each: int(each.locator("img").get_attribute("width") or 0))
    small = link.locator("img")
    link.focus()
    page.keyboard.press("Enter")
    large = page.get_by_role("dialog").locator("img")
    expect(large).to_have_attribute("alt", small.get_attribute("alt"))
    assert large.bounding_box()["width"] >= int(small.get_attribute("width")) > 390
    assert violations(page) == []
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(link).to_be_focused()
