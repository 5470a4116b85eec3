"""The recipe: every number that decides what is learnt, in one place.

The defaults are those of the first run of the bertlab-mini that ships, and `SECOND_RUN` has those of the run that went
on from there. `Preparation` belongs to the text and is stored with the arrays made from it; `Recipe` belongs to a run
and is stored beside its checkpoints, where a resumed run finds it.
"""

import json
from dataclasses import asdict, dataclass, field
from typing import Any

FIRST_RUN = {
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
"""The share of each family in what the first run read. Every model is measured on text in these proportions, so they
stay as they are, whatever later recipes have."""


@dataclass(frozen=True)
class BatchKind:
    """A kind of batch: two segments or one, the length in pieces, and its share of the batches."""

    pair: bool
    length: int
    share: float


@dataclass(frozen=True)
class Preparation:
    """What the vocabulary and the arrays depend on, besides the text.

    Parameters
    ----------
    vocabulary
        Number of pieces, the 104 special ones included.
    positions
        The longest input in pieces, which the tokenizer remembers; at least the recipe's own.
    rarest
        How often a piece must occur to get into the vocabulary.
    alphabet
        How many different characters the vocabulary knows.
    longest_sentence
        In pieces; the few longer "sentences" are tables and lists, and are cut there.
    """

    vocabulary: int = 16_000
    positions: int = 128
    rarest: int = 2
    alphabet: int = 200
    longest_sentence: int = 500

    def to_json(self) -> str:
        """Return the numbers as JSON."""
        return json.dumps(asdict(self), indent=1) + "\n"


@dataclass(frozen=True)
class Recipe:
    """What a run depends on, besides the prepared text and its length.

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
    mask_share, random_share
        Of the pieces to predict, the share that becomes [MASK] and the share that becomes a random piece; the others
        stay as they are.
    not_next_share
        Share of the pairs whose second part comes from another document.
    shortest_single
        The fewest pieces a single sentence may have.
    family_weights
        Share of each family in what is read.
    unit_of_weight
        A family that is not named has the weight 1 for so many pieces.
    matrix_rate, other_rate
        Largest step size of Muon on the layers' matrices, and of AdamW on everything else.
    momentum, betas
        Muon's momentum, and AdamW's two.
    weight_decay
        Of the matrices and tables; biases and LayerNorms have none.
    warmup
        Steps over which the step size rises from zero.
    warmup_share
        The warm-up takes at most this share of the run.
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
    mask_share: float = 0.8
    random_share: float = 0.1
    not_next_share: float = 0.5
    shortest_single: int = 4
    family_weights: dict[str, float] = field(default_factory=FIRST_RUN.copy)
    unit_of_weight: float = 1e8
    matrix_rate: float = 1e-3
    other_rate: float = 1e-3
    momentum: float = 0.95
    betas: tuple[float, float] = (0.9, 0.98)
    weight_decay: float = 0.01
    warmup: int = 500
    warmup_share: float = 0.25
    decay_share: float = 0.4
    clip: float = 1.0
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse numbers that contradict each other or mean nothing."""
        if self.hidden % self.heads:
            raise ValueError(
                f"hidden is {self.hidden} and no multiple of {self.heads} heads: change one of the two in the recipe"
            )
        if not 0 < self.masking_rate < 1:
            raise ValueError(f"masking_rate is a share between 0 and 1, not {self.masking_rate}: change the recipe")
        if min(self.mask_share, self.random_share) < 0 or self.mask_share + self.random_share > 1:
            raise ValueError(
                f"mask_share is {self.mask_share} and random_share {self.random_share}: give shares of at least 0 that "
                "add up to 1 at most"
            )
        for name in ("not_next_share", "warmup_share", "decay_share"):
            if not 0 <= (value := getattr(self, name)) <= 1:
                raise ValueError(f"{name} is a share from 0 to 1, not {value}: change the recipe")
        if (longest := max(kind.length for kind in self.kinds)) > self.positions:
            raise ValueError(
                f"batches of {longest} pieces do not fit {self.positions} positions: change kinds or positions"
            )

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
        """Return the weight of a family: as named, or its size in units of `unit_of_weight`."""
        return self.family_weights.get(family, float(pieces) / self.unit_of_weight)

    def to_json(self) -> str:
        """Return the recipe as JSON."""
        return json.dumps(asdict(self), indent=1) + "\n"

    @classmethod
    def from_json(cls, text: str) -> "Recipe":
        """Read a recipe that `to_json` wrote; anything left out has its default value."""
        values: dict[str, Any] = json.loads(text)
        if unknown := set(values) - set(cls.__dataclass_fields__):
            names = ", ".join(cls.__dataclass_fields__)
            raise ValueError(f"unknown in a recipe: {', '.join(sorted(unknown))}; a recipe has {names}")
        if "kinds" in values:
            values["kinds"] = tuple(BatchKind(**kind) for kind in values["kinds"])
        if "betas" in values:
            values["betas"] = tuple(values["betas"])
        return cls(**values)


SECOND_RUN = Recipe(
    pieces_per_step=8192,
    doubled_from=None,
    warmup=100,
    decay_share=0.8,
    family_weights={
        "standardebooks": 0.21,
        "openstax_prior_ccby": 0.16,
        "openstax": 0.10,
        "openstax_biology": 0.04,
        "gov_us": 0.08,
        "wordnet": 0.06,
        "dialogues_sgd": 0.06,
        "wikisplit": 0.11,
        "stories": 0.07,
        "wikinews": 0.05,
        "speeches": 0.03,
        "factbook": 0.015,
        "guides": 0.015,
    },
    seed=1,
)
"""The recipe of bertlab-mini's second run, 4,800 steps: larger batches, as they cost less a piece and a trained model
needs no small ones; less old fiction, and more of everyday, school and news English."""
