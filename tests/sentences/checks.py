"""What the checks tell a student of a right answer, or of one in another form; what stands in braces is filled in."""

import ast
from pathlib import Path

from bertlab import checks
from bertlab.checks.runner import FORMS


def said():
    yield from (("any exercise", sentence) for sentence in FORMS)
    for path in sorted(Path(checks.__path__[0]).glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name == "praise":
                yield f"{path.stem}, right", text(node.body[-1].value)
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "praise":
                yield f"{path.stem}, right", text(node.value)


def text(node):
    return ast.unparse(node).strip("f'\"")
