"""The figures of lesson 7, each with the caption that says in words what it shows.

The curves of a training run differ a little from machine to machine. So captions that are drawn from a run say what
comes first and what stays far apart, in words; what is a number in a caption comes from tables that ship.
"""

from bertlab.pretraining.figures.one_run import (
    above_the_floor,
    clearest_heads,
    held_out_loss,
    read_and_unread,
    what_is_known,
)
from bertlab.pretraining.figures.recorded import first_words, ten_runs, variants

__all__ = [
    "above_the_floor",
    "clearest_heads",
    "first_words",
    "held_out_loss",
    "read_and_unread",
    "ten_runs",
    "variants",
    "what_is_known",
]
