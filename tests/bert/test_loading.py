"""Loading: which BERT a name means, the untrained twin, and the parts that a checkpoint may lack."""

import pytest
import torch
from transformers import AutoModel, BertForMaskedLM, BertModel

import bertlab
from bertlab.bert import CheckpointError, MissingPartError
from bertlab.bert.loading import SHIPPED, SMALL, chosen, local_folder


def weights(bert):
    return bert.model.state_dict()


def test_shipped_folder_loads_with_plain_auto_model(bert):
    theirs = AutoModel.from_pretrained(local_folder(SHIPPED), dtype=torch.float32)
    assert type(theirs) is BertModel
    assert {values.dtype for values in bert.model.parameters()} == {torch.float32}
    assert not bert.model.training
    assert bert.model.config._attn_implementation == "eager"
    for name, values in theirs.state_dict().items():
        assert torch.equal(values, weights(bert)[f"bert.{name}"]), name


def test_variable_names_the_model_and_an_explicit_name_wins(checkpoint, monkeypatch):
    assert chosen() == SHIPPED
    monkeypatch.setenv("BERTLAB_MODEL", str(checkpoint))
    assert bertlab.load().model.config.hidden_size == 48
    assert bertlab.load("bertlab-mini").name == SHIPPED
    monkeypatch.setenv("BERTLAB_MODEL", "  ")
    assert chosen() == SHIPPED


@pytest.mark.parametrize(("path", "name"), [("tiny/.", "tiny"), ("../my/tiny/x/..", "tiny"), ("my-bert", "my-bert")])
def test_a_folder_is_called_by_its_own_name_and_looked_for_before_the_hub(checkpoint, monkeypatch, path, name):
    (checkpoint / "x").mkdir()
    (checkpoint.parent / "my-bert").symlink_to(checkpoint)
    monkeypatch.chdir(checkpoint.parent)
    assert bertlab.load(path.replace("my/", f"{checkpoint.parent.name}/")).name == name


@pytest.mark.parametrize("name", ["./gone", "/gone/bert", "~/gone", "a/b/c", r"C:\gone", ""])
def test_a_path_never_reaches_the_hub(name, monkeypatch):
    monkeypatch.setattr("bertlab.bert.hub.find", lambda name: pytest.fail(f"asked the Hub for {name}"))
    with pytest.raises(CheckpointError, match="folder"):
        bertlab.load(name)
    assert local_folder("prajjwal1/bert-small") is None


def test_device_says_where_the_model_lives_and_is_refused_before_anything_is_downloaded(checkpoint, monkeypatch):
    assert bertlab.load(checkpoint, device="meta").model.device.type == "meta"
    monkeypatch.setattr("bertlab.bert.hub.find", lambda name: pytest.fail(f"{name} was looked for"))
    with pytest.raises(RuntimeError, match="gpu"):
        bertlab.load("someone/large", device="gpu")


def test_untrained_twin_has_the_same_shape_and_other_weights(bert, twin):
    ours, theirs = weights(bert), weights(twin)
    assert {name: values.shape for name, values in ours.items()} == {n: v.shape for n, v in theirs.items()}
    table = "bert.embeddings.word_embeddings.weight"
    assert (ours[table] - theirs[table]).abs().max() > 0.01
    spread = theirs[table].std().item()  # of a sample
    assert spread == pytest.approx(bert.model.config.initializer_range, rel=0.02)
    assert theirs[table].dtype == torch.float32
    assert not twin.model.training
    assert twin.tokenizer is bert.tokenizer


def test_untrained_twin_is_fixed_by_its_seed_and_leaves_random_state_and_trained_model_alone(checkpoint):
    bert = bertlab.load(checkpoint)
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    twins = [bertlab.untrained(bert, seed) for seed in (3, 3, 4)]
    assert torch.equal(torch.rand(3), expected)
    first, again, other = map(weights, twins)
    assert all(torch.equal(first[name], again[name]) for name in first)
    query = "bert.encoder.layer.0.attention.self.query.weight"
    assert not torch.equal(first[query], other[query])
    twins[0].model.set_attn_implementation("sdpa")
    assert bert.model.config._attn_implementation == "eager"


@pytest.mark.parametrize(
    ("kind", "options", "missing_parts"),
    [
        (BertModel, {}, ("masked-word head", "next-sentence head")),
        (BertForMaskedLM, {}, ("pooler", "next-sentence head")),
        (BertModel, {"add_pooling_layer": False}, ("pooler", "masked-word head", "next-sentence head")),
    ],
)
def test_parts_that_were_not_saved_are_named_and_refused(checkpoint, kind, options, missing_parts):
    original = bertlab.load(checkpoint).read("The cat sat on the mat.")
    part_of = kind.from_pretrained(checkpoint, **options)
    (checkpoint / "model.safetensors").unlink()
    part_of.save_pretrained(checkpoint)

    bert = bertlab.load(checkpoint)
    assert bert.missing_parts == missing_parts
    reading = bert.read("The cat sat on the mat.")
    assert torch.equal(reading.hidden, original.hidden)
    uses = {
        "pooler": lambda: reading.pooled,
        "masked-word head": lambda: bert.model.cls.predictions(torch.zeros(1, 4, 48)),
        "next-sentence head": lambda: bert.model.cls.seq_relationship(torch.zeros(1, 48)),
    }
    for part, use in uses.items():
        if part in missing_parts:
            with pytest.raises(MissingPartError, match=f"without its {part}.*Use a checkpoint that has it"):
                use()
            with pytest.raises(MissingPartError, match=part):
                bert.require(part)
            assert f"saved without its {part}" in repr(bert)
        else:
            use()
            bert.require(part)
    with pytest.raises(MissingPartError):
        bert.model(**bert.tokenizer("The cat", return_tensors="pt"))


def test_having_a_part_is_itself_or_the_shipped_one_said_aloud(checkpoint, bert):
    assert bert.having("pooler", "next-sentence head") is bert
    AutoModel.from_pretrained(checkpoint).save_pretrained(checkpoint)  # saves no head
    without = bertlab.load(checkpoint)
    assert without.having("pooler") is without
    with pytest.warns(UserWarning, match=f"{without.name} was saved without its masked-word head and its next-sen"):
        instead = without.having("pooler", "masked-word head", "next-sentence head")
    assert (instead.name, instead.missing_parts) == ("bertlab-mini", ())
    with pytest.raises(ValueError, match="no part 'decoder'; the parts are pooler, masked-word head, next"):
        bert.having("decoder")


@pytest.mark.parametrize(("variable", "limit", "asked"), [("", SMALL, [1]), ("2", SMALL, []), ("", 7_000_000, [])])
def test_beside_a_small_bert_torch_computes_with_one_thread_unless_told(monkeypatch, variable, limit, asked):
    set_to = []
    monkeypatch.setattr(torch, "set_num_threads", set_to.append)
    monkeypatch.setenv("OMP_NUM_THREADS", variable)
    monkeypatch.setattr("bertlab.bert.loading.SMALL", limit)
    bertlab.load("bertlab-mini")
    assert set_to == asked
