"""The untrained BERT, its loss, its optimizers, its predictions and its attention weights."""

from copy import deepcopy
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from transformers import BertConfig, BertForPreTraining, BertTokenizer, set_seed

from batches import IGNORE, Batch
from prepare import CLS, FIRST_WORD, SEP
from settings import Settings
from tallies import Tally, by_row, tally, uniform_weights


def new_bert(settings: Settings, vocabulary: int) -> BertForPreTraining:
    """Return an untrained BERT; the seed fixes its random weights."""
    config = BertConfig(
        vocab_size=vocabulary,
        hidden_size=settings.hidden,
        num_hidden_layers=settings.layers,
        num_attention_heads=settings.heads,
        intermediate_size=settings.intermediate,
        max_position_embeddings=settings.positions,
        initializer_range=settings.initial_spread,
        hidden_dropout_prob=0.0,  # each sentence is read too rarely for overfitting
        attention_probs_dropout_prob=0.0,
    )
    set_seed(settings.seed)
    return BertForPreTraining(config)


def save_model(folder: Path, bert: BertForPreTraining, tokenizer: BertTokenizer) -> None:
    """Write a model folder that every user can read: weights in float16, tokenizer, and the vocabulary as text."""
    deepcopy(bert).half().save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    pieces = tokenizer.convert_ids_to_tokens(range(len(tokenizer)))
    (folder / "vocab.txt").write_text("\n".join(pieces) + "\n", "utf-8")
    for path in folder.iterdir():
        path.chmod(0o644)


class PretrainingLoss(nn.Module):
    """The two losses of a batch, in nats, as sums, so that the average over several processes is exact.

    The scores of the vocabulary, otherwise most of the work, are computed only at the masked positions.
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


def make_optimizers(bert: BertForPreTraining, settings: Settings) -> list[torch.optim.Optimizer]:
    """Return Muon for the layers' matrices and AdamW for the rest (Jordan et al. 2024; Loshchilov & Hutter 2019).

    Muon makes each update of a matrix orthogonal, which helps this small model more than twice the data does.
    """
    layers, tables, vectors = [], [], []
    for name, parameter in bert.named_parameters():
        inside = name.startswith("bert.encoder.layer.")
        (vectors if parameter.ndim < 2 else layers if inside else tables).append(parameter)
    options = {"weight_decay": settings.weight_decay, "momentum": settings.momentum, "nesterov": True}
    muon = torch.optim.Muon(layers, lr=settings.matrix_rate, adjust_lr_fn="match_rms_adamw", **options)
    groups = [{"params": tables, "weight_decay": settings.weight_decay}, {"params": vectors, "weight_decay": 0.0}]
    return [muon, torch.optim.AdamW(groups, lr=settings.other_rate, betas=tuple(settings.betas), fused=True)]


@torch.no_grad()
def predict(bert: BertForPreTraining, batch: Batch) -> list[np.ndarray]:
    """Return a batch's losses and hits, (rows, masked), and next-sentence hits, (rows,), in float32; nan if unused."""
    *inputs, labels, next_labels = batch.tensors(bert.device)
    scores, next_scores = PretrainingLoss(bert).scores(*inputs)
    losses = F.cross_entropy(scores, labels.flatten(), ignore_index=IGNORE, reduction="none").view_as(labels)
    hits = (scores.argmax(-1).view_as(labels) == labels).float()
    next_hits = (next_scores.argmax(-1) == next_labels).float()
    results = [(losses, labels), (hits, labels), (next_hits, next_labels)]
    return [values.masked_fill(target == IGNORE, torch.nan).cpu().numpy() for values, target in results]


@torch.no_grad()
def head_tallies(bert: BertForPreTraining, batch: Batch) -> dict[str, Tally]:
    """Sum each head's attention weights from word pieces, text by text."""
    before = str(bert.config._attn_implementation)
    bert.set_attn_implementation("eager")  # the others return no weights
    ids, segments, attention, *_ = batch.tensors(bert.device)
    output = bert.bert(ids, attention, segments, output_attentions=True)
    bert.set_attn_implementation(before)
    weights = torch.stack(output.attentions, dim=1).float().cpu()  # (texts, layers, heads, from, to)
    texts = []
    for row, padded, length in zip(ids.cpu(), weights, attention.sum(-1).tolist(), strict=True):
        of_text = padded[..., :length, :length]
        texts.append((looks(row[:length], of_text), looks(row[:length], uniform_weights(of_text))))
    return tally(texts)


def looks(pieces: Tensor, weights: Tensor) -> dict[str, Tensor]:
    """Return the weight of each word piece's row on each pattern and its entropy, (layers, heads, word pieces).

    Unlike in `bertlab.attention.patterns`, rows of special pieces and [MASK] do not count; [CLS] counts as the previous
    piece of the first one, and [SEP] as the next piece of the last one.
    """
    row, place = (pieces >= FIRST_WORD)[:, None], torch.arange(len(pieces))
    step = place - place[:, None]  # (tokens, tokens): how far the column is to the right of the row
    places = {
        "previous": row & (step == -1),
        "next": row & (step == 1),
        "same piece": row & (pieces[:, None] == pieces) & (step != 0),
        "special": row & ((pieces == CLS) | (pieces == SEP)),
    }
    entropy = torch.special.entr(weights).sum(-1)  # -w log w, and 0 for a weight of 0
    return by_row(weights, places) | {"entropy": entropy[..., row[:, 0]]}


def dead_layers(tallies: dict[str, Tally]) -> list[int]:
    """Return the layers in which each head gives special tokens over 0.9 of its attention, so that they do nothing."""
    return np.flatnonzero(tallies["special"].means().min(axis=1) > 0.9).tolist()
