"""A BERT with one matrix on top, and the loop that trains both (written out in lesson 8)."""

import dataclasses
import math
from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from bertlab.arguments import Count, Positive, Seed, Some, guarded, require_as_many
from bertlab.bert.loading import Bert
from bertlab.bert.texts import Encoded, Text, encode, forward
from bertlab.paraphrase.pooling import mean_of_tokens

EPOCHS, RATE = 6, 3e-4  # what lesson 8 trains with; the rate is the largest learning rate


class Classifier(nn.Module):
    """A copy of a BERT, and a matrix on top that turns the mean of the token vectors into one score per label.

    Training leaves the embedding layer as it is, so that words that are not in the training texts keep their positions
    among those that are.

    Parameters
    ----------
    bert : Bert
        The model to copy.
    labels, seed : int
        The number of labels, and what decides the random numbers of the matrix.

    Examples
    --------
    >>> Classifier(bertlab.load("bertlab-mini"), labels=3)(["It rained."]).shape
    torch.Size([1, 3])
    """

    @guarded
    def __init__(self, bert: Bert, labels: Count = 2, seed: Seed = 0) -> None:
        super().__init__()
        self.bert = dataclasses.replace(bert, model=deepcopy(bert.model))
        self.body = self.bert.model.bert
        self.body.embeddings.requires_grad_(False)
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            self.head = nn.Linear(bert.model.config.hidden_size, labels)
        self.to(bert.model.device)

    @guarded
    def forward(self, texts: Some[Text]) -> Tensor:
        """Return the score of each label for each text, (texts, labels)."""
        return self.scores(self.encode(texts))

    def encode(self, texts: Sequence[Text]) -> list[Encoded]:
        """Return the tokenizer's output for each text."""
        return encode(self.bert.model, self.bert.tokenizer, texts)[1]

    def rows(self, encoding: Encoded) -> int:
        """Return how many labels a text has: one."""
        return 1

    def scores(self, encoded: Sequence[Encoded]) -> Tensor:
        """Return the scores of encoded texts, (texts, labels)."""
        output, mask = forward(self.bert.model, self.bert.tokenizer, encoded)
        return self.head(mean_of_tokens(output.last_hidden_state, mask))


@guarded
def train(
    classifier: Classifier,
    texts: Some[Text],
    labels: Sequence[int | Sequence[int]],
    *,
    epochs: Count = EPOCHS,
    rate: Positive = RATE,
    batch_size: Count = 32,
    group_size: Count = 1,
    seed: Seed = 0,
    progress: Callable[[range], Iterable] = iter,
) -> list[float]:
    """Train a classifier in place and return the mean loss of each epoch.

    The optimizer is AdamW. Its learning rate rises to `rate` over a tenth of the steps and then falls to zero.

    Parameters
    ----------
    classifier : Classifier
        The classifier, or a `WordClassifier`.
    texts : list of str or of (str, str)
        Sentences, or pairs of them.
    labels : list of int
        One number per text, from 0; for a `WordClassifier`, one list per text with one number per word.
    epochs, rate, batch_size
        How often all texts pass, the largest learning rate, and how many texts are in a batch.
    group_size : int
        How many consecutive texts stay in one batch: 2 if texts come in twos.
    seed, progress
        The one decides the order of the texts; the other takes the epochs and yields them again, as ``tqdm.tqdm`` does.

    Raises
    ------
    ValueError
        If labels or `group_size` do not fit, the rate is not above zero, or the weights are no longer finite.

    Examples
    --------
    >>> losses = train(Classifier(bertlab.load("bertlab-mini")), ["It was good.", "It was bad."], [1, 0], epochs=20)
    >>> losses[-1] < losses[0]
    True
    """
    require_as_many(texts=texts, labels=labels)
    if len(texts) % group_size or batch_size % group_size:
        raise ValueError(
            f"{len(texts)} texts in batches of {batch_size} cannot be divided into groups of {group_size}. Leave texts "
            "out, or choose another size."
        )
    count = classifier.head.out_features
    rows = [label if isinstance(label, Sequence) else [label] for label in labels]  # one list of labels per text
    if strange := [label for row in rows for label in row if label not in range(count)]:
        raise ValueError(
            f"This classifier has the labels 0 to {count - 1}, and {strange[0]!r} is none of them. Number the labels "
            "from 0, and make it with as many: Classifier(bert, labels=3)."
        )
    encoded = classifier.encode(texts)
    for i, (row, encoding) in enumerate(zip(rows, encoded, strict=True)):
        if len(row) != (due := classifier.rows(encoding)):  # in a batch the sums could be the same
            raise ValueError(f"Text {i} of {len(texts)} has {len(row)} labels, and {due} are due: {texts[i]!r:.60}")
    targets = [torch.tensor([int(label) for label in row]).to(classifier.head.weight.device) for row in rows]
    parameters = [parameter for parameter in classifier.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(parameters, lr=rate, fused=True)
    schedule = rise_and_fall(optimizer, epochs * math.ceil(len(texts) / batch_size))
    chance = torch.Generator().manual_seed(seed)
    losses = []
    for _ in progress(range(epochs)):
        total = 0.0
        groups = torch.arange(len(texts)).view(-1, group_size)
        for some in groups[torch.randperm(len(groups), generator=chance)].split(batch_size // group_size):
            batch = some.flatten()
            loss = F.cross_entropy(
                classifier.scores([encoded[i] for i in batch]), torch.cat([targets[i] for i in batch])
            )
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            total += loss.item() * len(batch)
        losses.append(total / len(texts))
        require_whole(parameters, rate)
    return losses


def require_whole(parameters: Iterable[Tensor], rate: float) -> None:
    """Raise `ValueError` if training has made a weight nan or infinite, so that each text would get the same label."""
    if not all(weights.isfinite().all() for weights in parameters):
        raise ValueError(f"The weights are no longer finite numbers. A smaller rate may help: rate={rate / 10:g}.")


def rise_and_fall(optimizer: torch.optim.Optimizer, steps: int) -> torch.optim.lr_scheduler.LambdaLR:
    """Return a schedule whose learning rate rises linearly for a tenth of the steps, then falls linearly to zero."""
    rise = steps // 10
    return torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) / (rise + 1), (steps - step) / (steps - rise))
    )


@guarded
def predict(classifier: Classifier, texts: Sequence[Text], batch_size: Count = 64) -> Tensor:
    """Return the label with the highest score for each text, (texts,), or, of a `WordClassifier`, each word, (words,).

    Examples
    --------
    >>> predict(Classifier(bertlab.load("bertlab-mini")), ["It rained.", "Why not?"]).shape
    torch.Size([2])
    """
    batches = (texts[start : start + batch_size] for start in range(0, len(texts), batch_size))
    with torch.no_grad():
        return torch.tensor([label for batch in batches for label in classifier(batch).argmax(dim=-1).tolist()])
