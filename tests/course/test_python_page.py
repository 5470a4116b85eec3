"""The pages on Python and torch and on evidence say what Python really answers, and lie where lessons look for them."""

import doctest
import re

import pytest

from bertlab.course import notebooks as lessons

PAGES = sorted(lessons.folder().glob("*.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_python_answers_what_the_page_says(page):
    blocks = re.findall(r"^```python\n(.*?)^```$", page.read_text("utf-8"), re.M | re.S)
    said = []
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "page", str(page), 0)
    assert doctest.DocTestRunner(verbose=False).run(test, out=said.append).attempted >= 30
    assert said == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_first_lesson_links_it_and_a_copy_has_it_beside_the_lessons(page, tmp_path):
    first, *_ = lessons.copy_to(tmp_path)
    title = page.read_text("utf-8").splitlines()[0].removeprefix("# ")
    assert f"[{title}]({page.name})" in first.read_text(encoding="utf-8")
    assert (tmp_path / page.name).read_bytes() == page.read_bytes()
