"""The loss and the heads' patterns are those of transformers, counted by hand; every weight has one optimizer."""

import stat
from dataclasses import replace

import numpy as np
import pytest
import torch
from scipy.stats import entropy
from transformers import AutoTokenizer, BertForPreTraining

from batches import IGNORE, BatchMaker
from model import PretrainingLoss, dead_layers, head_tallies, make_optimizers, new_bert, predict, save_model
from prepare import Corpus
from rounding import assert_rounded_equal
from settings import BatchKind
from tallies import Tally


@pytest.fixture(scope="module")
def maker(prepared, tiny):
    return BatchMaker(Corpus.load(prepared / "train"), tiny, 200)


def test_loss_and_predictions_are_those_of_transformers(maker, tiny):
    batch, bert = maker.draw(BatchKind(True, 32, 1.0), np.random.default_rng(0), 8), new_bert(tiny, 200)
    places = np.full_like(batch.ids, IGNORE)
    np.put_along_axis(places, batch.positions, batch.labels, axis=1)
    ids, segments, attention, *_, next_labels = batch.tensors()
    answers = {"labels": torch.from_numpy(places), "next_sentence_label": next_labels}
    output = bert(input_ids=ids, token_type_ids=segments, attention_mask=attention, **answers)
    words, pairs = PretrainingLoss(bert)(*batch.tensors())
    masked, paired = batch.asked
    assert (masked, paired) == ((places != IGNORE).sum(), len(batch.ids))
    assert_rounded_equal(words / masked + pairs / paired, output.loss)
    losses, hits, next_hits = predict(bert, batch)
    assert_rounded_equal(np.nanmean(losses), (words / masked).detach())
    assert np.nansum(hits) == (output.prediction_logits.argmax(-1).numpy() == places)[places != IGNORE].sum()
    assert next_hits.tolist() == (output.seq_relationship_logits.argmax(-1).numpy() == batch.next_labels).tolist()


def test_every_parameter_has_one_optimizer_with_the_numbers_of_the_settings(tiny):
    bert = new_bert(tiny, 200)
    muon, adamw = make_optimizers(bert, replace(tiny, momentum=0.8, betas=[0.7, 0.75]))
    groups = [*muon.param_groups, *adamw.param_groups]
    held = [parameter for group in groups for parameter in group["params"]]
    assert sorted(map(id, held)) == sorted(map(id, bert.parameters()))
    assert len(groups[0]["params"]) == 6 * tiny.layers  # query, key, value, output, and two of the feed-forward block
    assert [group["weight_decay"] for group in groups] == [tiny.weight_decay, tiny.weight_decay, 0.0]
    assert [group["lr"] for group in groups] == [tiny.matrix_rate, tiny.other_rate, tiny.other_rate]
    assert (groups[0]["momentum"], groups[1]["betas"]) == (0.8, (0.7, 0.75))


def test_a_saved_model_has_half_precision_and_its_vocabulary_and_may_be_read_by_everybody(prepared, tiny, tmp_path):
    bert, tokenizer = new_bert(tiny, 200), AutoTokenizer.from_pretrained(prepared / "tokenizer")
    save_model(tmp_path / "model", bert, tokenizer)
    assert bert.dtype == torch.float32
    assert BertForPreTraining.from_pretrained(tmp_path / "model", dtype="auto").dtype == torch.float16
    assert {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "model").iterdir()} == {0o644}
    listed = (tmp_path / "model" / "vocab.txt").read_text("utf-8").split("\n")[:-1]
    assert [tokenizer.get_vocab()[piece] for piece in listed] == list(range(200))


def test_patterns_equal_those_counted_by_hand_from_transformers_attention(maker, tiny):
    batch, bert = maker.draw(BatchKind(False, 16, 1.0), np.random.default_rng(0), 12), new_bert(tiny, 200)
    with torch.no_grad():  # spread the weights, so that heads differ from uniform
        for parameter in bert.bert.encoder.parameters():
            parameter.mul_(8)
    tallies = head_tallies(bert, batch)
    bert.set_attn_implementation("eager")
    ids, _, present, *_ = batch.tensors()
    with torch.no_grad():
        attention = bert.bert(ids, present, output_attentions=True).attentions[1][:, 0]  # of one head
    values = {name: [] for name in ("special", "previous", "next", "same piece", "entropy")}
    for row, length, weights in zip(ids.tolist(), present.sum(1).tolist(), attention.numpy(), strict=True):
        for i in range(length):
            if row[i] < 104:  # special pieces and [MASK] are looked at, and do not look
                continue
            values["special"].append(sum(weights[i][j] for j in range(length) if row[j] in (101, 102)))
            values["previous"].append(weights[i][i - 1])
            values["next"].append(weights[i][i + 1])
            values["entropy"].append(entropy(weights[i]))
            if same := [weights[i][j] for j in range(length) if j != i and row[j] == row[i]]:
                values["same piece"].append(sum(same))
    for name, looked in values.items():
        assert_rounded_equal(tallies[name].means()[1, 0], np.mean(looked), scale=attention)


def test_a_layer_is_dead_only_when_each_of_its_heads_is():
    special = Tally(np.array([[[9.5, 3.0], [9.5, 9.1]]]), np.array([2.0]), np.array([10]))
    assert dead_layers({"special": special}) == [1]
