"""A padded batch and what a BERT makes of it, with transformers' own calls alone."""

from functools import cached_property
from typing import Any

from torch import Tensor

from bertlab.bert.loading import Bert


class Batch:
    """Texts, or pairs of texts, as one batch; what the model makes of them is computed when it is first asked for."""

    def __init__(self, bert: Bert, texts: list[str], pairs: list[str] | None = None) -> None:
        self.bert = bert
        self.inputs: Any = bert.tokenizer(texts, pairs, padding=True, return_tensors="pt").to(bert.model.device)
        self.mask: Tensor = self.inputs["attention_mask"][:, :, None]  # (texts, tokens, 1)

    @cached_property
    def output(self) -> Any:
        """What the encoder returns, all layers among it."""
        return self.bert.model.bert(**self.inputs, output_hidden_states=True)

    @property
    def attention(self) -> tuple[Tensor, ...]:
        """The weights of each layer, (texts, heads, tokens, tokens) each."""
        return self.bert.model.bert(**self.inputs, output_attentions=True).attentions

    @property
    def hidden(self) -> tuple[Tensor, ...]:
        """What leaves the embedding layer and each layer, (texts, tokens, hidden) each."""
        return self.output.hidden_states

    @property
    def last(self) -> Tensor:
        """What leaves the last layer, (texts, tokens, hidden)."""
        return self.output.last_hidden_state

    @property
    def pooled(self) -> Tensor:
        """What leaves the pooler, (texts, hidden)."""
        return self.output.pooler_output

    @cached_property
    def without_mask(self) -> Any:
        """What the encoder returns if the mask is not handed over."""
        return self.bert.model.bert(**{name: ids for name, ids in self.inputs.items() if name != "attention_mask"})
