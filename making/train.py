"""Train a model. Stop at any moment: the same command resumes the run, which stays the same bit for bit.

python making/train.py PREPARED RUN                                  # settings of bertlab-mini's first run
python making/train.py PREPARED RUN --settings making/second_run.json --begin MODEL
accelerate launch --num_processes 2 making/train.py PREPARED RUN     # several processes, or a GPU
"""

import argparse
import ctypes
import json
import os
import shutil
import sys
import time
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, TextIO

import numpy as np
import torch
from accelerate import Accelerator
from tqdm import tqdm
from transformers import BertForPreTraining, BertTokenizer, get_wsd_schedule

from batches import BatchMaker
from model import PretrainingLoss, dead_layers, head_tallies, make_optimizers, new_bert, predict, save_model
from prepare import Corpus
from settings import Settings

MAY_CHANGE = ("steps", "bf16", "compile", "save_every", "report_every", "held_out_every")  # in a resumed run

# Steps whose model is kept, to look back at how it learned.
SNAPSHOTS = (0, 250, 500, 1000, 1500, 2000, 3000, 4000, 6000, 8000, 12000, 16000, 24000, 32000, 48000, 64000)
LEARNING = "watch-it-learn.csv"  # in a model's folder: what its snapshots had learned
EARLIER = "earlier-" + LEARNING  # in a run's folder: the same of the model that the run began with


