"""What a class sees: every slide of every lesson, as a deck from a file and live in JupyterLab, whole and readable.

The page of a test writes down what a browser asks of anybody else; a deck is besides opened without a network.
"""

import pytest

from bertlab.course import decks
from bertlab.course import notebooks as lessons

pytestmark = pytest.mark.browser

PATHS = lessons.paths()
MINUTE = 60_000

# Looks at the slide that is shown, in the slide's own pixels: what is cut off, scrolls or leaves the slide, the size
# of letters, and the height of figures and views.
LOOK = """() => {
    const frame = document.querySelector('.slides').getBoundingClientRect(), pixel = frame.height / 720;
    const slide = document.querySelector('section.present section.present');
    const unseen = 'aside, .reveal-skip, .lm-mod-hidden, .cm-announced, .cm-layer';
    const found = {wrong: [], text: 99, code: 99, figures: [], says: slide.innerText.trim().slice(0, 60)};
    for (const element of slide.querySelectorAll('*')) {
        const box = element.getBoundingClientRect(), style = getComputedStyle(element);
        if (element.closest(unseen) || !box.width || !box.height || style.visibility === 'hidden') continue;
        const name = `${element.tagName}.${element.className}`;
        const right = (box.right - frame.left) / pixel, bottom = (box.bottom - frame.top) / pixel;
        if (right > 1271 || bottom > 696 || box.left < frame.left || box.top < frame.top)
            found.wrong.push(`${name} ends at ${right}, ${bottom}`);
        const more = element.scrollHeight > element.clientHeight + 1 || element.scrollWidth > element.clientWidth + 1;
        if (more && element.clientHeight && style.overflow !== 'visible') found.wrong.push(`${name} is cut or scrolls`);
        const size = parseFloat(style.fontSize);
        if (element.matches('p, li')) found.text = Math.min(found.text, size);
        if (element.matches('pre')) found.code = Math.min(found.code, size);
        if (element.matches('img')) found.figures.push(element.naturalWidth && box.height / pixel);
        if (element.matches('iframe')) found.figures.push(box.height / pixel);
    }
    return found;
}"""


@pytest.fixture
def window(page):
    """Make the tab as large as a small projector."""
    page.set_viewport_size({"width": 1280, "height": 720})
    return page


def steps(page, on, ended, pause=60):
    """Yield what is seen on each slide, and after each fragment, to the end."""
    for _ in range(300):
        page.wait_for_timeout(pause)
        yield page.evaluate(LOOK)
        if ended():
            return
        on()
    pytest.fail("The slides do not end.")


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_deck_opens_from_a_file_and_every_slide_is_whole(window, tmp_path, path):
    window.context.set_offline(True)
    window.goto(decks.write(path, tmp_path).as_uri())
    window.wait_for_selector(".reveal.ready")
    for frame in window.locator("iframe").all():
        frame.content_frame.locator("#vis line").first.wait_for(state="attached", timeout=MINUTE)
    seen = list(
        steps(
            window,
            on=lambda: window.evaluate("Reveal.next()"),
            ended=lambda: window.evaluate("Reveal.isLastSlide() && !Reveal.availableFragments().next"),
        )
    )
    assert [(slide["says"], slide["wrong"]) for slide in seen if slide["wrong"]] == []
    assert min(slide["text"] for slide in seen) >= 22
    assert min(slide["code"] for slide in seen) >= 18
    figures = [height for slide in seen for height in slide["figures"]]
    stored = [output for cell in lessons.read(path).cells for output in cell.get("outputs", [])]
    views = list(lessons.tagged(lessons.read(path), "view"))
    assert len(figures) >= sum("image/png" in output.get("data", {}) for output in stored) + len(views)
    assert min(figures) >= 400
    assert len(seen) >= window.evaluate("Reveal.getTotalSlides()") > 20
    assert window.errors == []
    assert window.elsewhere == []


def test_the_speakers_view_opens_from_a_file(window, tmp_path, monkeypatch):
    import nbformat

    kinds = {"# 1 · Small": "slide", "Tell *them* first.": "notes", "second": "subslide", "Then ask.": "notes"}
    cells = [
        nbformat.v4.new_markdown_cell(source, metadata={"slideshow": {"slide_type": kind}})
        for source, kind in kinds.items()
    ]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / "01_small.ipynb")
    window.context.set_offline(True)
    window.goto(decks.write(tmp_path / "01_small.ipynb", tmp_path / "decks").as_uri())
    window.wait_for_selector(".reveal.ready")
    with window.expect_popup() as opened:
        window.keyboard.press("s")
    speaker = opened.value
    speaker.wait_for_selector(".speaker-controls-notes .value:has-text('Tell them first.')")
    for frame in ("#current-slide iframe", "#upcoming-slide iframe"):
        speaker.locator(frame).content_frame.locator(".reveal.ready").wait_for()
    window.keyboard.press("Space")
    speaker.wait_for_selector(".speaker-controls-notes .value:has-text('Then ask.')")
    assert window.locator("aside.notes").first.is_hidden()
    assert window.errors == []


@pytest.mark.parametrize("path", [PATHS[1], PATHS[3]], ids=lambda path: path.stem)
def test_a_lesson_is_presented_live(window, lab, run_notebook, path):
    lessons.copy_to(lab["work"] / "teach", notes=True)
    run_notebook(f"teach/{path.name}", sum(cell.cell_type == "code" for cell in lessons.read(path).cells))
    window.keyboard.press("Escape")
    window.keyboard.press("Control+s")
    window.wait_for_selector(".jp-Document:not(.jp-mod-dirty)")
    window.wait_for_timeout(2000)
    window.goto(f"http://127.0.0.1:{lab['port']}/rise/teach/{path.name}?token={lab['token']}")
    window.wait_for_selector(".reveal.ready section.present", timeout=MINUTE)
    window.wait_for_timeout(2000)  # it selects a cell a moment after each slide, and syncs
    number = window.locator(".slide-number")

    def ended():
        last = window.evaluate("[...document.querySelectorAll('.slides > section > section')].at(-1).className")
        hidden = window.locator("section.present section.present .fragment:not(.visible)").count()
        return "present" in last and not hidden

    seen = list(steps(window, on=lambda: window.keyboard.press("Space"), ended=ended, pause=700))
    assert [(slide["says"], slide["wrong"]) for slide in seen if slide["wrong"]] == []
    assert min(slide["text"] for slide in seen) >= 18
    figures = [height for slide in seen for height in slide["figures"]]
    assert min(figures) >= 250
    assert len(figures) >= 5
    shown, total = number.inner_text().split("/")
    assert shown.strip() == total.strip()
    assert window.elsewhere == []


def test_the_key_that_starts_the_slides_in_jupyterlab(window, lab):
    lessons.copy_to(lab["work"] / "teach", notes=True)
    window.goto(f"http://127.0.0.1:{lab['port']}/lab/tree/teach/{PATHS[0].name}?reset&token={lab['token']}")
    window.wait_for_selector("text=Python 3 (ipykernel) | Idle", timeout=MINUTE)
    window.click(".jp-Notebook h1")
    window.keyboard.press("Alt+r")
    slides = window.frame_locator("iframe[src*='/rise/']")
    slides.locator("section.present h1:has-text('1 · Embedding layer')").wait_for(timeout=MINUTE)
