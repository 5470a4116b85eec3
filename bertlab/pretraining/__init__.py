"""How a BERT like bertlab-mini is made: from a folder of text to a checkpoint and its card.

The modules follow the data, and each is read in one sitting:

=================  =====================================================================
`text`             a folder of text files -> documents of sentences; which are held out
`vocabulary`       documents -> a WordPiece tokenizer
`corpus`           documents + tokenizer -> flat arrays of piece ids
`instances`        arrays -> batches with masked words and sentence pairs (Devlin et al. 2019)
`recipe`           every number that a run depends on
`network`          the untrained BERT and its loss
`optimization`     Muon and AdamW, and the step size over the run
`checkpoints`      what is saved, so that a kill loses minutes and damages nothing
`speed`            what makes training fast on the machine at hand
`training`         the loop, on `accelerate`; `reports` is its log
`health`           what each attention head looks at
`evaluation`       every measure of the card on any checkpoint (its parts are modules of their own)
`learning`         the same measures at many points of a run: watch it learn
`card`             measures -> the model card
`benchmark`        how fast it is, beside transformers' own Trainer
=================  =====================================================================

``python -m bertlab.pretraining --help`` runs each step. The extra ``pretraining`` of the package installs
what these modules need beyond the lessons: ``pip install "bertlab[pretraining]"``.
"""
