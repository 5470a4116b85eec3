"""A BERT with one matrix on top, and the loop that trains both, written out in lesson 8; saved and loaded again."""

import dataclasses
import json
import math
import shutil
from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from bertlab.bert.arguments import require_as_many, require_count, require_list
from bertlab.bert.batches import Encoded, forward
from bertlab.bert.errors import CheckpointError
from bertlab.bert.loading import Bert, load
from bertlab.bert.texts import Text, encode
from bertlab.finetuning.roles import as_texts, role_pairs
from bertlab.paraphrase.pooling import mean_of_tokens

if TYPE_CHECKING:
    from pandas import DataFrame

EPOCHS, RATE = 6, 3e-4  # what lesson 8 trains with: how often all texts pass, and the largest step size
HEAD, LABELS = "head.safetensors", "labels.json"  # what stands in a folder beside the body


class Classifier(nn.Module):
    """A copy of a BERT, ``bert``, and on top of the mean of its tokens' vectors a matrix, ``head``, a row a label.

    The mean is what no checkpoint lacks, as some do a trained pooler. The embedding layer is not trained: a word that
    training never shows keeps its place among those that it does.

    Examples
    --------
    >>> import bertlab
    >>> Classifier(bertlab.load("bertlab-mini"), labels=3)(["It rained."]).shape
    torch.Size([1, 3])
    """

    def __init__(self, bert: Bert, labels: int = 2, seed: int = 0) -> None:
        """Copy the BERT, and draw the matrix."""
        super().__init__()
        require_count(labels=labels)
        self.bert = dataclasses.replace(bert, model=deepcopy(bert.model))
        self.body = self.bert.model.bert
        self.body.embeddings.requires_grad_(False)
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            self.head = nn.Linear(bert.model.config.hidden_size, labels)
        self.to(bert.model.device)

    def forward(self, texts: Sequence[Text]) -> Tensor:
        """Return a score for each text and label, (texts, labels)."""
        return self.scores(self.encode(texts))

    def encode(self, texts: Sequence[Text]) -> list[Encoded]:
        """Return what the tokenizer makes of each text."""
        return encode(self.bert.model, self.bert.tokenizer, texts)[1]

    def rows(self, encoding: Encoded) -> int:
        """Return how many rows of scores, and labels, a text has."""
        return 1

    def scores(self, encoded: Sequence[Encoded]) -> Tensor:
        """Return the scores of texts that went through the tokenizer before, (texts, labels)."""
        output, mask = forward(self.bert.model, self.bert.tokenizer, encoded)
        return self.head(mean_of_tokens(output.last_hidden_state, mask))


class MeanPooler(nn.Module):
    """The mean in the pooler's place, for transformers' own classifier, on texts of one length: padding would count."""

    def forward(self, hidden: Tensor) -> Tensor:
        """Return the mean of (texts, tokens, hidden)."""
        return hidden.mean(dim=1)


def train(
    classifier: Classifier,
    texts: Sequence[Text],
    labels: Sequence[int] | Sequence[Sequence[int]],
    *,
    epochs: int = EPOCHS,
    rate: float = RATE,
    batch_size: int = 32,
    together: int = 1,
    seed: int = 0,
    progress: Callable[[range], Iterable] = iter,
) -> list[float]:
    """Train a classifier in place on texts, or pairs, with labels from 0; return the mean loss of each epoch.

    A label is one number a text, or, for a classifier of words, a list of numbers, one a word.

    AdamW, with a step size (learning rate) that rises to `rate` for a tenth of the steps and falls to zero. `together`
    is how many texts that follow each other stay in one batch: 2 where they come in twos. `progress` takes the epochs
    and yields them again, as ``tqdm.tqdm`` does.
    """
    texts, numbers = require_list(texts=texts), require_list(labels=labels)
    require_count(epochs=epochs, batch_size=batch_size, together=together, texts=len(texts))
    require_as_many(texts=texts, labels=numbers)
    if len(texts) % together or batch_size % together:
        raise ValueError(
            f"{len(texts)} texts in batches of {batch_size} cannot be divided into groups of {together}. Leave texts "
            "out, or choose another size."
        )
    known = classifier.head.out_features
    of_text = [label if isinstance(label, Sequence) else [label] for label in numbers]
    if strange := [label for each in of_text for label in each if label not in range(known)]:
        raise ValueError(
            f"This classifier has the labels 0 to {known - 1}, and {strange[0]!r} is none of them. Number the labels "
            "from 0, and make it with as many: Classifier(bert, labels=3)."
        )
    encoded = classifier.encode(texts)
    for i, (each, encoding) in enumerate(zip(of_text, encoded, strict=True)):
        if len(each) != (due := classifier.rows(encoding)):  # in a batch the sums could be the same
            raise ValueError(f"Text {i} of {len(texts)} has {len(each)} labels, and {due} are due: {texts[i]!r:.60}")
    right = [torch.tensor([int(label) for label in each]).to(classifier.head.weight.device) for each in of_text]
    trained = [values for values in classifier.parameters() if values.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=rate, fused=True)
    schedule = rise_and_fall(optimizer, epochs * math.ceil(len(texts) / batch_size))
    chance = torch.Generator().manual_seed(int(seed))  # numpy's numbers too
    losses = []
    for _ in progress(range(epochs)):
        total = 0.0
        groups = torch.randperm(len(texts) // together, generator=chance)
        for group in groups.split(batch_size // together):
            batch = (group[:, None] * together + torch.arange(together)).flatten()
            loss = F.cross_entropy(classifier.scores([encoded[i] for i in batch]), torch.cat([right[i] for i in batch]))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            total += loss.item() * len(batch)
        losses.append(total / len(texts))
        if not math.isfinite(losses[-1]):  # such a classifier gives every text the same label
            raise ValueError(
                f"The loss is no finite number any more. A smaller step size may help: rate={rate / 10:g}."
            )
    return losses


def rise_and_fall(optimizer: torch.optim.Optimizer, steps: int) -> torch.optim.lr_scheduler.LambdaLR:
    """Return a schedule in which the step size rises in a line for a tenth of the steps, and then falls to zero."""
    rise = steps // 10
    return torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) / (rise + 1), (steps - step) / (steps - rise))
    )


