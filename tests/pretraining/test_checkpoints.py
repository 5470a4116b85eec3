import os
import pickle
import stat

import pytest
import torch
from safetensors.torch import load_file
from transformers import AutoTokenizer, BertForPreTraining

from bertlab.pretraining import checkpoints
from bertlab.pretraining.checkpoints import (
    CheckpointError,
    find_checkpoints,
    load_checkpoint,
    save_checkpoint,
    save_model,
)
from bertlab.pretraining.network import new_bert
from bertlab.pretraining.optimization import make_optimizers


class Killed(BaseException):
    """Stands for the end of the process: nothing may catch it and tidy up."""


@pytest.fixture
def trained(prepared, tiny):
    """A model that took one step, so that its optimizers have a state."""
    bert = new_bert(tiny, 200)
    optimizers = make_optimizers(bert, tiny)
    bert(torch.arange(104, 112)[None]).prediction_logits.square().mean().backward()
    for optimizer in optimizers:
        optimizer.step()
    return bert, AutoTokenizer.from_pretrained(prepared / "tokenizer"), optimizers


def fresh(tiny):
    bert = new_bert(tiny, 200)
    return bert, make_optimizers(bert, tiny)


def test_what_is_saved_comes_back(trained, tiny, tmp_path):
    bert, tokenizer, optimizers = trained
    folder = save_checkpoint(tmp_path, bert, tokenizer, optimizers, {"step": 5, "pieces": 9})
    other, states = fresh(tiny)
    assert load_checkpoint(folder, other, states) == {"step": 5, "pieces": 9}
    for a, b in zip(bert.parameters(), other.parameters(), strict=True):
        assert torch.equal(a, b)
    for before, after in zip(optimizers, states, strict=True):
        for key, values in before.state_dict()["state"].items():
            for name, value in values.items():
                assert torch.equal(torch.as_tensor(after.state_dict()["state"][key][name]), torch.as_tensor(value))


def test_a_checkpoint_is_a_model_folder_that_everyone_may_read(trained, tmp_path):
    bert, tokenizer, optimizers = trained
    folder = save_checkpoint(tmp_path, bert, tokenizer, optimizers, {"step": 5})
    assert len(AutoTokenizer.from_pretrained(folder)) == BertForPreTraining.from_pretrained(folder).config.vocab_size
    save_model(tmp_path / "half", bert, tokenizer, half=True)
    half = BertForPreTraining.from_pretrained(tmp_path / "half", dtype="auto")
    assert half.dtype == torch.float16
    stored = load_file(tmp_path / "half" / "model.safetensors")
    assert sum(values.numel() for values in stored.values()) == bert.num_parameters(), "nothing is stored twice"
    modes = {stat.S_IMODE(p.stat().st_mode) for p in (tmp_path / "half").iterdir()}
    assert modes == {0o644}


def test_the_newest_two_are_kept(trained, tmp_path):
    for step in (1, 2, 30, 4):
        save_checkpoint(tmp_path, *trained, {"step": step})
    assert [folder.name for folder in find_checkpoints(tmp_path)] == ["step-00000004", "step-00000030"]


@pytest.mark.parametrize("moment", ["weights", "optimizers", "flush", "rename"])
def test_a_kill_in_a_save_leaves_the_last_checkpoint_whole(trained, tiny, tmp_path, monkeypatch, moment):
    save_checkpoint(tmp_path, *trained, {"step": 1})

    def kill(*_, **__):
        raise Killed

    target = {
        "weights": (checkpoints, "save_vocabulary"),
        "optimizers": (torch, "save"),
        "flush": (os, "fsync"),
        "rename": (type(tmp_path), "rename"),
    }[moment]
    with monkeypatch.context() as patch:
        patch.setattr(*target, kill)
        with pytest.raises(Killed):
            save_checkpoint(tmp_path, *trained, {"step": 2})
    assert [folder.name for folder in find_checkpoints(tmp_path)] == ["step-00000001"]
    assert load_checkpoint(find_checkpoints(tmp_path)[-1], *fresh(tiny))["step"] == 1
    save_checkpoint(tmp_path, *trained, {"step": 2})  # what the kill left behind is in nobody's way
    assert sorted(path.name for path in tmp_path.iterdir()) == ["step-00000001", "step-00000002"]


@pytest.mark.parametrize("name", [checkpoints.STATE, checkpoints.OPTIMIZERS, checkpoints.WEIGHTS])
def test_a_damaged_or_missing_file_is_refused_by_name(trained, tiny, tmp_path, name):
    folder = save_checkpoint(tmp_path, *trained, {"step": 1})
    content = (folder / name).read_bytes()
    (folder / name).write_bytes(content[: len(content) // 2])
    with pytest.raises(CheckpointError, match="step-00000001 cannot be read"):
        load_checkpoint(folder, *fresh(tiny))
    (folder / name).unlink()
    with pytest.raises(CheckpointError, match=f"{name} is missing"):
        load_checkpoint(folder, *fresh(tiny))


def test_a_checkpoint_of_another_shape_is_refused(trained, tiny, tmp_path):
    from dataclasses import replace

    folder = save_checkpoint(tmp_path, *trained, {"step": 1})
    with pytest.raises(CheckpointError, match="step-00000001"):
        load_checkpoint(folder, *fresh(replace(tiny, layers=3)))


def test_a_state_file_cannot_run_code(trained, tiny, tmp_path):
    folder = save_checkpoint(tmp_path, *trained, {"step": 1})

    class Bomb:
        def __reduce__(self):
            return (os.mkdir, (str(tmp_path / "exploded"),))

    (folder / checkpoints.OPTIMIZERS).write_bytes(pickle.dumps(Bomb(), protocol=2))
    with pytest.raises(CheckpointError):
        load_checkpoint(folder, *fresh(tiny))
    torch.save([Bomb()], folder / checkpoints.OPTIMIZERS)
    with pytest.raises(CheckpointError):
        load_checkpoint(folder, *fresh(tiny))
    assert not (tmp_path / "exploded").exists()
