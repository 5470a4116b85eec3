"""Solutions to the exercises of lesson 5, Paraphrase, and the lines of its gaps."""

import torch

GAPS = {
    "5a": "one_vector = token_vectors.mean(dim=0)",
    "5b": "masked_mean = hidden.masked_fill(~real, 0).sum(dim=1) / real.sum(dim=1)",
    "5c": "spearman = ranks['cosine'].corr(ranks['grade'])",
    "5d": "against_far = (yes[:, None] > no[None, :]).mean()",
}


def cosine_of_scaled(cosine, factor):
    """Return the cosine of a and factor * b, from that of a and b."""
    return cosine if factor > 0 else -cosine


def mean_of_batch(bert, texts):
    """Return the mean of each text's token vectors after the last layer, (texts, hidden)."""
    inputs = bert.tokenizer(texts, padding=True, return_tensors="pt")
    with torch.no_grad():
        hidden = bert.model.bert(**inputs).last_hidden_state
    mask = inputs["attention_mask"][:, :, None]
    return (hidden * mask).sum(dim=1) / mask.sum(dim=1)


def beyond_unrelated(practice, grades, test):
    """Return which test cosines are above 95 of 100 unrelated practice pairs, (test pairs,)."""
    threshold = torch.quantile(practice[grades == 0], 0.95)
    return test > threshold
