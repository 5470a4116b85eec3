"""A run of training, on `accelerate`: one CPU, one GPU or several processes run the same lines.

Each process works on its rows of the same batch. The loss is a sum over masked pieces divided by their number in the
whole batch, which each process knows, since each makes the whole batch: the gradient is then the same for any number of
processes.
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

from bertlab.pretraining.checkpoints import begin_with, find_checkpoints, load_checkpoint, save_checkpoint, save_model
from bertlab.pretraining.corpus import Corpus
from bertlab.pretraining.instances import InstanceMaker
from bertlab.pretraining.network import PretrainingLoss, new_bert, tensors
from bertlab.pretraining.optimization import Schedule, make_optimizers
from bertlab.pretraining.recipe import Recipe
from bertlab.pretraining.reports import EARLIER, LEARNING, UNKNOWN, Log, Meter, held_out_line, progress_line
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


class Run:
    """A run of training: a new one, or one that was stopped and goes on from its newest checkpoint.

    Parameters
    ----------
    prepared
        The folder `bertlab.pretraining.corpus.prepare` made.
    folder
        The folder of the run: its recipe, checkpoints, snapshots, log and, in the end, ``final/``.
    recipe
        Of a new run; a run that goes on uses its own.
    steps
        Length of the run. For a run that goes on: a new length; the fall of the step size moves with it.
    minutes
        Instead of `steps`: measured once, turned into steps and stored.
    settings
        How it is carried out.
    begin
        A model's folder whose weights a new run begins with, in place of random ones; the step size rises from zero all
        the same. What that model had learnt when (``watch-it-learn.csv``) is kept in the run's folder, for its card.

    Attributes
    ----------
    bert
        The model as it is now.
    steps_done, pieces
        How many steps were taken, and how many pieces read.
    schedule
        The step size over the run, and its length.

    Raises
    ------
    ValueError
        If a new run is given neither or both of `steps` and `minutes`, or a recipe that is not the run's own, or a
        model to begin with that has another shape or vocabulary; or if a run that was begun with a model, and stopped
        before its first checkpoint, is not given it again.
    """

    def __init__(
        self,
        prepared: str | Path,
        folder: str | Path,
        recipe: Recipe | None = None,
        steps: int | None = None,
        minutes: float | None = None,
        settings: RunSettings | None = None,
        begin: str | Path | None = None,
    ) -> None:
        prepared, self.folder, self.minutes = Path(prepared), Path(folder), minutes
        self.settings = settings or RunSettings()
        keep_memory()
        self.accelerator = Accelerator(mixed_precision="no")  # the loss has its own autocast
        self.recipe = self._own_recipe(recipe)
        self.tokenizer = BertTokenizer.from_pretrained(prepared / "tokenizer")
        self.maker = InstanceMaker(Corpus.load(prepared / "train"), self.recipe, len(self.tokenizer))
        self.held_out = InstanceMaker(Corpus.load(prepared / "held-out"), self.recipe, len(self.tokenizer))
        self.bert = new_bert(self.recipe, len(self.tokenizer)).to(self.accelerator.device)
        # On a CPU the fused attention's backward pass is the slower one: of a step it took a third, in bfloat16.
        self.bert.set_attn_implementation("eager" if self.accelerator.device.type == "cpu" else "sdpa")
        loss = PretrainingLoss(self.bert)
        self.facts = self._settle(loss)
        self.optimizers: list[Any] = make_optimizers(self.bert, self.recipe)
        self.schedule = self._resume(steps, begin)
        self.loss, *self.optimizers = self.accelerator.prepare(loss, *self.optimizers)
        self.log = Log(self.folder / "metrics.jsonl", self.steps_done, self.accelerator.is_main_process)
        self._log_beginning()
        self.meter, self._saved, self._times = Meter(), time.monotonic(), []

    def train(self) -> Path:
        """Take all steps that are left, with snapshots, log and checkpoints when they are due; return as `finish`."""
        settings, shown = self.settings, self.settings.progress and self.accelerator.is_main_process
        with tqdm(total=self.schedule.steps, initial=self.steps_done, disable=not shown) as bar:
            while self.schedule.steps is None or self.steps_done < self.schedule.steps:
                if self.steps_done in settings.snapshots:
                    self.snapshot()
                began = time.perf_counter()
                self.step()
                bar.update()
                if self.schedule.steps is None:
                    self._measure_length(time.perf_counter() - began)
                    bar.total = self.schedule.steps
                if self.steps_done % settings.report_every == 0:
                    line = self.report()
                    bar.set_postfix({"loss": line["loss"], "pieces/s": line["pieces a second"]})
                if self.steps_done % settings.held_out_every == 0:
                    self.report_held_out()
                if self._agree(int(time.monotonic() - self._saved > settings.save_every)):
                    self.save()
        return self.finish()

    def step(self) -> None:
        """Take one step, and add it to the meter; ValueError where the run has taken all of its steps."""
        if self.steps_done == self.schedule.steps:
            raise ValueError(
                f"{self.folder} has taken all of its {self.steps_done:,} steps: open it again with more steps"
            )
        self.schedule.apply(self.optimizers, self.steps_done)
        batch, parts = self.maker.batch(self.steps_done), self.accelerator.num_processes
        mine = batch.rows(self.accelerator.process_index, parts) if parts > 1 else batch
        words, pairs = self.loss(**tensors(mine, self.accelerator.device))
        # Processes are averaged by the library, and every sum is divided by the whole batch's count: hence `parts`.
        self.accelerator.backward(parts * (words / max(1, batch.masked) + pairs / max(1, batch.paired)))
        self.accelerator.clip_grad_norm_(self.loss.parameters(), self.recipe.clip)
        for optimizer in self.optimizers:
            optimizer.step()
            optimizer.zero_grad()
        words, pairs = self.accelerator.reduce(torch.stack([words.detach(), pairs.detach()])).tolist()
        self.meter.add(words, pairs, batch)
        self.steps_done += 1
        self.pieces += batch.pieces

    def report(self) -> dict[str, float]:
        """Write a line of losses and speed since the last one, and return it."""
        line = progress_line(self.meter, self.steps_done, self.pieces, self.schedule.share(self.steps_done - 1))
        self.log.write(line)
        self.meter = Meter()
        return line

    def report_held_out(self) -> None:
        """Write a line of what the model does on held-out text."""
        if self.accelerator.is_main_process:
            self.log.write({"step": self.steps_done} | held_out_line(self.bert, self.held_out))

    def snapshot(self) -> None:
        """Keep the model of this moment (float16)."""
        if self.accelerator.is_main_process:
            folder = self.folder / "snapshots" / f"step-{self.steps_done:08d}"
            save_model(folder, self.bert, self.tokenizer, half=True)

    def save(self) -> None:
        """Write a checkpoint of this moment."""
        if self.accelerator.is_main_process:
            state = {"step": self.steps_done, "pieces": self.pieces, "schedule": asdict(self.schedule)}
            save_checkpoint(self.folder / "checkpoints", self.bert, self.tokenizer, self.optimizers, state)
        self.accelerator.wait_for_everyone()
        self._saved = time.monotonic()

    def finish(self) -> Path:
        """Write the last checkpoint and line of the log, and ``final/``, the model (float16) and its tokenizer."""
        self.save()
        self.report_held_out()
        final = self.folder / "final"
        if self.accelerator.is_main_process:
            save_model(final, self.bert, self.tokenizer, half=True)
        self.accelerator.wait_for_everyone()
        return final

    def _own_recipe(self, recipe: Recipe | None) -> Recipe:
        """Return the run's own recipe, or write that of a new run."""
        path = self.folder / "recipe.json"
        if self.accelerator.is_main_process and not path.is_file():
            self.folder.mkdir(parents=True, exist_ok=True)
            path.write_text((recipe or Recipe()).to_json())
        self.accelerator.wait_for_everyone()  # in every process, whoever found the file first
        own = Recipe.from_json(path.read_text())
        if recipe is not None and recipe != own:
            raise ValueError(
                f"{self.folder} was begun with another recipe: leave the recipe out, or begin in a new folder"
            )
        return own

    def _resume(self, steps: int | None, begin: str | Path | None) -> Schedule:
        """Load the newest checkpoint, or what a new run begins with, and return the step size over the rest."""
        state: dict[str, Any] = {"step": 0, "pieces": 0}
        if checkpoints := find_checkpoints(self.folder / "checkpoints"):
            state = load_checkpoint(checkpoints[-1], self.bert, self.optimizers, self.accelerator.device)
        elif begin is not None:
            begin_with(self.bert, self.tokenizer, begin)
            if self.accelerator.is_main_process:
                learnt = Path(begin) / LEARNING
                (self.folder / EARLIER).write_text(learnt.read_text("utf-8") if learnt.is_file() else UNKNOWN, "utf-8")
        elif (self.folder / EARLIER).is_file():
            raise ValueError(
                f"{self.folder} was begun with a model's weights and has no checkpoint yet: name that model again"
            )
        self.steps_done, self.pieces = state["step"], state["pieces"]
        stored = state.get("schedule")
        if stored and stored["steps"] is not None and steps in (None, stored["steps"]):
            return Schedule(**stored)
        if (steps is None) == (self.minutes is None):
            raise ValueError("a run needs its length: give either steps or minutes, and not both")
        return Schedule.plan(steps, self.recipe, self.steps_done)

    def _settle(self, loss: PretrainingLoss) -> dict[str, Any]:
        """Choose precision and compilation on this machine; return what was chosen."""
        inputs = tensors(self.maker.batch(0), self.accelerator.device)
        half = half_is_faster(loss, inputs) if self.settings.half is None else self.settings.half
        loss.bf16 = bool(self._agree(int(half)))
        compiled = self.settings.compiled and try_compile(loss, inputs)
        return {
            "device": str(self.accelerator.device),
            "processes": self.accelerator.num_processes,
            "threads": torch.get_num_threads(),
            "bfloat16": loss.bf16,
            "compiled": compiled,
        }

    def _measure_length(self, seconds: float) -> None:
        """Note how long a step took, and turn the minutes into steps once enough were taken."""
        self._times.append(seconds)
        if self.minutes is not None and len(self._times) == MEASURED_STEPS:
            # The median knows nothing of compiling.
            steps = self._agree(self.recipe.steps_in(self.minutes * 60 / float(np.median(self._times))))
            self.schedule = Schedule.plan(max(steps, self.steps_done), self.recipe, self.steps_done)
            self._log_beginning()

    def _log_beginning(self) -> None:
        """Write how the run computes and how long it will be."""
        self.log.write({"step": self.steps_done, "begins": self.facts | asdict(self.schedule)})

    def _agree(self, value: int) -> int:
        """Return the main process's value in every process."""
        if self.accelerator.num_processes == 1:
            return value
        shared = torch.tensor([value if self.accelerator.is_main_process else 0], device=self.accelerator.device)
        return int(self.accelerator.reduce(shared).item())
