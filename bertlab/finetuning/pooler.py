"""The mean in the pooler's place, for transformers' own classifier."""

from torch import Tensor, nn


class MeanPooler(nn.Module):
    """The mean of the tokens' vectors, (texts, hidden), of texts that have as many: padding would count."""

    def forward(self, hidden: Tensor) -> Tensor:
        """Return the mean of (texts, tokens, hidden)."""
        return hidden.mean(dim=1)
