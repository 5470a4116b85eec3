"""What runs apart, in a process of its own, for one exercise of one student: ``python -m bertlab.course.worker``.

It reads what to do from its standard input, as JSON, runs the lesson's cells, the student's, and the check's, and
writes one line to its standard output: a word that the student's cell cannot guess, and what came of it.
"""

import ast
import json
import linecache
import os
import sys
from contextlib import suppress


def main() -> None:
    """Do one task, and end the process at once, whatever the student's cell has left running."""
    task = json.load(sys.stdin)
    answer = os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):  # what is printed is no outcome
        os.dup2(nothing, standard)
    _limit(task["memory"])
    result = _result(task)
    os.write(answer, f"\n{task['word']}{json.dumps(result)}\n".encode())
    os._exit(0)


def _limit(gigabytes: float) -> None:
    """Limit what this process may take of memory and write into one file, where the system can."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (2**26, 2**26))
        resource.setrlimit(resource.RLIMIT_AS, (int(gigabytes * 2**30),) * 2)


def _result(task: dict) -> list[str]:
    """Return who had the last word, the check, the student's cell or the lesson's, and what it said."""
    from bertlab.checks.outcome import Outcome

    notebook: dict = {"__name__": "__main__"}
    try:
        for number, source in enumerate(task["cells"]):
            _run(source, f"<cell {number}>", notebook)
    except Exception as error:
        return ["lesson", f"{type(error).__name__}: {error}"]
    ours = dict(notebook)
    try:
        _run(task["answer"], "<exercise>", notebook)
    except BaseException as error:  # SystemExit too
        return ["cell", f"{type(error).__name__}: {error}"]
    if task["function"] not in notebook:
        return ["cell", f"NameError: the cell defines no {task['function']}"]
    # A student's function sees what their cell has bound; the check sees what the lesson has.
    ours[task["function"]] = notebook[task["function"]]
    try:
        outcome = _run(task["check"], "<check>", ours)
    except BaseException as error:
        return ["cell", f"{type(error).__name__}: {error}"]
    return ["check", outcome.status, outcome.message] if isinstance(outcome, Outcome) else ["lesson", "no outcome"]


def _run(source: str, name: str, notebook: dict) -> object:
    """Run a cell, its lines known to tracebacks, and return what its last line gives."""
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    cell = ast.parse(source)
    last = cell.body.pop() if cell.body and isinstance(cell.body[-1], ast.Expr) else None
    exec(compile(cell, name, "exec"), notebook)
    if isinstance(last, ast.Expr):
        return eval(compile(ast.Expression(last.value), name, "eval"), notebook)
    return None


if __name__ == "__main__":
    main()
