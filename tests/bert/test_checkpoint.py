"""A folder is opened whole, or refused in a paragraph that says what is wrong and what to do next."""

import hashlib
import json
import os
import pickle
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import AutoModel, DistilBertConfig, DistilBertModel, RobertaConfig, RobertaModel

import bertlab
from bertlab.__main__ import main
from bertlab.bert.errors import CheckpointError
from bertlab.bert.loading import SHIPPED, local_folder


def change_config(folder, **settings):
    file = folder / "config.json"
    file.write_text(json.dumps(json.loads(file.read_text("utf-8")) | settings), "utf-8")


def change_weights(folder, change):
    file = folder / "model.safetensors"
    tensors = load_file(file)
    change(tensors)
    save_file(tensors, file, {"format": "pt"})


def remove(*names):
    return lambda folder: [(folder / name).unlink() for name in names]


def empty(folder):
    shutil.rmtree(folder)
    folder.mkdir()


def become_a_file(folder):
    shutil.rmtree(folder)
    folder.write_text("no folder", "utf-8")


def truncate(folder):
    file = folder / "model.safetensors"
    file.write_bytes(file.read_bytes()[:-1000])


def add_a_piece(folder):
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    tokenizer.add_tokens(["nowhere-in-the-lessons"])
    tokenizer.save_pretrained(folder)


def nan(tensors):
    tensors["bert.encoder.layer.1.output.dense.weight"][0, 0] = float("nan")


def lose_a_layer_s_tensor(tensors):
    del tensors["bert.encoder.layer.0.attention.self.query.weight"]


def lose_a_layer(tensors):
    for name in [name for name in tensors if "layer.0." in name]:
        del tensors[name]


def lose_the_word_table(tensors):
    del tensors["bert.embeddings.word_embeddings.weight"]
    tensors.pop("cls.predictions.decoder.weight", None)


def as_whole_numbers(tensors):
    name = "bert.encoder.layer.1.output.dense.weight"
    tensors[name] = (tensors[name] * 1000).to(torch.int8)


