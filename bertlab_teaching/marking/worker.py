"""The process that runs one student's answer to one exercise: the lesson's cells, the student's, and the check's."""

import ast
import json
import linecache
import math
import os
import sys
from contextlib import suppress
from typing import Any


def main() -> None:
    """Do the task on standard input; print its secret word, which a student's cell cannot guess, and the result."""
    task = json.load(sys.stdin)
    answer = os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):  # nothing that a cell prints is taken for the outcome
        os.dup2(nothing, standard)
    limit(task["memory"], task["seconds"])
    result = judge(task["cells"], task["answer"], task["function"], task["check"])
    os.write(answer, f"\n{task['word']}{json.dumps(result)}\n".encode())
    os._exit(0)  # at once, whatever the student's cell has left running


def limit(gigabytes: float, seconds: float) -> None:
    """Limit the memory, processor time and file size of this process, if the system can."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_FSIZE, (2**24, 2**24))
        resource.setrlimit(resource.RLIMIT_NOFILE, (128, 128))  # nothing else counts files in memory
        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(seconds) + 1,) * 2)  # it ends, whoever still watches
        resource.setrlimit(resource.RLIMIT_AS, (int(gigabytes * 2**30),) * 2)


def judge(cells: list[str], answer: str, function: str, check: str) -> tuple[str, str]:
    """Return the reason of the check's outcome, "raised", or "lesson" if the lesson fails, and a message."""
    notebook: dict = {"__name__": "__main__"}
    try:
        for number, source in enumerate(cells):
            run(source, f"<cell {number}>", notebook)
    except Exception as error:
        return "lesson", f"{type(error).__name__}: {error}"
    ours = dict(notebook)
    try:
        run(answer, "<exercise>", notebook)
        if function not in notebook:
            return "raised", f"The cell defines no {function}, which the check calls. Give your function this name."
        # A student's function sees what their cell has bound; the check sees what the lesson has.
        ours[function] = notebook[function]
        outcome = run(check, "<check>", ours)
    except BaseException as error:  # SystemExit too
        return "raised", f"{type(error).__name__}: {error}"
    return outcome.reason, outcome.message


def run(source: str, name: str, notebook: dict) -> Any:
    """Run a cell, with its lines known to tracebacks, and return the value of its last line."""
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    cell = ast.parse(source, name)
    last = cell.body.pop() if cell.body and isinstance(cell.body[-1], ast.Expr) else None
    exec(compile(cell, name, "exec"), notebook)
    return eval(compile(ast.Expression(last.value), name, "eval"), notebook) if isinstance(last, ast.Expr) else None


if __name__ == "__main__":
    main()
