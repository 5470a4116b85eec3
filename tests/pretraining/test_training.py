import json
import os
import shutil
import socket
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from transformers import BertForPreTraining

from bertlab.pretraining import training
from bertlab.pretraining.checkpoints import find_checkpoints
from bertlab.pretraining.corpus import Corpus, prepare
from bertlab.pretraining.recipe import Preparation
from bertlab.pretraining.reports import read_log
from bertlab.pretraining.training import Run, RunSettings
from rounding import assert_rounded_equal

PLAIN = RunSettings(half=False, compiled=False, progress=False, report_every=5, held_out_every=1000, snapshots=(0, 4))


@pytest.fixture
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def weights(folder: Path) -> dict[str, torch.Tensor]:
    return BertForPreTraining.from_pretrained(folder, dtype=torch.float32).state_dict()


def lines(run: Path) -> list[dict]:
    return list(read_log(run / "metrics.jsonl"))


@pytest.mark.slow
def test_a_tiny_bert_beats_word_frequencies_within_a_minute(prepared, tiny, tmp_path):
    Run(prepared, tmp_path, tiny, steps=400, settings=replace(PLAIN, report_every=50)).train()
    counts = np.bincount(Corpus.load(prepared / "held-out").pieces)
    shares = counts[counts > 0] / counts.sum()
    entropy = float(-(shares * np.log(shares)).sum())
    log = lines(tmp_path)
    assert log[-1]["held-out loss"] < entropy - 0.5
    times = [line["time"] for line in log if "time" in line]
    assert times[-1] - times[0] < 60
    assert log[-1]["dead layers"] == 0


def test_a_resumed_run_equals_the_uninterrupted_one(prepared, tiny, tmp_path, one_thread, monkeypatch):
    Run(prepared, tmp_path / "whole", tiny, steps=15, settings=PLAIN).train()

    class Killed(BaseException):
        pass

    step = Run.step

    def killed_at_step_seven(run):
        if run.steps_done == 7:
            raise Killed
        step(run)

    with monkeypatch.context() as patch:
        patch.setattr(Run, "step", killed_at_step_seven)
        with pytest.raises(Killed):
            Run(prepared, tmp_path / "parts", tiny, steps=15, settings=replace(PLAIN, save_every=0.0)).train()
    assert find_checkpoints(tmp_path / "parts" / "checkpoints")[-1].name == "step-00000007"
    Run(prepared, tmp_path / "parts", settings=PLAIN).train()  # neither recipe nor length: both are stored
    whole, parts = weights(tmp_path / "whole" / "final"), weights(tmp_path / "parts" / "final")
    assert whole.keys() == parts.keys()
    assert all(torch.equal(whole[name], parts[name]) for name in whole)
    losses = [
        {line["step"]: line["loss"] for line in lines(tmp_path / run) if "loss" in line} for run in ("whole", "parts")
    ]
    assert losses[0][15] == losses[1][15]  # of steps 11 to 15
    assert sum("loss" in line and line["step"] == 5 for line in lines(tmp_path / "parts")) == 1


def test_the_length_can_be_changed_on_resuming(prepared, tiny, tmp_path):
    Run(prepared, tmp_path, tiny, steps=6, settings=PLAIN).train()
    Run(prepared, tmp_path, steps=8, settings=PLAIN).train()
    begins = [line["begins"] for line in lines(tmp_path) if "begins" in line]
    assert [begin["steps"] for begin in begins] == [6, 8]
    assert begins[1]["decay_from"] == 6
    assert find_checkpoints(tmp_path / "checkpoints")[-1].name == "step-00000008"


def test_minutes_become_steps_once_and_are_stored(prepared, tiny, tmp_path, monkeypatch):
    monkeypatch.setattr(training, "MEASURED_STEPS", 4)
    Run(prepared, tmp_path, tiny, minutes=0.02, settings=PLAIN).train()
    begins = [line["begins"] for line in lines(tmp_path) if "begins" in line]
    assert begins[0]["steps"] is None
    assert begins[1]["steps"] >= 4
    state = json.loads((find_checkpoints(tmp_path / "checkpoints")[-1] / "state.json").read_text())
    assert state["schedule"]["steps"] == state["step"] == begins[1]["steps"]


