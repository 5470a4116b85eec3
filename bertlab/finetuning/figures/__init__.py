"""The figures of lesson 8, told in words that hold on each processor: training magnifies the last bits of a sum."""

from bertlab.finetuning.figures.inside import change_of_attention, forgotten, moved, probes
from bertlab.finetuning.figures.sentence_vectors import areas, asked_again, correlations
from bertlab.finetuning.figures.task import (
    beside_controls,
    by_pairs,
    by_setting,
    kinds_of_pair,
    losses,
    rule_of_thumb,
    shortcut,
)
