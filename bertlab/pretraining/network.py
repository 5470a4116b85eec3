"""The untrained BERT and its loss.

The model is transformers' own `BertForPreTraining`; only the way to the loss is ours. The vocabulary logits
are computed at the masked positions alone: with 16,000 pieces they would otherwise be most of the work.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from transformers import BertConfig, BertForPreTraining, set_seed

from bertlab.pretraining.instances import IGNORE, Batch
from bertlab.pretraining.recipe import Recipe


def new_bert(recipe: Recipe, vocabulary_size: int) -> BertForPreTraining:
    """Return a BERT of the recipe's shape with random weights fixed by its seed.

    Dropout is off: each sentence is read so seldom that there is nothing to forget.
    """
    config = BertConfig(
        vocab_size=vocabulary_size,
        hidden_size=recipe.hidden,
        num_hidden_layers=recipe.layers,
        num_attention_heads=recipe.heads,
        intermediate_size=recipe.intermediate,
        max_position_embeddings=recipe.positions,
        initializer_range=recipe.initial_spread,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )
    set_seed(recipe.seed)
    return BertForPreTraining(config)


class Objective(nn.Module):
    """The two losses of a batch, as sums, so that several processes can be averaged exactly.

    Parameters
    ----------
    bert
        The model to train.
    bf16
        Compute in bfloat16 where autocast finds that safe; the weights stay float32.
    """

    def __init__(self, bert: BertForPreTraining, bf16: bool = False) -> None:
        super().__init__()
        self.bert, self.bf16 = bert, bf16

    def forward(
        self, ids: Tensor, segments: Tensor, attention: Tensor, positions: Tensor, labels: Tensor, next_labels: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Return the summed masked-word loss and the summed next-sentence loss, both in nats."""
        with torch.autocast(ids.device.type, dtype=torch.bfloat16, enabled=self.bf16):
            hidden, next_scores = self.encode(ids, segments, attention)
            scores = self.word_scores(hidden, positions)
        words = F.cross_entropy(scores.float(), labels.flatten(), ignore_index=IGNORE, reduction="sum")
        pairs = F.cross_entropy(next_scores.float(), next_labels, ignore_index=IGNORE, reduction="sum")
        return words, pairs

    def encode(self, ids: Tensor, segments: Tensor, attention: Tensor) -> tuple[Tensor, Tensor]:
        """Return the last hidden states, (rows, length, hidden), and the next-sentence scores, (rows, 2)."""
        output = self.bert.bert(input_ids=ids, token_type_ids=segments, attention_mask=attention)
        return output.last_hidden_state, self.bert.cls.seq_relationship(output.pooler_output)

    def word_scores(self, hidden: Tensor, positions: Tensor) -> Tensor:
        """Return the vocabulary scores at the masked positions, (rows * masked, vocabulary)."""
        places = positions[..., None].expand(-1, -1, hidden.shape[-1])
        return self.bert.cls.predictions(hidden.gather(1, places).flatten(0, 1))


def tensors(batch: Batch, device: torch.device | str = "cpu") -> dict[str, Tensor]:
    """Return the arrays of a batch as the arguments of `Objective.forward`."""
    return {name: torch.from_numpy(array).to(device) for name, array in vars(batch).items()}
