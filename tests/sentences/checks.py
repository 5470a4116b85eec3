"""What the checks tell a student, of each misconception and of a right answer; what stands in braces is filled in."""

import ast
from pathlib import Path

from bertlab import checks
from bertlab.checks.runner import FORMS


def said():
    yield from (("any exercise", sentence) for sentence in FORMS)
    for path in sorted(Path(checks.__path__[0]).glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name == "wrong":
                for mistakes in (inner for inner in ast.walk(node) if isinstance(inner, ast.Dict)):
                    keys = filter(None, mistakes.keys)  # None: those of another function, **
                    yield from ((path.stem, text(key)) for key in keys)
            if isinstance(node, ast.FunctionDef) and node.name == "praise":
                yield f"{path.stem}, right", text(node.body[-1].value)
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "praise":
                yield f"{path.stem}, right", text(node.value)


def text(node):
    return ast.unparse(node).strip("f'\"")