def test_a_run_by_hand_equals_the_trained_one(prepared, tiny, tmp_path, one_thread):
    trained = Run(prepared, tmp_path / "whole", tiny, steps=3, settings=PLAIN).train()
    run = Run(prepared, tmp_path / "hand", tiny, steps=3, settings=PLAIN)
    pieces = 0
    for step in range(3):
        assert run.steps_done == step
        run.step()
        pieces += int(run.maker.batch(step).attention.sum())
    assert run.pieces == pieces
    line = run.report()
    assert lines(tmp_path / "hand")[-1] == line
    assert run.meter.masked == 0  # the next report begins anew
    with pytest.raises(ValueError, match="taken all of its 3 steps"):
        run.step()
    one, two = weights(trained), weights(run.finish())
    assert all(torch.equal(one[name], two[name]) for name in one)
    log = lines(tmp_path / "hand")
    assert log[0]["begins"] == {
        "device": "cpu",
        "processes": 1,
        "threads": 1,
        "bfloat16": False,
        "compiled": False,
        "steps": 3,
        "warmup": 0,
        "decay_from": 2,
    }
    reported = ["step", "pieces", "loss", "next sentence loss", "share of step size", "pieces a second", "time"]
    assert list(log[1]) == reported
    measured = ["step", "held-out loss", "held-out accuracy", "held-out next sentence"]
    measured += ["best previous", "best next", "best same piece", "special share of the worst layer", "dead layers"]
    assert list(log[2]) == measured


def test_a_run_begun_before_the_recipe_had_all_of_its_numbers_goes_on(prepared, tiny, tmp_path, one_thread):
    Run(prepared, tmp_path / "whole", tiny, steps=4, settings=PLAIN).train()
    run = Run(prepared, tmp_path / "old", tiny, steps=4, settings=PLAIN)
    run.step()
    run.save()
    path = tmp_path / "old" / "recipe.json"
    added = {"mask_share", "random_share", "not_next_share", "unit_of_weight", "momentum", "betas", "warmup_share"}
    path.write_text(
        json.dumps({name: value for name, value in json.loads(path.read_text()).items() if name not in added})
    )
    state = json.loads((find_checkpoints(tmp_path / "old" / "checkpoints")[-1] / "state.json").read_text())
    assert state == {"step": 1, "pieces": run.pieces, "schedule": {"steps": 4, "warmup": 1, "decay_from": 2}}
    Run(prepared, tmp_path / "old", tiny, settings=PLAIN).train()
    one, two = weights(tmp_path / "whole" / "final"), weights(tmp_path / "old" / "final")
    assert all(torch.equal(one[name], two[name]) for name in one)


def test_snapshots_are_kept_for_looking_back(prepared, tiny, tmp_path):
    Run(prepared, tmp_path, tiny, steps=5, settings=PLAIN).train()
    assert [folder.name for folder in sorted((tmp_path / "snapshots").iterdir())] == ["step-00000000", "step-00000004"]


def test_what_cannot_be_a_run_is_refused(prepared, tiny, tmp_path):
    with pytest.raises(ValueError, match="either steps or minutes"):
        Run(prepared, tmp_path / "a", tiny, settings=PLAIN).train()
    with pytest.raises(ValueError, match="either steps or minutes"):
        Run(prepared, tmp_path / "b", tiny, steps=1, minutes=1, settings=PLAIN).train()
    Run(prepared, tmp_path / "c", tiny, steps=2, settings=PLAIN).train()
    with pytest.raises(ValueError, match="another recipe"):
        Run(prepared, tmp_path / "c", replace(tiny, seed=5), steps=4, settings=PLAIN).train()
    with pytest.raises(ValueError, match="cannot end at step 1"):
        Run(prepared, tmp_path / "c", steps=1, settings=PLAIN).train()


