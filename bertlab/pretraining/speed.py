"""What makes training fast on the machine at hand, found out rather than assumed, and how fast it is.

`keep_memory`, `half_is_faster` and `try_compile` change nothing of what is computed, but for bfloat16, which rounds
more coarsely.

`compare_speed` sets training beside transformers' own `Trainer`, on the same machine in the same run. Both train a BERT
of the same shape on texts of 64 pieces. The Trainer masks with `DataCollatorForLanguageModeling` and is left at its
defaults but for the number of steps; once more with bfloat16, and once with our number of texts a batch. The
contestants take turns, so that whatever else the machine does falls on all of them. The Trainer has a process of its
own, so that nothing set up for this package reaches it.
"""

import ctypes
import logging
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from transformers import (
    BertForMaskedLM,
    BertTokenizer,
    DataCollatorForLanguageModeling,
    Trainer,
    TrainerCallback,
    TrainingArguments,
)

from bertlab.pretraining.corpus import Corpus
from bertlab.pretraining.instances import InstanceMaker
from bertlab.pretraining.network import PretrainingLoss, new_bert, tensors
from bertlab.pretraining.optimization import make_optimizers
from bertlab.pretraining.recipe import BatchKind, Recipe
from bertlab.pretraining.vocabulary import CLS, SEP

_M_MMAP_MAX, _M_TRIM_THRESHOLD = -4, -1  # names of glibc's mallopt
log = logging.getLogger(__name__)

LENGTH = 64
OURS = "bertlab.pretraining"
TRAINERS: dict[str, dict[str, Any]] = {
    "Trainer, defaults (8 texts a batch, float32)": {},
    "Trainer, bf16=True": {"bf16": True},
    "Trainer, 32 texts a batch": {"per_device_train_batch_size": 32},
    "Trainer, 32 texts a batch, bf16=True": {"per_device_train_batch_size": 32, "bf16": True},
}


def keep_memory() -> bool:
    """Tell glibc's allocator to keep what is freed; returns whether it listened.

    Large tensors that are allocated and freed at each step otherwise go back to the system each time, and
    fetching them again costs up to half of the time.
    """
    if not sys.platform.startswith("linux"):
        return False
    try:
        library = ctypes.CDLL(None)
        return bool(library.mallopt(_M_MMAP_MAX, 0) and library.mallopt(_M_TRIM_THRESHOLD, 2**31 - 1))
    except (AttributeError, OSError):  # another C library
        return False


def half_is_faster(loss: PretrainingLoss, inputs: dict[str, torch.Tensor], seconds: float = 2.0) -> bool:
    """Time forward and backward passes in float32 and in bfloat16, and return whether the latter is faster."""
    device = inputs["ids"].device
    if device.type == "cuda" and not torch.cuda.is_bf16_supported():
        return False
    best = {}
    before = loss.bf16
    for half in (False, True):
        loss.bf16 = half
        times, end = [], time.perf_counter() + seconds / 2
        while len(times) < 3 or time.perf_counter() < end:
            start = time.perf_counter()
            _pass(loss, inputs)
            if device.type == "cuda":
                torch.cuda.synchronize()
            times.append(time.perf_counter() - start)
        best[half] = min(times[1:])
    loss.bf16 = before
    loss.zero_grad()
    return best[True] < best[False]


def try_compile(loss: PretrainingLoss, inputs: dict[str, torch.Tensor]) -> bool:
    """Compile the loss in place; where that fails (no C++ compiler, say) leave it as it was. Return whether it is."""
    try:
        loss.compile(dynamic=False)
        _pass(loss, inputs)
    except Exception as error:
        log.warning("torch.compile does not work here (%s); training goes on without it", type(error).__name__)
        loss._compiled_call_impl = None
        torch._dynamo.reset()
        loss.zero_grad()
        return False
    loss.zero_grad()
    return True


def _pass(loss: PretrainingLoss, inputs: dict[str, torch.Tensor]) -> None:
    """Go forward and backward once."""
    words, pairs = loss(**inputs)
    (words + pairs).backward()


class _Clock(TrainerCallback):
    """Note when each step ends."""

    def __init__(self) -> None:
        self.times: list[float] = []

    def on_step_end(self, *_: object, **__: object) -> None:
        self.times.append(time.perf_counter())


