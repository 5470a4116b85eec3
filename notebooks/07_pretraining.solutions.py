"""Solutions to the exercises of lesson 7, Pre-training, and the lines of its gaps."""

import torch

GAPS = {
    "7a": "floor = -torch.tensor(right).log()  # (gaps,): the loss of the best answer at each",
    "7b": """logits = my_bert(given, torch.zeros_like(given), batch != 0, w, heads)
return masked_loss(logits, batch, chosen)""",
    "7c": """losses = []
for _ in range(steps):
    batch = ids[torch.randint(len(ids), (64,))]  # draw
    given, chosen = hide(batch)  # corrupt
    loss = loss_of(batch, given, chosen)  # forward
    optimizer.zero_grad()  # gradients begin at zero
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
return losses""",
}


def two_losses(text, answers, words):
    """Return the loss of knowing nothing, and the loss of knowing word frequencies."""
    shares = torch.bincount(text, minlength=words) / len(text)
    return torch.tensor(words).log(), -shares[answers].log().mean()


def share_of_step(step, steps, warmup):
    """Return the factor on the step size, a number from 0 to 1."""
    if step < warmup:
        return step / warmup
    return (steps - step) / (steps - warmup)


def compare_rates(train_once, rates, seeds):
    """Return for each rate the mean, the lowest and the highest loss over the seeds."""
    rows = []
    for rate in rates:
        losses = [train_once(rate=rate, seed=seed) for seed in seeds]
        rows.append([sum(losses) / len(losses), min(losses), max(losses)])
    return rows
