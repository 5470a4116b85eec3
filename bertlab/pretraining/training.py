"""The training loop, on `accelerate`: one CPU, one GPU or several processes run the same lines.

Each process works on its rows of the same batch. The loss is a sum over masked pieces divided by their number
in the whole batch, which each process knows, since each makes the whole batch: the gradient is then the same
for any number of processes. Progress is logged to ``metrics.jsonl``, a line a report.
"""

import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from accelerate import Accelerator
from tqdm.auto import tqdm
from transformers import BertTokenizer

from bertlab.pretraining.checkpoints import find_checkpoints, load_checkpoint, save_checkpoint, save_model
from bertlab.pretraining.corpus import Corpus
from bertlab.pretraining.instances import IGNORE, Batch, InstanceMaker
from bertlab.pretraining.network import Objective, new_bert, tensors
from bertlab.pretraining.optimization import Schedule, make_optimizers
from bertlab.pretraining.recipe import Recipe
from bertlab.pretraining.reports import Log, Meter, held_out_report, report
from bertlab.pretraining.speed import half_is_faster, keep_memory, try_compile

MEASURED_STEPS = 60  # minutes become steps after this many, at their median time
SNAPSHOTS = (0, 250, 500, 1000, 1500, 2000, 3000, 4000, 6000, 8000, 12000, 16000, 24000, 32000, 48000, 64000)


@dataclass(frozen=True)
class RunSettings:
    """How a run is carried out; none of it changes what is learnt but for `half`.

    Parameters
    ----------
    save_every
        Seconds between checkpoints.
    report_every
        Steps between lines of the log; `held_out_every`: between measurements on held-out text.
    half
        bfloat16; None: where a short probe says that it is faster.
    compiled
        Try `torch.compile`.
    snapshots
        Steps whose model is kept (float16), for looking back at how it learnt.
    progress
        Show a progress bar.
    """

    save_every: float = 240.0
    report_every: int = 50
    held_out_every: int = 500
    half: bool | None = None
    compiled: bool = True
    snapshots: tuple[int, ...] = SNAPSHOTS
    progress: bool = True


def train(
    prepared: str | Path,
    run: str | Path,
    recipe: Recipe | None = None,
    steps: int | None = None,
    minutes: float | None = None,
    settings: RunSettings | None = None,
) -> Path:
    """Train a BERT, or go on with a run that was stopped.

    Parameters
    ----------
    prepared
        The folder `bertlab.pretraining.corpus.prepare` made.
    run
        The folder of the run: its recipe, checkpoints, snapshots, log and, in the end, ``final/``.
        Where it holds a checkpoint, the run goes on from the newest.
    recipe
        Of a new run; a run that goes on uses its own.
    steps
        Length of the run. For a run that goes on: a new length; the fall of the step size moves with it.
    minutes
        Instead of `steps`: measured once, turned into steps and stored.

    Returns
    -------
    pathlib.Path
        ``final/``, the trained model (float16) and its tokenizer.

    Raises
    ------
    ValueError
        If a new run is given neither or both of `steps` and `minutes`, or a recipe that is not the run's own.
    """
    prepared, run, settings = Path(prepared), Path(run), settings or RunSettings()
    keep_memory()
    accelerator = Accelerator(mixed_precision="no")  # the objective has its own autocast
    recipe = _recipe_of(run, recipe, accelerator)
    tokenizer = BertTokenizer.from_pretrained(prepared / "tokenizer")
    maker = InstanceMaker(Corpus.load(prepared / "train"), recipe, len(tokenizer))
    held_out = InstanceMaker(Corpus.load(prepared / "held-out"), recipe, len(tokenizer))
    bert = new_bert(recipe, len(tokenizer)).to(accelerator.device)
    # On a CPU the fused attention's backward pass is the slower one: of a step it took a third, in bfloat16.
    bert.set_attn_implementation("eager" if accelerator.device.type == "cpu" else "sdpa")
    objective = Objective(bert)
    facts = _settle(objective, maker, settings, accelerator)
    optimizers = make_optimizers(bert, recipe)
    state = _resume(run, bert, optimizers, accelerator)
    schedule = _plan(state, steps, minutes, recipe)
    model, *optimizers = accelerator.prepare(objective, *optimizers)
    log = Log(run / "metrics.jsonl", state["step"], accelerator.is_main_process)
    log.write({"step": state["step"], "begins": facts | asdict(schedule)})

    def save() -> None:
        """Write a checkpoint of this moment."""
        if accelerator.is_main_process:
            save_checkpoint(run / "checkpoints", bert, tokenizer, optimizers, state | {"schedule": asdict(schedule)})
        accelerator.wait_for_everyone()

    meter, saved, times = Meter(), time.monotonic(), []
    bar = tqdm(
        total=schedule.steps, initial=state["step"], disable=not (settings.progress and accelerator.is_main_process)
    )
    while schedule.steps is None or state["step"] < schedule.steps:
        step = state["step"]
        if step in settings.snapshots and accelerator.is_main_process:
            save_model(run / "snapshots" / f"step-{step:08d}", bert, tokenizer, half=True)
        began = time.perf_counter()
        schedule.apply(optimizers, step)
        _train_step(model, maker.batch(step), optimizers, recipe, accelerator, meter, state)
        state["step"] = step + 1
        bar.update()
        times.append(time.perf_counter() - began)
        if schedule.steps is None and minutes is not None and len(times) == MEASURED_STEPS:
            budget = recipe.steps_in(minutes * 60 / float(np.median(times)))  # the median knows nothing of compiling
            schedule = Schedule.plan(max(_agree(budget, accelerator), state["step"]), recipe, state["step"])
            bar.total = schedule.steps
            log.write({"step": state["step"], "begins": facts | asdict(schedule)})
        if state["step"] % settings.report_every == 0:
            log.write(report(meter, state, schedule, bar))
            meter = Meter()
        if state["step"] % settings.held_out_every == 0 and accelerator.is_main_process:
            log.write({"step": state["step"]} | held_out_report(objective, held_out))
        if _agree(int(time.monotonic() - saved > settings.save_every), accelerator):
            save()
            saved = time.monotonic()
    bar.close()
    save()
    if accelerator.is_main_process:
        log.write({"step": state["step"]} | held_out_report(objective, held_out))
        save_model(run / "final", bert, tokenizer, half=True)
    accelerator.wait_for_everyone()
    return run / "final"


