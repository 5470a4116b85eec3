"""A BERT with one matrix on top, and the loop that trains both: fine-tuning, written out in lesson 8."""

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from bertlab.bert.texts import Text, encode, listed, padded
from bertlab.paraphrase.pooling import pool

if TYPE_CHECKING:
    from bertlab.bert.loading import Bert

EPOCHS, RATE, BATCH = 6, 3e-4, 32
"""What lesson 8 trains with: how often all texts pass, the largest step size (learning rate), texts in a batch."""


class Classifier(nn.Module):
    """A copy of a BERT, and on top of the mean of its tokens' vectors a matrix with a row for each label.

    The mean is what no checkpoint lacks, as some do a trained pooler. The embedding layer is not trained: a word that
    training never shows keeps its place among those that it does.

    Parameters
    ----------
    bert
        Left as it is; what trains the classifier trains its copy, in the attribute ``bert``.
    labels, seed
        How many there are, and what decides the matrix, in the attribute ``head``.

    Examples
    --------
    >>> import bertlab
    >>> Classifier(bertlab.load("bertlab-mini"), labels=3)(["It rained."]).shape
    torch.Size([1, 3])
    """

    def __init__(self, bert: "Bert", labels: int = 2, seed: int = 0) -> None:
        """Copy the BERT, and draw the matrix."""
        super().__init__()
        self.bert = dataclasses.replace(bert, model=deepcopy(bert.model))
        self.body = self.bert.model.bert
        self.body.embeddings.requires_grad_(False)
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            self.head = nn.Linear(bert.model.config.hidden_size, labels)
        self.to(bert.model.device)

    def forward(self, texts: Sequence[Text]) -> Tensor:
        """Return a score for each text and label, (texts, labels)."""
        _, encoded = encode(self.bert.model, self.bert.tokenizer, texts)
        return self.scores(encoded)

    def scores(self, encoded: Sequence[dict[str, list]]) -> Tensor:
        """Return the scores of texts that went through the tokenizer before, (texts, labels)."""
        inputs = padded(self.bert.tokenizer, encoded).to(self.bert.model.device)
        hidden = self.body(**inputs).last_hidden_state  # (texts, tokens, hidden)
        return self.head(pool(hidden, inputs["attention_mask"], "mean"))


def train(
    classifier: Classifier,
    texts: Sequence[Text],
    labels: Sequence[int],
    *,
    epochs: int = EPOCHS,
    rate: float = RATE,
    batch_size: int = BATCH,
    together: int = 1,
    seed: int = 0,
    progress: Callable[[range], Iterable] = iter,
) -> list[float]:
    """Train a classifier on texts with labels: AdamW, with a step size that rises for a while and falls to zero.

    Parameters
    ----------
    classifier
        Changed in place.
    texts
        Sentences, or pairs of them.
    labels : (texts,)
        Whole numbers from 0, as many different ones as the classifier has labels, or fewer.
    epochs, rate
        How often all texts pass; the largest step size (learning rate), reached after a tenth of the steps.
    batch_size, together
        Texts in a batch, and how many that follow each other stay in one: 2 where they come in twos.
    seed, progress
        Decides the order of the texts; takes the epochs and yields them again, as ``tqdm.tqdm`` does.

    Returns
    -------
    list of float
        The mean loss of each epoch.
    """
    texts = listed(texts)
    numbers = labels.tolist() if hasattr(labels, "tolist") else list(labels)
    if len(texts) % together or batch_size % together:
        raise ValueError(
            f"{len(texts)} texts in batches of {batch_size} cannot be divided into groups of {together}. Leave texts "
            "out, or choose another size."
        )
    if len(texts) != len(numbers) or not texts:
        raise ValueError(f"Each text has one label, and here are {len(texts)} texts and {len(numbers)} labels.")
    known = classifier.head.out_features
    if strange := [label for label in numbers if label not in range(known)]:
        raise ValueError(
            f"This classifier has the labels 0 to {known - 1}, and {strange[0]!r} is none of them. Number the labels "
            "from 0, and make it with as many: Classifier(bert, labels=3)."
        )
    _, encoded = encode(classifier.bert.model, classifier.bert.tokenizer, texts)
    right = torch.tensor([int(label) for label in numbers]).to(classifier.head.weight.device)
    trained = [values for values in classifier.parameters() if values.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=rate, fused=True)
    schedule = rise_and_fall(optimizer, epochs * -(-len(texts) // batch_size))
    chance = torch.Generator().manual_seed(seed)
    losses = []
    for _ in progress(range(epochs)):
        total = 0.0
        groups = torch.randperm(len(texts) // together, generator=chance)
        for group in groups.split(batch_size // together):
            batch = (group[:, None] * together + torch.arange(together)).flatten()
            loss = F.cross_entropy(classifier.scores([encoded[i] for i in batch]), right[batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            total += loss.item() * len(batch)
        losses.append(total / len(texts))
    return losses


def rise_and_fall(optimizer: torch.optim.Optimizer, steps: int) -> torch.optim.lr_scheduler.LambdaLR:
    """Return a schedule in which the step size rises in a line for a tenth of the steps, and then falls to zero."""
    rise = steps // 10
    return torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) / (rise + 1), (steps - step) / (steps - rise))
    )


def predict(classifier: Classifier, texts: Sequence[Text], batch_size: int = 64) -> Tensor:
    """Return the label with the highest score for each text, (texts,), on the CPU."""
    texts = listed(texts)
    answers: list[int] = []
    with torch.no_grad():
        for start in range(0, len(texts), batch_size):
            answers += classifier(texts[start : start + batch_size]).argmax(dim=-1).tolist()
    return torch.tensor(answers)
