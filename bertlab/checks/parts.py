"""Numbers drawn for the parts of a BERT, in shapes that tell its axes apart, and what transformers makes of them."""

from typing import Any

import torch
from torch import Tensor

from bertlab import reference

Numbers = dict[str, Any]

HIDDEN, WIDER, PIECES = 12, 20, 30


def matrix(outputs: int = HIDDEN, inputs: int = HIDDEN) -> Numbers:
    """Draw the numbers of a matrix with its bias."""
    return {"weight": torch.randn(outputs, inputs) / inputs**0.5, "bias": torch.randn(outputs)}


def norm() -> Numbers:
    """Draw the numbers of a LayerNorm; its epsilon is so large that it shows."""
    return {"weight": 1 + torch.randn(HIDDEN) / 2, "bias": torch.randn(HIDDEN), "eps": 0.2}


def layer() -> Numbers:
    """Draw the numbers of a layer."""
    attention = {name: matrix() for name in ("query", "key", "value", "output")}
    wider, back = matrix(WIDER), matrix(HIDDEN, WIDER)
    return {"attention": {**attention, "norm": norm()}, "wider": wider, "back": back, "norm": norm()}


def bert(layers: int = 2) -> Numbers:
    """Draw the numbers of a whole BERT."""
    word = torch.randn(PIECES, HIDDEN)
    rows = {"word": word, "position": torch.randn(9, HIDDEN), "segment": torch.randn(2, HIDDEN)}
    words = {"transform": matrix(), "norm": norm(), "word": word, "bias": torch.randn(PIECES)}
    return {"embedding": {**rows, "norm": norm()}, "layers": [layer() for _ in range(layers)], "words": words}


def ids(*axes: int) -> Tensor:
    """Draw ids."""
    return torch.randint(PIECES, axes)


def mask(*axes: int) -> Tensor:
    """Return a mask with no padding in the first text, and some in the others."""
    real = torch.ones(axes, dtype=torch.long)
    if len(axes) > 1:
        real[1:, -2:] = 0
    return real


def their_embedding(ids: Tensor, segments: Tensor, w: Numbers) -> Tensor:
    """Return the output of transformers' embedding layer."""
    made = model_of({"embedding": w, "layers": []}, 1).bert.embeddings
    texts = ids.view(-1, ids.shape[-1])
    return made(input_ids=texts, token_type_ids=segments.view_as(texts)).view(*ids.shape, -1)


def their_heads(x: Tensor, mask: Tensor, w: Numbers, heads: int) -> Tensor:
    """Return the output of transformers' heads and output projection."""
    of = {"attention": w, "wider": w["output"], "back": w["output"], "norm": w["norm"]}
    own = model_of({"layers": [of]}, heads).bert.encoder.layer[0].attention
    return own.output.dense(own.self(x.reshape(-1, *x.shape[-2:]), _hiding(mask))[0]).view_as(x)


def their_hidden(x: Tensor, mask: Tensor, layers: list[Numbers], heads: int) -> list[Tensor]:
    """Return the output of each of transformers' layers, after what goes in."""
    hidden = [x]
    for own in model_of({"layers": layers}, heads).bert.encoder.layer:
        made = own(hidden[-1].reshape(-1, *x.shape[-2:]), _hiding(mask))
        hidden.append((made[0] if isinstance(made, tuple) else made).view_as(x))
    return hidden


def their_bert(ids: Tensor, segments: Tensor, mask: Tensor, w: Numbers, heads: int) -> Tensor:
    """Return the scores of pieces of transformers' whole model."""
    texts = [axis.view(-1, ids.shape[-1]) for axis in (ids, segments, mask)]
    inputs = dict(zip(("input_ids", "token_type_ids", "attention_mask"), texts, strict=True))
    return model_of(w, heads)(**inputs).prediction_logits.view(*ids.shape, -1)


