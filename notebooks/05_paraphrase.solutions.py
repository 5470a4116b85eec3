"""Solutions to the exercises of lesson 5, Paraphrase, and the lines of its gaps."""

import torch

GAPS = {
    "5a": "one_vector = token_vectors.mean(dim=0)",
    "5b": """\
real = mask[..., None]  # (..., tokens, 1)
return (hidden * real).sum(dim=-2) / real.sum(dim=-2)""",
    "5c": "spearman = ranks['cosine'].corr(ranks['grade'])",
    "5d": "against_far = (yes[:, None] > no[None, :]).mean()",
}


def cosine_of_scaled(cosine, factor):
    """Return the cosine of a and factor * b, from that of a and b."""
    return cosine if factor > 0 else -cosine


def mean_of_batch(bert, texts):
    """Return the mean of each text's token vectors after the last layer, (texts, hidden)."""
    rows = bert.tokenizer(texts)["input_ids"]  # a list of ids for each text
    shape = len(texts), max(map(len, rows))  # (texts, tokens)
    ids = torch.full(shape, bert.tokenizer.pad_token_id)
    mask = torch.zeros_like(ids)
    for i, row in enumerate(rows):
        ids[i, : len(row)], mask[i, : len(row)] = torch.tensor(row), 1
    with torch.no_grad():
        hidden = bert.model.bert(ids, attention_mask=mask).last_hidden_state
    return (hidden * mask[:, :, None]).sum(dim=1) / mask.sum(dim=1, keepdim=True)


def beyond_unrelated(practice, grades, test):
    """Return which test cosines are above 95 of 100 unrelated practice pairs, (test pairs,)."""
    threshold = torch.quantile(practice[grades == 0], 0.95)
    return test > threshold
