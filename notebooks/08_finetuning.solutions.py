"""Solutions to the exercises of lesson 8, Fine-tuning, and the lines of its gaps."""

import torch

GAPS = {
    "8a": """losses = []
for batch in batches:
    loss = torch.nn.functional.cross_entropy(scores([texts[i] for i in batch]), right[batch])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    schedule.step()
    losses.append(loss.item())
return losses""",
    "8b": "begins_word = starts > previous_stops",
    "8c": """cosines = cosine(asked[:, None], partners)  # (sentences, partners)
own_column = torch.arange(len(asked))
return torch.nn.functional.cross_entropy(cosines / temperature, own_column)""",
}


def share_by_thumb(firsts, seconds, answers):
    """Return in what share of the answers (1: the same) the rule of thumb says so, too."""
    agreed = 0
    for first, second, answer in zip(firsts, seconds, answers, strict=True):
        agreed += (first.split()[1] != second.split()[1]) == answer
    return agreed / len(answers)


def loss_both_ways(first, second, temperature):
    """Return the mean of the losses of first finding second and second finding first."""
    first, second = (torch.nn.functional.normalize(vectors, dim=-1) for vectors in (first, second))
    cosines, partners = first @ second.T / temperature, torch.arange(len(first))
    losses = [torch.nn.functional.cross_entropy(table, partners) for table in (cosines, cosines.T)]
    return sum(losses) / 2


def best_of(shares, k):
    """Return the mean, over all ways to draw k of the shares with repetition, of the best drawn."""
    import itertools

    best = [max(drawn) for drawn in itertools.product(shares, repeat=k)]
    return sum(best) / len(best)
