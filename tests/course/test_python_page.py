"""The page on Python and torch says what Python really answers, and lies where the lessons' links look for it."""

import doctest
import re

from bertlab.course import notebooks as lessons

PAGE = lessons.folder() / "python_and_torch.md"


def test_python_answers_what_the_page_says():
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text("utf-8"), re.M | re.S)
    said = []
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "page", str(PAGE), 0)
    assert doctest.DocTestRunner(verbose=False).run(test, out=said.append).attempted >= 30
    assert said == []


def test_the_first_lesson_links_it_and_a_copy_has_it_beside_the_lessons(tmp_path):
    first, *_ = lessons.copy_to(tmp_path)
    assert f"[Python and torch in these lessons]({PAGE.name})" in first.read_text(encoding="utf-8")
    assert (tmp_path / PAGE.name).read_bytes() == PAGE.read_bytes()
