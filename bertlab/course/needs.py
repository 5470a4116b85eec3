"""Which cells of a lesson have to run for a check: those that bind a name which it, or such a cell, reads."""

import ast
import symtable
from collections.abc import Iterator, Sequence

UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
"""What Python raises on a source that is no Python, or nested without sense."""

CHANGES = {"add", "append", "extend", "insert", "update"}
"""Methods that change the list, set or dictionary that they belong to."""


def needed(cells: Sequence[str], *readers: str) -> list[str]:
    """Return those cells, in their order, that what comes after them cannot do without.

    Parameters
    ----------
    cells
        Sources, in the order in which they would run.
    readers
        Sources that run after them. One that is no Python reads nothing.

    Examples
    --------
    >>> needed(["x = 1", "y = 2", "print(y)", "z = x + 1", "import math"], "math.sqrt(z)")
    ['x = 1', 'z = x + 1', 'import math']
    """
    wanted: set[str] = set()
    for source in readers:
        try:
            wanted |= {name for statement in ast.parse(source).body for name in _read(statement)}
        except UNREADABLE:
            continue
    kept = []
    for source in reversed(cells):
        statements = ast.parse(source).body
        if not any(wanted & (_bound(one) | _changed(one)) for one in statements):
            continue
        kept.append(source)
        for statement in reversed(statements):
            wanted = (wanted - _bound(statement)) | _read(statement)
    return kept[::-1]


def _tables(statement: ast.stmt) -> Iterator[symtable.SymbolTable]:
    """Yield the table of a statement's names, and those of the functions in it."""
    waiting = [symtable.symtable(ast.unparse(statement), "cell", "exec")]
    while waiting:
        table = waiting.pop()
        yield table
        waiting.extend(table.get_children())


def _read(statement: ast.stmt) -> set[str]:
    """Return the notebook's names that a statement reads."""
    return {
        symbol.get_name()
        for table in _tables(statement)
        for symbol in table.get_symbols()
        if symbol.is_referenced() and (table.get_type() == "module" or symbol.is_global())
    }


def _bound(statement: ast.stmt) -> set[str]:
    """Return the notebook's names that a statement gives a value."""
    table = symtable.symtable(ast.unparse(statement), "cell", "exec")
    return {one.get_name() for one in table.get_symbols() if one.is_assigned() or one.is_imported()}


def _changed(statement: ast.stmt) -> set[str]:
    """Return the names whose object a statement changes: an item, an attribute, a method like append."""
    found = set()
    for node in ast.walk(statement):
        match node:
            case ast.Subscript(ctx=ast.Store()) | ast.Attribute(ctx=ast.Store()):
                found.add(_root(node))
            case ast.Attribute(attr=name) if name in CHANGES:
                found.add(_root(node))
    return found


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Subscript | ast.Attribute | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""
