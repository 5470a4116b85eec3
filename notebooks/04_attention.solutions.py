"""Solutions to the exercises of lesson 4, Attention, and the lines of its gaps."""

import bertlab
import torch

GAPS = {
    "4a": """\
scores = query @ key.transpose(-1, -2) / query.shape[-1] ** 0.5  # every query with every key
scores = scores.masked_fill(mask[..., None, :] == 0, float("-inf"))
return softmax(scores)""",
    "4b": "return attention_weights(query, key, mask) @ value",
    "4c": """\
queries = linear(x, w["query"]).chunk(heads, dim=-1)
keys = linear(x, w["key"]).chunk(heads, dim=-1)
values = linear(x, w["value"]).chunk(heads, dim=-1)
made = [attention(q, k, v, mask) for q, k, v in zip(queries, keys, values, strict=True)]
return linear(torch.cat(made, dim=-1), w["output"])""",
    "4d": 'return linear(gelu(linear(x, w["wider"])), w["back"])',
    "4e": """\
x = layer_norm(x + all_heads(x, mask, w["attention"], heads), w["attention"]["norm"])
return layer_norm(x + feed_forward(x, w), w["norm"])""",
    "4f": """\
hidden = [x]
for w in layers:
    hidden.append(one_layer(hidden[-1], mask, w, heads))
return hidden""",
    "4g": "return squares[:, :, looks, looks - 1]  # (layers, heads, looks)",
    "4h": "arrives = square[i] * lengths  # (tokens,)",
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