def predict(classifier: Classifier, texts: Sequence[Text], batch_size: int = 64) -> Tensor:
    """Return the label with the highest score for each text, (texts,), on the CPU."""
    require_count(batch_size=batch_size)
    texts = require_list(texts=texts)
    answers: list[int] = []
    with torch.no_grad():
        for start in range(0, len(texts), batch_size):
            answers += classifier(texts[start : start + batch_size]).argmax(dim=-1).tolist()
    return torch.tensor(answers)


def tuned(
    bert: Bert,
    seed: int,
    *,
    pairs: int = 600,
    voices: str = "one of each",
    epochs: int = EPOCHS,
    progress: Callable[[range], Iterable] = iter,
) -> Classifier:
    """Return a copy of a BERT that was trained on who did what to whom; the seed decides pairs, head and order."""
    drawn = role_pairs(pairs, seed=seed, voices=voices)
    classifier = Classifier(bert, seed=seed)
    train(classifier, as_texts(drawn), drawn["same"].tolist(), epochs=epochs, together=2, seed=seed, progress=progress)
    return classifier


def is_right(classifier: Classifier, pairs: "DataFrame") -> np.ndarray:
    """Return whether each pair is answered rightly, (pairs,)."""
    return predict(classifier, as_texts(pairs)).numpy() == pairs["same"].to_numpy()


def save(classifier: Classifier, folder: str | Path, names: Sequence[str]) -> Path:
    """Save a classifier and its labels' names in a new folder, whole or not at all; one that is there is an error."""
    from safetensors.torch import save_file

    names = require_list(names=names)  # a set has another order each day
    if len(set(names)) != classifier.head.out_features:  # else it would be known only when it is loaded
        labels = classifier.head.out_features
        raise ValueError(f"The head has {labels} labels, and here are {len(set(names))} names. Give each its own.")
    home = Path(folder)
    home.mkdir()
    try:
        classifier.bert.model.save_pretrained(home)
        classifier.bert.tokenizer.save_pretrained(home)
        save_file({name: values.cpu() for name, values in classifier.head.state_dict().items()}, home / HEAD)
        (home / LABELS).write_text(json.dumps(list(map(str, names))), encoding="utf-8")
        for file in home.iterdir():
            file.chmod(0o644)  # weights are saved for their owner alone
    except BaseException:
        shutil.rmtree(home)
        raise
    return home


def load_classifier(folder: str | Path) -> tuple[Classifier, list[str]]:
    """Return a classifier that was saved, and the names of its labels."""
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    home = Path(folder)
    bert = load(home.absolute())
    try:
        names = require_list(labels=json.loads((home / LABELS).read_text(encoding="utf-8")))
        if len({*map(str, names)}) < len(names) or not all(isinstance(name, str) for name in names):
            raise ValueError(f"the labels are not so many different strings: {names!r:.60}")
        classifier = Classifier(bert, labels=len(names))
        classifier.head.load_state_dict(load_file(home / HEAD))
        if not all(values.isfinite().all() for values in classifier.head.parameters()):
            raise ValueError("the head holds values that are no finite numbers")
    except (SafetensorError, RuntimeError, TypeError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise CheckpointError(f"{str(folder)!r} holds no whole classifier: {reason}. Save it anew.") from error
    return classifier, names
