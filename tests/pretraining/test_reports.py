import numpy as np
import pandas as pd
import pytest
import torch

from bertlab.pretraining.corpus import Corpus
from bertlab.pretraining.instances import InstanceMaker
from bertlab.pretraining.network import new_bert
from bertlab.pretraining.recipe import BatchKind
from bertlab.pretraining.reports import PATTERNS, Log, dead_layers, head_patterns, head_summary, read_log
from rounding import assert_rounded_equal


@pytest.fixture(scope="module")
def batch(prepared, tiny):
    """Single sentences of different lengths: some rows have padding."""
    maker = InstanceMaker(Corpus.load(prepared / "train"), tiny, 200)
    return maker.draw(BatchKind(False, 16, 1.0), np.random.default_rng(0), 12)


def by_hand(attention: np.ndarray, batch) -> dict[str, float]:
    """One head's patterns, piece by piece; attention is (rows, from, to)."""
    found = {name: [] for name in PATTERNS}
    for ids, present, weights in zip(batch.ids, batch.attention, attention, strict=True):
        length = int(present.sum())
        for i in range(length):
            if ids[i] < 104:  # special pieces and [MASK] are looked at, and do not look
                continue
            row = weights[i]
            found["special"].append(sum(row[j] for j in range(length) if ids[j] in (101, 102)))
            found["previous"].append(row[i - 1])
            found["next"].append(row[i + 1])
            same = [row[j] for j in range(length) if j != i and ids[j] == ids[i]]
            if same:
                found["same piece"].append(sum(same))
            found["entropy"].append(-sum(w * np.log(w) for w in row if w > 0))
    return {name: float(np.mean(values)) for name, values in found.items()}


def test_patterns_equal_those_counted_by_hand_from_transformers_attention(batch, tiny):
    bert = new_bert(tiny, 200).eval()
    with torch.no_grad():  # spread the weights, so that heads differ from uniform
        for parameter in bert.bert.encoder.parameters():
            parameter.mul_(8)
    table = head_patterns(bert, batch)
    bert.set_attn_implementation("eager")
    with torch.no_grad():
        attentions = bert.bert(
            torch.from_numpy(batch.ids), torch.from_numpy(batch.attention), output_attentions=True
        ).attentions
    assert len(table) == tiny.layers * tiny.heads
    for row in table.itertuples(index=False):
        values = row._asdict()
        expected = by_hand(attentions[row.layer][:, values["head"]].numpy(), batch)
        for name, value in expected.items():
            measured = table.loc[(table.layer == row.layer) & (table["head"] == values["head"]), name].item()
            assert_rounded_equal(measured, value)


def test_a_head_without_preferences_is_uniform(batch, tiny):
    bert = new_bert(tiny, 200)
    with torch.no_grad():
        for layer in bert.bert.encoder.layer:
            layer.attention.self.query.weight.zero_()
            layer.attention.self.query.bias.zero_()
    table = head_patterns(bert, batch)
    for name in PATTERNS:
        assert_rounded_equal(table[name], table[f"uniform {name}"])


def test_measuring_leaves_the_model_as_it_was(batch, tiny):
    bert = new_bert(tiny, 200).train()
    before = bert.config._attn_implementation
    head_patterns(bert, batch)
    assert bert.training
    assert bert.config._attn_implementation == before


def test_a_layer_is_dead_only_when_each_of_its_heads_is():
    table = pd.DataFrame({"layer": [0, 0, 1, 1], "special": [0.95, 0.3, 0.95, 0.91]})
    assert dead_layers(table) == [1]
    assert dead_layers(table.assign(special=0.9)) == []
    full = table.assign(**{name: [0.1, 0.7, 0.2, 0.3] for name in ("previous", "next", "same piece")})
    assert head_summary(full) == {
        "best previous": 0.7,
        "best next": 0.7,
        "best same piece": 0.7,
        "special share of the worst layer": 0.91,
        "dead layers": 1,
    }


def test_the_log_forgets_what_a_resumed_run_does_again(tmp_path):
    path = tmp_path / "metrics.jsonl"
    path.write_text('{"step": 3, "loss": 1}\n{"step": 6, "loss": 2}\n{"step": 9, "lo')  # killed while writing
    Log(path, step=5, active=False).write({"step": 5})  # another process: it neither tidies nor writes
    assert [line["step"] for line in read_log(path)] == [3, 6]
    Log(path, step=5, active=True).write({"step": 6, "loss": 4})
    assert list(read_log(path)) == [{"step": 3, "loss": 1}, {"step": 6, "loss": 4}]