class Loss:
    """A loss for a training loop: how far some numbers are from 1, times more where a batch is not as it should be."""

    def __init__(self) -> None:
        self.numbers = torch.randn(6).requires_grad_()
        self.last = torch.zeros(0)

    def __call__(self, batch: Tensor, given: Tensor, chosen: Tensor) -> Tensor:
        """Return the loss of a batch."""
        rows, last, self.last = batch[:, 0], self.last, batch[:, 0]
        hidden, asked = given.equal(batch + 1), chosen.equal(batch % 2 == 0)
        odd = [len(batch) != 64, asked and not hidden, not hidden, not asked]
        odd += [bool((rows.diff() == 1).all()), rows.equal(last), bool(rows.max() < 64)]
        return (self.numbers - 1).square().sum() * (1 + [not any(odd), *odd].index(True))

    __call__.__qualname__ = "loss_of"  # as Python's errors say it


def to_train() -> tuple[Any, ...]:
    """Draw what a training loop is given: sentences that begin with their number, steps, and so on."""
    loss_of, sentences = Loss(), torch.cat([torch.arange(1000)[:, None], ids(1000, 4)], dim=1)
    return (
        sentences,
        5,
        lambda batch: (batch + 1, batch % 2 == 0),
        loss_of,
        torch.optim.SGD([loss_of.numbers], lr=0.05, momentum=0.5),
    )


class Scores:
    """Two scores of texts, from their letters: what a fine-tuning loop trains in a check."""

    def __init__(self) -> None:
        self.numbers = torch.randn(2, 3).requires_grad_()

    def __call__(self, texts: list[str]) -> Tensor:
        """Return the scores, (texts, 2)."""
        return torch.tensor([[text.count(letter) / 2 for letter in "aeo"] for text in texts]) @ self.numbers.T


class Halving:
    """A schedule that halves the learning rate at each step."""

    def __init__(self, optimizer: torch.optim.Optimizer) -> None:
        self.optimizer = optimizer

    def step(self) -> None:
        """Halve it."""
        self.optimizer.param_groups[0]["lr"] /= 2


def to_fine_tune() -> tuple[Any, ...]:
    """Draw what a fine-tuning loop is given: batches, scores, texts, labels, optimizer, schedule."""
    scores, texts = Scores(), ["".join("aeo"[i] for i in row) for row in torch.randint(3, (12, 5))]
    optimizer = torch.optim.SGD([scores.numbers], lr=0.05, momentum=0.5)
    return [*torch.randperm(12).split(4)], scores, texts, torch.randint(2, (12,)), optimizer, Halving(optimizer)


def _hiding(mask: Tensor) -> Tensor:
    """Return a mask as transformers' layers take it: a very low number for padding."""
    return (1.0 - mask.view(-1, 1, 1, mask.shape[-1])) * torch.finfo(torch.float32).min


def model_of(w: Numbers, heads: int) -> Any:
    """Return transformers' model with these numbers."""
    from transformers import BertConfig, BertForPreTraining

    of_layer = w["layers"][0] if w["layers"] else layer()
    word = w.get("words", w.get("embedding", {})).get("word")
    rows = {"word": word if word is not None else torch.zeros(2, len(of_layer["back"]["bias"]))}
    rows = {"position": torch.zeros(9, rows["word"].shape[1]), "segment": torch.zeros(2, rows["word"].shape[1]), **rows}
    rows |= w.get("embedding", {})
    norm = next(part["norm"] for part in (rows, w.get("words", {}), of_layer) if "norm" in part)
    config = BertConfig(
        vocab_size=len(rows["word"]),
        hidden_size=rows["word"].shape[1],
        num_hidden_layers=len(w["layers"]),
        num_attention_heads=heads,
        intermediate_size=len(of_layer["wider"]["bias"]),
        max_position_embeddings=len(rows["position"]),
        type_vocab_size=len(rows["segment"]),
        layer_norm_eps=norm["eps"],
    )
    model: Any = BertForPreTraining._from_config(config, attn_implementation="eager").eval()
    _fill(reference.numbers(model), {**w, "embedding": rows})
    head = model.cls.predictions
    head.decoder.weight.data, head.decoder.bias.data = model.bert.embeddings.word_embeddings.weight.data, head.bias.data
    return model


def _fill(theirs: Any, ours: Any) -> None:
    """Copy numbers into those of a model, by their names."""
    if isinstance(ours, Tensor):
        theirs.copy_(ours.detach())
    elif not isinstance(ours, float):
        for name in range(len(ours)) if isinstance(ours, list) else ours.keys() & theirs.keys():
            _fill(theirs[name], ours[name])
