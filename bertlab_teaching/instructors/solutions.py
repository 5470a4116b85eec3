"""Write every exercise with its solution, and the mistakes that its check names, as one page: ``make solved``."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from bertlab import lessons
from bertlab.checks.known import known
from bertlab.checks.runner import FORMS
from bertlab_teaching import solving
from bertlab_teaching.marking import submissions

HEAD = """# The exercises, solved

Below each solution are the mistakes that its check knows, in the words that a student reads after *not quite*. Ask for
the reason before you read one out.

A check also knows these mistakes, in any exercise:

"""


def page() -> str:
    """Return the page with the task, a solution and the usual mistakes of each exercise."""
    usual = "".join(f"- {mistake}\n" for mistake in FORMS)
    return "\n".join([HEAD + usual, *(section for path in lessons.paths() for section in exercises(path))])


def exercises(path: Path) -> Iterator[str]:
    """Yield a lesson's title and each of its exercises."""
    notebook, solved = lessons.read(path), solving.solutions(solving.solutions_of(path))
    yield f"## {notebook.cells[0].source.partition(chr(10))[0].removeprefix('# ')}\n"
    for exercise in submissions.exercises(notebook):
        (task,) = [cell.source for cell in notebook.cells if cell.source.startswith(f"### {exercise.number} ")]
        task = re.sub(r"<details>.*?</details>|<!--.*?-->", "", task, flags=re.S).strip()
        yield f"{task}\n\n```python\n{solved[exercise.function]}\n```\n"
        yield "".join(f"- {mistake}\n" for mistake in known(exercise.number).wrong)


if __name__ == "__main__":
    into = Path(sys.argv[1])
    into.parent.mkdir(parents=True, exist_ok=True)
    into.write_text(page(), encoding="utf8")
    print(f"Every exercise with its solution and the mistakes that its check knows: {into}.")
