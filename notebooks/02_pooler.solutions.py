"""Solutions to the exercises of lesson 2, Pooler, and the lines of its gaps."""

import bertlab
import torch

GAPS = {
    "2a": 'return x @ w["weight"].T + w["bias"]',
    "2b": "return torch.tanh(linear(hidden[..., 0, :], w))",
    "2c": """powers = scores.exp()
return powers / powers.sum(dim=-1, keepdim=True)""",
}


def layer_parameters(hidden, intermediate):
    """Return how many numbers one encoder layer learns."""
    attention = 4 * (hidden * hidden + hidden)
    feed_forward = hidden * intermediate + intermediate + intermediate * hidden + hidden
    layer_norms = 2 * 2 * hidden
    return attention + feed_forward + layer_norms


def pool_batch(bert, texts):
    """Return the pooled vectors of a list of texts, (texts, hidden)."""
    inputs = bert.tokenizer(texts, padding=True, return_tensors="pt")
    last = bert.model.bert(**inputs).last_hidden_state
    dense = bert.model.bert.pooler.dense
    return torch.tanh(last[:, 0] @ dense.weight.T + dense.bias)


def next_sentence_accuracy(bert, following, other):
    """Return the share of all pairs that the next-sentence head gets right, one number."""
    right = (bertlab.pooler.next_sentence(bert, following) > 0.5).sum()
    right = right + (bertlab.pooler.next_sentence(bert, other) <= 0.5).sum()
    return right / (len(following) + len(other))
