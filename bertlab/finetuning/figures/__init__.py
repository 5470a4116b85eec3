"""The figures of lesson 8. The numbers in their captions differ in the last decimals between processors."""

from bertlab.finetuning.figures.inside import forgotten, probes
from bertlab.finetuning.figures.recorded import in_rows, mixed_voices
from bertlab.finetuning.figures.sentence_vectors import partners
from bertlab.finetuning.figures.task import kinds_of_pair, losses, shortcut, step_sizes, to_judge
