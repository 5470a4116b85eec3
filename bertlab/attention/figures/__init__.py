"""The figures of lesson 4: each is one call, which draws what the lesson computed and says in words what it shows."""

from bertlab.attention.figures.diagrams import formula, inside_of_a_layer, query_key_value
from bertlab.attention.figures.measured import (
    bend,
    change_of_loss,
    heads_of_layer,
    masking_effect,
    one_head,
    previous_and_next,
    where_one_looks,
)
from bertlab.attention.figures.sentences import missed_head_in_words, patterns_in_words
