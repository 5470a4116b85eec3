"""The untrained BERT, its loss, and what it predicts.

The model is transformers' own `BertForPreTraining`; only the way to the loss is ours. The vocabulary logits
are computed at the masked positions alone: with 16,000 pieces they would otherwise be most of the work.
"""

from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from transformers import BertConfig, BertForPreTraining, set_seed

from bertlab.pretraining.instances import IGNORE, Batch
from bertlab.pretraining.recipe import Recipe


def new_bert(recipe: Recipe, vocabulary_size: int) -> BertForPreTraining:
    """Return a BERT of the recipe's shape with random weights fixed by its seed.

    There is no dropout: each sentence is read so seldom that overfitting is no danger, and without it a resumed run
    needs no random numbers but those of its batches.
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


class PretrainingLoss(nn.Module):
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


@dataclass(frozen=True, eq=False)
class Predicted:
    """How well a batch was predicted.

    Attributes
    ----------
    loss, correct
        Shape (rows, masked): the loss of each piece asked for, in nats, and whether it was the most probable (0 or 1).
    used
        Shape (rows, masked): which slots ask for a piece; the others mean nothing.
    next_correct
        Shape (rows,): whether the next-sentence answer is right; not a number for single sentences.
    """

    loss: np.ndarray
    correct: np.ndarray
    used: np.ndarray
    next_correct: np.ndarray


def predict(bert: BertForPreTraining, batch: Batch) -> Predicted:
    """Predict every masked piece and every pair of a batch, in float32 and without a gradient."""
    loss, inputs = PretrainingLoss(bert), tensors(batch, next(bert.parameters()).device)
    with torch.no_grad():
        hidden, next_scores = loss.encode(inputs["ids"], inputs["segments"], inputs["attention"])
        scores = loss.word_scores(hidden, inputs["positions"])
    labels = inputs["labels"]
    losses = F.cross_entropy(scores, labels.flatten(), ignore_index=IGNORE, reduction="none").view_as(labels)
    correct = (scores.argmax(-1).view_as(labels) == labels).float()
    next_correct = (next_scores.argmax(-1) == inputs["next_labels"]).float()
    next_correct[inputs["next_labels"] == IGNORE] = torch.nan
    return Predicted(*(found.cpu().numpy() for found in (losses, correct, labels != IGNORE, next_correct)))


def tensors(batch: Batch, device: torch.device | str = "cpu") -> dict[str, Tensor]:
    """Return the arrays of a batch as the arguments of `PretrainingLoss.forward`."""
    return {name: torch.from_numpy(array).to(device) for name, array in vars(batch).items()}
