"""The cells of a lesson that a check needs: those that bind a name that it, or another needed cell, reads."""

import ast
import symtable
from collections.abc import Sequence

from bertlab_teaching.solving import UNREADABLE


def needed(cells: Sequence[str], *readers: str) -> list[str]:
    """Return the cells, in their order, that the `readers` need; one that only changes an object binds no name."""
    wanted = set().union(*(_names(source)[1] for source in readers))
    required = []
    for source in reversed(cells):
        statements = [_names(ast.unparse(statement)) for statement in ast.parse(source).body]
        if any(bound & wanted for bound, _ in statements):
            required.append(source)
            for bound, reads in reversed(statements):
                wanted = (wanted - bound) | reads
    return required[::-1]


def _names(source: str) -> tuple[set[str], set[str]]:
    """Return the global names that a source binds, and those that it, or a function in it, reads."""
    try:
        cell = symtable.symtable(source, "cell", "exec")
    except UNREADABLE:  # a student's cell that is not Python reads nothing
        return set(), set()
    bound = {symbol.get_name() for symbol in cell.get_symbols() if symbol.is_assigned() or symbol.is_imported()}
    reads: set[str] = set()
    tables = [cell]
    for table in tables:
        tables += table.get_children()
        symbols = [symbol for symbol in table.get_symbols() if symbol.is_referenced()]
        reads |= {symbol.get_name() for symbol in symbols if table is cell or symbol.is_global()}
    return bound, reads
