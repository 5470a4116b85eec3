"""What a class sees: every slide of every deck, whole and readable.

Decks are opened as files without a network; the page of a test writes down what its browser asks of anybody else.
"""

import pytest

from bertlab import lessons
from bertlab.figures import plots
from bertlab_teaching import decks
from bertlab_teaching.slides import outline, plan, session, stored
from pages import wait_until

pytestmark = pytest.mark.browser

# Goes through all slides and looks at each in its own pixels: what is cut off, scrolls, overlaps or leaves its place,
# the size of letters, and of figures what a picture's own shape leaves of its box.
LOOK = """() => {
    const box = element => element.getBoundingClientRect();
    const look = element => getComputedStyle(element);
    const shown = element => box(element).width && box(element).height && look(element).visibility !== 'hidden';
    return [...Array(Reveal.getTotalSlides()).keys()].map(place => {
        Reveal.slide(place);
        const slide = document.querySelector('section.present .slide'), foot = slide.querySelector('footer');
        const title = slide.querySelector('h1, h2'), top = box(title).bottom;
        const bottom = shown(foot) ? box(foot).top : 684;
        const seen = {wrong: [], sizes: {}, figures: [], letters: [], title: title.innerText};
        seen.bars = slide.querySelectorAll('.bars').length;
        const parts = [...slide.querySelectorAll('.body > *')].filter(shown).map(box);
        if (parts.some((part, i) => parts.slice(0, i).some(one => part.top < one.bottom && part.left < one.right)))
            seen.wrong.push(`${title.innerText}: parts lie on each other`);
        for (const element of [...slide.querySelectorAll('*')].filter(shown)) {
            const {left, right, ...is} = box(element).toJSON(), inside = element.closest('.body');
            const high = element.scrollHeight > element.clientHeight + 1;
            const cut = element.clientHeight && look(element).overflow !== 'visible';
            if (left < 0 || right > 1280 - 40 || is.top < 0 || is.bottom > 720 ||
                (inside && (is.top < top || is.bottom > bottom + 1)) ||
                (cut && (high || element.scrollWidth > element.clientWidth + 1)))
                seen.wrong.push(`${title.innerText}: ${element.tagName}.${element.className} has no room`);
            if (inside && element.innerText?.trim() && !element.children.length) {
                const kind = element.closest('table') ? 'table' : element.closest('pre') ? 'code' : 'text';
                seen.sizes[kind] = Math.min(seen.sizes[kind] ?? 99, parseFloat(look(element).fontSize));
            }
            if (element.matches('iframe')) seen.figures.push(is.height);
            if (element.matches('img')) {
                const ratio = element.naturalWidth / element.naturalHeight;
                const wide = Math.min(is.width, is.height * ratio);
                seen.figures.push(Math.max(wide / 1000, wide / ratio / 380) * 400);
                seen.letters.push(wide / element.naturalWidth);
            }
        }
        return seen;
    });
}"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with all decks, and those of the short path in one of its own."""
    folder = tmp_path_factory.mktemp("decks")
    decks.build(folder, further=True)
    decks.build(folder / "short", short=True)
    return folder


@pytest.fixture
def window(page):
    """Make the tab as large as a small projector, and without a network."""
    page.set_viewport_size({"width": 1280, "height": 720})
    page.context.set_offline(True)
    return page


def opened(window, deck):
    window.goto(deck.as_uri())
    window.wait_for_selector(".reveal.ready")
    window.evaluate("document.fonts.ready")
    return window


