"""Which cells of a lesson have to run for a check: those that bind a name which it, or such a cell, reads."""

import ast
import symtable
from collections.abc import Sequence

from bertlab_teaching.solving import UNREADABLE


def needed(cells: Sequence[str], *readers: str) -> list[str]:
    """Return those cells, in their order, that sources which run after them cannot do without.

    A cell that only changes an object (``seen.append(1)``) binds no name: a lesson's exercises may not rest on one.
    """
    wanted = set().union(*(_names(source)[1] for source in readers))
    kept = []
    for source in reversed(cells):
        statements = [_names(ast.unparse(statement)) for statement in ast.parse(source).body]
        if any(bound & wanted for bound, _ in statements):
            kept.append(source)
            for bound, reads in reversed(statements):
                wanted = (wanted - bound) | reads
    return kept[::-1]


def _names(source: str) -> tuple[set[str], set[str]]:
    """Return the notebook's names that a source binds, and those that it or a function in it reads."""
    try:
        cell = symtable.symtable(source, "cell", "exec")
    except UNREADABLE:  # a student's cell that is no Python reads nothing
        return set(), set()
    bound = {symbol.get_name() for symbol in cell.get_symbols() if symbol.is_assigned() or symbol.is_imported()}
    reads: set[str] = set()
    tables = [cell]
    for table in tables:
        tables += table.get_children()
        symbols = [symbol for symbol in table.get_symbols() if symbol.is_referenced()]
        reads |= {symbol.get_name() for symbol in symbols if table is cell or symbol.is_global()}
    return bound, reads
