"""The checks of exercises and gaps: one engine, and a table a lesson of right and wrong answers (`known`).

A check runs the student's function on inputs drawn anew, and compares the results with the real model, hand arithmetic
or another library (`runner`).
"""

from bertlab.checks.gaps import gap
from bertlab.checks.outcome import Outcome, reveal
from bertlab.checks.runner import exercise

__all__ = ["Outcome", "exercise", "gap", "reveal"]
