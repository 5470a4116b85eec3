"""The figures of lesson 4, each with a caption that is computed from the data it shows."""

from bertlab.attention.figures.diagrams import (
    columns_of_heads,
    curve_of_gelu,
    formula,
    inside_of_a_layer,
    query_key_value,
    weight_times_given,
)
from bertlab.attention.figures.measured import (
    heads_of_layer,
    needed_in_words,
    one_head,
    rise_of_loss,
    where_one_looks,
)
from bertlab.attention.patterns import clear_head, sharing_head
