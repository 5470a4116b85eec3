"""Solutions to the exercises of lesson 1, Embedding layer, and the lines of its gaps."""

import bertlab
import torch

GAPS = {
    "1a": "summed = word_rows + position_rows + segment_rows  # (tokens, hidden)",
    "1b": "standard = (summed - mean) / (variance + eps).sqrt()  # (tokens, hidden)",
    "1c": "return (a * b).sum(dim=-1) / (a.norm(dim=-1) * b.norm(dim=-1))",
}


def layer_norm(x, weight, bias, eps):
    """Return x (tokens, hidden), each row normalised, then scaled and shifted."""
    mean = x.mean(dim=-1, keepdim=True)
    variance = x.var(dim=-1, correction=0, keepdim=True)
    return (x - mean) / (variance + eps).sqrt() * weight + bias


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
