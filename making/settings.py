"""The settings of a run: everything besides the text that decides what it learns."""

from dataclasses import dataclass, field
from typing import NamedTuple

# The share of each family in what the first run read. Every model is measured on text in these proportions, so they
# must not change with later settings. A family that is not listed counts by its size.
FIRST_RUN = {"standardebooks": 0.34, "openstax_prior_ccby": 0.18, "openstax": 0.09, "openstax_biology": 0.03}
FIRST_RUN |= {"gov_us": 0.09, "wordnet": 0.05, "dialogues_sgd": 0.03, "wikisplit": 0.06, "stories": 0.04}
FIRST_RUN |= {"wikinews": 0.04, "speeches": 0.03, "factbook": 0.01, "guides": 0.01}


class BatchKind(NamedTuple):
    """A kind of batch: two segments or one, the length in pieces, and the share of the batches."""

    pair: bool
    length: int
    share: float


@dataclass
class Settings:
    """The settings of a run; the defaults are those of bertlab-mini's first run."""

    steps: int = 20_000
    begin: str | None = None  # a model whose weights the run begins with, instead of random ones
    layers: int = 4
    heads: int = 8
    hidden: int = 256
    intermediate: int = 1024
    positions: int = 128
    initial_spread: float = 0.05  # BERT's 0.02 is for 768 columns; here larger weights form the first heads sooner
    pieces_per_step: int = 2048  # padding included: a batch of length n has pieces_per_step // n rows
    doubled_from: int | None = 8000  # small batches form the first heads sooner, larger ones cost less per piece
    kinds: list[BatchKind] = field(default_factory=lambda: [(True, 64, 0.62), (True, 128, 0.18), (False, 32, 0.20)])
    masking_rate: float = 0.3  # BERT's is 0.15; in a short run a higher rate teaches more per step
    mask_share: float = 0.8  # of these become [MASK]
    random_share: float = 0.1  # a random piece; the others stay
    not_next_share: float = 0.5  # pairs whose second part comes from another document
    shortest_single: int = 4  # pieces
    family_weights: dict[str, float] = field(default_factory=FIRST_RUN.copy)
    matrix_rate: float = 1e-3  # largest learning rate of Muon
    other_rate: float = 1e-3  # and of AdamW
    momentum: float = 0.95
    betas: tuple[float, float] = (0.9, 0.98)
    weight_decay: float = 0.01  # of matrices and tables
    warmup: int = 500  # steps, and a quarter of the run at most
    decay_share: float = 0.4  # the last part of the run, over which the learning rate falls to zero
    clip: float = 1.0  # largest norm of the gradient
    seed: int = 0
    # How it is computed:
    bf16: bool = True  # bfloat16 where autocast finds that safe; slower on processors without it
    compile: bool = True  # torch.compile: needs a C++ compiler
    save_every: int = 200  # steps between checkpoints
    report_every: int = 50
    held_out_every: int = 500

    def __post_init__(self) -> None:
        """Convert the lists of JSON."""
        self.kinds = [BatchKind(*kind) for kind in self.kinds]
        self.betas = tuple(self.betas)

    def pieces_at(self, step: int) -> int:
        """Return the number of pieces in batch `step`, padding included."""
        return self.pieces_per_step * (2 if self.doubled_from is not None and step >= self.doubled_from else 1)
