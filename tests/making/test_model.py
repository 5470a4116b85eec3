"""The loss and the heads' patterns are those of transformers, counted by hand; every weight has one optimizer."""

import stat
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import torch
from safetensors.torch import load_file
from transformers import AutoTokenizer, BertForPreTraining

from batches import IGNORE, BatchKind, BatchMaker
from model import PretrainingLoss, dead_layers, head_patterns, make_optimizers, new_bert, predict, save_model
from prepare import Corpus
from rounding import assert_rounded_equal


@pytest.fixture(scope="module")
def maker(prepared, tiny):
    return BatchMaker(Corpus.load(prepared / "train"), tiny, 200)


@pytest.fixture(scope="module")
def batch(maker):
    return maker.draw(BatchKind(True, 32, 1.0), np.random.default_rng(0), 8)


def of_transformers(bert, batch):
    """Return transformers' own output, and the labels of all places."""
    labels = np.full_like(batch.ids, IGNORE)
    np.put_along_axis(labels, batch.positions, batch.labels, axis=1)
    inputs = batch.tensors()
    output = bert(
        input_ids=inputs["ids"],
        token_type_ids=inputs["segments"],
        attention_mask=inputs["attention"],
        labels=torch.from_numpy(labels),
        next_sentence_label=inputs["next_labels"],
    )
    return output, labels


def test_the_loss_is_that_of_transformers_at_the_masked_positions(batch, tiny):
    bert = new_bert(tiny, 200)
    words, pairs = PretrainingLoss(bert)(**batch.tensors())
    output, _ = of_transformers(bert, batch)
    assert_rounded_equal(words / batch.masked + pairs / len(batch.ids), output.loss)


def test_what_is_predicted_is_what_transformers_predicts(batch, maker, tiny):
    bert = new_bert(tiny, 200)
    output, labels = of_transformers(bert, batch)
    losses, hits, next_hits = predict(bert, batch)
    assert np.isnan(losses).sum() == (batch.labels == IGNORE).sum() > 0
    pairs = torch.nn.functional.cross_entropy(output.seq_relationship_logits, torch.from_numpy(batch.next_labels))
    assert_rounded_equal(np.nanmean(losses), (output.loss - pairs).detach())
    assert np.nansum(hits) == (output.prediction_logits.argmax(-1).numpy() == labels)[labels != IGNORE].sum()
    assert next_hits.tolist() == (output.seq_relationship_logits.argmax(-1).numpy() == batch.next_labels).tolist()
    singles = maker.draw(BatchKind(False, 16, 1.0), np.random.default_rng(0), 4)
    assert np.isnan(predict(bert, singles)[2]).all()


def test_a_new_bert_depends_on_the_seed_alone(tiny):
    one, two, other = (new_bert(settings, 200) for settings in (tiny, tiny, replace(tiny, seed=1)))
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), two.parameters(), strict=True))
    assert not torch.equal(one.cls.seq_relationship.weight, other.cls.seq_relationship.weight)
    spread = one.bert.encoder.layer[0].intermediate.dense.weight.std().item()  # of a sample
    assert spread == pytest.approx(tiny.initial_spread, rel=0.1)


def test_every_parameter_has_one_optimizer_with_the_numbers_of_the_settings(tiny):
    bert = new_bert(tiny, 200)
    muon, adamw = make_optimizers(bert, replace(tiny, momentum=0.8, betas=[0.7, 0.75]))
    groups = [*muon.param_groups, *adamw.param_groups]
    held = [parameter for group in groups for parameter in group["params"]]
    assert sorted(map(id, held)) == sorted(map(id, bert.parameters()))
    assert len(groups[0]["params"]) == 6 * tiny.layers  # query, key, value, output, and two of the feed-forward block
    assert [group["weight_decay"] for group in groups] == [tiny.weight_decay, tiny.weight_decay, 0.0]
    assert [group["lr"] for group in groups] == [tiny.matrix_rate, tiny.other_rate, tiny.other_rate]
    assert groups[0]["momentum"] == 0.8
    assert groups[1]["betas"] == (0.7, 0.75)


def test_a_saved_model_has_half_precision_each_weight_once_and_may_be_read_by_everybody(prepared, tiny, tmp_path):
    bert, tokenizer = new_bert(tiny, 200), AutoTokenizer.from_pretrained(prepared / "tokenizer")
    save_model(tmp_path / "model", bert, tokenizer)
    assert bert.dtype == torch.float32
    assert BertForPreTraining.from_pretrained(tmp_path / "model", dtype="auto").dtype == torch.float16
    stored = load_file(tmp_path / "model" / "model.safetensors")
    assert sum(values.numel() for values in stored.values()) == bert.num_parameters()
    assert {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "model").iterdir()} == {0o644}
    listed = (tmp_path / "model" / "vocab.txt").read_text("utf-8").split("\n")[:-1]
    assert [tokenizer.get_vocab()[piece] for piece in listed] == list(range(200))


def by_hand(attention, batch):
    """One head's patterns, piece by piece; attention is (rows, from, to)."""
    values = {name: [] for name in ("special", "previous", "next", "same piece", "entropy")}
    for ids, present, weights in zip(batch.ids, batch.attention, attention, strict=True):
        length = int(present.sum())
        for i in range(length):
            if ids[i] < 104:  # special pieces and [MASK] are looked at, and do not look
                continue
            row = weights[i]
            values["special"].append(sum(row[j] for j in range(length) if ids[j] in (101, 102)))
            values["previous"].append(row[i - 1])
            values["next"].append(row[i + 1])
            if same := [row[j] for j in range(length) if j != i and ids[j] == ids[i]]:
                values["same piece"].append(sum(same))
            values["entropy"].append(-sum(w * np.log(w) for w in row if w > 0))
    return {name: float(np.mean(found)) for name, found in values.items()}


def test_patterns_equal_those_counted_by_hand_from_transformers_attention(maker, tiny):
    batch = maker.draw(BatchKind(False, 16, 1.0), np.random.default_rng(0), 12)  # some rows have padding
    bert = new_bert(tiny, 200).train()
    with torch.no_grad():  # spread the weights, so that heads differ from uniform
        for parameter in bert.bert.encoder.parameters():
            parameter.mul_(8)
    before = bert.config._attn_implementation
    table = head_patterns(bert, batch)
    assert (bert.training, bert.config._attn_implementation) == (True, before), "it leaves the model as it was"
    bert.set_attn_implementation("eager")
    ids, present = torch.from_numpy(batch.ids), torch.from_numpy(batch.attention)
    with torch.no_grad():
        attentions = bert.bert(ids, present, output_attentions=True).attentions
    assert len(table) == tiny.layers * tiny.heads
    for row in table.to_dict("records"):
        for name, value in by_hand(attentions[row["layer"]][:, row["head"]].numpy(), batch).items():
            assert_rounded_equal(row[name], value)


def test_a_head_without_preferences_is_uniform(batch, tiny):
    bert = new_bert(tiny, 200)
    with torch.no_grad():
        for layer in bert.bert.encoder.layer:
            layer.attention.self.query.weight.zero_()
            layer.attention.self.query.bias.zero_()
    table = head_patterns(bert, batch)
    assert_rounded_equal(table["special"], table["uniform special"])


def test_a_layer_is_dead_only_when_each_of_its_heads_is():
    table = pd.DataFrame({"layer": [0, 0, 1, 1], "special": [0.95, 0.3, 0.95, 0.91]})
    assert dead_layers(table) == [1]
    assert dead_layers(table.assign(special=0.9)) == []
