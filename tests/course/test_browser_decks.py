"""What a class sees: every slide of every deck, whole and readable.

Decks are opened as files without a network; the page of a test writes down what its browser asks of anybody else.
"""

import re
import shutil
import subprocess

import pytest

from bertlab.course import decks
from bertlab.course import notebooks as lessons
from bertlab.course.slides import plan, stored
from bertlab.figures import plots

pytestmark = pytest.mark.browser

PATHS = lessons.paths()

# Goes through all slides and looks at each in its own pixels: what is cut off, scrolls, overlaps or leaves its place,
# the size of letters, and of figures what a picture's own shape leaves of its box.
LOOK = """() => {
    const seen = [];
    for (let place = 0; place < Reveal.getTotalSlides(); place++) {
        Reveal.slide(place);
        const slide = document.querySelector('section.present .slide'), wrong = [], sizes = {};
        const figures = [], letters = [];
        const shown = element => {
            const box = element.getBoundingClientRect();
            return box.width && box.height && getComputedStyle(element).visibility !== 'hidden';
        };
        const heads = [...slide.querySelectorAll('h1, h2')].filter(shown), title = heads[0];
        if (heads.length !== 1 || !title.innerText.trim()) wrong.push(`${heads.length} headings`);
        const foot = slide.querySelector('footer'), bottom = shown(foot) ? foot.getBoundingClientRect().top : 684;
        const top = title ? title.getBoundingClientRect().bottom : 0;
        const parts = [...slide.querySelectorAll('.body > *')].filter(shown).map(part => part.getBoundingClientRect());
        parts.forEach((part, i) => {
            if (parts.slice(0, i).some(other => part.top < other.bottom && part.left < other.right))
                wrong.push('parts lie on each other');
        });
        for (const element of slide.querySelectorAll('*')) {
            if (!shown(element)) continue;
            const box = element.getBoundingClientRect(), style = getComputedStyle(element);
            const name = `${element.tagName}.${element.className}`, inside = element.closest('.body');
            if (box.left < 0 || box.right > 1280 - 40 || box.top < 0 || box.bottom > 720) wrong.push(`${name} leaves`);
            if (inside && (box.top < top || box.bottom > bottom + 1))
                wrong.push(`${name} from ${box.top} to ${box.bottom}, and not ${top} to ${bottom}`);
            const high = element.scrollHeight > element.clientHeight + 1;
            const more = high || element.scrollWidth > element.clientWidth + 1;
            if (more && element.clientHeight && style.overflow !== 'visible') wrong.push(`${name} is cut or scrolls`);
            if (inside && element.innerText?.trim() && !element.children.length) {
                const kind = element.closest('table') ? 'table' : element.closest('pre') ? 'code' : 'text';
                sizes[kind] = Math.min(sizes[kind] ?? 99, parseFloat(style.fontSize));
            }
            if (element.matches('iframe')) figures.push(box.height);
            if (element.matches('img')) {
                if (!(element.naturalWidth && element.alt.trim())) wrong.push('a picture is missing, or without words');
                const ratio = element.naturalWidth / element.naturalHeight;
                const wide = Math.min(box.width, box.height * ratio);
                figures.push(Math.max(wide / 1000, wide / ratio / 380) * 400);
                letters.push(wide / element.naturalWidth);
            }
        }
        if (slide.querySelector('.code') && !slide.querySelector('figure, .says, .point, ul')) wrong.push('code alone');
        if (wrong.length) wrong.unshift(title?.innerText ?? place);
        seen.push({wrong, sizes, figures, letters, title: title?.innerText});
    }
    return seen;
}"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with all decks, and those of the short path in one of its own."""
    folder = tmp_path_factory.mktemp("decks")
    decks.build(folder)
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


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_every_slide_is_whole_and_readable(folder, window, path):
    for sitting in plan.entries(plan.source(path)):
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
        assert len(figures) >= len(seen) / 4
        letter = plots.STYLE["font.size"] / 72 * 100 * plots.SHARPNESS  # pixels of a picture's file
        assert min(scale * letter for slide in seen for scale in slide["letters"]) >= 17
        (short,) = (folder / "short").glob(f"{sitting['name']}_*.html")
        opened(window, short)
        assert 8 <= window.evaluate("Reveal.getTotalSlides()") < len(seen)
    assert window.errors == []
    assert window.elsewhere == []


