"""Read text with BERT: one sentence or pair, or many in batches.

A *reading* is everything that BERT computes on the way: the tokens, the vectors after every layer, the
attention weights, the pooled vector. Lesson 1 opens the first step (`bertlab.embedding`), the other
lessons the rest. What goes in is made ready, or refused, in `bertlab.bert.texts`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bertlab.bert.arguments import whole_number
from bertlab.bert.checkpoint import missing_part
from bertlab.bert.texts import Text, batches, encode, padded, refuse_batch_size

if TYPE_CHECKING:
    from torch import Tensor
    from transformers import BertForPreTraining, BertTokenizer


@dataclass(frozen=True, eq=False)
class Reading:
    """What BERT computed for one text. All tensors are detached, on the CPU, floating ones float32.

    Attributes
    ----------
    text, pair
        The text as it was given.
    tokens
        The pieces, special tokens included.
    ids : (tokens,)
        Each piece's row in the word table.
    segments : (tokens,)
        0 for the first sentence and its special tokens, 1 for the second.
    offsets
        Where each piece stands in its sentence, as start and end; ``(0, 0)`` for special tokens.
    hidden : (layers + 1, tokens, hidden)
        ``hidden[0]`` is the embedding layer's output, ``hidden[l]`` that of encoder layer ``l``.
    lower_cased
        Whether the tokenizer made small letters of capitals.
    unknown_id
        The id of [UNK]: tokens that have it stand for a stretch that the vocabulary cannot spell.
    """

    text: str
    pair: str | None
    tokens: list[str]
    ids: "Tensor"
    segments: "Tensor"
    offsets: list[tuple[int, int]]
    hidden: "Tensor"
    lower_cased: bool = field(repr=False)
    unknown_id: int = field(repr=False)
    _attention: "Tensor | None" = field(repr=False)
    _pooled: "Tensor | None" = field(repr=False)

    @property
    def attention(self) -> "Tensor":
        """Attention weights, (layers, heads, tokens, tokens); each row, along the last axis, sums to one."""
        if self._attention is None:
            raise ValueError(
                "This reading holds no attention weights. bert.read(text) keeps them; bert.read_all(texts) does "
                "with attention=True; and the model must use eager attention, as bertlab.load sets it."
            )
        return self._attention

    @property
    def pooled(self) -> "Tensor":
        """The pooler's output, (hidden,), each value between -1 and 1."""
        if self._pooled is None:
            raise missing_part("pooler")
        return self._pooled

    @property
    def unknown(self) -> list[str]:
        """The stretches of the text that BERT did not see as they are.

        Those that became [UNK], and single characters that the tokenizer left out (invisible ones), in the
        order of the text.
        """
        stretches = []
        tokens = list(zip(self.offsets, self.ids.tolist(), self.segments.tolist(), strict=True))
        for segment, sentence in enumerate((self.text, self.pair or "")):
            here = [(span, id_) for span, id_, where in tokens if where == segment and span[1] > span[0]]
            covered = {place for (start, end), _ in here for place in range(start, end)}
            found = [(start, end) for (start, end), id_ in here if id_ == self.unknown_id]
            found += [(i, i + 1) for i, c in enumerate(sentence) if not c.isspace() and i not in covered]
            stretches += [sentence[start:end] for start, end in sorted(found)]
        return stretches

    def __repr__(self) -> str:
        """Say what was read, and the shape of what came out."""
        layers, tokens, hidden = self.hidden.shape
        pieces = " ".join(self.tokens)
        unknown = f"\n  not in the vocabulary: {', '.join(map(repr, self.unknown))}" if self.unknown else ""
        return f"Reading of {tokens} tokens: {pieces}\n  hidden ({layers}, {tokens}, {hidden}){unknown}"


def read(
    model: "BertForPreTraining",
    tokenizer: "BertTokenizer",
    texts: Sequence[Text],
    batch_size: int,
    attention: bool,
) -> list[Reading]:
    """Read texts in batches of similar length, and return the readings in the order of the texts.

    Parameters
    ----------
    model, tokenizer
        As `bertlab.load` returns them.
    texts
        Sentences, pairs of sentences, or both.
    batch_size
        How many texts pass through the model together. Changes speed and memory; values only by rounding.
    attention
        Whether to keep the attention weights: layers x heads x tokens x tokens numbers a text.

    Returns
    -------
    list of Reading
        Without padding.

    Raises
    ------
    TypeError
        If a text is not a string (or a pair of strings).
    ValueError
        If a text is empty, holds nothing that the tokenizer keeps, or is too long for the model.
    """
    import torch

    refuse_batch_size(batch_size)
    pairs, encoded = encode(model, tokenizer, texts)
    normalizer = tokenizer.backend_tokenizer.normalizer
    lower_cased = normalizer is not None and normalizer.normalize_str("A") == "a"

    readings: dict[int, Reading] = {}
    for batch in batches(encoded, batch_size):
        inputs = padded(tokenizer, [encoded[i] for i in batch])
        with torch.no_grad():
            output = model.bert(**inputs.to(model.device), output_hidden_states=True, output_attentions=attention)
        hidden = torch.stack(output.hidden_states, dim=1).float().cpu()  # (batch, layers + 1, tokens, hidden)
        weights = torch.stack(output.attentions, dim=1).float().cpu() if output.attentions else None
        pooled = output.pooler_output.float().cpu() if output.pooler_output is not None else None
        for row, i in enumerate(batch):
            ids = encoded[i]["input_ids"]
            n = len(ids)
            readings[i] = Reading(
                text=pairs[i][0],
                pair=pairs[i][1],
                tokens=list(tokenizer.convert_ids_to_tokens(ids)),
                ids=torch.tensor(ids),
                segments=torch.tensor(encoded[i]["token_type_ids"]),
                offsets=encoded[i]["offset_mapping"],
                # Cloned: a view would keep the whole padded batch in memory.
                hidden=hidden[row, :, :n].clone(),
                lower_cased=lower_cased,
                unknown_id=tokenizer.unk_token_id,
                _attention=None if weights is None else weights[row, :, :, :n, :n].clone(),
                _pooled=None if pooled is None else pooled[row].clone(),
            )
    return [readings[i] for i in range(len(texts))]


def refuse_layer(layer: object, last: int) -> None:
    """Refuse a layer that a BERT with `last` encoder layers does not have."""
    number = whole_number(layer)
    if number is None or not -last - 1 <= number <= last:
        raise ValueError(
            f"There is no layer {layer!r}: this BERT has 0 (the embedding layer's output) to {last} (the last "
            f"encoder layer's); negative numbers count from the end, -1 is the last."
        )
