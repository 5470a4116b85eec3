"""Lesson 7, Pre-training: a small language, a small BERT that learns it, and what is seen meanwhile.

How bertlab-mini was made stands outside the package, in the folder ``making`` of the repository.
"""

from bertlab.pretraining import figures, tables
from bertlab.pretraining.small import train
