"""The two errors of bertlab's own: what can go wrong with a checkpoint has no built-in name."""


class CheckpointError(RuntimeError):
    """A checkpoint cannot be found, opened or trusted."""


class MissingPartError(CheckpointError):
    """A part of BERT is asked for that this checkpoint was saved without."""
