"""A folder is opened whole, or refused in a paragraph that says what is wrong and what to do next."""

import json
import os
import shutil
import tempfile
from functools import partial
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import AutoTokenizer, BertConfig, BertForPreTraining, BertTokenizer, DistilBertConfig, DistilBertModel

import bertlab
from bertlab.bert import CheckpointError
from bertlab.bert.loading import SHIPPED, local_folder


def change(name, **settings):
    def changed(folder):
        file = folder / name
        file.write_text(json.dumps(json.loads(file.read_text("utf-8")) | settings), "utf-8")

    return changed


configure = partial(change, "config.json")


def change_weights(change):
    def changed(folder):
        file = folder / "model.safetensors"
        tensors = load_file(file)
        change(tensors)
        save_file(tensors, file, {"format": "pt"})

    return changed


def remove(*names):
    return lambda folder: [(folder / name).unlink() for name in names]


def write(name, content):
    return lambda folder: (folder / name).write_text(content, "utf-8")


def truncate(folder):
    file = folder / "model.safetensors"
    file.write_bytes(file.read_bytes()[:-1000])


def add_a_piece(folder):
    tokenizer = AutoTokenizer.from_pretrained(folder)
    tokenizer.add_tokens(["nowhere-in-the-lessons"])
    tokenizer.save_pretrained(folder)


@change_weights
def not_a_number(tensors):
    tensors["bert.encoder.layer.1.output.dense.weight"][0, 0] = float("nan")


@change_weights
def lose_a_tensor(tensors):
    del tensors["bert.encoder.layer.0.attention.self.query.weight"]


@change_weights
def become_whole_numbers(tensors):
    name = "bert.encoder.layer.0.attention.self.query.weight"
    tensors[name] = tensors[name].mul(99).to(torch.int8)


def become_distilbert(folder):  # with a tokenizer whose files are named otherwise
    remove("model.safetensors", "tokenizer.json")(folder)
    config = DistilBertConfig(vocab_size=50, dim=48, n_layers=1, n_heads=4, hidden_dim=8)
    DistilBertModel(config).save_pretrained(folder)


def reverse_ids(folder):
    """Give each piece the id that is as far from the end of the vocabulary as its own is from the beginning."""
    file = folder / "tokenizer.json"
    saved = json.loads(file.read_text("utf-8"))
    last = len(saved["model"]["vocab"]) - 1
    saved["model"]["vocab"] = {piece: last - id_ for piece, id_ in saved["model"]["vocab"].items()}
    for token in saved["added_tokens"]:
        token["id"] = last - token["id"]
    for token in saved["post_processor"]["special_tokens"].values():
        token["ids"] = [last - id_ for id_ in token["ids"]]
    file.write_text(json.dumps(saved), "utf-8")


def keep_capitals(folder):
    shutil.rmtree(folder)
    shutil.copytree(local_folder(SHIPPED), folder)  # whose pieces are all in small letters
    change("tokenizer_config.json", do_lower_case=False)(folder)


REFUSED = {
    "missing": (shutil.rmtree, "holds no configuration .*: there is no such folder. Give the folder into which"),
    "a file": (lambda folder: (shutil.rmtree(folder), folder.touch()), "holds no configuration .*: it is a file. Give"),
    "no config": (remove("config.json"), r"no configuration .*it holds model.safetensors, tokenizer.json"),
    "no tokenizer": (remove("tokenizer.json"), r"no tokenizer \(tokenizer.json or vocab.txt\).*tokenizer.save_pretr"),
    "no weights": (remove("model.safetensors"), r"no weights \(model.safetensors or .*model.save_pretrained"),
    "damaged tokenizer": (write("tokenizer.json", "{}"), "tokenizer in .* cannot be read.*tokenizer.save_pretrained"),
    "another tokenizer": (add_a_piece, "do not belong together: .*Save the tokenizer that this model"),
    "whole numbers": (become_whole_numbers, r"query.weight holds whole numbers \(I8\), as quantized weights do"),
    "truncated weights": (truncate, "weights in .* cut off or damaged.*Get the checkpoint again"),
    "not a number": (not_a_number, "layer.1.output.dense.weight holds values that are no finite"),
    "a tensor lost": (lose_a_tensor, "lacks 1 tensors that every BERT has, .*layer.0.attention.self.query.weight"),
    "fewer positions": (configure(max_position_embeddings=64), r"is \(96, 48\) in the file, but \(64, 48\) by conf"),
    "fewer layers": (configure(num_hidden_layers=1), "holds .*encoder.layer.1.* for which the BERT of config.json"),
    "config cut off": (write("config.json", '{"model_type": "be'), "config.json' is damaged.*Get the checkpoint again"),
    "DistilBERT": (become_distilbert, "of the kind 'distilbert', not a BERT encoder.*config.json says model_type bert"),
    "a decoder": (configure(is_decoder=True), "is a decoder, not a BERT encoder"),
    "no epsilon": (configure(layer_norm_eps=float("nan")), r"\(layer_norm_eps is nan, .* no finite numbers"),
    "one piece twice": (change("tokenizer_config.json", cls_token="[SEP]"), r"\[CLS\], .* not five different pieces"),
    "ids reversed": (reverse_ids, r"\[PAD\] has the id [\d,]+, but 0 by config.json.*Save the tokenizer that this"),
    "capitals kept": (keep_capitals, r"keeps capitals \(do_lower_case\), which no piece has"),
}


