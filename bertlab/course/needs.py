"""Which cells of a lesson have to run for a check: those that bind a name which it, or such a cell, reads."""

import ast
import symtable
from collections.abc import Sequence

UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
"""What Python raises on a source that is no Python, or nested without sense."""


def needed(cells: Sequence[str], *readers: str) -> list[str]:
    """Return those cells, in their order, that sources which run after them cannot do without.

    A cell that only changes an object (``seen.append(1)``) binds no name: a lesson's exercises may not rest on one.

    Examples
    --------
    >>> needed(["x = 1", "y = 2", "print(y)", "z = x + 1", "import math"], "math.sqrt(z)")
    ['x = 1', 'z = x + 1', 'import math']
    """
    wanted: set[str] = set()
    for source in readers:
        try:
            wanted |= _names(source)[1]
        except UNREADABLE:  # a student's cell that is no Python reads nothing
            continue
    kept = []
    for source in reversed(cells):
        statements = [_names(ast.unparse(statement)) for statement in ast.parse(source).body]
        if any(bound & wanted for bound, _ in statements):
            kept.append(source)
            for bound, read in reversed(statements):
                wanted = (wanted - bound) | read
    return kept[::-1]


def _names(source: str) -> tuple[set[str], set[str]]:
    """Return the notebook's names that a source binds, and those that it or a function in it reads."""
    cell = symtable.symtable(source, "cell", "exec")
    bound = {symbol.get_name() for symbol in cell.get_symbols() if symbol.is_assigned() or symbol.is_imported()}
    read: set[str] = set()
    tables = [cell]
    for table in tables:
        tables += table.get_children()
        symbols = [symbol for symbol in table.get_symbols() if symbol.is_referenced()]
        read |= {symbol.get_name() for symbol in symbols if table is cell or symbol.is_global()}
    return bound, read
