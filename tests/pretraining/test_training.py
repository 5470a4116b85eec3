import json
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import BertForPreTraining

from bertlab.pretraining import training
from bertlab.pretraining.checkpoints import find_checkpoints
from bertlab.pretraining.corpus import Corpus
from bertlab.pretraining.reports import Log, read_log
from bertlab.pretraining.training import RunSettings, train
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
    train(prepared, tmp_path, tiny, steps=400, settings=replace(PLAIN, report_every=50))
    counts = np.bincount(Corpus.load(prepared / "held-out").pieces)
    shares = counts[counts > 0] / counts.sum()
    entropy = float(-(shares * np.log(shares)).sum())
    log = lines(tmp_path)
    assert log[-1]["held-out loss"] < entropy - 0.5
    times = [line["time"] for line in log if "time" in line]
    assert times[-1] - times[0] < 60
    assert log[-1]["dead layers"] == 0


def test_a_resumed_run_equals_the_uninterrupted_one(prepared, tiny, tmp_path, one_thread, monkeypatch):
    train(prepared, tmp_path / "whole", tiny, steps=15, settings=PLAIN)

    class Killed(BaseException):
        pass

    step_taken = training._train_step

    def killed_at_step_seven(*arguments):
        if arguments[-1]["step"] == 7:
            raise Killed
        step_taken(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(training, "_train_step", killed_at_step_seven)
        with pytest.raises(Killed):
            train(prepared, tmp_path / "parts", tiny, steps=15, settings=replace(PLAIN, save_every=0.0))
    assert find_checkpoints(tmp_path / "parts" / "checkpoints")[-1].name == "step-00000007"
    train(prepared, tmp_path / "parts", settings=PLAIN)  # neither recipe nor length: both are stored
    whole, parts = weights(tmp_path / "whole" / "final"), weights(tmp_path / "parts" / "final")
    assert whole.keys() == parts.keys()
    assert all(torch.equal(whole[name], parts[name]) for name in whole)
    losses = [
        {line["step"]: line["loss"] for line in lines(tmp_path / run) if "loss" in line} for run in ("whole", "parts")
    ]
    assert losses[0][15] == losses[1][15]  # of steps 11 to 15
    assert sum("loss" in line and line["step"] == 5 for line in lines(tmp_path / "parts")) == 1


def test_the_length_can_be_changed_on_resuming(prepared, tiny, tmp_path):
    train(prepared, tmp_path, tiny, steps=6, settings=PLAIN)
    train(prepared, tmp_path, steps=8, settings=PLAIN)
    begins = [line["begins"] for line in lines(tmp_path) if "begins" in line]
    assert [begin["steps"] for begin in begins] == [6, 8]
    assert begins[1]["decay_from"] == 6
    assert find_checkpoints(tmp_path / "checkpoints")[-1].name == "step-00000008"


def test_minutes_become_steps_once_and_are_stored(prepared, tiny, tmp_path, monkeypatch):
    monkeypatch.setattr(training, "MEASURED_STEPS", 4)
    train(prepared, tmp_path, tiny, minutes=0.02, settings=PLAIN)
    begins = [line["begins"] for line in lines(tmp_path) if "begins" in line]
    assert begins[0]["steps"] is None
    assert begins[1]["steps"] >= 4
    state = json.loads((find_checkpoints(tmp_path / "checkpoints")[-1] / "state.json").read_text())
    assert state["schedule"]["steps"] == state["step"] == begins[1]["steps"]


def test_snapshots_are_kept_for_looking_back(prepared, tiny, tmp_path):
    train(prepared, tmp_path, tiny, steps=5, settings=PLAIN)
    assert [folder.name for folder in sorted((tmp_path / "snapshots").iterdir())] == ["step-00000000", "step-00000004"]


def test_what_cannot_be_a_run_is_refused(prepared, tiny, tmp_path):
    with pytest.raises(ValueError, match="either steps or minutes"):
        train(prepared, tmp_path / "a", tiny, settings=PLAIN)
    with pytest.raises(ValueError, match="either steps or minutes"):
        train(prepared, tmp_path / "b", tiny, steps=1, minutes=1, settings=PLAIN)
    train(prepared, tmp_path / "c", tiny, steps=2, settings=PLAIN)
    with pytest.raises(ValueError, match="another recipe"):
        train(prepared, tmp_path / "c", replace(tiny, seed=5), steps=4, settings=PLAIN)
    with pytest.raises(ValueError, match="cannot end at step 1"):
        train(prepared, tmp_path / "c", steps=1, settings=PLAIN)


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
        "training.train(sys.argv[1], sys.argv[2], recipe, steps=6, settings=settings)\n"
    )
    environment = os.environ | {
        "ACCELERATE_USE_CPU": "true",
        "PYTHONPATH": str(Path(training.__file__).parents[2]),
        "OMP_NUM_THREADS": "1",
    }
    for processes in (1, 2):
        command = [sys.executable, "-m", "accelerate.commands.launch", f"--num_processes={processes}"]
        # accelerate starts several CPU processes by MPI alone; --multi_gpu is its way to torch.distributed.run,
        # which without a GPU trains on the CPU, over gloo.
        command += ["--multi_gpu"] if processes > 1 else ["--cpu"]
        command += ["--num_machines=1", "--mixed_precision=no", "--dynamo_backend=no", "--main_process_port=29631"]
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


def test_the_log_forgets_what_a_resumed_run_does_again(tmp_path):
    path = tmp_path / "metrics.jsonl"
    path.write_text('{"step": 3, "loss": 1}\n{"step": 6, "loss": 2}\n{"step": 9, "lo')  # killed while writing
    Log(path, step=5, active=False).write({"step": 5})  # another process: it neither tidies nor writes
    assert [line["step"] for line in read_log(path)] == [3, 6]
    Log(path, step=5, active=True).write({"step": 6, "loss": 4})
    assert list(read_log(path)) == [{"step": 3, "loss": 1}, {"step": 6, "loss": 4}]


@pytest.mark.slow
def test_a_process_killed_outright_goes_on_from_a_whole_checkpoint(prepared, tiny, tmp_path):
    (tmp_path / "recipe.json").write_text(tiny.to_json())
    command = [sys.executable, "-m", "bertlab.pretraining", "train", prepared, tmp_path / "run", "--no-bar", "--eager"]
    command += ["--save-every", "0", "--steps", "100000", "--recipe", tmp_path / "recipe.json"]
    environment = os.environ | {"PYTHONPATH": str(Path(training.__file__).parents[2])}
    steps = [0]
    for _ in range(2):
        process = subprocess.Popen([str(part) for part in command], env=environment, stderr=subprocess.DEVNULL)
        end = time.monotonic() + 60
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
