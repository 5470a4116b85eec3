"""Lesson 8, Fine-tuning: a copy of a BERT trained for a task, and sentence vectors repaired."""

from bertlab.data.tables import read_texts
from bertlab.finetuning import figures
from bertlab.finetuning.classifier import Classifier, load_classifier, predict, save, train
from bertlab.finetuning.contrastive import contrastive_loss, train_vectors
from bertlab.finetuning.roles import role_pairs
from bertlab.finetuning.trainer import MeanPooler, progress_callback