def train(prepared: Path, run: Path, **changes: Any) -> Path:
    """Train with changed settings, or resume from the newest checkpoint; return the folder of the final model."""
    keep_memory()
    accelerator = Accelerator(mixed_precision="no")  # the loss has its own autocast
    device, processes, main = accelerator.device, accelerator.num_processes, accelerator.is_main_process
    settings = own_settings(accelerator, run, changes)
    tokenizer = BertTokenizer.from_pretrained(prepared / "tokenizer", local_files_only=True)
    training = BatchMaker(Corpus.load(prepared / "train"), settings, len(tokenizer))
    held_out = BatchMaker(Corpus.load(prepared / "held-out"), settings, len(tokenizer))
    bert = new_bert(settings, len(tokenizer)).to(device)
    # On a CPU the backward pass of fused attention is slower: in bfloat16 it took a third of a step.
    bert.set_attn_implementation("eager" if device.type == "cpu" else "sdpa")
    loss = PretrainingLoss(bert, settings.bf16)
    if settings.compile:
        loss.compile(dynamic=False)
    raw_optimizers = make_optimizers(bert, settings)
    loss, *optimizers = accelerator.prepare(loss, *raw_optimizers)
    state = resume(accelerator, run, settings, bert, tokenizer)
    shape = {"num_warmup_steps": min(settings.warmup, settings.steps // 4), "num_training_steps": settings.steps}
    shape |= {"num_decay_steps": settings.steps - state["fall_from"], "last_epoch": state["step"] - 1}
    schedules = [get_wsd_schedule(optimizer, decay_type="linear", **shape) for optimizer in raw_optimizers]
    log = (run / "metrics.jsonl" if main else Path(os.devnull)).open("a", buffering=1)
    log.write("\n")  # a kill may have cut the previous line short
    how = {"device": str(device), "processes": processes, "bf16": settings.bf16, "compiled": settings.compile}
    write(log, {"step": state["step"], "begins": how | state})
    sums, began = np.zeros(5), time.perf_counter()  # since the last report: losses, pieces asked for, pairs, pieces
    for step in tqdm(range(state["step"], settings.steps), initial=state["step"], disable=not main):
        if step in SNAPSHOTS and main:
            save_model(run / "snapshots" / f"step-{step:08d}", bert, tokenizer)
        batch = training.batch(step)
        masked, paired = batch.asked
        words, pairs = loss(*batch.rows(slice(accelerator.process_index, None, processes)).tensors(device))
        # The library averages over processes, and each sum is divided by the whole batch's count: hence `processes`.
        accelerator.backward(processes * (words / max(1, masked) + pairs / max(1, paired)))
        accelerator.clip_grad_norm_(loss.parameters(), settings.clip)
        for optimizer in optimizers:
            optimizer.step()
            optimizer.zero_grad()
        for schedule in schedules:
            schedule.step()
        losses = accelerator.reduce(torch.stack([words.detach(), pairs.detach()])).tolist()
        pieces, done = int(batch.attention.sum()), step + 1
        sums += [*losses, masked, paired, pieces]
        if not np.isfinite(sums).all():  # before sound checkpoints are replaced
            raise FloatingPointError(f"the loss of step {step + 1:,} is no finite number: a smaller rate may help")
        state |= {"step": done, "pieces": state["pieces"] + pieces}
        if done % settings.report_every == 0 or done == settings.steps:
            means = {"loss": sums[0] / max(1, sums[2]), "next sentence loss": sums[1] / max(1, sums[3])}
            speed = {"pieces": state["pieces"], "pieces a second": sums[4] / (time.perf_counter() - began)}
            write(log, {"step": done} | means | speed)
            sums, began = np.zeros(5), time.perf_counter()
        if main and (done % settings.held_out_every == 0 or done == settings.steps):
            sample = held_out.draw(settings.kinds[0], np.random.default_rng(12345), 128)
            held_out_loss = float(np.nanmean(predict(bert, sample)[0]))
            dead = dead_layers(head_tallies(bert, sample.rows(slice(32))))
            write(log, {"step": done, "held-out loss": held_out_loss, "dead layers": dead})
        if done % settings.save_every == 0 or done == settings.steps:
            save(accelerator, run / "checkpoints", state)
    if main:
        save_model(run / "final", bert, tokenizer)
    accelerator.wait_for_everyone()
    return run / "final"


def own_settings(accelerator: Accelerator, run: Path, changes: dict[str, Any]) -> Settings:
    """Return the settings of a new run, or of a resumed run, in which only some may change."""
    path = run / "settings.json"
    stored = json.loads(path.read_text()) if path.is_file() else {}
    settings = Settings(**stored | changes)
    before, now = asdict(Settings(**stored)), asdict(settings)
    changed = [name for name in now if now[name] != before[name] and name not in MAY_CHANGE]
    if stored and changed:
        raise ValueError(f"{run} was begun with another {' and '.join(changed)}: begin in a new folder")
    accelerator.wait_for_everyone()  # all processes have looked
    if accelerator.is_main_process:
        run.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(now, indent=1) + "\n")
    return settings


def resume(
    accelerator: Accelerator, run: Path, settings: Settings, bert: BertForPreTraining, tokenizer: BertTokenizer
) -> dict[str, Any]:
    """Load the newest checkpoint, or the model that a new run begins with; return the state of the run."""
    state: dict[str, Any] = {"step": 0, "pieces": 0, "steps": None}
    if saved := sorted((run / "checkpoints").glob("step-*")):
        accelerator.load_state(str(saved[-1]))
        state = json.loads((saved[-1] / "state.json").read_text())
    elif settings.begin:
        begin = Path(settings.begin)
        if BertTokenizer.from_pretrained(begin, local_files_only=True).get_vocab() != tokenizer.get_vocab():
            raise ValueError(f"{begin} has another vocabulary than the prepared text: prepare with --vocabulary-of")
        theirs = BertForPreTraining.from_pretrained(begin, dtype=torch.float32, local_files_only=True)
        bert.load_state_dict(theirs.state_dict())
        if accelerator.is_main_process and (begin / LEARNING).is_file():
            shutil.copy(begin / LEARNING, run / EARLIER)
    if state["step"] > settings.steps:
        raise ValueError(f"the run is at step {state['step']:,} already and cannot end at step {settings.steps:,}")
    if state["steps"] != settings.steps:  # a new end moves the decay, which never begins in the past
        fall_from = max(state["step"], round(settings.steps * (1 - settings.decay_share)))
        state |= {"steps": settings.steps, "fall_from": fall_from}
    return state


def save(accelerator: Accelerator, folder: Path, state: dict[str, Any]) -> None:
    """Write a checkpoint, so that a kill at any moment leaves the last one intact; keep the newest two."""
    beside, final = folder / ".writing", folder / f"step-{state['step']:08d}"
    accelerator.save_state(str(beside))
    accelerator.wait_for_everyone()
    if accelerator.is_main_process:
        (beside / "state.json").write_text(json.dumps(state))
        if hasattr(os, "sync"):
            os.sync()  # the files must be on the disk before the folder is renamed
        beside.rename(final)  # atomic
        for old in sorted(folder.glob("step-*"))[:-2]:
            shutil.rmtree(old)
    accelerator.wait_for_everyone()


def write(log: TextIO, line: dict[str, Any]) -> None:
    """Write a line of the log, with numbers rounded to four decimals."""
    rounded = {name: round(value, 4) if isinstance(value, float) else value for name, value in line.items()}
    log.write(json.dumps(rounded) + "\n")


def read_log(path: Path) -> list[dict[str, Any]]:
    """Return the lines of a log, without those that a resumed run has written again."""
    lines: list[dict[str, Any]] = []
    for text in path.read_text().splitlines():
        with suppress(json.JSONDecodeError):  # a line cut short by a kill
            line = json.loads(text)
            if "begins" in line:
                lines = [before for before in lines if before["step"] <= line["step"]]
            lines.append(line)
    return lines


def keep_memory() -> None:
    """Tell glibc to keep freed memory: allocating large tensors again at each step costs up to half of the time."""
    if sys.platform.startswith("linux"):
        library = ctypes.CDLL(None)
        if hasattr(library, "mallopt"):
            library.mallopt(-4, 0)  # M_MMAP_MAX
            library.mallopt(-1, 2**31 - 1)  # M_TRIM_THRESHOLD


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("prepared", type=Path, help="folder made by prepare.py")
    parser.add_argument("run", type=Path, help="folder of the run: settings, checkpoints, snapshots, log, final/")
    parser.add_argument("--settings", type=Path, help="JSON file with what differs from settings.py")
    parser.add_argument("--steps", type=int, help="length of the run; in a resumed run, its new end")
    parser.add_argument("--begin", help="folder of a model whose weights a new run begins with")
    arguments = parser.parse_args()
    changes = json.loads(arguments.settings.read_text()) if arguments.settings else {}
    changes |= {name: value for name in ("steps", "begin") if (value := getattr(arguments, name)) is not None}
    train(arguments.prepared, arguments.run, **changes)
