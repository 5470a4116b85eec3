"""Lesson 8, Fine-tuning: a copy of a BERT trained for a task, and sentence vectors repaired."""

from bertlab.finetuning import figures
from bertlab.finetuning.classifier import Classifier, predict, train
from bertlab.finetuning.contrastive import contrastive_loss, train_vectors
from bertlab.finetuning.roles import active, passive, role_pairs
from bertlab.finetuning.saving import load_classifier, save
from bertlab.finetuning.texts import read_texts

__all__ = [
    "Classifier",
    "active",
    "contrastive_loss",
    "figures",
    "load_classifier",
    "passive",
    "predict",
    "read_texts",
    "role_pairs",
    "save",
    "train",
    "train_vectors",
]
