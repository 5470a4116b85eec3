"""Sentence vectors: the vectors of a sentence's tokens, pooled to one (written out in lesson 5)."""

from collections.abc import Callable, Iterable, Sequence

import torch
from torch import Tensor

from bertlab.arguments import Count, guarded, require_place
from bertlab.bert.loading import Bert
from bertlab.bert.texts import encode, in_batches

Pooling = Callable[[Tensor, Tensor], Tensor]


def first_token(hidden: Tensor, mask: Tensor) -> Tensor:
    """Return the vector of [CLS]."""
    return hidden[:, 0]


def maximum(hidden: Tensor, mask: Tensor) -> Tensor:
    """Return the largest value of each feature over the tokens."""
    return hidden.masked_fill(mask[:, :, None] != 1, float("-inf")).amax(dim=1)


@guarded
def mean_of_tokens(hidden: Tensor, mask: Tensor) -> Tensor:
    """Return the mean of each text's token vectors; padding does not count.

    Parameters
    ----------
    hidden : (texts, tokens, hidden)
        The output of one layer for a padded batch.
    mask : (texts, tokens)
        The tokenizer's attention mask: 1 for a token of the text, 0 for padding.

    Returns
    -------
    Tensor
        The means, (texts, hidden).

    Examples
    --------
    >>> mean_of_tokens(torch.tensor([[[1.0], [3.0], [9.0]]]), torch.tensor([[1, 1, 0]]))
    tensor([[2.]])
    """
    if mask.shape != hidden.shape[:2]:  # torch would broadcast some of them
        raise ValueError(
            f"mask must have one number per token, and its shape is {tuple(mask.shape)}, not (texts, tokens)."
        )
    real = mask[:, :, None] == 1  # (texts, tokens, 1)
    return hidden.masked_fill(~real, 0).sum(dim=1) / real.sum(dim=1)


# The one place to add a pooling, which the benchmark then measures too. It takes what `mean_of_tokens` takes.
POOLINGS: dict[str, Pooling] = {"cls": first_token, "mean": mean_of_tokens, "max": maximum}


@guarded
def sentence_vectors(
    bert: Bert, texts: Sequence[str], pooling: str = "mean", layer: int = -1, batch_size: Count = 32
) -> Tensor:
    """Return one vector per sentence, pooled from the vectors of its tokens (Reimers and Gurevych 2019).

    Parameters
    ----------
    bert, texts
        The model, and the sentences that it reads.
    pooling : str
        How vectors are pooled, a name in `POOLINGS`: "mean", "cls" or "max"; [CLS] and [SEP] count.
    layer : int
        Whose output is pooled: 0 is the embedding layer, -1 the last encoder layer.
    batch_size : int
        The number of sentences that pass through the model together.

    Returns
    -------
    Tensor
        The vectors, (texts, hidden), in float32 on the CPU.

    Examples
    --------
    >>> sentence_vectors(bertlab.load("bertlab-mini"), ["It rained.", "The cat sat on the mat."]).shape
    torch.Size([2, 256])
    """
    return pooled_vectors(bert, texts, [(pooling, layer)], batch_size)[0]


def pooled_vectors(
    bert: Bert,
    texts: Sequence[str],
    wanted: Sequence[tuple[str, int]],
    batch_size: int = 32,
    progress: Callable[[list], Iterable] = iter,
) -> list[Tensor]:
    """Return `sentence_vectors` for each wanted (pooling, layer), in one pass through the model."""
    outputs = bert.model.config.num_hidden_layers + 1
    for pooling, layer in wanted:
        if pooling not in POOLINGS:
            raise ValueError(f"There is no pooling {pooling!r}; there are {', '.join(POOLINGS)}.")
        require_place(outputs, -outputs, layer=layer)
    sentences, encoded = encode(bert.model, bert.tokenizer, texts)
    if any(pair is not None for _, pair in sentences):
        raise TypeError("A sentence vector is of one sentence, and here is a tuple of two.")
    vectors = [torch.full((len(encoded), bert.model.config.hidden_size), torch.nan) for _ in wanted]
    layers = {"output_hidden_states": True}
    for batch, output, mask in in_batches(bert.model, bert.tokenizer, encoded, batch_size, progress, **layers):
        for rows, (pooling, layer) in zip(vectors, wanted, strict=True):
            rows[batch] = POOLINGS[pooling](output.hidden_states[layer].float(), mask).cpu()
    return vectors
