"""What a student sees: every page that `make site` writes, opened from a file, with no network, large, small, printed.

One test opens all, so that the pages are written once.
"""

import pytest

pytestmark = pytest.mark.browser


# What is cut off or leaves the page, where nothing can be scrolled. A view is a page of its own, made smaller.
CUT = """() => [...document.querySelectorAll('main *')].filter(element =>
    !element.matches('iframe') && !element.querySelector('iframe') && element.clientWidth &&
    (element.scrollWidth > element.clientWidth + 1 || element.getBoundingClientRect().right > innerWidth)
).map(element => `${element.tagName} ${element.className}: ${element.innerText?.slice(0, 60)}`)"""

SHRUNK = "[...document.images].every(image => image.getBoundingClientRect().right <= innerWidth)"

# The list of a page's parts that stays, and the one that folds.
SEEN = "[...document.querySelectorAll('.contents, .parts')].map(list => list.checkVisibility())"

WIDER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def test_every_page_opens_without_a_network(page, site):
    page.context.set_offline(True)
    names = sorted(str(path.relative_to(site)) for path in site.rglob("*.html"))
    drawn = 0
    for name in names:
        page.goto((site / name).as_uri())
        for frame in page.locator("iframe").all():
            frame.content_frame.locator("#vis line").first.wait_for(state="attached")
            drawn += not name.startswith("slides/")
        assert all(page.evaluate("[...document.images].map(image => image.naturalWidth)")), name
        if name.startswith("slides/"):
            continue
        parts = page.evaluate(SEEN)
        assert parts in ([], [True, False]), name
        page.set_viewport_size({"width": 390, "height": 844})
        assert page.evaluate(WIDER) <= 0, f"{name} has to be scrolled sideways on a phone"
        assert page.evaluate(SHRUNK), f"{name} has a figure that is cut on a phone"
        assert page.evaluate(SEEN) == parts[::-1]
        if not name.startswith("quiz/"):
            page.emulate_media(media="print")
            page.set_viewport_size({"width": 672, "height": 1000})  # 178 mm, what the margins leave of A4
            assert page.evaluate(CUT) == [], f"{name} is cut on paper"
            page.emulate_media(media="screen")
        page.set_viewport_size({"width": 1280, "height": 1000})
    assert len(names) > 12
    assert drawn == 2
    assert page.errors == []
    assert page.elsewhere == []