LEARNT = "step,millions_of_pieces,held_out_loss\n0,0.0,9.9\n3,0.01,5.0\n"


@pytest.fixture(scope="module")
def model(prepared, tiny, tmp_path_factory):
    """A model to begin with, and what it had learnt when."""
    folder = Run(prepared, tmp_path_factory.mktemp("first"), tiny, steps=3, settings=PLAIN).train()
    (folder / "watch-it-learn.csv").write_text(LEARNT)
    return folder


class TestBeginning:
    """A run can begin with the weights of a model."""

    def test_the_weights_are_the_models_at_step_0_and_the_rest_begins_anew(self, prepared, tiny, tmp_path, model):
        run = Run(prepared, tmp_path, replace(tiny, seed=9), steps=4, settings=PLAIN, begin=model)
        theirs, ours = weights(model), run.bert.state_dict()
        assert theirs.keys() == ours.keys()
        assert all(torch.equal(theirs[name], ours[name]) for name in theirs)
        assert (run.steps_done, run.pieces) == (0, 0)
        assert all(not optimizer.state_dict()["state"] for optimizer in run.optimizers)
        assert (tmp_path / "earlier-watch-it-learn.csv").read_text() == LEARNT
        run.step()
        assert not torch.equal(run.bert.bert.pooler.dense.weight, theirs["bert.pooler.dense.weight"])

    def test_a_model_without_a_table_of_what_it_learnt_will_do(self, prepared, tiny, tmp_path, model):
        bare = tmp_path / "bare"
        shutil.copytree(model, bare, ignore=shutil.ignore_patterns("watch-it-learn.csv"))
        run = Run(prepared, tmp_path / "run", tiny, steps=4, settings=PLAIN, begin=bare)
        assert all(torch.equal(value, run.bert.state_dict()[name]) for name, value in weights(model).items())
        assert pd.read_csv(tmp_path / "run" / "earlier-watch-it-learn.csv").empty

    def test_another_vocabulary_is_refused(self, texts, tiny, tmp_path, model):
        other = prepare(texts, tmp_path / "other", Preparation(vocabulary=190, positions=32))
        with pytest.raises(ValueError, match=r"another vocabulary than the prepared text.*--vocabulary-of"):
            Run(other, tmp_path / "run", tiny, steps=4, settings=PLAIN, begin=model)

    def test_another_shape_is_refused(self, prepared, tiny, tmp_path, model):
        with pytest.raises(ValueError, match="another shape than the recipe"):
            Run(prepared, tmp_path / "run", replace(tiny, layers=1), steps=4, settings=PLAIN, begin=model)

    def test_a_run_that_goes_on_pays_no_heed_to_it(self, prepared, tiny, tmp_path, model):
        run = Run(prepared, tmp_path, tiny, steps=4, settings=PLAIN)
        run.step()
        run.save()
        resumed = Run(prepared, tmp_path, settings=PLAIN, begin=model)
        assert resumed.steps_done == 1
        mine = run.bert.state_dict()
        assert all(torch.equal(value, mine[name]) for name, value in resumed.bert.state_dict().items())
        assert not (tmp_path / "earlier-watch-it-learn.csv").exists()

    def test_what_stopped_before_its_first_checkpoint_does_not_go_on_with_random_weights(
        self, prepared, tiny, tmp_path, model
    ):
        Run(prepared, tmp_path, tiny, steps=4, settings=PLAIN, begin=model).step()
        with pytest.raises(ValueError, match="name that model again"):
            Run(prepared, tmp_path, tiny, steps=4, settings=PLAIN)
        assert Run(prepared, tmp_path, tiny, steps=4, settings=PLAIN, begin=model).steps_done == 0


