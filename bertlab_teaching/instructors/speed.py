"""Pieces per second of pre-training, compared with transformers' own `Trainer` on the same machine in the same run.

Both train a BERT of the same shape on texts of 64 pieces. The Trainer masks with `DataCollatorForLanguageModeling`. It
runs with its defaults except for the number of steps, then with our number of texts per batch, and both with bfloat16.
The contestants take turns, so that other work on the machine affects all of them. The Trainer has a process of its own,
so that our settings do not reach it.
"""

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

sys.path.insert(0, str(Path(__file__).parents[2] / "making"))

from batches import BatchMaker
from model import PretrainingLoss, make_optimizers, new_bert
from prepare import CLS, SEP, Corpus, Document, encode
from settings import Settings
from train import keep_memory

LENGTH, WARM_UP = 64, 5  # pieces per text; first steps of a turn, which compile and do not count
OURS = "making/train.py"
# bfloat16 where the processor supports it; elsewhere it is slower for all.
BF16 = torch.cuda.is_available() or bool(torch.cpu.get_capabilities().get("avx512_bf16"))
TRAINERS: dict[str, dict[str, Any]] = {
    "Trainer, defaults (8 texts a batch, float32)": {},
    "Trainer, 32 texts a batch": {"per_device_train_batch_size": 32},
}
if BF16:
    TRAINERS["Trainer, bf16=True"] = {"bf16": True}
    TRAINERS["Trainer, 32 texts a batch, bf16=True"] = {"per_device_train_batch_size": 32, "bf16": True}


def compare_speed(sentences: list[str], tokenizer: BertTokenizer, rounds: int = 3, steps: int = 30) -> pd.DataFrame:
    """Return the median ``pieces a second`` of each ``contestant`` over all steps of all rounds."""
    documents = [Document("lessons", tuple(sentences[start : start + 20])) for start in range(0, len(sentences), 20)]
    corpus = encode(documents, tokenizer)
    ours, speeds = our_turn(corpus, len(tokenizer), steps), {name: [] for name in [*TRAINERS, OURS]}
    context = get_context("spawn")
    with tempfile.TemporaryDirectory() as folder, ProcessPoolExecutor(max_workers=1, mp_context=context) as elsewhere:
        corpus.save(Path(folder))
        tokenizer.save_pretrained(folder)
        for _ in range(rounds):
            for name, arguments in TRAINERS.items():
                speeds[name] += elsewhere.submit(trainer_turn, Path(folder), steps, arguments).result()
            speeds[OURS] += ours()
    medians = {name: float(np.median(values)) for name, values in speeds.items()}
    return pd.DataFrame({"contestant": medians.keys(), "pieces a second": medians.values()})


def our_turn(corpus: Corpus, vocabulary: int, steps: int) -> Callable[[], list[float]]:
    """Return our turn: the steps of `train.py` without log and checkpoints."""
    settings = Settings(kinds=[(True, LENGTH, 1.0)], bf16=BF16)
    maker, bert = BatchMaker(corpus, settings, vocabulary), new_bert(settings, vocabulary)
    loss, optimizers = PretrainingLoss(bert, settings.bf16), make_optimizers(bert, settings)
    bert.set_attn_implementation("eager")
    keep_memory()
    loss.compile(dynamic=False)

    def turn() -> list[float]:
        times = [time.perf_counter()]
        for step in range(steps):
            batch = maker.batch(step)
            words, pairs = loss(*batch.tensors())
            masked, paired = batch.asked
            (words / masked + pairs / max(1, paired)).backward()
            torch.nn.utils.clip_grad_norm_(bert.parameters(), settings.clip)
            for optimizer in optimizers:
                optimizer.step()
                optimizer.zero_grad()
            times.append(time.perf_counter())
        return (settings.pieces_per_step / np.diff(times)[WARM_UP:]).tolist()

    return turn


class Clock(TrainerCallback):
    """Record the time at the end of each step."""

    def __init__(self) -> None:
        self.times: list[float] = []

    def on_step_end(self, *_: object, **__: object) -> None:
        """Record the time."""
        self.times.append(time.perf_counter())


def trainer_turn(folder: Path, steps: int, arguments: dict[str, Any]) -> list[float]:
    """Run the Trainer's turn and return the pieces per second of its steps."""
    tokenizer, clock = BertTokenizer.from_pretrained(folder), Clock()
    rows = np.resize(np.asarray(Corpus.load(folder).pieces, dtype=np.int64), (steps * 40, LENGTH - 2))
    texts = [{"input_ids": [CLS, *row, SEP], "attention_mask": [1] * LENGTH} for row in rows.tolist()]
    with tempfile.TemporaryDirectory() as output:
        settings = {"max_steps": steps, "report_to": "none", "save_strategy": "no", "disable_tqdm": True} | arguments
        trainer = Trainer(
            BertForMaskedLM(new_bert(Settings(), len(tokenizer)).config),
            TrainingArguments(output, use_cpu=not torch.cuda.is_available(), **settings),
            train_dataset=texts,
            data_collator=DataCollatorForLanguageModeling(tokenizer),
            callbacks=[clock],
        )
        trainer.train()
        pieces = trainer.args.train_batch_size * LENGTH
    return (pieces / np.diff(clock.times)[WARM_UP:]).tolist()