def compare_speed(prepared: str | Path, rounds: int = 3, steps: int = 30) -> pd.DataFrame:
    """Measure pieces a second of this package and of the Trainer.

    Parameters
    ----------
    prepared
        The folder `bertlab.pretraining.corpus.prepare` made.
    rounds
        How often the contestants take turns.
    steps
        Steps of one turn; the first ones, in which things are compiled and warmed up, are not counted.

    Returns
    -------
    pandas.DataFrame
        A row a contestant: the median ``pieces a second`` over all steps of all rounds, and how many ``times the
        Trainer`` at its defaults that is.
    """
    prepared = Path(prepared)
    tokenizer = BertTokenizer.from_pretrained(prepared / "tokenizer")
    corpus = Corpus.load(prepared / "train")
    ours = _make_ours(corpus, len(tokenizer), steps)
    speeds: dict[str, list[float]] = {name: [] for name in [*TRAINERS, OURS]}
    with ProcessPoolExecutor(max_workers=1, mp_context=get_context("spawn")) as elsewhere:
        for _ in range(rounds):
            for name, arguments in TRAINERS.items():
                speeds[name] += elsewhere.submit(trainer_turn, prepared, steps, arguments).result()
            speeds[OURS] += ours()
    medians = {name: float(np.median(values)) for name, values in speeds.items()}
    table = pd.DataFrame({"contestant": medians.keys(), "pieces a second": medians.values()})
    return table.assign(**{"times the Trainer": table["pieces a second"] / table["pieces a second"].iloc[0]})


def _make_ours(corpus: Corpus, vocabulary_size: int, steps: int) -> Callable[[], list[float]]:
    """Return a turn of this package: the steps of `bertlab.pretraining.training` without log and checkpoints."""
    recipe = Recipe(kinds=(BatchKind(True, LENGTH, 1.0),))
    maker = InstanceMaker(corpus, recipe, vocabulary_size)
    bert = new_bert(recipe, vocabulary_size)
    loss, optimizers = PretrainingLoss(bert), make_optimizers(bert, recipe)
    inputs = tensors(maker.batch(0))
    keep_memory()
    loss.bf16 = half_is_faster(loss, inputs)
    try_compile(loss, inputs)

    def turn() -> list[float]:
        times = [time.perf_counter()]
        for step in range(steps):
            batch = maker.batch(step)
            words, pairs = loss(**tensors(batch))
            (words / batch.masked + pairs / max(1, batch.paired)).backward()
            torch.nn.utils.clip_grad_norm_(bert.parameters(), recipe.clip)
            for optimizer in optimizers:
                optimizer.step()
                optimizer.zero_grad()
            times.append(time.perf_counter())
        return _speeds(times, recipe.pieces_per_step)

    return turn


def trainer_turn(prepared: Path, steps: int, arguments: dict[str, Any]) -> list[float]:
    """Take a turn of the Trainer and return the pieces a second of its steps."""
    tokenizer = BertTokenizer.from_pretrained(prepared / "tokenizer")
    texts = _texts(Corpus.load(prepared / "train"), steps * 40)
    clock, bert = _Clock(), BertForMaskedLM(new_bert(Recipe(), len(tokenizer)).config)
    with tempfile.TemporaryDirectory() as folder:
        settings = {"max_steps": steps, "report_to": "none", "save_strategy": "no", "disable_tqdm": True} | arguments
        given = TrainingArguments(folder, use_cpu=not torch.cuda.is_available(), **settings)  # pyrefly: ignore[bad-argument-type]
        trainer = Trainer(
            bert,
            given,
            train_dataset=texts,  # pyrefly: ignore[bad-argument-type]
            data_collator=DataCollatorForLanguageModeling(tokenizer),
            callbacks=[clock],
        )
        trainer.train()
    return _speeds(clock.times, given.train_batch_size * LENGTH)


def _texts(corpus: Corpus, count: int) -> list[dict[str, list[int]]]:
    """Return texts of 64 pieces, cut from the corpus one after the other, as a tokenizer would give them."""
    width = LENGTH - 2
    rows = np.asarray(corpus.pieces[: count * width], dtype=np.int64)
    rows = np.resize(rows, (count, width))
    return [{"input_ids": [CLS, *row, SEP], "attention_mask": [1] * LENGTH} for row in rows.tolist()]


def _speeds(times: list[float], pieces: int, warmup: int = 5) -> list[float]:
    """Return pieces a second of each step after the first ones."""
    return (pieces / np.diff(times)[warmup:]).tolist()
