"""The optimizers, and the step size over a run.

Muon (Jordan et al. 2024; Liu et al. 2025) makes each update of a matrix orthogonal, which for this small model
is worth more than twice the data; it is meant for the layers' matrices. Tables, biases, LayerNorms and the heads
on top have AdamW (Loshchilov & Hutter 2019).

The step size rises over a warm-up, stays, and falls linearly to zero. As the flat part knows nothing of
the end, a run can be shortened or lengthened on resuming: only the place where the fall begins moves.
"""

from dataclasses import dataclass

import torch
from torch import nn
from transformers import BertForPreTraining

from bertlab.pretraining.recipe import Recipe


def split_parameters(bert: BertForPreTraining) -> tuple[list[nn.Parameter], list[nn.Parameter], list[nn.Parameter]]:
    """Return the layers' matrices, the other matrices and tables, and the vectors (biases, LayerNorms)."""
    layers, tables, vectors = [], [], []
    for name, parameter in bert.named_parameters():
        if parameter.ndim < 2:
            vectors.append(parameter)
        elif name.startswith("bert.encoder.layer."):
            layers.append(parameter)
        else:
            tables.append(parameter)
    return layers, tables, vectors


def make_optimizers(bert: BertForPreTraining, recipe: Recipe) -> list[torch.optim.Optimizer]:
    """Return Muon for the layers' matrices and AdamW for the rest, each group with its ``largest`` step size."""
    layers, tables, vectors = split_parameters(bert)
    muon = torch.optim.Muon(
        layers,
        lr=recipe.matrix_rate,
        weight_decay=recipe.weight_decay,
        momentum=recipe.momentum,
        nesterov=True,
        adjust_lr_fn="match_rms_adamw",
    )
    adamw = torch.optim.AdamW(
        [
            {"params": tables, "weight_decay": recipe.weight_decay},
            {"params": vectors, "weight_decay": 0.0},
        ],
        lr=recipe.other_rate,
        betas=recipe.betas,
        fused=True,
    )
    for optimizer in (muon, adamw):
        for group in optimizer.param_groups:
            group["largest"] = group["lr"]
    return [muon, adamw]


@dataclass(frozen=True)
class Schedule:
    """The step size over a run, as a share of the largest.

    Parameters
    ----------
    steps
        Length of the run; None while it is not known yet.
    warmup
        Steps over which the share rises from 0 to 1.
    decay_from
        The step at which it begins to fall; it reaches 0 at `steps`.
    """

    steps: int | None
    warmup: int
    decay_from: int

    @classmethod
    def plan(cls, steps: int | None, recipe: Recipe, now: int = 0) -> "Schedule":
        """Plan a run of `steps`, or plan it anew at step `now` of it.

        The fall never begins in the past: a run that is shortened falls from where it is to its new end.

        Raises
        ------
        ValueError
            If the run would end before the step it is at.
        """
        if steps is None:
            return cls(None, recipe.warmup, 0)
        if steps < now:
            raise ValueError(f"the run is at step {now:,} already and cannot end at step {steps:,}: give more steps")
        warmup = min(recipe.warmup, int(steps * recipe.warmup_share))
        return cls(steps, warmup, max(now, round(steps * (1 - recipe.decay_share))))

    def share(self, step: int) -> float:
        """Return the share at a step (counted from 0)."""
        rise = min(1.0, (step + 1) / max(1, self.warmup))
        if self.steps is None or step < self.decay_from:
            return rise
        return min(rise, (self.steps - step) / max(1, self.steps - self.decay_from))

    def apply(self, optimizers: list[torch.optim.Optimizer], step: int) -> None:
        """Set the step size of every parameter group."""
        for optimizer in optimizers:
            for group in optimizer.param_groups:
                group["lr"] = group["largest"] * self.share(step)
