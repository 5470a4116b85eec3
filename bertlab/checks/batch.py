"""A padded batch and a BERT's outputs for it, using only transformers' own calls."""

from functools import cached_property
from typing import Any

from torch import Tensor

from bertlab.bert.loading import Bert


class Batch:
    """Texts, or pairs of texts, as one batch; the model's outputs are computed on first use."""

    def __init__(self, bert: Bert, texts: list[str], pairs: list[str] | None = None) -> None:
        self.bert = bert
        self.inputs: Any = bert.tokenizer(texts, pairs, padding=True, return_tensors="pt").to(bert.model.device)
        self.mask: Tensor = self.inputs["attention_mask"][:, :, None]  # (texts, tokens, 1)

    @cached_property
    def output(self) -> Any:
        """The output of the encoder, with all layers."""
        return self.bert.model.bert(**self.inputs, output_hidden_states=True)

    @property
    def attention(self) -> tuple[Tensor, ...]:
        """The attention weights of each layer, (texts, heads, tokens, tokens) each."""
        return self.bert.model.bert(**self.inputs, output_attentions=True).attentions

    @property
    def hidden(self) -> tuple[Tensor, ...]:
        """The output of the embedding layer and of each layer, (texts, tokens, hidden) each."""
        return self.output.hidden_states

    @property
    def last(self) -> Tensor:
        """The output of the last layer, (texts, tokens, hidden)."""
        return self.output.last_hidden_state

    @property
    def pooled(self) -> Tensor:
        """The output of the pooler, (texts, hidden)."""
        return self.output.pooler_output

    @cached_property
    def without_mask(self) -> Any:
        """The output of the encoder without the attention mask."""
        return self.bert.model.bert(**{name: ids for name, ids in self.inputs.items() if name != "attention_mask"})
