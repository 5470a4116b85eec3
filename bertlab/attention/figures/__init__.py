"""The figures of lesson 4: each is one call, which draws what the lesson computed and says in words what it shows."""

from bertlab.attention.figures.chosen import clear_head, sharing_head
from bertlab.attention.figures.diagrams import (
    columns_of_heads,
    formula,
    inside_of_a_layer,
    query_key_value,
    weight_times_given,
)
from bertlab.attention.figures.measured import (
    change_of_loss,
    heads_of_layer,
    masking_effect,
    one_head,
    previous_and_next,
    where_one_looks,
)
from bertlab.attention.figures.sentences import ahead_of_rule, missed_in_words
