"""The figures of lesson 8. The numbers in their captions differ in the last decimals between processors."""

from bertlab.finetuning.figures.task import losses, partners, to_judge
