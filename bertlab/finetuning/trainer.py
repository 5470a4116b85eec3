"""What lesson 8 puts into transformers' Trainer: the mean in the pooler's place, and a bar of how far it is."""

from typing import TYPE_CHECKING, Any

from torch import Tensor, nn

from bertlab.figures.progress_bar import progress

if TYPE_CHECKING:
    from transformers import TrainerCallback


class MeanPooler(nn.Module):
    """The mean of the tokens' vectors, (texts, hidden), of texts that have as many: padding would count."""

    def forward(self, hidden: Tensor) -> Tensor:
        """Return the mean of (texts, tokens, hidden)."""
        return hidden.mean(dim=1)


def progress_callback() -> "TrainerCallback":
    """Return what the Trainer calls on its way, and draws a bar."""
    from transformers import TrainerCallback

    class Progress(TrainerCallback):
        def on_train_begin(self, _: Any, state: Any, *__: Any, **___: Any) -> None:
            self.bar = progress(range(state.max_steps))

        def on_step_end(self, *_: Any, **__: Any) -> None:
            self.bar.update()

        def on_train_end(self, *_: Any, **__: Any) -> None:
            self.bar.close()

    return Progress()
