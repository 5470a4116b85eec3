"""A student goes back to any cell when all have run: no later one has changed what it takes.

test_lessons.py runs them so.
"""

from bertlab import lessons
from bertlab_teaching import solving
from names import names_of


def code_of(path):
    return [cell.source for cell in lessons.read(path).cells if cell.cell_type == "code"]


def test_no_cell_takes_a_name_that_one_before_has_set_and_a_later_one_sets_anew(path):
    again = {cell.source for cell in solving.tagged(lessons.read(path), "part-b")}  # sets what part a had, the same
    names = [(set(), set()) if source in again else names_of(source) for source in code_of(path)]
    for i, (found, _) in enumerate(names):
        before = set().union(*(made for _, made in names[:i]))
        after = set().union(*(made - taken for taken, made in names[i + 1 :]))
        assert found & before & after - {"guess"} == set(), code_of(path)[i]
