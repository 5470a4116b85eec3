"""Solutions to the exercises of lesson 1, Embedding layer, and the lines of its gaps."""

import bertlab
import torch

GAPS = {
    "1a": """mean = x.mean(dim=-1, keepdim=True)
variance = x.var(dim=-1, correction=0, keepdim=True)
return (x - mean) / (variance + w["eps"]).sqrt() * w["weight"] + w["bias"]""",
    "1b": """positions = torch.arange(ids.shape[-1])
summed = w["word"][ids] + w["position"][positions] + w["segment"][segments]
return layer_norm(summed, w["norm"])""",
    "1c": "return (a * b).sum(dim=-1) / (a.norm(dim=-1) * b.norm(dim=-1))",
}


def rms_norm(x, weight, eps):
    """Return x (tokens, hidden), each row divided by the root of its mean square, then scaled."""
    mean_square = (x**2).mean(dim=-1, keepdim=True)
    return x / (mean_square + eps).sqrt() * weight


def embed_pair(bert, first, second):
    """Return the embedding layer's output for a pair of sentences, (tokens, hidden)."""
    one = ["[CLS]", *bert.tokenizer.tokenize(first), "[SEP]"]
    two = [*bert.tokenizer.tokenize(second), "[SEP]"]
    ids = torch.tensor(bert.tokenizer.convert_tokens_to_ids(one + two))
    segments = torch.tensor([0] * len(one) + [1] * len(two))
    layer = bert.model.bert.embeddings
    summed = layer.word_embeddings(ids)
    summed = summed + layer.position_embeddings(torch.arange(len(ids)))
    summed = summed + layer.token_type_embeddings(segments)
    return layer.LayerNorm(summed)


def neighbour_similarity(bert):
    """Return the mean cosine between the row of each position and that of the next, one number."""
    rows = bert.model.bert.embeddings.position_embeddings.weight
    return bertlab.embedding.cosine(rows[:-1], rows[1:]).mean()
