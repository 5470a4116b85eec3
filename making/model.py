"""The untrained BERT, its loss, its optimizers, what it predicts and where its heads look."""

from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from transformers import BertConfig, BertForPreTraining, BertTokenizer, set_seed

from batches import IGNORE, Batch
from prepare import CLS, FIRST_WORD, SEP

if TYPE_CHECKING:
    from train import Settings


def new_bert(settings: "Settings", vocabulary: int) -> BertForPreTraining:
    """Return a BERT of random weights fixed by the seed.

    Without dropout: each sentence is read so seldom that overfitting is no danger.
    """
    config = BertConfig(
        vocab_size=vocabulary,
        hidden_size=settings.hidden,
        num_hidden_layers=settings.layers,
        num_attention_heads=settings.heads,
        intermediate_size=settings.intermediate,
        max_position_embeddings=settings.positions,
        initializer_range=settings.initial_spread,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )
    set_seed(settings.seed)
    return BertForPreTraining(config)


def save_model(folder: Path, bert: BertForPreTraining, tokenizer: BertTokenizer) -> None:
    """Write a model folder that everybody may read: weights in float16, tokenizer, and a readable vocabulary."""
    deepcopy(bert).half().save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    vocabulary = tokenizer.get_vocab()
    (folder / "vocab.txt").write_text("\n".join(sorted(vocabulary, key=vocabulary.__getitem__)) + "\n", "utf-8")
    for path in folder.iterdir():
        path.chmod(0o644)


class PretrainingLoss(nn.Module):
    """The two losses of a batch, in nats, as sums, so that several processes can be averaged exactly.

    The scores of the vocabulary, most of the work otherwise, are computed at the masked positions alone.
    """

    def __init__(self, bert: BertForPreTraining, bf16: bool = False) -> None:
        super().__init__()
        self.bert, self.bf16 = bert, bf16

    def forward(
        self, ids: Tensor, segments: Tensor, attention: Tensor, positions: Tensor, labels: Tensor, next_labels: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Return the summed masked-word loss and the summed next-sentence loss."""
        with torch.autocast(ids.device.type, dtype=torch.bfloat16, enabled=self.bf16):
            scores, next_scores = self.scores(ids, segments, attention, positions)
        words = F.cross_entropy(scores.float(), labels.flatten(), ignore_index=IGNORE, reduction="sum")
        return words, F.cross_entropy(next_scores.float(), next_labels, ignore_index=IGNORE, reduction="sum")

    def scores(self, ids: Tensor, segments: Tensor, attention: Tensor, positions: Tensor) -> tuple[Tensor, Tensor]:
        """Return the scores of the vocabulary, (rows * masked, vocabulary), and of the next sentence, (rows, 2)."""
        output = self.bert.bert(input_ids=ids, token_type_ids=segments, attention_mask=attention)
        places = positions[..., None].expand(-1, -1, output.last_hidden_state.shape[-1])
        words = self.bert.cls.predictions(output.last_hidden_state.gather(1, places).flatten(0, 1))
        return words, self.bert.cls.seq_relationship(output.pooler_output)


def make_optimizers(bert: BertForPreTraining, settings: "Settings") -> list[torch.optim.Optimizer]:
    """Return Muon for the layers' matrices and AdamW for the rest (Jordan et al. 2024; Loshchilov & Hutter 2019).

    Muon makes each update of a matrix orthogonal, which for this small model is worth more than twice the data.
    """
    layers, tables, vectors = [], [], []
    for name, parameter in bert.named_parameters():
        inside = name.startswith("bert.encoder.layer.")
        (vectors if parameter.ndim < 2 else layers if inside else tables).append(parameter)
    decay = settings.weight_decay
    muon = torch.optim.Muon(
        layers,
        lr=settings.matrix_rate,
        weight_decay=decay,
        momentum=settings.momentum,
        nesterov=True,
        adjust_lr_fn="match_rms_adamw",
    )
    groups = [{"params": tables, "weight_decay": decay}, {"params": vectors, "weight_decay": 0.0}]
    adamw = torch.optim.AdamW(groups, lr=settings.other_rate, betas=tuple(settings.betas), fused=True)
    return [muon, adamw]


def predict(bert: BertForPreTraining, batch: Batch) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Predict a batch in float32: losses and hits, (rows, masked), and next-sentence hits, (rows,).

    What was not asked is not a number.
    """
    inputs = batch.tensors(next(bert.parameters()).device)
    labels, next_labels = inputs.pop("labels"), inputs.pop("next_labels")
    with torch.no_grad():
        scores, next_scores = PretrainingLoss(bert).scores(**inputs)
    losses = F.cross_entropy(scores, labels.flatten(), ignore_index=IGNORE, reduction="none").view_as(labels)
    hits = (scores.argmax(-1).view_as(labels) == labels).float()
    next_hits = (next_scores.argmax(-1) == next_labels).float()
    asked = [(losses, labels), (hits, labels), (next_hits, next_labels)]
    return tuple(values.masked_fill(of == IGNORE, torch.nan).cpu().numpy() for values, of in asked)


def head_patterns(bert: BertForPreTraining, batch: Batch) -> pd.DataFrame:
    """Measure where every head looks: a row a head, shares of attention as means over the word pieces that look.

    The patterns of `bertlab.attention.patterns`, but [CLS] counts as the piece before the first, [SEP] as the one
    after the last. ``uniform special`` is what a head that looks everywhere alike gives to [CLS] and [SEP].
    """
    inputs = batch.tensors(next(bert.parameters()).device)
    before, training = str(bert.config._attn_implementation), bert.training
    bert.set_attn_implementation("eager")  # the others return no weights
    bert.eval()
    with torch.no_grad():
        ids, segments, attention = inputs["ids"], inputs["segments"], inputs["attention"]
        output = bert.bert(ids, attention, segments, output_attentions=True)
    bert.set_attn_implementation(before)
    bert.train(training)
    weights = torch.stack(output.attentions).transpose(1, 2).float().cpu()  # (layers, heads, texts, from, to)
    ids, lengths = torch.from_numpy(batch.ids), torch.from_numpy(batch.attention).sum(-1)
    step = torch.arange(ids.shape[1]) - torch.arange(ids.shape[1])[:, None]  # how far the column is to the right
    places = {
        "special": ((ids == CLS) | (ids == SEP))[:, None].expand_as(weights[0, 0]),
        "previous": (step == -1).expand_as(weights[0, 0]),
        "next": (step == 1).expand_as(weights[0, 0]),
        "same piece": (ids[:, :, None] == ids[:, None]) & (step != 0),
    }
    looking = ids >= FIRST_WORD
    layers, heads = np.indices(weights.shape[:2])
    columns = {"layer": layers.ravel(), "head": heads.ravel()}
    for name, where in places.items():
        counts = looking & where.any(-1)
        shares = (weights * where).sum(-1)[..., counts]  # (layers, heads, rows that count)
        columns[name] = shares.double().mean(-1).flatten().numpy()
    columns["entropy"] = torch.special.entr(weights).sum(-1)[..., looking].double().mean(-1).flatten().numpy()
    uniform = places["special"][:, 0].sum(-1) / lengths  # (texts,)
    return pd.DataFrame(columns).assign(**{"uniform special": float(uniform.repeat_interleave(looking.sum(-1)).mean())})


def dead_layers(heads: pd.DataFrame) -> list[int]:
    """Return the layers in which every head puts over 0.9 of its attention on special tokens: they do nothing."""
    least = heads.groupby("layer")["special"].min()
    return [int(layer) for layer in least.index[least > 0.9]]