@pytest.mark.parametrize("path", [session.path(), *lessons.paths()], ids=lambda path: path.stem)
def test_every_slide_is_whole_and_readable(folder, window, path):
    for sitting in outline.sittings(outline.of(path)):
        (deck,) = folder.glob(f"{sitting['name']}_*.html")
        opened(window, deck)
        seen = window.evaluate(LOOK)
        assert [slide["wrong"] for slide in seen if slide["wrong"]] == []
        assert window.locator(".crowded").count() == 0
        assert len({slide["title"] for slide in seen}) == len(seen), "no two slides say the same"
        sizes = {kind: [slide["sizes"].get(kind, 99) for slide in seen] for kind in ("text", "table", "code")}
        assert {kind: min(found) >= 20 for kind, found in sizes.items()} == dict.fromkeys(sizes, True)
        figures = [size for slide in seen for size in slide["figures"]]
        assert min(figures) >= 400, "a picture is 1000 pixels wide or 380 high, and a view 400"
        assert len(figures) + sum(slide["bars"] for slide in seen) >= len(sitting["slide"]) / 4
        letter = plots.STYLE["font.size"] / 72 * plots.PER_INCH  # pixels of a picture's file
        assert min(scale * letter for slide in seen for scale in slide["letters"]) >= 18
        (short,) = (folder / "short").glob(f"{sitting['name']}_*.html")
        opened(window, short)
        assert 8 <= window.evaluate("Reveal.getTotalSlides()") < len(seen)
    assert window.errors == []
    assert window.elsewhere == []


def test_letters_are_as_large_as_there_is_room_and_a_slide_that_is_too_full_says_so(window, tmp_path):
    wide = stored.Table(["word"] * 3, [["a long word " * 2] * 3] * 4, 0)
    figures = [stored.Table(["n"], [["1"]], 0), wide, stored.Printed(["one"] * 14), stored.Printed(["x" * 120])]
    slides = [plan.Slide("?", "", "opening"), *(plan.Slide("A", "Look", figure=figure) for figure in figures)]
    for text in (("code", [("x = 1", True)]), ("points", ["A point that is as long as a line of a slide is."] * 12)):
        slides.append(plan.Slide("B", "Look", text=[text]))
    (tmp_path / "deck.html").write_text(decks.deck(plan.Sitting("7", "7 · Tests", slides)), encoding="utf-8")
    opened(window, tmp_path / "deck.html")
    sizes = window.evaluate("[...document.querySelectorAll('.fitted, .code')].map(one => parseInt(one.style.fontSize))")
    assert (sizes[0], sizes[3], sizes[4]) == (44, 21, 40)
    assert all(21 < size < 44 for size in sizes[1:3])
    crowded = "[...document.querySelectorAll('.slide')].map(slide => slide.classList.contains('crowded'))"
    assert window.evaluate(crowded) == [False, False, False, False, True, False, True]


def test_audience_and_speaker_stay_in_step(folder, window):
    opened(window, folder / "4a_attention.html")
    with window.expect_popup() as popup:
        window.keyboard.press("s")
    speaker = popup.value
    now, upcoming = (speaker.locator(f"#{which}-slide iframe").content_frame for which in ("current", "upcoming"))
    label = speaker.get_by_text("Upcoming").bounding_box()
    assert label["y"] > upcoming.locator("section.present h2").bounding_box()["y"] + 100, "it covers no title"
    total = window.evaluate("Reveal.getTotalSlides()")
    foot = "section.present footer:has-text('| {} / {}')"
    heard = "document.querySelector('.speaker-controls-notes .value').textContent.split(/\\s+/).join('')"
    noted = 0
    for place in range(1, total + 1):
        if place > 1:
            (window if place % 2 else speaker).keyboard.press("Space" if place % 3 else "ArrowRight")
        for where in (window, now):
            where.locator(foot.format(place, total)).wait_for(state="attached")
        if place < total:
            upcoming.locator(foot.format(place + 1, total)).wait_for()
        notes = window.evaluate("(Reveal.getCurrentSlide().querySelector('aside').textContent).split(/\\s+/).join('')")
        wait_until(speaker, f"the notes of slide {place}", f"said => !said || {heard} === said", notes)
        noted += bool(notes)
    assert noted >= total / 3
    assert window.locator("aside.notes").first.is_hidden()
    assert window.errors == []
    assert window.elsewhere == []