@pytest.mark.slow
def test_two_processes_equal_one(prepared, tiny, tmp_path):
    (tmp_path / "recipe.json").write_text(replace(tiny, clip=1e9).to_json())
    script = tmp_path / "script.py"
    # Muon and AdamW hide the scale of a gradient, and Muon rounds to bfloat16; plain gradient descent hides nothing.
    script.write_text(
        "import sys, torch\nfrom pathlib import Path\nfrom bertlab.pretraining import training\n"
        "from bertlab.pretraining.recipe import Recipe\n"
        "def descent(bert, recipe):\n"
        "    optimizer = torch.optim.SGD(bert.parameters(), lr=0.1)\n"
        "    optimizer.param_groups[0]['largest'] = 0.1\n"
        "    return [optimizer]\n"
        "training.make_optimizers = descent\n"
        "settings = training.RunSettings(half=False, compiled=False, progress=False, report_every=3, snapshots=())\n"
        "recipe = Recipe.from_json(Path(sys.argv[3]).read_text())\n"
        "training.Run(sys.argv[1], sys.argv[2], recipe, steps=6, settings=settings).train()\n"
    )
    environment = os.environ | {
        "ACCELERATE_USE_CPU": "true",
        "PYTHONPATH": str(Path(training.__file__).parents[2]),
        "OMP_NUM_THREADS": "1",
    }
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    for processes in (1, 2):
        command = [sys.executable, "-m", "accelerate.commands.launch", f"--num_processes={processes}"]
        # accelerate starts several CPU processes by MPI alone; --multi_gpu is its way to torch.distributed.run,
        # which without a GPU trains on the CPU, over gloo.
        command += ["--multi_gpu"] if processes > 1 else ["--cpu"]
        command += ["--num_machines=1", "--mixed_precision=no", "--dynamo_backend=no", f"--main_process_port={port}"]
        arguments = [script, prepared, tmp_path / str(processes), tmp_path / "recipe.json"]
        done = subprocess.run(
            [*command, *map(str, arguments)], env=environment, capture_output=True, text=True, timeout=100
        )
        assert done.returncode == 0, done.stderr[-2000:]
    begins = [line["begins"]["processes"] for p in "12" for line in lines(tmp_path / p) if "begins" in line]
    assert begins == [1, 2]
    checkpoints = [find_checkpoints(tmp_path / p / "checkpoints")[-1] for p in "12"]
    one, two = map(weights, checkpoints)
    steps = torch.tensor(6 * tiny.other_rate)  # a key's bias changes no attention, and stays what rounding leaves of 0
    for name in one:
        assert_rounded_equal(one[name], two[name], scale=torch.maximum(two[name].abs(), steps))
    losses = [[line["loss"] for line in lines(tmp_path / p) if "loss" in line] for p in "12"]
    assert_rounded_equal(losses[0], losses[1])
    assert losses[0][1] < losses[0][0]


@pytest.mark.slow
def test_a_process_killed_outright_goes_on_from_a_whole_checkpoint(prepared, tiny, tmp_path):
    (tmp_path / "recipe.json").write_text(tiny.to_json())
    command = [sys.executable, "-m", "bertlab.pretraining", "train", prepared, tmp_path / "run", "--no-bar", "--eager"]
    command += ["--save-every", "0", "--steps", "100000", "--recipe", tmp_path / "recipe.json"]
    environment = os.environ | {"PYTHONPATH": str(Path(training.__file__).parents[2])}
    steps = [0]
    for _ in range(2):
        process = subprocess.Popen([str(part) for part in command], env=environment, stderr=subprocess.DEVNULL)
        end = time.monotonic() + 300
        while time.monotonic() < end:
            found = find_checkpoints(tmp_path / "run" / "checkpoints")
            if found and int(found[-1].name.removeprefix("step-")) > steps[-1] + 5:
                break
            time.sleep(0.05)
        process.kill()  # it saves all the time, so most likely within a save
        process.wait()
        newest = find_checkpoints(tmp_path / "run" / "checkpoints")[-1]
        steps.append(json.loads((newest / "state.json").read_text())["step"])
        assert weights(newest)
    assert steps[2] > steps[1] > steps[0]
