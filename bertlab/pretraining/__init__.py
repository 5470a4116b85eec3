"""Lesson 7, Pre-training: a small BERT that is trained in the notebook; and how one like bertlab-mini is made.

Of the lesson:

=================  =====================================================================
`language`         a small language: its rules, all of its sentences, the best answer at a gap
`small`            a small BERT and the loop that trains it, in plain torch
`gaps`             what it knows at every gap of some sentences, and where its heads look
`small_runs`       runs with ten seeds, which ship as a table
`figures`          the lesson's figures
=================  =====================================================================

From a folder of text to a checkpoint and its card; the modules follow the data, and each is read in a few minutes:

=================  =====================================================================
`recipe`           every number that decides what is learnt
`vocabulary`       training text -> a WordPiece tokenizer
`corpus`           a folder of text -> documents and sentences -> arrays of piece ids
`instances`        arrays -> batches with masked words and sentence pairs (Devlin et al. 2019)
`network`          the untrained BERT, its loss, and what it predicts for a batch
`optimization`     Muon and AdamW, and the step size over the run
`checkpoints`      what is saved, so that a kill loses minutes and damages nothing
`speed`            what makes training fast on the machine at hand; transformers' Trainer beside it
`reports`          the log of a run: losses, speed, and what each attention head looks at
`training`         the run: `Run` takes steps, reports, saves, finishes, and goes on after a stop
`measures`         masked words, senses and fill-mask, one number an item, and the rules beside them
`choices`          the grammatical one of two sentences, the true one of six words, and the rule beside them
`evaluation`       every measure of any checkpoint, and the simplest rule beside each
`comparison`       checkpoints beside untrained twins, and whether one may take another's place
`learning`         the same measures at many points of a run
`card_measures`    evaluation -> the section of a card that says what a model measures
`card`             evaluation and log -> the model card
=================  =====================================================================

``python -m bertlab.pretraining --help`` runs each step.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bertlab.pretraining import figures
    from bertlab.pretraining.small import train

__all__ = ["figures", "train"]


def __getattr__(name: str) -> Any:
    """Import what the lesson names when it is first asked for, so that the commands do not load it."""
    if name == "train":
        return import_module("bertlab.pretraining.small").train
    if name == "figures":
        return import_module("bertlab.pretraining.figures")
    raise AttributeError(f"module 'bertlab.pretraining' has no attribute {name!r}")
