"""Lesson 7, Pre-training: a small language, and a small BERT that learns it."""

from bertlab.pretraining import figures, tables
from bertlab.pretraining.small import train
