"""One vector for a whole sentence: its tokens' vectors pooled, written out in lesson 5.

Three ways: the vector of [CLS], the mean over the tokens, their maximum feature by feature. The special tokens [CLS]
and [SEP] count as the others do; padding never counts, so that a sentence has the same vector in every batch. What
such vectors are worth is for `bertlab.paraphrase.benchmark` to say.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from bertlab.bert.reading import refuse_layer
from bertlab.bert.texts import batches, encode, listed, padded, refuse_batch_size

if TYPE_CHECKING:
    from bertlab.bert.loading import Bert

POOLINGS = ("cls", "mean", "max")


def sentence_vectors(
    bert: "Bert", texts: Sequence[str], pooling: str = "mean", layer: int = -1, batch_size: int = 32
) -> Tensor:
    """Return one vector for each text.

    Parameters
    ----------
    bert
    texts
        Sentences, or longer texts that the model can read.
    pooling : {"mean", "cls", "max"}
    layer
        0 is the embedding layer's output, 1 the first encoder layer's, -1 the last one's.
    batch_size
        How many texts pass through the model together. Changes speed and memory; values only by rounding.

    Returns
    -------
    torch.Tensor, (texts, hidden)
        float32, on the CPU, in the order of the texts.

    Raises
    ------
    TypeError
        If the texts are one string instead of a list, or hold something that is no string.
    ValueError
        If there is no text, no such pooling or layer, or a text is empty or longer than the model reads.

    Examples
    --------
    >>> import bertlab
    >>> bert = bertlab.load("bertlab-mini")
    >>> sentence_vectors(bert, ["It rained.", "The cat sat on the mat."]).shape
    torch.Size([2, 256])
    """
    return pooled_vectors(bert, texts, [(pooling, layer)], batch_size)[0]


def pooled_vectors(
    bert: "Bert",
    texts: Sequence[str],
    wanted: Sequence[tuple[str, int]],
    batch_size: int = 32,
    progress: Callable[[list], Iterable] = iter,
) -> list[Tensor]:
    """Return what `sentence_vectors` does, for several poolings and layers in one pass through the model.

    Parameters
    ----------
    bert, texts, batch_size
        As for `sentence_vectors`.
    wanted
        Poolings and layers.
    progress
        Takes the list of batches and yields them again, as ``tqdm.tqdm`` does.

    Returns
    -------
    list of torch.Tensor, (texts, hidden)
        One for each of `wanted`.
    """
    if isinstance(texts, str):
        raise TypeError("sentence_vectors takes a list of texts. For one text, put it in [ ].")
    texts = listed(texts)
    if not texts:
        raise ValueError("There is no text to make a vector of: the list is empty.")
    if pairs := [text for text in texts if isinstance(text, tuple)]:
        raise TypeError(f"A sentence vector is of one sentence, and this is a tuple: {pairs[0]!r:.60}.")
    refuse_batch_size(batch_size)
    for pooling, layer in wanted:
        refuse_pooling(pooling)
        refuse_layer(layer, last=bert.model.config.num_hidden_layers)
    _, encoded = encode(bert.model, bert.tokenizer, texts)
    found = [torch.empty(len(texts), bert.model.config.hidden_size) for _ in wanted]
    for batch in progress(batches(encoded, batch_size)):
        inputs = padded(bert.tokenizer, [encoded[i] for i in batch]).to(bert.model.device)
        with torch.no_grad():
            hidden = bert.model.bert(**inputs, output_hidden_states=True).hidden_states
        for vectors, (pooling, layer) in zip(found, wanted, strict=True):
            vectors[batch] = pool(hidden[layer].float(), inputs["attention_mask"], pooling).cpu()
    return found


def pool(hidden: Tensor, mask: Tensor, pooling: str) -> Tensor:
    """Pool the tokens' vectors of a padded batch.

    Parameters
    ----------
    hidden : (texts, tokens, hidden)
    mask : (texts, tokens)
        The tokenizer's attention mask: 1 for a token of the text, 0 for padding.
    pooling : {"mean", "cls", "max"}

    Returns
    -------
    torch.Tensor, (texts, hidden)

    Examples
    --------
    >>> hidden = torch.tensor([[[1.0], [3.0], [9.0]]])
    >>> pool(hidden, torch.tensor([[1, 1, 0]]), "mean")
    tensor([[2.]])
    """
    refuse_pooling(pooling)
    if pooling == "cls":
        return hidden[:, 0]
    real = mask[:, :, None].bool()  # (texts, tokens, 1)
    if pooling == "max":
        return hidden.masked_fill(~real, float("-inf")).amax(dim=1)
    return hidden.masked_fill(~real, 0).sum(dim=1) / real.sum(dim=1)


def refuse_pooling(pooling: str) -> None:
    """Refuse a pooling that is not one of `POOLINGS`."""
    if pooling not in POOLINGS:
        raise ValueError(f"There is no pooling {pooling!r}; there are {', '.join(map(repr, POOLINGS))}.")
