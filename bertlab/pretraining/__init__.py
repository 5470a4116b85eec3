"""Lesson 7, Pre-training: a small language, and a small BERT that learns it.

The programs that made bertlab-mini are in the folder ``making`` of the repository, outside the package.
"""

from bertlab.pretraining import figures, tables
from bertlab.pretraining.small import train