def _train_step(
    model: Any,
    batch: Batch,
    optimizers: list[Any],
    recipe: Recipe,
    accelerator: Accelerator,
    meter: Meter,
    state: dict[str, Any],
) -> None:
    """Take one step and add it to the meter and to the state."""
    parts = accelerator.num_processes
    mine = batch.rows(accelerator.process_index, parts) if parts > 1 else batch
    words, pairs = model(**tensors(mine, accelerator.device))
    paired = int((batch.next_labels != IGNORE).sum())
    # Processes are averaged by the library, and every sum is divided by the whole batch's count: hence `parts`.
    loss = parts * (words / max(1, batch.masked) + pairs / max(1, paired))
    accelerator.backward(loss)
    accelerator.clip_grad_norm_(model.parameters(), recipe.clip)
    for optimizer in optimizers:
        optimizer.step()
        optimizer.zero_grad()
    sums = accelerator.reduce(torch.stack([words.detach(), pairs.detach()])).tolist()
    meter.words += sums[0]
    meter.pairs += sums[1]
    meter.masked += batch.masked
    meter.paired += paired
    meter.pieces += int(batch.attention.sum())
    state["pieces"] += int(batch.attention.sum())


def _settle(
    objective: Objective, maker: InstanceMaker, settings: RunSettings, accelerator: Accelerator
) -> dict[str, Any]:
    """Choose precision and compilation on this machine; return what was chosen."""
    inputs = tensors(maker.batch(0), accelerator.device)
    half = half_is_faster(objective, inputs) if settings.half is None else settings.half
    objective.bf16 = bool(_agree(int(half), accelerator))
    compiled = settings.compiled and try_compile(objective, inputs)
    return {
        "device": str(accelerator.device),
        "processes": accelerator.num_processes,
        "threads": torch.get_num_threads(),
        "bfloat16": objective.bf16,
        "compiled": compiled,
    }


def _recipe_of(run: Path, recipe: Recipe | None, accelerator: Accelerator) -> Recipe:
    """Return the run's own recipe, or write that of a new run."""
    path = run / "recipe.json"
    if accelerator.is_main_process and not path.is_file():
        run.mkdir(parents=True, exist_ok=True)
        path.write_text((recipe or Recipe()).to_json())
    accelerator.wait_for_everyone()  # in every process, whoever found the file first
    own = Recipe.from_json(path.read_text())
    if recipe is not None and recipe != own:
        raise ValueError(f"{run} was begun with another recipe: leave the recipe out, or begin in a new folder")
    return own


def _resume(run: Path, bert: Any, optimizers: list[Any], accelerator: Accelerator) -> dict[str, Any]:
    """Load the newest checkpoint, if there is one, and return the state of the run."""
    if checkpoints := find_checkpoints(run / "checkpoints"):
        return load_checkpoint(checkpoints[-1], bert, optimizers, accelerator.device)
    return {"step": 0, "pieces": 0}


def _plan(state: dict[str, Any], steps: int | None, minutes: float | None, recipe: Recipe) -> Schedule:
    """Return the stored schedule, or a new one where the run is new or its length is changed."""
    stored = state.pop("schedule", None)
    if stored and stored["steps"] is not None and steps in (None, stored["steps"]):
        return Schedule(**stored)
    if (steps is None) == (minutes is None):
        raise ValueError("a run needs its length: either steps or minutes")
    return Schedule.plan(steps, recipe, state["step"])


def _agree(value: int, accelerator: Accelerator) -> int:
    """Return the main process's value in every process."""
    if accelerator.num_processes == 1:
        return value
    shared = torch.tensor([value if accelerator.is_main_process else 0], device=accelerator.device)
    return int(accelerator.reduce(shared).item())
