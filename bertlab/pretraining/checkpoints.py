"""Checkpoints: written so that a kill at any moment leaves the last one whole.

A checkpoint is a folder ``step-00001000``: the model as transformers saves it, the tokenizer, the optimizers'
state and ``state.json``. It is written under another name, forced to the disk, and then renamed, which a file
system does as a whole or not at all. The newest two are kept. As each holds a model and its tokenizer, a
checkpoint can be evaluated like any other model folder.
"""

import json
import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from transformers import BertForPreTraining, BertTokenizer

from bertlab.bert.errors import CheckpointError
from bertlab.pretraining.vocabulary import save_vocabulary

STATE, OPTIMIZERS, WEIGHTS = "state.json", "optimizers.pt", "model.safetensors"
NEXT = "Move its folder away: the run then goes on from the one before."


def save_model(folder: str | Path, bert: BertForPreTraining, tokenizer: BertTokenizer, half: bool = False) -> None:
    """Write a model folder: configuration, weights (float16 if `half`), tokenizer; readable by everyone."""
    folder = Path(folder)
    state = bert.state_dict()
    if half:  # one half-size copy of each tensor: the output layer shares the word table's, and is to be stored once
        halves = {value.data_ptr(): value.half() for value in state.values()}
        state = {name: halves[value.data_ptr()] for name, value in state.items()}
    bert.save_pretrained(folder, state_dict=state)
    if half:
        config = json.loads((folder / "config.json").read_text())
        config["dtype"] = "float16"
        (folder / "config.json").write_text(json.dumps(config, indent=2, sort_keys=True) + "\n")
    save_vocabulary(tokenizer, folder)
    for path in folder.iterdir():
        path.chmod(0o644)


def save_checkpoint(
    folder: str | Path,
    bert: BertForPreTraining,
    tokenizer: BertTokenizer,
    optimizers: Sequence[Any],
    state: dict[str, Any],
    keep: int = 2,
) -> Path:
    """Write the checkpoint of ``state["step"]``, remove all but the newest `keep`, and return the checkpoint's folder.

    Parameters
    ----------
    folder
        The folder of all checkpoints of the run.
    bert, tokenizer, optimizers
        What is saved.
    state
        Anything JSON holds; ``state["step"]`` names the checkpoint.
    """
    folder = Path(folder)
    final = folder / f"step-{state['step']:08d}"
    beside = folder / f".writing-{final.name}"
    shutil.rmtree(beside, ignore_errors=True)
    beside.mkdir(parents=True)
    save_model(beside, bert, tokenizer)
    torch.save([optimizer.state_dict() for optimizer in optimizers], beside / OPTIMIZERS)
    (beside / STATE).write_text(json.dumps(state, indent=1) + "\n")
    for path in [*beside.iterdir(), beside]:
        _force(path)
    shutil.rmtree(final, ignore_errors=True)
    beside.rename(final)
    _force(folder)
    for old in find_checkpoints(folder)[:-keep]:
        shutil.rmtree(old)
    return final


def find_checkpoints(folder: str | Path) -> list[Path]:
    """Return the finished checkpoints of a run, oldest first."""
    return sorted(path for path in Path(folder).glob("step-*") if (path / STATE).is_file())


def load_checkpoint(
    folder: str | Path, bert: BertForPreTraining, optimizers: Sequence[Any], device: torch.device | str = "cpu"
) -> dict[str, Any]:
    """Load the weights and the optimizers' state of one checkpoint and return its ``state``.

    The optimizers' state is read with ``weights_only=True``: a checkpoint cannot run code.

    Raises
    ------
    CheckpointError
        If a file is missing, damaged, or belongs to another model.
    """
    folder = Path(folder)
    for name in (STATE, OPTIMIZERS, WEIGHTS):
        if not (folder / name).is_file():
            raise CheckpointError(
                f"{folder} is no whole checkpoint: {name} is missing; delete the folder to go on from an older one"
            )
    try:
        state = json.loads((folder / STATE).read_text())
        saved = BertForPreTraining.from_pretrained(folder, dtype=torch.float32)
        bert.load_state_dict(saved.state_dict())
        states = torch.load(folder / OPTIMIZERS, map_location=device, weights_only=True)
        for optimizer, values in zip(optimizers, states, strict=True):
            optimizer.load_state_dict(values)
    except Exception as error:
        raise CheckpointError(f"the checkpoint {folder} cannot be read: {error}. {NEXT}") from error
    return state


def begin_with(bert: BertForPreTraining, tokenizer: BertTokenizer, folder: str | Path) -> None:
    """Give a model the weights of the one in a folder.

    Raises
    ------
    ValueError
        If the folder's model has another vocabulary or another shape.
    """
    theirs = BertTokenizer.from_pretrained(folder, local_files_only=True)
    if theirs.get_vocab() != tokenizer.get_vocab():
        raise ValueError(
            f"{folder} has another vocabulary than the prepared text: prepare it with `--vocabulary-of {folder}`"
        )
    found = BertForPreTraining.from_pretrained(folder, dtype=torch.float32, local_files_only=True)
    shapes = {name: tuple(value.shape) for name, value in found.state_dict().items()}
    if shapes != {name: tuple(value.shape) for name, value in bert.state_dict().items()}:
        raise ValueError(f"{folder} has another shape than the recipe: change the recipe, or begin with random weights")
    bert.load_state_dict(found.state_dict())


def _force(path: Path) -> None:
    """Force a file or a folder's list of names to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
