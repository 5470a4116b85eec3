"""Take the pictures of README.md, light and dark: ``make pictures``, which needs Chromium.

One is the live page; the other is lesson 4 in JupyterLab, where a student has just written a part.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from bertlab import lessons
from bertlab_teaching import live, solving

if TYPE_CHECKING:
    from playwright.sync_api import Page

FOLDER = Path(__file__).parent
THEMES = ("light", "dark")
VIEW = "view=head&text=She opened the [MASK] and went into the house.&layer=2&head=7&step=7"
LESSON, LAST = "04_attention.ipynb", "l04-15"


def live_page(page: "Page", folder: Path, theme: str) -> None:
    """Take the live page."""
    page.emulate_media(color_scheme=theme)
    page.goto(f"{live.write(folder).as_uri()}#{VIEW}")
    page.locator("#progress").wait_for(state="hidden")
    page.locator("#head .shows > *").first.wait_for()
    page.locator("#head").scroll_into_view_if_needed()
    page.screenshot(path=FOLDER / f"page-{theme}.png")


def lesson(page: "Page", address: str, theme: str) -> None:
    """Take the lesson in JupyterLab."""
    page.emulate_media(color_scheme=theme)
    page.goto(address)
    page.locator(f"body[data-jp-theme-name='JupyterLab {theme.title()}'] .jp-Notebook .jp-CodeCell").first.wait_for()
    page.get_by_text("Python 3 (ipykernel) | Idle").wait_for()
    page.keyboard.press("Control+b")  # without the list of files
    page.click(".lm-MenuBar-item:has-text('Run')")
    page.locator(".lm-Menu-item", has_text="Run All Cells").first.press("Enter")
    page.locator(".jp-OutputArea-output", has_text="my_bert.py").last.wait_for()  # the check says that it is kept
    page.locator(".jp-CodeCell", has_text="def attention_weights").evaluate("cell => cell.scrollIntoView(true)")
    page.wait_for_timeout(1000)  # JupyterLab lays cells out when they come into sight
    page.screenshot(path=FOLDER / f"lesson-{theme}.png", clip={"x": 0, "y": 0, "width": 1280, "height": 430})


@contextmanager
def jupyterlab(folder: Path) -> Iterator[str]:
    """Run JupyterLab on the lesson up to the part, as a student has it, and give its address."""
    lessons.copy_to(folder)
    whole = solving.fill(lessons.handed_out(lessons.folder() / LESSON), solving.solutions_of(lessons.folder() / LESSON))
    whole.cells = whole.cells[: 1 + next(i for i, cell in enumerate(whole.cells) if cell.id == LAST)]
    lessons.write(whole, folder / LESSON)
    settings = folder / "settings" / "@jupyterlab" / "apputils-extension" / "themes.jupyterlab-settings"
    settings.parent.mkdir(parents=True)
    settings.write_text('{"adaptive-theme": true}', "utf-8")  # as the browser has it
    command = [sys.executable, "-m", "bertlab", "lab", folder, "--port", "8977"]
    environment = os.environ | {"JUPYTERLAB_SETTINGS_DIR": str(folder / "settings")}
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)
    assert running.stdout is not None
    try:
        token = next(
            found[1] for line in running.stdout if (found := re.search(r"127\.0\.0\.1:8977/\S*token=(\w+)", line))
        )
        yield f"http://127.0.0.1:8977/lab/tree/{LESSON}?reset&token={token}"
    finally:
        running.terminate()


def main() -> None:
    """Take all of them."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as temporary, sync_playwright() as playwright:
        folder = Path(temporary)
        chromium = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = chromium.new_page(viewport={"width": 1280, "height": 720})
        page.set_default_timeout(120_000)
        with jupyterlab(folder / "work") as address:
            for theme in THEMES:
                live_page(page, folder, theme)
                lesson(page, address, theme)
        chromium.close()


if __name__ == "__main__":
    main()
