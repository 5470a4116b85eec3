"""The live page, written and opened."""

import pytest


@pytest.fixture(scope="session")
def live_folder(tmp_path_factory):
    """The folder with the live page and its weights."""
    from bertlab_teaching import live as page

    folder = tmp_path_factory.mktemp("live")
    page.write(folder)
    return folder


# How many questions the page has asked of the thread that computes, and no answer has come.
COUNTED = """window.unanswered = 0;
window.Worker = class extends Worker {
    constructor(program) {
        super(program);
        window.computing = this;
        this.addEventListener('message', () => window.unanswered--);
    }
    postMessage(message) { window.unanswered++; super.postMessage(message); }
};"""


@pytest.fixture
def live_page(page, live_folder):
    """The live page, opened from a file, its weights there; at the end no error was written, and nothing asked for."""
    page.context.set_offline(True)
    page.add_init_script(COUNTED)
    page.goto((live_folder / "live.html").as_uri())
    page.wait_for_selector("#progress", state="hidden")
    page.wait_for_selector(".gap")
    yield page
    assert page.errors == []
    assert page.elsewhere == []
