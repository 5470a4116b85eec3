"""What BERT computes for sentences with one [MASK] each, layer by layer, and onward from any layer (lesson 9)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from bertlab.attention.layer import features_of
from bertlab.bert.loading import Bert
from bertlab.bert.texts import encode
from bertlab.masking.predictions import piece_id

Pair = tuple[str, str]
Words = Sequence[Sequence[str]]  # two lists


@dataclass(frozen=True, eq=False)
class Side:
    """What BERT computes for texts of one length with [MASK] at ``place``: its vectors, and what each head makes."""

    hidden: list[Tensor]
    joined: list[Tensor]
    place: Tensor

    @property
    def at_mask(self) -> Tensor:
        """The last layer's output at [MASK], (texts, hidden)."""
        return self.hidden[-1][torch.arange(len(self.place)), self.place]


def read(bert: Bert, texts: Sequence[str]) -> Side:
    """Read texts of one length with one [MASK] each; refuse others."""
    bert.require("masked-word head")
    ids = [encoding["input_ids"] for encoding in encode(bert.model, bert.tokenizer, texts)[1]]
    lengths = sorted({len(of_text) for of_text in ids})
    if len(lengths) > 1:
        raise ValueError(
            f"All sentences must have the same number of tokens, and these have {lengths[0]} to {lengths[-1]}. Use "
            "words that are one piece each, and measure sentences of another length by themselves."
        )
    tensor = torch.tensor(ids, device=bert.model.device)  # (texts, tokens)
    masks = tensor == bert.tokenizer.mask_token_id
    for text, many in zip(texts, masks.sum(dim=1).tolist(), strict=True):
        if many != 1:
            raise ValueError(f"{text!r:.80} has {many} [MASK]s; each sentence needs exactly one, the word asked for.")
    embeddings: Any = bert.model.bert.embeddings
    with torch.no_grad():
        hidden, joined = [embeddings(tensor)], []
        for layer in layers_of(bert):
            joined.append(layer.attention.self(hidden[-1])[0])
            hidden.append(after_heads(layer, hidden[-1], joined[-1]))
    return Side(hidden, joined, masks.int().argmax(dim=1))


def sides(bert: Bert, pairs: Sequence[Pair]) -> tuple[Side, Side]:
    """Read both sentences of each pair, all at once; refuse pairs between which no single vector can be taken over."""
    both, half = read(bert, [text for side in zip(*pairs, strict=True) for text in side]), len(pairs)
    text, other = (
        Side([vectors[of] for vectors in both.hidden], [outputs[of] for outputs in both.joined], both.place[of])
        for of in (slice(None, half), slice(half, None))
    )
    if not torch.equal(text.place, other.place):
        raise ValueError(
            "Both sentences of a pair must have [MASK] at the same position. Change words, not their order."
        )
    return text, other


def layers_of(bert: Bert) -> list[Any]:
    """Return transformers' modules of the layers."""
    return list(bert.model.bert.encoder.layer)


def onward(bert: Bert, hidden: Tensor, first: int, place: Tensor, joined: Tensor | None = None) -> Tensor:
    """Return the last layer's output at [MASK], (texts, hidden), from the input of layer `first`.

    `joined` stands for what that layer's heads make of it.
    """
    layers, at_mask = layers_of(bert), (torch.arange(len(place)), place)
    with torch.no_grad():
        for layer in layers[first:]:
            joined = layer.attention.self(hidden)[0] if joined is None else joined
            if layer is layers[-1]:  # no other vector of the last layer is asked for
                hidden, joined = hidden[at_mask], joined[at_mask]
            hidden, joined = after_heads(layer, hidden, joined), None
    return hidden if first < len(layers) else hidden[at_mask]


def after_heads(layer: Any, hidden: Tensor, joined: Tensor) -> Tensor:
    """Return a layer's output from its input and the joined outputs of its heads."""
    attended = layer.attention.output(joined, hidden)
    return layer.output(layer.intermediate(attended), attended)


class Choice:
    """The choice between two lists of words at [MASK]."""

    def __init__(self, bert: Bert, words: Words) -> None:
        if len(words) != 2 or not all(words):
            raise ValueError(f"words must be two lists of words, such as [['is'], ['are']], and this is {words!r:.60}.")
        self.head: Any = bert.model.cls.predictions
        self.ids = [torch.tensor([piece_id(bert, word) for word in group], device=bert.model.device) for group in words]

    def preference(self, at_mask: Tensor) -> Tensor:
        """Return the mean logit of the second list minus the first's, (texts,), from the last layer's output there."""
        decoder = self.head.decoder
        with torch.no_grad():
            vectors = self.head.transform(at_mask)
            first, second = ((vectors @ decoder.weight[ids].T + decoder.bias[ids]).mean(dim=1) for ids in self.ids)
        return second - first


def with_each_head(bert: Bert, choice: Choice, side: Side, replacements: Sequence[Tensor]) -> Tensor:
    """Return the preferences if one head's output is that in its layer's replacement, (layers, heads, texts)."""
    heads, preferences = bert.model.config.num_attention_heads, []
    for number, (joined, replacement) in enumerate(zip(side.joined, replacements, strict=True)):
        copies = joined.repeat(heads, 1, 1, 1)  # (heads, texts, tokens, hidden)
        for head in range(heads):
            features = features_of(bert, head)
            copies[head, ..., features] = replacement[..., features]
        hidden, place = side.hidden[number].repeat(heads, 1, 1), side.place.repeat(heads)
        at_mask = onward(bert, hidden, number, place, copies.flatten(0, 1))
        preferences.append(choice.preference(at_mask).view(heads, -1))
    return torch.stack(preferences)
