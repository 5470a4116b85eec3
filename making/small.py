"""The loop of lesson 7's recorded runs, by transformers' own model."""

from collections.abc import Callable
from copy import deepcopy

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy
from transformers import BertForMaskedLM, BertTokenizer

from bertlab.figures.progress_bar import progress
from bertlab.masking import corrupt

STEPS, BATCH, RATE, STEP_SIZE = 700, 64, 0.3, 3e-3
EVERY = 25  # steps between two snapshots of the model


def train(
    model: BertForMaskedLM,
    tokenizer: BertTokenizer,
    text: Tensor,
    *,
    steps: int = STEPS,
    rate: float = RATE,
    seed: int = 0,
    schedule: Callable[[int], float] | None = None,
) -> dict[int, BertForMaskedLM]:
    """Train a model in place, by batches of 64 sentences; return copies of it by step, every 25 steps and at the end.

    A schedule returns the factor on the learning rate for each step, counted from 0.
    """
    torch.manual_seed(seed)
    optimizer = torch.optim.AdamW(model.parameters(), lr=STEP_SIZE, fused=True)
    snapshots = {}
    for step in progress(range(steps)):
        if step % EVERY == 0:
            snapshots[step] = deepcopy(model)
        if schedule:
            optimizer.param_groups[0]["lr"] = STEP_SIZE * schedule(step)
        batch = text[torch.randint(len(text), (BATCH,))]
        given, chosen = corrupt(batch, rate, tokenizer)
        logits = model(given, attention_mask=batch != tokenizer.pad_token_id).logits
        loss = cross_entropy(logits[chosen], batch[chosen])
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    return snapshots | {steps: model}
