"""Contrastive training of sentence vectors: each sentence has to find its partner in a batch (lesson 8)."""

import dataclasses
import math
from collections.abc import Callable, Iterable
from copy import deepcopy
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from bertlab.arguments import (
    Count,
    Positive,
    Seed,
    Some,
    guarded,
    require_as_many,
    require_axes,
    require_finite,
    require_fit,
)
from bertlab.bert.loading import Bert
from bertlab.bert.texts import encode, forward
from bertlab.finetuning.classifier import require_whole
from bertlab.paraphrase.pooling import mean_of_tokens

TEMPERATURE, DROPOUT = 0.05, 0.1  # both from Gao et al. (2021)


@guarded
def contrastive_loss(first: Tensor, second: Tensor, temperature: Positive = TEMPERATURE) -> Tensor:
    """Return the cross-entropy of finding each sentence's partner among all candidates of a batch (Gao et al. 2021).

    The vectors of the partners, (candidates, hidden), are in the order of the sentences', (sentences, hidden); further
    ones are nobody's partner. The temperature divides the cosines.

    Examples
    --------
    >>> vectors = torch.eye(2)
    >>> contrastive_loss(vectors, vectors) < contrastive_loss(vectors, vectors.flip(0))
    tensor(True)
    """
    require_axes("sentences, hidden", first=first, second=second)
    require_finite(first=first, second=second)
    require_fit(first.shape[1] == second.shape[1] and len(first) <= len(second), first=first, second=second)
    cosines = F.normalize(first, dim=-1) @ F.normalize(second, dim=-1).T
    return F.cross_entropy(cosines / temperature, torch.arange(len(first)))


@guarded
def train_vectors(
    bert: Bert,
    sentences: Some[str],
    partners: Some[str],
    *,
    epochs: Count = 4,
    rate: Positive = 1e-4,
    batch_size: Count = 32,
    seed: Seed = 0,
    progress: Callable[[range], Iterable] = iter,
) -> Bert:
    """Return a copy of a BERT whose mean vectors were trained to find each sentence's partner (Gao et al. 2021).

    The optimizer is AdamW; its learning rate falls linearly from `rate` to zero.

    Parameters
    ----------
    bert : Bert
        The model to copy.
    sentences, partners : list of str
        The sentences to learn from, and one similar sentence for each.
    epochs, rate, batch_size, seed, progress
        As for `bertlab.finetuning.train`.

    Examples
    --------
    >>> train_vectors(bertlab.load("bertlab-mini"), ["It rained."], ["Rain fell."], epochs=1).name
    'bertlab-mini, vectors trained'
    """
    require_as_many(sentences=sentences, partners=partners)
    _, encoded = encode(bert.model, bert.tokenizer, [*sentences, *partners])
    model: Any = deepcopy(bert.model).train()
    for part in model.modules():
        if isinstance(part, nn.Dropout):
            part.p = DROPOUT
    optimizer = torch.optim.AdamW(model.bert.parameters(), lr=rate, fused=True)
    steps = epochs * math.ceil(len(sentences) / batch_size)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 - step / steps)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        for _ in progress(range(epochs)):
            for batch in torch.randperm(len(sentences)).split(batch_size):
                output, mask = forward(model, bert.tokenizer, [encoded[i] for i in [*batch, *(batch + len(sentences))]])
                first, second = mean_of_tokens(output.last_hidden_state, mask).chunk(2)
                loss = contrastive_loss(first.cpu(), second.cpu())
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                schedule.step()
    require_whole(model.parameters(), rate)
    trained = deepcopy(bert.model)  # in eval mode, and without dropout again
    trained.load_state_dict(model.state_dict())
    return dataclasses.replace(bert, model=trained, name=f"{bert.name}, vectors trained")