def whole_numbers_in_a_bin(folder):
    tensors = load_file(folder / "model.safetensors")
    as_whole_numbers(tensors)
    torch.save(tensors, folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()


def one_segment(folder):
    def cut(tensors):
        name = "bert.embeddings.token_type_embeddings.weight"
        tensors[name] = tensors[name][:1].clone()

    change_weights(folder, cut)
    change_config(folder, type_vocab_size=1)


def another_architecture(kind, config):
    def save(folder):
        sizes = {"hidden_size": 48, "num_hidden_layers": 1, "num_attention_heads": 4, "intermediate_size": 8}
        small = {"dim": 48, "n_layers": 1, "n_heads": 4, "hidden_dim": 8} if config is DistilBertConfig else sizes
        (folder / "model.safetensors").unlink()
        kind(config(vocab_size=50, **small)).save_pretrained(folder)

    return save


REFUSED = {
    "missing": (shutil.rmtree, "does not exist. Give the folder that holds config.json"),
    "a file": (become_a_file, "is a file, not a folder. Give the folder"),
    "empty": (empty, r"holds no configuration \(config.json\); it holds nothing. Save both halves"),
    "no config": (remove("config.json"), r"no configuration .*it holds model.safetensors, tokenizer.json"),
    "no tokenizer": (
        remove("tokenizer.json"),
        r"holds no tokenizer \(tokenizer.json or vocab.txt\).*tokenizer.save_pretrained",
    ),
    "no weights": (remove("model.safetensors"), r"holds no weights \(model.safetensors or .*model.save_pretrained"),
    "damaged tokenizer": (
        lambda folder: (folder / "tokenizer.json").write_text("{}", "utf-8"),
        "tokenizer in .* cannot be read.*tokenizer.save_pretrained",
    ),
    "tokenizer of another size": (add_a_piece, "do not belong together: .*Save the tokenizer that this model"),
    "truncated weights": (truncate, "weights in .* cut off or damaged.*Get the checkpoint again"),
    "no weights in the file": (
        lambda folder: (folder / "model.safetensors").write_bytes(b""),
        "cut off or damaged.*Get the checkpoint again",
    ),
    "not a number": (
        lambda folder: change_weights(folder, nan),
        "layer.1.output.dense.weight holds values that are no finite",
    ),
    "a tensor lost": (
        lambda folder: change_weights(folder, lose_a_layer_s_tensor),
        "lacks 1 tensors that every BERT has, .*layer.0.attention.self.query.weight",
    ),
    "other hidden size": (lambda folder: change_config(folder, hidden_size=24), "is .*48.* in the file, but .*24"),
    "fewer positions": (
        lambda folder: change_config(folder, max_position_embeddings=64),
        r"position_embeddings.weight is \(96, 48\) in the file, but \(64, 48\) by config.json",
    ),
    "more layers": (
        lambda folder: change_config(folder, num_hidden_layers=3),
        "config.json says 3 layers, but the file holds 2",
    ),
    "fewer layers": (
        lambda folder: change_config(folder, num_hidden_layers=1),
        "config.json says 1 layers, but the file holds 2",
    ),
    "a hole among the layers": (
        lambda folder: change_weights(folder, lose_a_layer),
        "the file lacks encoder.layer.0.intermediate.dense.weight, which every BERT has",
    ),
    "no word table": (
        lambda folder: change_weights(folder, lose_the_word_table),
        "the file lacks embeddings.word_embeddings.weight, which every BERT has",
    ),
    "whole numbers": (
        lambda folder: change_weights(folder, as_whole_numbers),
        r"holds whole numbers \(torch.int8\), as quantized weights do.*Get the checkpoint again",
    ),
    "whole numbers in a .bin": (
        whole_numbers_in_a_bin,
        r"holds whole numbers \(torch.int8\), as quantized weights do.*Get the checkpoint again",
    ),
    "quantized": (
        lambda folder: change_config(folder, quantization_config={"quant_method": "bitsandbytes"}),
        "by its config.json the weights are quantized.*choose another",
    ),
    "no such activation": (
        lambda folder: change_config(folder, hidden_act="nonsense"),
        "by its config.json hidden_act is 'nonsense', an activation function that transformers does not know",
    ),
    "relative positions": (
        lambda folder: change_config(folder, position_embedding_type="relative_key"),
        "by its config.json its positions are relative ones",
    ),
    "one segment": (one_segment, r"has one segment \(type_vocab_size\), so it cannot read a pair"),
    "no heads": (
        lambda folder: change_config(folder, num_attention_heads=0),
        "not a multiple .*num_attention_heads, 0",
    ),
    "cross attention": (
        lambda folder: change_config(folder, add_cross_attention=True),
        "is a decoder, not a BERT encoder",
    ),
    "another kind, architectures a number": (
        lambda folder: change_config(folder, architectures=5, model_type="roberta"),
        r"of the kind 'roberta' \(roberta\), not a BERT",
    ),
    "config deeper than Python reads": (
        lambda folder: (folder / "config.json").write_text("[" * 100_000, "utf-8"),
        "config.json' is damaged: it is not the JSON object",
    ),
    "checksums binary": (
        lambda folder: (folder / "SHA256SUMS").write_bytes(bytes(range(256))),
        "SHA256SUMS in .* is damaged: .* is no line of sha256sum.*Restore it, or delete it",
    ),
    "checksums without names": (
        lambda folder: (folder / "SHA256SUMS").write_text("0" * 64 + "\n", "utf-8"),
        "SHA256SUMS in .* is damaged: .* is no line of sha256sum",
    ),
    "heads that do not fit": (lambda folder: change_config(folder, num_attention_heads=5), "not a multiple"),
    "a size in words": (
        lambda folder: change_config(folder, hidden_size="big"),
        "config.json' is damaged: .*hidden_size",
    ),
    "config cut off": (
        lambda folder: (folder / "config.json").write_text('{"model_type": "be', "utf-8"),
        "config.json' is damaged: it is not the JSON object.*Get the checkpoint again",
    ),
    "config a list": (
        lambda folder: (folder / "config.json").write_text("[]", "utf-8"),
        "config.json' is damaged: it is not the JSON object",
    ),
    "RoBERTa": (
        another_architecture(RobertaModel, RobertaConfig),
        r"of the kind 'roberta' \(RobertaModel\), not a BERT.*whose config.json says model_type bert",
    ),
    "DistilBERT": (
        another_architecture(DistilBertModel, DistilBertConfig),
        r"of the kind 'distilbert' \(DistilBertModel\), not a BERT encoder",
    ),
    "a decoder": (lambda folder: change_config(folder, is_decoder=True), "is a decoder, not a BERT encoder"),
}


@pytest.mark.parametrize("fault", REFUSED)
def test_refused_in_words_that_help(checkpoint, fault):
    spoil, words = REFUSED[fault]
    spoil(checkpoint)
    with pytest.raises(CheckpointError, match=f"(?s){words}") as refused:
        bertlab.load(checkpoint)
    assert str(checkpoint) in str(refused.value)
    assert "\n" not in str(refused.value)


HUGE = 10**12
HUGE_SIZES = {
    "num_hidden_layers": "config.json says 1000000000000 layers, but the file holds 2",
    "vocab_size": r"word_embeddings.weight is \(\d+, 48\) in the file, but \(1000000000000, 48\)",
    "max_position_embeddings": r"position_embeddings.weight is \(96, 48\) in the file, but \(1000000000000, 48\)",
    "type_vocab_size": r"token_type_embeddings.weight is \(2, 48\) in the file, but \(1000000000000, 48\)",
    "intermediate_size": r"intermediate.dense.weight is \(96, 48\) in the file, but \(1000000000000, 48\)",
    "hidden_size": r"word_embeddings.weight is \(\d+, 48\) in the file, but \(\d+, 1000000000000\)",
}


@pytest.mark.parametrize("size", HUGE_SIZES)
def test_a_huge_size_is_refused_before_anything_is_built(checkpoint, monkeypatch, size):
    change_config(checkpoint, **{size: HUGE})
    built = lambda *_, **__: pytest.fail("the model is being built")  # noqa: E731
    monkeypatch.setattr("transformers.BertForPreTraining.from_pretrained", built)
    with pytest.raises(CheckpointError, match=HUGE_SIZES[size]):
        bertlab.load(checkpoint)


@pytest.fixture
def seen_by_all(tiny_folder):
    """Copy the small BERT to a place that every user may look into: pytest's own are their owner's alone."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        copy = shutil.copytree(tiny_folder, Path(folder) / "tiny")
        yield copy
        copy.chmod(0o755)


@contextmanager
def ordinary_user():
    """Be no administrator for a while, who may read everything."""
    administrator = os.geteuid() == 0
    if administrator:
        os.seteuid(65534)
    try:
        yield
    finally:
        if administrator:
            os.seteuid(0)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="Windows has other permissions")
@pytest.mark.parametrize("closed", ["model.safetensors", "config.json", "tokenizer.json", "SHA256SUMS", ""])
def test_what_may_not_be_read_is_not_called_damaged(seen_by_all, monkeypatch, capsys, closed):
    (seen_by_all / "SHA256SUMS").touch()
    for file in seen_by_all.iterdir():
        file.chmod(0o644)
    with ordinary_user():
        assert bertlab.load(seen_by_all).name == "tiny"
    (seen_by_all / closed).chmod(0)
    monkeypatch.setenv("BERTLAB_MODEL", str(seen_by_all))
    with ordinary_user():
        with pytest.raises(
            CheckpointError, match=r"(?i)permission denied.*You lack the permission.*chmod a"
        ) as refused:
            bertlab.load()
        assert main([]) == 1
    assert str(seen_by_all / closed) in str(refused.value)
    assert "damaged" not in str(refused.value)
    assert f"does not load. {refused.value}" in capsys.readouterr().out


def test_blank_lines_and_the_mark_of_binary_files_are_no_fault_of_checksums(checkpoint):
    digest = hashlib.sha256((checkpoint / "config.json").read_bytes()).hexdigest()
    (checkpoint / "SHA256SUMS").write_text(f"\n{digest} *config.json\n\n  \n", "utf-8")
    assert bertlab.load(checkpoint).name == "tiny"
    change_config(checkpoint, hidden_dropout_prob=0.3)
    with pytest.raises(CheckpointError, match=r"^config\.json in .*damaged or was changed"):
        bertlab.load(checkpoint)


@pytest.fixture
def shipped_copy(tmp_path):
    return shutil.copytree(local_folder(SHIPPED), tmp_path / "copy")


def test_every_shipped_file_that_is_read_has_its_checksum():
    folder = local_folder(SHIPPED)
    sums = dict(reversed(line.split("  ")) for line in (folder / "SHA256SUMS").read_text("utf-8").splitlines())
    assert {"config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json", "vocab.txt"} <= set(sums)
    for name, digest in sums.items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest, name


@pytest.mark.parametrize(
    "name", ["model.safetensors", "config.json", "tokenizer.json", "tokenizer_config.json", "vocab.txt"]
)
def test_one_changed_byte_is_refused_and_its_file_named(shipped_copy, name):
    content = bytearray((shipped_copy / name).read_bytes())
    content[len(content) // 2] ^= 1
    (shipped_copy / name).write_bytes(content)
    with pytest.raises(CheckpointError, match=f"^{name} in .*damaged or was changed. Restore it.*delete SHA256SUMS"):
        bertlab.load(shipped_copy)


def test_a_listed_file_that_is_gone_is_refused(shipped_copy):
    (shipped_copy / "vocab.txt").unlink()
    with pytest.raises(CheckpointError, match=r"^vocab\.txt in "):
        bertlab.load(shipped_copy)


def test_without_checksums_a_folder_is_opened_as_it_is(shipped_copy, bert):
    (shipped_copy / "SHA256SUMS").unlink()
    change_config(shipped_copy, hidden_dropout_prob=0.3)
    assert torch.equal(bertlab.load(shipped_copy).read("The cat").hidden, bert.read("The cat").hidden)


def as_bin(folder, rename=lambda name: name):
    """Save the weights as the first BERTs were: a .bin and a vocab.txt, no model_type, no second head bias."""
    tensors = {rename(name): values for name, values in load_file(folder / "model.safetensors").items()}
    tensors.pop("cls.predictions.decoder.bias", None)
    tensors["bert.embeddings.position_ids"] = torch.arange(96)[None]
    torch.save(tensors, folder / "pytorch_model.bin")
    vocabulary = json.loads((folder / "tokenizer.json").read_text("utf-8"))["model"]["vocab"]
    (folder / "vocab.txt").write_text("\n".join(sorted(vocabulary, key=vocabulary.get)) + "\n", "utf-8")
    remove("model.safetensors", "tokenizer.json", "tokenizer_config.json")(folder)
    settings = json.loads((folder / "config.json").read_text("utf-8"))
    for name in ("model_type", "architectures", "transformers_version", "dtype"):
        del settings[name]
    (folder / "config.json").write_text(json.dumps(settings), "utf-8")


def old_norm(name):
    return name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta")


@pytest.mark.parametrize("rename", [str, old_norm], ids=["today's names", "gamma and beta"])
def test_an_old_checkpoint_loads_with_its_values(checkpoint, rename):
    def no_default(tensors):  # so that a norm left at ones and zeros would show
        for name in tensors:
            if "LayerNorm" in name:
                tensors[name] += 0.25

    change_weights(checkpoint, no_default)
    before = bertlab.load(checkpoint)
    as_bin(checkpoint, rename)
    old = bertlab.load(checkpoint)
    assert old.missing_parts == ()
    assert old.tokenizer.get_vocab() == before.tokenizer.get_vocab()
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
    pickle.loads(pickle.dumps(Malicious(str(target)))).close()
    assert target.exists(), "the object is harmless, so this test shows nothing"


def test_code_beside_a_tokenizer_does_not_run(checkpoint, tmp_path):
    target = tmp_path / "ran"
    (checkpoint / "odd.py").write_text(f"open({str(target)!r}, 'w').close()\nclass Odd: pass\n", "utf-8")
    file = checkpoint / "tokenizer_config.json"
    odd = {"tokenizer_class": "Odd", "auto_map": {"AutoTokenizer": ["odd.Odd", "odd.Odd"]}}
    file.write_text(json.dumps(json.loads(file.read_text("utf-8")) | odd), "utf-8")
    try:
        bertlab.load(checkpoint)
    except CheckpointError as error:
        assert "tokenizer" in str(error)  # noqa: PT017
    assert not target.exists()


@pytest.mark.parametrize("architectures", [5, [], None, "BertModel"])
def test_what_saved_a_checkpoint_does_not_matter(checkpoint, architectures):
    before = bertlab.load(checkpoint).read("The cat")
    change_config(checkpoint, architectures=architectures)
    assert torch.equal(bertlab.load(checkpoint).read("The cat").hidden, before.hidden)


def test_half_precision_on_disk_is_float32_loaded(checkpoint):
    AutoModel.from_pretrained(checkpoint).half().save_pretrained(checkpoint)
    bert = bertlab.load(checkpoint)
    assert {values.dtype for values in bert.model.parameters()} == {torch.float32}
    assert bertlab.untrained(bert).model.dtype == torch.float32


def test_weights_in_several_files_load_whole(checkpoint):
    before = bertlab.load(checkpoint)
    (checkpoint / "model.safetensors").unlink()
    before.model.save_pretrained(checkpoint, max_shard_size="100KB")
    assert len(list(checkpoint.glob("model-*.safetensors"))) > 1
    assert torch.equal(bertlab.load(checkpoint).read("The cat").hidden, before.read("The cat").hidden)
