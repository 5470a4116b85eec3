"""Model health: what each head looks at, beside a uniform head and the untrained twin.

A head's pattern is the share of its attention that goes to some kind of piece, averaged over the pieces that
look. A head that looks at [CLS] and [SEP] alone does nothing; a layer of such heads is dead, and the recipe
that made it is wrong, whatever its loss.
"""

import numpy as np
import pandas as pd
import torch
from transformers import BertForPreTraining

from bertlab.pretraining.instances import Batch
from bertlab.pretraining.vocabulary import FIRST_WORD

PATTERNS = ("special", "previous", "next", "same piece", "entropy")
DEAD = 0.9


def head_patterns(bert: BertForPreTraining, batch: Batch) -> pd.DataFrame:
    """Measure every head on a batch.

    Parameters
    ----------
    bert
        The model; its attention implementation is set to ``eager`` for the measurement.
    batch
        Sentences, e.g. of `InstanceMaker.draw`; only their word pieces are counted as looking.

    Returns
    -------
    pandas.DataFrame
        A row a head with the columns ``layer``, ``head`` (from 0) and, as means over the looking pieces, the shares
        of attention on ``special`` ([CLS] and [SEP]), the ``previous`` and the ``next`` piece, the ``same piece``
        (other places with the same id, among the pieces that have one), and the ``entropy`` in nats.
        Columns that begin with ``uniform`` hold what a head that looks everywhere alike would show.
    """
    ids = torch.from_numpy(batch.ids)
    present = torch.from_numpy(batch.attention).bool()
    words = (ids >= FIRST_WORD) & present
    before = str(bert.config._attn_implementation)
    training, device = bert.training, next(bert.parameters()).device
    bert.set_attn_implementation("eager")
    bert.eval()
    try:
        with torch.no_grad():
            output = bert.bert(
                input_ids=ids.to(device),
                token_type_ids=torch.from_numpy(batch.segments).to(device),
                attention_mask=torch.from_numpy(batch.attention).to(device),
                output_attentions=True,
            )
    finally:
        bert.set_attn_implementation(before)
        bert.train(training)
    uniform = present[:, None, None, :].float() / present.sum(-1)[:, None, None, None]
    everywhere = _shares(uniform.expand(-1, 1, ids.shape[1], -1), ids, present, words)
    rows = []
    for layer, attention in enumerate(output.attentions):
        shares = _shares(attention.float().cpu(), ids, present, words)
        for head in range(attention.shape[1]):
            row = {"layer": layer, "head": head} | {name: float(shares[name][head]) for name in PATTERNS}
            rows.append(row | {f"uniform {name}": float(everywhere[name][0]) for name in PATTERNS})
    return pd.DataFrame(rows)


def _shares(
    attention: torch.Tensor, ids: torch.Tensor, present: torch.Tensor, words: torch.Tensor
) -> dict[str, np.ndarray]:
    """Return each pattern's mean over the looking pieces; attention is (rows, heads, from, to)."""

    def mean(share: torch.Tensor, looking: torch.Tensor) -> np.ndarray:
        chosen = share.movedim(1, -1)[looking]  # (looking pieces, heads)
        return chosen.mean(0).numpy() if len(chosen) else np.full(share.shape[1], np.nan)

    special = present & (ids < FIRST_WORD) & (ids > 100) & (ids != 103)
    same = (ids[:, :, None] == ids[:, None, :]) & present[:, None, :]
    same &= ~torch.eye(ids.shape[1], dtype=torch.bool)
    previous = torch.diagonal(attention, -1, 2, 3)  # from piece i to i - 1, for i from 1 on
    following = torch.diagonal(attention, 1, 2, 3)
    return {
        "special": mean((attention * special[:, None, None, :]).sum(-1), words),
        "previous": mean(previous, words[:, 1:]),
        "next": mean(following, words[:, :-1]),
        "same piece": mean((attention * same[:, None]).sum(-1), words & same.any(-1)),
        "entropy": mean(torch.special.entr(attention).sum(-1), words),
    }


def dead_layers(patterns: pd.DataFrame) -> list[int]:
    """Return the layers in which every head puts over 0.9 of its attention on special tokens."""
    least = patterns.groupby("layer")["special"].min()
    return [int(layer) for layer in least.index[least > DEAD]]


def summary(patterns: pd.DataFrame) -> dict[str, float]:
    """Return the best head's share for each pattern, the number of dead layers and the largest special share."""
    best = {f"best {name}": round(float(patterns[name].max()), 3) for name in ("previous", "next", "same piece")}
    most = float(patterns.groupby("layer")["special"].min().max())
    return best | {"special share of the worst layer": round(most, 3), "dead layers": len(dead_layers(patterns))}
