"""The exercises' checks: *not yet*, *right*, or *not quite* with the misconception named.

One module a lesson, one function an exercise; the check of 6.3 and those of the two schedules, 7.2 and 8.1, stand in
modules of their own (`context`, `schedule`), from which their lessons' modules take them. A check takes the student's
function, tries it on inputs of its own, made anew each time (`bertlab.checks.inputs`), and compares with what the real
model, hand arithmetic or another library says (`bertlab.checks.runner`). It never raises on a student's mistake, and
gives their function copies, so that none of their objects change.
"""

from importlib import import_module
from types import ModuleType

from bertlab.checks.outcome import Outcome, reveal

__all__ = ["Outcome", "reveal"]


def __getattr__(name: str) -> ModuleType:
    """Import a lesson's checks when they are first asked for."""
    try:
        return import_module(f"bertlab.checks.{name}")
    except ModuleNotFoundError as error:
        if error.name != f"bertlab.checks.{name}":
            raise
        raise AttributeError(f"module 'bertlab.checks' has no attribute {name!r}") from None
