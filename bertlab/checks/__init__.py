"""The exercises' checks, with one module per lesson and one function per exercise.

A check runs the student's function on its own inputs (`inputs`), and compares the results with the real model, hand
arithmetic or another library (`runner`). It never raises on a student's mistake.
"""

from importlib import import_module
from types import ModuleType

from bertlab.checks.gaps import gap
from bertlab.checks.outcome import Outcome, reveal

__all__ = ["Outcome", "gap", "reveal"]


def __getattr__(name: str) -> ModuleType:
    """Import a lesson's checks on first use."""
    try:
        return import_module(f"bertlab.checks.{name}")
    except ModuleNotFoundError as error:
        if error.name != f"bertlab.checks.{name}":
            raise
        raise AttributeError(f"module 'bertlab.checks' has no attribute {name!r}") from None
