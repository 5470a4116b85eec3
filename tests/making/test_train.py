"""A run: stopped and going on, with another end, from a model's weights, in several processes."""

import json
import os
import shutil
import signal
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest
import torch
from accelerate import debug_launcher
from accelerate.state import AcceleratorState
from safetensors.torch import load_file

import train as training
from batches import BatchMaker
from prepare import Corpus, prepare
from rounding import assert_rounded_equal
from train import read_log, train


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


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


def test_the_log_forgets_what_a_run_that_goes_on_does_again(tmp_path):
    lines = [{"step": 0, "begins": {}}, {"step": 3, "loss": 1}, {"step": 6, "loss": 2}]
    again = [{"step": 5, "begins": {}}, {"step": 6, "loss": 4}]
    text = "\n".join([*map(json.dumps, lines), '{"step": 9, "lo', *map(json.dumps, again)])  # killed while writing
    (tmp_path / "log").write_text(text)
    assert read_log(tmp_path / "log") == [lines[0], lines[1], *again]


def test_the_step_size_rises_stays_and_falls_and_a_new_end_moves_the_fall(prepared, changes, tmp_path, monkeypatch):
    rates, optimizers, make, batch = [], [], training.make_optimizers, BatchMaker.batch

    def watched(maker, step):
        rates.append(optimizers[-1].param_groups[0]["lr"])
        return batch(maker, step)

    monkeypatch.setattr(training, "make_optimizers", lambda *given: optimizers.extend(make(*given)) or optimizers[-2:])
    monkeypatch.setattr(BatchMaker, "batch", watched)
    train(prepared, tmp_path, **changes | {"warmup": 2, "steps": 10, "other_rate": 1.0, "save_every": 5})
    assert_rounded_equal(rates, [0, 0.5, 1, 1, 1, 1, 1, 0.75, 0.5, 0.25], dtype="float64")
    train(prepared, tmp_path, steps=12)  # the fall never begins in the past: it is at step 10
    assert_rounded_equal(rates[10:], [1, 0.5], dtype="float64")
    with pytest.raises(ValueError, match="is at step 12 already and cannot end at step 11"):
        train(prepared, tmp_path, steps=11)
    with pytest.raises(ValueError, match="begun with another hidden and seed"):
        train(prepared, tmp_path, hidden=64, seed=5)


def test_a_run_that_diverges_ends_before_it_replaces_its_checkpoints(prepared, changes, tmp_path):
    with pytest.raises(FloatingPointError, match="the loss of step 3 is no finite number"):
        train(prepared, tmp_path, **changes | {"warmup": 1, "other_rate": 1e30, "save_every": 1})
    assert [path.name for path in checkpoints(tmp_path)] == ["step-00000001", "step-00000002"]


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


def test_another_vocabulary_is_refused(texts, changes, whole, tmp_path):
    prepare(texts, tmp_path / "other", vocabulary=190, positions=32)
    with pytest.raises(ValueError, match=r"another vocabulary than the prepared text.*--vocabulary-of"):
        train(tmp_path / "other", tmp_path / "run", **changes | {"begin": str(whole / "final")})


@pytest.mark.slow
def test_a_tiny_bert_beats_word_frequencies(prepared, changes, tmp_path):
    train(prepared, tmp_path, **changes | {"steps": 400})
    counts = np.bincount(Corpus.load(prepared / "held-out").pieces)
    shares = counts[counts > 0] / counts.sum()
    last = read_log(tmp_path / "metrics.jsonl")[-1]
    assert last["held-out loss"] < -(shares * np.log(shares)).sum() - 0.5
    assert last["dead layers"] == []


@pytest.mark.slow
def test_two_processes_equal_one(prepared, changes, tmp_path, monkeypatch):
    def sgd(bert, _):
        """Muon and AdamW hide the scale of a gradient, and Muon rounds to bfloat16; this hides nothing."""
        return [torch.optim.SGD(bert.parameters(), lr=0.1)]

    def run(processes):
        AcceleratorState._reset_state(reset_partial_state=True)  # a fork has that of the tests before
        train(prepared, tmp_path / str(processes), **changes | {"clip": 1e9, "steps": 6, "report_every": 3})

    monkeypatch.setattr(training, "make_optimizers", sgd)
    for processes in (1, 2):
        debug_launcher(run, (processes,), num_processes=processes)  # on the CPU, over gloo
    logs = [read_log(tmp_path / run / "metrics.jsonl") for run in "12"]
    assert [log[0]["begins"]["processes"] for log in logs] == [1, 2]
    one, two = (load_file(checkpoints(tmp_path / run)[-1] / "model.safetensors") for run in "12")
    assert one.keys() == two.keys()
    for name in one:  # a key's bias changes no attention, and stays what rounding leaves of 0: hence the step size
        assert_rounded_equal(one[name], two[name], scale=torch.maximum(two[name].abs(), torch.tensor(0.1)))
    losses = [[line["loss"] for line in log if "loss" in line] for log in logs]
    assert_rounded_equal(losses[0], losses[1])
    assert losses[0][1] < losses[0][0]
