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
        """The output of the encoder."""
        return self.bert.model.bert(**self.inputs)

    @property
    def attention(self) -> tuple[Tensor, ...]:
        """The attention weights of each layer, (texts, heads, tokens, tokens) each."""
        return self.bert.model.bert(**self.inputs, output_attentions=True).attentions

    @property
    def last(self) -> Tensor:
        """The output of the last layer, (texts, tokens, hidden)."""
        return self.output.last_hidden_state

    @property
    def pooled(self) -> Tensor:
        """The output of the pooler, (texts, hidden)."""
        return self.output.pooler_output
