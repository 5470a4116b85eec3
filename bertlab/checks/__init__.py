"""The exercises' checks, a module a lesson, a function an exercise.

A check tries the student's function on inputs of its own (`inputs`), and compares with what the real model, hand
arithmetic or another library says (`runner`). It never raises on a student's mistake.
"""

from importlib import import_module
from types import ModuleType

from bertlab.checks.gaps import gap
from bertlab.checks.outcome import Outcome, reveal

__all__ = ["Outcome", "gap", "reveal"]


def __getattr__(name: str) -> ModuleType:
    """Import a lesson's checks when they are first asked for."""
    try:
        return import_module(f"bertlab.checks.{name}")
    except ModuleNotFoundError as error:
        if error.name != f"bertlab.checks.{name}":
            raise
        raise AttributeError(f"module 'bertlab.checks' has no attribute {name!r}") from None
