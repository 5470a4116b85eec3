"""Read texts with BERT in batches, and keep everything that it computes for each: its *reading*."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bertlab.bert.hub import MissingPartError
from bertlab.bert.texts import Text, encode, in_batches

if TYPE_CHECKING:
    from torch import Tensor
    from transformers import BertForPreTraining, BertTokenizer


@dataclass(frozen=True, eq=False)
class Reading:
    """What BERT computed for one text, as `Bert.read` returns it. Tensors are on the CPU, without gradients.

    Attributes
    ----------
    text, pair : str
        The sentence, and the second sentence of a pair or None.
    tokens : list of str
        The pieces, special tokens included.
    ids, segments : (tokens,)
        Each token's row in the word table; 0 for the first sentence and its special tokens, 1 for the second.
    offsets : list of (int, int)
        The start and end of each piece in its sentence; ``(0, 0)`` for special tokens.
    hidden : (layers + 1, tokens, hidden)
        ``hidden[0]`` is the output of the embedding layer, ``hidden[l]`` that of encoder layer ``l``.
    normalised : callable
        What the tokenizer makes of a string first: it may drop accents, and turn capitals into small letters.
    unknown_id : int
        The id of [UNK].
    """

    text: str
    pair: str | None
    tokens: list[str]
    ids: "Tensor"
    segments: "Tensor"
    offsets: list[tuple[int, int]]
    hidden: "Tensor"
    normalised: Callable[[str], str] = field(repr=False)
    unknown_id: int = field(repr=False)
    _attention: "Tensor | None" = field(repr=False)
    _pooled: "Tensor | None" = field(repr=False)

    @property
    def attention(self) -> "Tensor":
        """The attention weights, (layers, heads, tokens, tokens): each row, along the last axis, sums to one."""
        if self._attention is None:
            raise ValueError(
                "This reading holds no attention weights. bert.read(text) keeps them; bert.read_all(texts) does "
                "with attention=True; and the model must use eager attention, as bertlab.load sets it."
            )
        return self._attention

    @property
    def pooled(self) -> "Tensor":
        """The output of the pooler, (hidden,), each value between -1 and 1."""
        if self._pooled is None:
            raise MissingPartError("pooler")
        return self._pooled

    @property
    def unknown(self) -> list[str]:
        """The parts of the text that became [UNK] or that the tokenizer left out, a list of strings."""
        stretches = []
        for number, sentence in enumerate((self.text, self.pair or "")):
            covered, spans = set(), []
            for (start, end), id_, segment in zip(self.offsets, self.ids, self.segments, strict=True):
                if segment == number:
                    covered.update(range(start, end))
                    spans += [(start, end)] if id_ == self.unknown_id else []
            spans += [(i, i + 1) for i, c in enumerate(sentence) if not c.isspace() and i not in covered]
            stretches += [sentence[start:end] for start, end in sorted(spans)]
        return stretches

    def __repr__(self) -> str:
        """Return the tokens and the shape of the hidden states."""
        layers, tokens, hidden = self.hidden.shape
        pieces = " ".join(self.tokens)
        unknown = f"\n  not in the vocabulary: {', '.join(map(repr, self.unknown))}" if self.unknown else ""
        return f"Reading of {tokens} tokens: {pieces}\n  hidden ({layers}, {tokens}, {hidden}){unknown}"


def read(
    model: "BertForPreTraining", tokenizer: "BertTokenizer", texts: Iterable[Text], batch_size: int, attention: bool
) -> list[Reading]:
    """Read texts in batches of similar length, and return one reading per text, in the order of the texts."""
    import torch

    sentences, encoded = encode(model, tokenizer, texts)
    normalizer = tokenizer.backend_tokenizer.normalizer
    readings: dict[int, Reading] = {}
    outputs = {"output_hidden_states": True, "output_attentions": attention}
    for batch, output, _ in in_batches(model, tokenizer, encoded, batch_size, **outputs):
        hidden = torch.stack(output.hidden_states, dim=1).float().cpu()  # (batch, layers + 1, tokens, hidden)
        weights = torch.stack(output.attentions, dim=1).float().cpu() if output.attentions else None
        pooled = output.pooler_output.float().cpu() if output.pooler_output is not None else None
        for row, i in enumerate(batch):
            ids = encoded[i]["input_ids"]
            length = len(ids)
            readings[i] = Reading(
                text=sentences[i][0],
                pair=sentences[i][1],
                tokens=list(tokenizer.convert_ids_to_tokens(ids)),
                ids=torch.tensor(ids),
                segments=torch.tensor(encoded[i]["token_type_ids"]),
                offsets=encoded[i]["offset_mapping"],
                # Cloned: a view would keep the whole padded batch in memory.
                hidden=hidden[row, :, :length].clone(),
                normalised=str if normalizer is None else normalizer.normalize_str,
                unknown_id=tokenizer.unk_token_id,
                _attention=None if weights is None else weights[row, :, :, :length, :length].clone(),
                _pooled=None if pooled is None else pooled[row].clone(),
            )
    return [readings[i] for i in range(len(encoded))]
