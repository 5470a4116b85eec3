"""Solutions to the exercises of lesson 4, Attention, and the lines of its gaps."""

import bertlab
import torch

GAPS = {
    "4a": "scores = query @ key.T / size**0.5  # (tokens, tokens): every query with every key",
    "4b": "made = alpha @ value  # (tokens, head size)",
    "4c": "attended = block.attention.output.LayerNorm(projected + hidden)  # (tokens, hidden)",
    "4d": "return squares[:, :, looks, looks - 1]  # (layers, heads, looks)",
    "4e": "arrives = square[i] * lengths  # (tokens,)",
}


def received(weights):
    """Return the mean weight that each token receives; weights are (tokens, tokens) of one head."""
    return weights.mean(dim=0)


def head_of_batch(bert, texts, layer, head):
    """Return one head's weights for a list of texts, (texts, tokens, tokens)."""
    inputs = bert.tokenizer(texts, padding=True, return_tensors="pt")
    attention = bert.model.bert.encoder.layer[layer].attention.self
    size = bert.model.config.hidden_size // bert.model.config.num_attention_heads
    features = slice(head * size, (head + 1) * size)
    with torch.no_grad():
        hidden = bert.model.bert(**inputs, output_hidden_states=True).hidden_states[layer]
        query = attention.query(hidden)[..., features]
        key = attention.key(hidden)[..., features]
    scores = query @ key.transpose(1, 2) / size**0.5
    masked = scores.masked_fill(inputs["attention_mask"][:, None, :] == 0, float("-inf"))
    return torch.softmax(masked, dim=-1)


def more_than_others(bert, texts, head, others):
    """Return how much more the loss rises without head than, on average, without one of others."""
    own = bertlab.attention.change_of_loss(bert, texts, [head])["change"]
    theirs = bertlab.attention.change_of_loss(bert, texts, others)["change"]
    return own.iloc[0] - theirs.mean()
