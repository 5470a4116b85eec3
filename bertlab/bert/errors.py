"""The two errors of bertlab's own.

Wrong arguments (a text that is empty, a layer that does not exist) raise Python's `TypeError`, `ValueError`
and `IndexError`. What can go wrong with a *checkpoint* has no built-in name, so it gets these two. Every
message is one paragraph that ends in what to do next.
"""


class CheckpointError(RuntimeError):
    """A checkpoint cannot be found, opened or trusted."""


class MissingPartError(CheckpointError):
    """A part of BERT is asked for that this checkpoint was saved without."""