def test_letters_are_as_large_as_there_is_room_and_a_slide_that_is_too_full_says_so(window, tmp_path):
    wide = stored.Table(["word"] * 3, [["a long word " * 2] * 3] * 4, 0)
    figures = [stored.Table(["n"], [["1"]], 0), wide, stored.Printed(["one"] * 14), stored.Printed(["x" * 120])]
    code = plan.Slide("E", "Look", text=[("code", [("x = 1", True)])])
    full = plan.Slide("F", "Look", text=[("points", ["A point that is as long as a line of a slide is."] * 12)])
    slides = [plan.Slide("?", ""), *(plan.Slide("A", "Look", figure=figure) for figure in figures), code, full]
    (tmp_path / "deck.html").write_text(decks.deck(plan.Sitting("7", "7 · Tests", slides)), encoding="utf-8")
    opened(window, tmp_path / "deck.html")
    sizes = window.evaluate("[...document.querySelectorAll('.fitted, .code')].map(one => parseInt(one.style.fontSize))")
    assert (sizes[0], sizes[3], sizes[4]) == (36, 21, 34)
    assert all(21 < size < 36 for size in sizes[1:3])
    crowded = "[...document.querySelectorAll('.slide')].map(slide => slide.classList.contains('crowded'))"
    assert window.evaluate(crowded) == [False, False, False, False, True, False, True]


def test_the_views_are_drawn(folder, window):
    opened(window, folder / "4b_attention.html")
    all_of_them = "[...document.querySelectorAll('iframe')].map(one => Reveal.getIndices(one.closest('section')).h)"
    ends = "lines => Math.max(...lines.map(line => line.getBoundingClientRect().right)) / document.body.clientWidth"
    places = window.evaluate(all_of_them)
    assert places
    for place in places:
        window.evaluate(f"Reveal.slide({place})")
        lines = window.locator("section.present iframe").content_frame.locator("#vis line")
        lines.first.wait_for(state="attached")
        assert 0.5 < lines.evaluate_all(ends) <= 1
    assert window.errors == []


def test_audience_and_speaker_stay_in_step(folder, window):
    opened(window, folder / "4a_attention.html")
    with window.expect_popup() as popup:
        window.keyboard.press("s")
    speaker = popup.value
    frames = {which: speaker.locator(f"#{which}-slide iframe").content_frame for which in ("current", "upcoming")}
    for frame in frames.values():
        frame.locator(".reveal.ready").wait_for()
    total = window.evaluate("Reveal.getTotalSlides()")

    def is_at(place):
        """Wait until slide `place` is what the audience and the speaker see, with its notes and the next slide."""
        for where in (window, frames["current"]):
            where.locator(f"section.present footer:has-text('| {place} / {total}')").wait_for(state="attached")
        if place < total:
            frames["upcoming"].locator(f"section.present footer:has-text('| {place + 1} / {total}')").wait_for()
        notes = window.evaluate("(Reveal.getCurrentSlide().querySelector('aside').textContent).split(/\\s+/).join('')")
        heard = "document.querySelector('.speaker-controls-notes .value').textContent.split(/\\s+/).join('')"
        speaker.wait_for_function(f"said => !said || {heard} === said", arg=notes)
        return bool(notes)

    is_at(1)
    noted = 0
    for place in range(2, total + 1):
        (window if place % 2 else speaker).keyboard.press("Space" if place % 3 else "ArrowRight")
        noted += is_at(place)
    assert noted >= total / 3
    window.keyboard.press("ArrowLeft")
    is_at(total - 1)
    assert window.locator("aside.notes").first.is_hidden()
    assert window.errors == []
    assert window.elsewhere == []


def test_a_deck_is_printed_a_slide_a_page(folder, window):
    opened(window, folder / "4a_attention.html")
    total = window.evaluate("Reveal.getTotalSlides()")
    pdf = window.pdf(prefer_css_page_size=True, print_background=True)
    assert len(re.findall(rb"/Type /Page\b", pdf)) == total
    assert set(re.findall(rb"/MediaBox \[([^\]]+)\]", pdf)) == {b"0 0 960 540"}  # points: 1280 x 720 pixels
    window.emulate_media(media="print")
    boxes = window.evaluate(
        """[...document.querySelectorAll('.slide')].map(slide => {
            const frame = slide.getBoundingClientRect();
            const inside = [...slide.querySelectorAll('h1, h2, img, table, pre, .text > *, footer span')].map(
                one => one.getBoundingClientRect()).filter(box => box.height);
            return [frame.height, frame.top, Math.min(...inside.map(box => box.top)) - frame.top,
                    Math.max(...inside.map(box => box.bottom)) - frame.top];
        })"""
    )
    top = boxes[0][1]
    assert [(height, place - top) for height, place, *_ in boxes] == [(720, 720 * i) for i in range(total)]
    assert min(first for *_, first, _ in boxes) >= 0
    assert max(last for *_, last in boxes) <= 720


def test_a_browser_prints_the_file_from_the_command_line(folder, tmp_path, browser):
    pdf = tmp_path / "deck.pdf"
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    run = [chromium, "--headless", "--no-sandbox", "--disable-gpu", f"--print-to-pdf={pdf}"]
    subprocess.run([*run, (folder / "4a_attention.html").as_uri()], check=True, capture_output=True, timeout=100)
    (path,) = (path for path in PATHS if path.stem == "04_attention")
    sitting, _ = plan.entries(plan.source(path))
    assert len(re.findall(rb"/Type /Page\b", pdf.read_bytes())) == 1 + len(sitting["slide"])
