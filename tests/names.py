"""The names that a notebook's cell takes from those that ran before it, and the names that it sets."""

import builtins
import dis
import inspect

AT_ONCE = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")
"""Code within a cell that runs with it; a function's body runs later."""


def names_of(source, bodies=False):
    """Return the names that a cell takes from the notebook and those that it sets; with functions' `bodies` or not."""
    found, made = set(), set()
    codes = [compile(source, "<cell>", "exec")]
    for code in codes:
        for step in dis.get_instructions(code):
            if step.opname == "STORE_NAME":
                made.add(step.argval)
            elif step.opname in ("LOAD_NAME", "LOAD_GLOBAL"):
                found |= {step.argval} - made
            elif inspect.iscode(step.argval) and (bodies or step.argval.co_name in AT_ONCE):
                codes.append(step.argval)
    return found - set(vars(builtins)) - {"display"}, made
