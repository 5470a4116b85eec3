"""How a BERT like bertlab-mini is made: from a folder of text to a checkpoint and its card.

The modules follow the data, and each is read in a few minutes:

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
`evaluation`       every measure of any checkpoint, beside its untrained twin
`card`             evaluation and log -> the model card; the same measures at many points of a run
=================  =====================================================================

``python -m bertlab.pretraining --help`` runs each step. The extra ``pretraining`` of the package installs
what these modules need beyond the lessons: ``pip install "bertlab[pretraining]"``.
"""
