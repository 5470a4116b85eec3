"""Write every exercise with its solution, and the mistakes that its check names, as one page: ``make solved``."""

import ast
import importlib
import inspect
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType

from bertlab import lessons
from bertlab.checks import losses
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
        room, judge = re.findall(r"bertlab\.checks\.(\w+)\.(\w+)\(", exercise.check)[-1]
        module = importlib.import_module(f"bertlab.checks.{room}")
        yield "".join(f"- {mistake}\n" for mistake in mistakes(module, judge))


def mistakes(module: ModuleType, check: str) -> list[str]:
    """Return a check's messages on wrong answers and shortcuts, which are the keys of its dictionaries."""
    tree = ast.parse(inspect.getsource(module))
    (function,) = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == check]
    keys = [key for node in ast.walk(function) if isinstance(node, ast.Dict) for key in node.keys if key is not None]
    keys += [node.slice for node in ast.walk(function) if isinstance(node, ast.Subscript)]
    messages = [worded(key, dict(texts(tree))) for key in sorted(keys, key=lambda key: key.lineno)]
    if module is not losses and any(ast.unparse(node) == "losses.wrong" for node in ast.walk(function)):
        messages += mistakes(losses, "wrong")  # shared by every exercise that asks for a loss
    sentences = [text for text in messages if text.endswith((".", "?"))]  # the rest are parts of errors and their hints
    return list(dict.fromkeys(sentences))


def texts(tree: ast.AST) -> Iterator[tuple[str, ast.Constant | ast.JoinedStr]]:
    """Yield the names to which a source assigns text, with the text."""
    for node in (node for node in ast.walk(tree) if isinstance(node, ast.Assign)):
        target, value = node.targets[0], node.value
        several = isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple)
        for name, given in zip(target.elts, value.elts, strict=True) if several else [(target, value)]:
            if isinstance(given, ast.Constant | ast.JoinedStr):
                yield ast.unparse(name), given


def worded(node: ast.AST, names: Mapping[str, ast.Constant | ast.JoinedStr]) -> str:
    """Return the text of a string in a source with the texts that it names put in, and "…" for other expressions."""
    if isinstance(node, ast.JoinedStr):
        return "".join(worded(value, names) for value in node.values)
    if isinstance(node, ast.FormattedValue):
        return worded(node.value, names)
    if isinstance(node, ast.Name) and node.id in names:
        return worded(names[node.id], names)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else "…"


if __name__ == "__main__":
    into = Path(sys.argv[1])
    into.parent.mkdir(parents=True, exist_ok=True)
    into.write_text(page(), encoding="utf8")
    print(f"Every exercise with its solution and the mistakes that its check knows: {into}.")
