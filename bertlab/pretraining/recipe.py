"""The recipe: every number that a run depends on, in one place.

The defaults are those of the bertlab-mini that ships. A run stores its recipe beside its checkpoints, and a
resumed run reads it from there.
"""

import json
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class BatchKind:
    """A kind of batch: two segments or one, the length in pieces, and its share of the batches."""

    pair: bool
    length: int
    share: float


@dataclass(frozen=True)
class Recipe:
    """What a run depends on, its length apart.

    Parameters
    ----------
    layers, heads, hidden, intermediate, positions
        The shape of the BERT.
    initial_spread
        Standard deviation of the initial weights. BERT's 0.02 is for 768 columns; with 256, larger weights
        bring the first heads that look at neighbours forward.
    pieces_per_step
        Pieces in a batch, padding included: a batch of length n has ``pieces_per_step // n`` rows.
    doubled_from
        The step from which batches are twice as large, if any: small ones form the first heads sooner, larger ones
        cost less a piece.
    kinds
        The kinds of batch.
    masking_rate
        Share of the pieces to predict. BERT's is 15 %; in a short run more of them teach more a step.
    shortest_single
        The fewest pieces a single sentence may have.
    family_weights
        Share of each family in what is read; a family that is not named gets one in proportion to its size.
    matrix_rate, other_rate
        Largest step size of Muon on the layers' matrices, and of AdamW on everything else.
    weight_decay
        Of the matrices and tables; biases and LayerNorms have none.
    warmup
        Steps over which the step size rises from zero.
    decay_share
        The last part of the run, over which it falls to zero again.
    clip
        Largest norm of the gradient.
    seed
        Of the initial weights and of the batches.
    """

    layers: int = 4
    heads: int = 8
    hidden: int = 256
    intermediate: int = 1024
    positions: int = 128
    initial_spread: float = 0.05
    pieces_per_step: int = 2048
    doubled_from: int | None = 8000
    kinds: tuple[BatchKind, ...] = (
        BatchKind(True, 64, 0.62),
        BatchKind(True, 128, 0.18),
        BatchKind(False, 32, 0.20),
    )
    masking_rate: float = 0.3
    shortest_single: int = 4
    family_weights: dict[str, float] = field(
        default_factory=lambda: {
            "standardebooks": 0.34,
            "openstax_prior_ccby": 0.18,
            "openstax": 0.09,
            "openstax_biology": 0.03,
            "gov_us": 0.09,
            "wordnet": 0.05,
            "dialogues_sgd": 0.03,
            "wikisplit": 0.06,
            "stories": 0.04,
            "wikinews": 0.04,
            "speeches": 0.03,
            "factbook": 0.01,
            "guides": 0.01,
        }
    )
    matrix_rate: float = 1e-3
    other_rate: float = 1e-3
    weight_decay: float = 0.01
    warmup: int = 500
    decay_share: float = 0.4
    clip: float = 1.0
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse a recipe that cannot be cooked."""
        if self.hidden % self.heads:
            raise ValueError(f"hidden size {self.hidden} is no multiple of {self.heads} heads")
        if not 0 < self.masking_rate < 1:
            raise ValueError(f"the masking rate is a share between 0 and 1, not {self.masking_rate}")
        if (longest := max(kind.length for kind in self.kinds)) > self.positions:
            raise ValueError(f"batches of {longest} pieces do not fit {self.positions} positions")

    def pieces_at(self, step: int) -> int:
        """Return the pieces in batch `step`, padding included."""
        doubled = self.doubled_from is not None and step >= self.doubled_from
        return self.pieces_per_step * (2 if doubled else 1)

    def steps_in(self, small: float) -> int:
        """Return how many steps cost as much as so many steps of batches that are not doubled."""
        if self.doubled_from is None or small <= self.doubled_from:
            return round(small)
        return round(self.doubled_from + (small - self.doubled_from) / 2)

    def weight_of(self, family: str, pieces: int) -> float:
        """Return the weight of a family: as named, or its size in units of a hundred million pieces."""
        return self.family_weights.get(family, float(pieces) / 1e8)

    def to_json(self) -> str:
        """Return the recipe as JSON."""
        return json.dumps(asdict(self), indent=1) + "\n"

    @classmethod
    def from_json(cls, text: str) -> "Recipe":
        """Read a recipe that `to_json` wrote; anything left out has its default value."""
        values: dict[str, Any] = json.loads(text)
        if unknown := set(values) - set(cls.__dataclass_fields__):
            raise ValueError(f"unknown in a recipe: {', '.join(sorted(unknown))}")
        if "kinds" in values:
            values["kinds"] = tuple(BatchKind(**kind) for kind in values["kinds"])
        return cls(**values)
