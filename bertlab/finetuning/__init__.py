"""Lesson 8, Fine-tuning: copies of a BERT trained for a task, and sentence vectors trained to find partners."""

from bertlab.data.tables import read_texts
from bertlab.finetuning import figures
from bertlab.finetuning.classifier import Classifier, predict, train
from bertlab.finetuning.contrastive import contrastive_loss, train_vectors
from bertlab.finetuning.figures import ColouredWords
from bertlab.finetuning.roles import as_texts, is_right, role_pairs
from bertlab.finetuning.saving import load_classifier, save
from bertlab.finetuning.words import WordClassifier, first_pieces, spaced
