"""The page on Python and torch says what Python really answers, and lies where the lessons' links look for it."""

import doctest
import re

from bertlab.course import notebooks as lessons

PAGE = lessons.folder() / "python_and_torch.md"
TEXT = PAGE.read_text(encoding="utf-8")


def wrong(page):
    """Return what Python answers otherwise than a page's blocks of code say, and how many examples there are."""
    blocks = "\n".join(re.findall(r"^```python\n(.*?)^```$", page, re.M | re.S))
    said: list[str] = []
    test = doctest.DocTestParser().get_doctest(blocks, {}, "page", str(PAGE), 0)
    outcome = doctest.DocTestRunner(verbose=False).run(test, out=said.append)
    return said, outcome.attempted


def test_python_answers_what_the_page_says():
    said, examples = wrong(TEXT)
    assert said == []
    assert examples >= 30


def test_the_first_lesson_links_it_and_a_copy_has_it_beside_the_lessons(tmp_path):
    first, *_ = lessons.copy_to(tmp_path)
    assert f"[Python and torch in these lessons]({PAGE.name})" in first.read_text(encoding="utf-8")
    assert (tmp_path / PAGE.name).read_text(encoding="utf-8") == TEXT