@pytest.mark.parametrize("fault", REFUSED)
def test_refused_in_words_that_help(checkpoint, fault):
    spoil, words = REFUSED[fault]
    spoil(checkpoint)
    with pytest.raises(CheckpointError, match=f"(?s){words}") as refused:
        bertlab.load(checkpoint)
    assert str(checkpoint) in str(refused.value)
    assert "\n" not in str(refused.value)


# The second is as in bert-base-chinese, which keeps capitals and has none; Georgian has capitals that no sentence uses.
@pytest.mark.parametrize("text", ["the Cat sat on the mat", "猫 坐 在 垫 子 上 the cat sat", "კატა ხალიჩაზე ზის"])
def test_a_vocabulary_of_any_script_loads_untrained_and_deep(tmp_path, text):
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *dict.fromkeys(text.split())]
    BertTokenizer({piece: i for i, piece in enumerate(pieces)}, do_lower_case=False).save_pretrained(tmp_path)
    sizes = {"num_hidden_layers": 12, "num_attention_heads": 4, "hidden_size": 48, "intermediate_size": 96}
    config = BertConfig(vocab_size=len(pieces), initializer_range=1.0, **sizes)  # at last all tokens are alike
    BertForPreTraining(config).save_pretrained(tmp_path)
    assert bertlab.load(tmp_path).read(text).tokens == ["[CLS]", *text.split(), "[SEP]"]


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="Windows has other permissions")
@pytest.mark.parametrize("closed", ["model.safetensors", "tokenizer.json", ""])
def test_what_may_not_be_read_is_not_called_damaged(tiny_folder, request, closed):
    folder = Path(tempfile.mkdtemp())  # pytest's own folders are their owner's alone
    request.addfinalizer(lambda: shutil.rmtree(folder))
    folder.chmod(0o755)
    copy = shutil.copytree(tiny_folder, folder / "tiny")
    request.addfinalizer(lambda: copy.chmod(0o755))  # else nobody but root could delete it
    for file in copy.iterdir():
        file.chmod(0o644)
    (copy / closed).chmod(0)
    if os.geteuid() == 0:  # be no administrator for a while, who may read everything
        os.seteuid(65534)
        request.addfinalizer(lambda: os.seteuid(0))
    with pytest.raises(CheckpointError, match=r"(?i)permission denied.*You lack the permission.*chmod a") as refused:
        bertlab.load(copy)
    assert str(copy / closed) in str(refused.value)


def as_bin(folder):
    """Save the weights as the first BERTs were: a .bin and a vocab.txt, no model_type, no second head bias."""
    tensors = load_file(folder / "model.safetensors")
    tensors.pop("cls.predictions.decoder.bias", None)
    tensors["bert.embeddings.position_ids"] = torch.arange(96)[None]
    torch.save(tensors, folder / "pytorch_model.bin")
    vocabulary = json.loads((folder / "tokenizer.json").read_text("utf-8"))["model"]["vocab"]
    (folder / "vocab.txt").write_text("\n".join(sorted(vocabulary, key=vocabulary.get)) + "\n", "utf-8")
    remove("model.safetensors", "tokenizer.json", "tokenizer_config.json")(folder)
    settings = json.loads((folder / "config.json").read_text("utf-8"))
    for name in ("model_type", "architectures", "transformers_version", "dtype"):
        del settings[name]
    settings["return_dict"] = False
    (folder / "config.json").write_text(json.dumps(settings), "utf-8")


def test_an_old_checkpoint_loads_with_its_values(checkpoint):
    before = bertlab.load(checkpoint)
    as_bin(checkpoint)
    old = bertlab.load(checkpoint)
    assert old.missing_parts == ()
    assert old.tokenizer.get_vocab() == before.tokenizer.get_vocab()
    assert torch.equal(old.read("the cat sat.").hidden, before.read("the cat sat.").hidden)
    for name, values in before.model.state_dict().items():
        assert torch.equal(old.model.state_dict()[name], values), name
    text = "the cat sat on the mat."  # small letters: nothing in the old files says that capitals count
    assert torch.equal(old.read(text).hidden, before.read(text).hidden)


class Malicious:
    def __init__(self, target):
        self.target = target

    def __reduce__(self):
        return (open, (self.target, "w"))


def test_a_malicious_pickle_is_refused_and_does_not_run(checkpoint, tmp_path):
    target = tmp_path / "ran"
    as_bin(checkpoint)
    torch.save({"bert.pooler.dense.bias": Malicious(str(target))}, checkpoint / "pytorch_model.bin")
    with pytest.raises(CheckpointError, match="objects other than tensors, which could run code"):
        bertlab.load(checkpoint)
    assert not target.exists()


def test_code_beside_a_tokenizer_does_not_run(checkpoint, tmp_path):
    target = tmp_path / "ran"
    (checkpoint / "odd.py").write_text(f"open({str(target)!r}, 'w').close()\nclass Odd: pass\n", "utf-8")
    auto_map = {"AutoTokenizer": ["odd.Odd", "odd.Odd"]}
    change("tokenizer_config.json", tokenizer_class="Odd", auto_map=auto_map)(checkpoint)
    try:
        bertlab.load(checkpoint)
    except CheckpointError as error:
        assert "tokenizer" in str(error)  # noqa: PT017
    assert not target.exists()
