"""A run: killed and going on, and from a model's weights."""

import os
import shutil
import signal
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from batches import BatchMaker
from prepare import Corpus
from train import read_log, train


def equal(one, other):
    one, other = (load_file(folder / "model.safetensors") for folder in (one, other))
    return one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)


def checkpoints(run):
    return sorted((run / "checkpoints").glob("step-*"))


@pytest.fixture(scope="module")
def whole(prepared, changes, tmp_path_factory):
    """An uninterrupted run of 15 steps."""
    run = tmp_path_factory.mktemp("whole")
    train(prepared, run, **changes)
    return run


@pytest.mark.parametrize("moment", [(BatchMaker, "batch"), (os, "sync"), (Path, "rename")])
def test_a_run_killed_outright_goes_on_and_equals_the_uninterrupted_one(prepared, changes, whole, tmp_path, moment):
    owner, name = moment
    before = getattr(owner, name)

    def kill_after_a_second_checkpoint(*arguments):
        if len(checkpoints(tmp_path)) == 2:
            for weights in tmp_path.glob("checkpoints/.writing/model.safetensors"):
                weights.write_bytes(b"half a fi")
            os.kill(os.getpid(), signal.SIGKILL)
        return before(*arguments)

    def run():
        setattr(owner, name, kill_after_a_second_checkpoint)
        train(prepared, tmp_path, **changes | {"save_every": 3})

    process = get_context("fork").Process(target=run)
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGKILL
    assert checkpoints(tmp_path)[-1].name == "step-00000006"
    train(prepared, tmp_path)  # its settings are stored
    assert equal(whole / "final", tmp_path / "final")
    left = sorted(path.name for path in (tmp_path / "checkpoints").iterdir())
    assert left == ["step-00000012", "step-00000015"], "the newest two, and nothing left behind"


def test_a_run_begins_with_a_models_weights_though_it_stops_before_its_first_checkpoint(
    prepared, changes, whole, tmp_path, monkeypatch
):
    model, run = Path(shutil.copytree(whole / "final", tmp_path / "model")), tmp_path / "run"
    (model / "watch-it-learn.csv").write_text("step\n3\n")
    monkeypatch.setattr(BatchMaker, "batch", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        train(prepared, run, **changes | {"seed": 9, "begin": str(model), "steps": 4})
    monkeypatch.undo()
    shutil.rmtree(run / "snapshots")
    train(prepared, run)
    assert equal(run / "snapshots" / "step-00000000", model)
    assert not equal(run / "final", model)
    assert (run / "earlier-watch-it-learn.csv").read_text() == "step\n3\n"


@pytest.mark.slow
def test_a_tiny_bert_beats_word_frequencies(prepared, changes, tmp_path):
    train(prepared, tmp_path, **changes | {"steps": 400})
    counts = np.bincount(Corpus.load(prepared / "held-out").pieces)
    shares = counts[counts > 0] / counts.sum()
    last = read_log(tmp_path / "metrics.jsonl")[-1]
    assert last["held-out loss"] < -(shares * np.log(shares)).sum() - 0.5
    assert last["dead layers"] == []
