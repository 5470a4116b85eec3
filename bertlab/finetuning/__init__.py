"""Lesson 8, Fine-tuning: a copy of a BERT trained for a task, and sentence vectors trained to find partners."""

from bertlab.data.tables import read_labelled_words, read_texts
from bertlab.finetuning import figures
from bertlab.finetuning.classifier import Classifier, MeanPooler, is_right, load_classifier, predict, save, train, tuned
from bertlab.finetuning.contrastive import contrastive_loss, train_vectors
from bertlab.finetuning.figures.words import ColouredWords
from bertlab.finetuning.kinds import kinds_of_text
from bertlab.finetuning.roles import as_texts, role_pairs, six_kinds
from bertlab.finetuning.words import WordClassifier, first_pieces, spaced, window
