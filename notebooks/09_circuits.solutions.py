"""Solutions to the exercises of lesson 9, Circuits, and the lines of its gaps."""

import bertlab
import torch

GAPS = {
    "9a": "taken = joined[1, mask, features]  # (head size,)",
    "9b": "share = (moved - low) / (high - low)",
    "9c": """hidden = [x.clone()]
for i, w in enumerate(layers):
    if i == number:
        hidden[-1][..., token, :] = vector
    hidden.append(one_layer(hidden[-1], mask, w, heads))
return hidden""",
    "9d": "twice = 2 * weight[:, its_columns]  # (hidden, head size)",
}


def swap_vector(own, others, token):
    """Return own with one token's vector taken from others, (tokens, hidden)."""
    swapped = own.clone()
    swapped[token] = others[token]
    return swapped


def swap_each_head(own, others, place, heads):
    """Return a copy for each head, that head swapped at place, (heads, texts, tokens, hidden)."""
    size = own.shape[-1] // heads
    copies = []
    for head in range(heads):
        columns = slice(head * size, (head + 1) * size)
        copy = own.clone()
        copy[:, place, columns] = others[:, place, columns]
        copies.append(copy)
    return torch.stack(copies)


def find_head(bert, pairs, own_pairs, words):
    """Return layer and head that pairs need most, and the share lost without it in own_pairs."""
    lost = bertlab.circuits.share_lost(bert, pairs, words)  # (layers, heads)
    layer, head = divmod(int(lost.argmax()), lost.shape[1])
    tested = bertlab.circuits.share_lost(bert, own_pairs, words)
    return [layer, head, tested[layer, head].item()]
