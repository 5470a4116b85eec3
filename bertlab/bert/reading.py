"""Read texts with BERT in batches, and keep everything that it computes on the way: a *reading* for each."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bertlab.bert.batches import in_batches
from bertlab.bert.checkpoint import missing_part
from bertlab.bert.texts import Text, encode

if TYPE_CHECKING:
    from torch import Tensor
    from transformers import BertForPreTraining, BertTokenizer


@dataclass(frozen=True, eq=False)
class Reading:
    """What BERT computed for one text. All tensors are detached, on the CPU, floating ones float32.

    Attributes
    ----------
    text, pair
        The text as it was given, and the second sentence of a pair.
    tokens, ids : (tokens,)
        The pieces, special tokens included, and each one's row in the word table.
    segments : (tokens,)
        0 for the first sentence and its special tokens, 1 for the second.
    offsets
        Where each piece stands in its sentence, as start and end; ``(0, 0)`` for special tokens.
    hidden : (layers + 1, tokens, hidden)
        ``hidden[0]`` is the embedding layer's output, ``hidden[l]`` that of encoder layer ``l``.
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
        """What BERT did not see as it is: stretches that became [UNK], characters that the tokenizer left out."""
        stretches = []
        for segment, sentence in enumerate((self.text, self.pair or "")):
            covered, spans = set(), []
            for (start, end), id_, of in zip(self.offsets, self.ids.tolist(), self.segments.tolist(), strict=True):
                if of == segment:
                    covered.update(range(start, end))
                    spans += [(start, end)] if id_ == self.unknown_id else []
            spans += [(i, i + 1) for i, c in enumerate(sentence) if not c.isspace() and i not in covered]
            stretches += [sentence[start:end] for start, end in sorted(spans)]
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
    texts: Iterable[Text],
    batch_size: int,
    attention: bool,
) -> list[Reading]:
    """Read texts in batches of similar length, and return the readings, without padding, in the order of the texts."""
    import torch

    sentences, encoded = encode(model, tokenizer, texts)
    normalizer = tokenizer.backend_tokenizer.normalizer
    lower_cased = normalizer is not None and normalizer.normalize_str("A") == "a"
    readings: dict[int, Reading] = {}
    kept = {"output_hidden_states": True, "output_attentions": attention}
    for batch, output, _ in in_batches(model, tokenizer, encoded, batch_size, **kept):
        hidden = torch.stack(output.hidden_states, dim=1).float().cpu()  # (batch, layers + 1, tokens, hidden)
        weights = torch.stack(output.attentions, dim=1).float().cpu() if output.attentions else None
        pooled = output.pooler_output.float().cpu() if output.pooler_output is not None else None
        for row, i in enumerate(batch):
            ids = encoded[i]["input_ids"]
            n = len(ids)
            readings[i] = Reading(
                text=sentences[i][0],
                pair=sentences[i][1],
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
    return [readings[i] for i in range(len(encoded))]
