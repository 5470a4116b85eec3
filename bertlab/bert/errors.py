"""The errors that a checkpoint can cause."""


class CheckpointError(RuntimeError):
    """Raised when a checkpoint cannot be found, opened or trusted."""


class MissingPartError(CheckpointError):
    """Raised when a lesson uses a part of BERT that the checkpoint was saved without."""
