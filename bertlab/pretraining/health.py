"""Model health: what each head looks at, beside a uniform head and the untrained twin.

The measure is that of `bertlab.attention.patterns`, on the batches of training, with two differences that every
log of a run shares: only pieces of words look ([MASK] and [UNK] are looked at), and [CLS] counts as the piece
before the first one, [SEP] as the one after the last. A head that looks at [CLS] and [SEP] alone does nothing; a layer
of such heads is dead, and the recipe that made it is wrong, whatever its loss.
"""

import pandas as pd
import torch
from transformers import BertForPreTraining

from bertlab.attention.heads import table, tally
from bertlab.attention.patterns import piece_patterns
from bertlab.pretraining.instances import Batch
from bertlab.pretraining.vocabulary import CLS, FIRST_WORD, SEP

PATTERNS = ("special", "previous", "next", "same piece", "entropy")
CLEAR = ("previous", "next", "same piece", "special")
"""Patterns of which a clear head is looked for."""

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
    weights = torch.stack(output.attentions, dim=1).float().cpu()  # (texts, layers, heads, pieces, pieces)
    return table(tally(map(_text, weights, ids, present)), PATTERNS)


def _text(
    weights: torch.Tensor, ids: torch.Tensor, present: torch.Tensor
) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
    """Return one text's weights and the places of the patterns, without its padding."""
    length = int(present.sum())
    ids = ids[:length]
    special, everywhere = (ids == CLS) | (ids == SEP), torch.ones(length, dtype=torch.bool)
    return weights[..., :length, :length], piece_patterns(ids, ids >= FIRST_WORD, special, neighbours=everywhere)


def dead_layers(patterns: pd.DataFrame) -> list[int]:
    """Return the layers in which every head puts over 0.9 of its attention on special tokens."""
    least = patterns.groupby("layer")["special"].min()
    return [int(layer) for layer in least.index[least > DEAD]]


def summary(patterns: pd.DataFrame) -> dict[str, float]:
    """Return the best head's share for each pattern, the number of dead layers and the largest special share."""
    best = {f"best {name}": round(float(patterns[name].max()), 3) for name in CLEAR[:3]}
    most = float(patterns.groupby("layer")["special"].min().max())
    return best | {"special share of the worst layer": round(most, 3), "dead layers": len(dead_layers(patterns))}
