"""Lesson 4, Attention: measure, draw and switch off heads."""

from bertlab.attention import figures
from bertlab.attention.ablation import change_of_loss, without_heads
from bertlab.attention.heads import measure_heads
from bertlab.attention.syntax import to_words
from bertlab.attention.views import head_view, model_view
from bertlab.data.trees import Tree, read_trees
