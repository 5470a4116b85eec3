"""Patterns equal those counted place by place, and heads that were planted are found."""

import re
from dataclasses import replace

import numpy as np
import pytest
import torch
from transformers import BertConfig, BertForPreTraining

import bertlab
from bertlab.attention.heads import clearest_heads, measure_heads
from bertlab.attention.patterns import PATTERNS, by_row, pattern_places
from bertlab.bert.loading import Bert
from bertlab.course import notebooks as lessons
from rounding import assert_rounded_equal

TEXTS = [
    "The cat sat on the mat, and the dog saw the cat.",
    ("Who sat on the mat?", "The cat did!"),
    "The [MASK] saw a mask: the [MASK]",
    "no",
    "...",
    "Qwertz and qwertz are split into pieces",
]


@pytest.fixture(scope="module")
def sharp(tiny_folder):
    """A small BERT whose heads look at few tokens, so that patterns differ from head to head."""
    tokenizer = bertlab.load(tiny_folder).tokenizer
    config = BertConfig(
        vocab_size=len(tokenizer),
        num_hidden_layers=2,
        num_attention_heads=3,
        hidden_size=24,
        intermediate_size=24,
        max_position_embeddings=64,
        initializer_range=0.6,
    )
    with torch.random.fork_rng():
        torch.manual_seed(5)
        model = BertForPreTraining._from_config(config, attn_implementation="eager").eval()
    return Bert(model, tokenizer, "sharp")


def places(where):
    """Return the places of a pattern as pairs of row and column."""
    return {tuple(pair) for pair in where.nonzero().tolist()}


def test_the_places_of_every_pattern_in_a_sentence(bert):
    reading = bert.read("The cat, the mat.")
    assert reading.tokens == ["[CLS]", "the", "cat", ",", "the", "mat", ".", "[SEP]"]
    found = {name: places(where) for name, where in pattern_places(bert, reading).items()}
    pieces = range(1, 7)
    assert found == {
        "itself": {(i, i) for i in pieces},
        "previous": {(2, 1), (3, 2), (4, 3), (5, 4), (6, 5)},
        "next": {(1, 2), (2, 3), (3, 4), (4, 5), (5, 6)},
        "same piece": {(1, 4), (4, 1)},
        "special": {(i, 0) for i in pieces} | {(i, 7) for i in pieces},
        "[CLS] receives": {(i, 0) for i in pieces},
        "[SEP] receives": {(i, 7) for i in pieces},
        "[CLS] to itself": {(0, 0)},
        "[CLS] to [SEP]": {(0, 7)},
        "[CLS] to signs": {(0, 3), (0, 6)},
        "[CLS] to words": {(0, 1), (0, 2), (0, 4), (0, 5)},
    }
    assert tuple(found) == PATTERNS


def test_rows_of_a_small_matrix_counted_by_hand():
    weights = torch.tensor([[0.1, 0.2, 0.7], [0.5, 0.25, 0.25], [0.0, 1.0, 0.0]])[None, None]
    where = torch.tensor([[False, True, True], [False, False, False], [True, False, True]])
    itself = torch.tensor([[False, False, False], [False, True, False], [False, False, True]])
    found = by_row(weights, {"mine": where, "itself": itself})
    assert_rounded_equal(found["mine"], [[[0.9, 0.0]]])  # the second row has no such place
    assert_rounded_equal(found["itself"], [[[0.25, 0.0]]])


def counted(reading, weights):
    """Return every measure of one head in one text, as lists over the rows that count: the definitions, one by one."""
    tokens, n = reading.tokens, len(reading.tokens)
    special = [token in ("[CLS]", "[SEP]") for token in tokens]
    signs = [all(not c.isalpha() and not c.isdigit() for c in token) for token in tokens]
    found = {name: [] for name in PATTERNS}
    for i in range(n):
        row = weights[i]

        def on(chosen, row=row):
            return sum(float(row[j]) for j in range(n) if chosen(j))

        cls, sep = on(lambda j: tokens[j] == "[CLS]"), on(lambda j: tokens[j] == "[SEP]")
        if not special[i]:
            found["itself"].append(float(row[i]))
            if not special[i - 1]:
                found["previous"].append(float(row[i - 1]))
            if not special[i + 1]:
                found["next"].append(float(row[i + 1]))
            if tokens.count(tokens[i]) > 1:
                found["same piece"].append(on(lambda j, i=i: j != i and tokens[j] == tokens[i]))
            found["special"].append(cls + sep)
            found["[CLS] receives"].append(cls)
            found["[SEP] receives"].append(sep)
        elif i == 0:
            found["[CLS] to itself"].append(cls)
            found["[CLS] to [SEP]"].append(sep)
            if any(sign and not is_special for sign, is_special in zip(signs, special, strict=True)):
                found["[CLS] to signs"].append(on(lambda j: signs[j] and not special[j]))
            if not all(sign or is_special for sign, is_special in zip(signs, special, strict=True)):
                found["[CLS] to words"].append(on(lambda j: not signs[j] and not special[j]))
    return found


def test_every_measure_of_every_head_equals_the_plain_count(sharp):
    found = measure_heads(sharp, TEXTS).set_index(["layer", "head"])
    readings = [sharp.read(*((text,) if isinstance(text, str) else text)) for text in TEXTS]
    assert len(found) == 6
    for (layer, head), row in found.iterrows():
        rows = [counted(reading, reading.attention[layer, head].double()) for reading in readings]
        for name in PATTERNS:
            assert_rounded_equal(row[name], np.mean([x for text in rows for x in text[name]]))
    alike = [counted(reading, np.full((len(reading.tokens),) * 2, 1 / len(reading.tokens))) for reading in readings]
    for name in PATTERNS:
        expected = np.mean([x for text in alike for x in text[name]])
        assert_rounded_equal(found[f"uniform {name}"], [expected] * 6)
    assert found[list(PATTERNS)].std().min() > 0.005  # the heads differ: a mix-up of two would have been seen


def test_a_bert_that_looks_everywhere_alike_is_uniform(sharp):
    before = {name: values.clone() for name, values in sharp.model.state_dict().items()}
    try:
        for layer in sharp.model.bert.encoder.layer:
            for values in layer.attention.self.query.parameters():
                values.data.zero_()
        found = measure_heads(sharp, TEXTS)
    finally:
        sharp.model.load_state_dict(before)
    for name in PATTERNS:
        assert_rounded_equal(found[name], found[f"uniform {name}"])


class Planted(Bert):
    """A BERT whose readings hold made-up weights: random rows, and in head 2 of layer 1 the previous piece."""

    def read_all(self, texts, batch_size=32, attention=False):
        rng = np.random.default_rng(0)
        readings = []
        for place, reading in enumerate(super().read_all(texts, batch_size, attention)):
            n = len(reading.tokens)
            weights = torch.from_numpy(rng.dirichlet(np.ones(n), size=(2, 3, n)))
            weights[1, 2] = torch.eye(n).roll(-1, 1)
            weights[1, 2, 0] = 1 / n
            # Head 1 of layer 0 looks at the piece itself in the first half of the texts only, head 2 in the second.
            if place < len(texts) // 2:
                weights[0, 1], weights[0, 2] = torch.eye(n), 0.5 * torch.eye(n) + 0.5 / n
            else:
                weights[0, 1], weights[0, 2] = 1 / n, torch.eye(n)
            readings.append(replace(reading, _attention=weights))
        return readings


@pytest.fixture(scope="module")
def planted(sharp):
    return Planted(sharp.model, sharp.tokenizer, "planted")


def test_a_planted_previous_head_scores_one_and_is_the_clearest(sharp, planted):
    texts = [text for text in TEXTS if text not in ("no",)] * 2
    head = measure_heads(planted, texts).set_index(["layer", "head"]).loc[(1, 2)]
    assert (head["previous"], head["next"], head["itself"]) == (1, 0, 0)
    row = clearest_heads(planted, sharp, texts, ["previous"]).iloc[0]
    assert (row["layer"], row["head"]) == (1, 2)
    assert row["weight"] == row["low"] == row["high"] == 1.0
    assert row["twin"] == clearest_heads(sharp, sharp, texts, ["previous"])["weight"].item()  # its own clearest head
    assert_rounded_equal(row["difference"], 1 - row["twin"], scale=1, dtype="float64")
    assert row["difference low"] < row["difference"] < row["difference high"]


def test_a_head_is_chosen_on_the_first_half_and_measured_on_the_second(sharp, planted):
    texts = [TEXTS[0], TEXTS[1], TEXTS[2], TEXTS[0], TEXTS[1], TEXTS[2]]
    row = clearest_heads(planted, sharp, texts, ["itself"]).iloc[0]
    assert (row["layer"], row["head"]) == (0, 1)
    alike = [(1 / len(r.tokens), int(((r.ids != 2) & (r.ids != 3)).sum())) for r in planted.read_all(texts)[3:]]
    pieces = sum(count for _, count in alike)  # neither [CLS] nor [SEP]
    assert_rounded_equal(row["weight"], sum(weight * count for weight, count in alike) / pieces, dtype="float64")
    assert (row["rows"], row["texts"]) == (pieces, 3)


def test_the_interval_is_that_of_a_plain_bootstrap_over_texts(sharp, planted):
    texts = bertlab.data.read("short_texts")["sentence"].tolist()[:40]
    row = clearest_heads(planted, sharp, texts, ["[CLS] receives"]).iloc[0]
    readings = planted.read_all(texts, attention=True)[20:]
    values = [r.attention[int(row["layer"]), int(row["head"])][1:-1, 0].numpy() for r in readings]
    rng = np.random.default_rng(1)
    drawn = [np.concatenate([values[i] for i in rng.integers(0, 20, 20)]).mean() for _ in range(2000)]
    assert_rounded_equal(row["weight"], np.concatenate(values).mean(), dtype="float64")
    uniform = np.mean([1 / (len(rows) + 2) for rows in values for _ in rows])
    assert_rounded_equal(row["uniform"], uniform, dtype="float64")
    # Two bootstraps differ by their draws, which is far more than rounding.
    ends = row[["low", "high"]].astype(float)
    np.testing.assert_allclose(ends, np.quantile(drawn, [0.025, 0.975]), rtol=0, atol=0.003)


class TestWhatIsLearned:
    """The shipped BERT has heads for neighbours; on the twin the same assertion fails."""

    @pytest.fixture
    def texts(self):
        return bertlab.data.read("short_texts")["sentence"].tolist()[:24]

    def heads_for_neighbours(self, bert, twin, texts):
        found = clearest_heads(bert, twin, texts, ["previous", "next"])
        return bool((found["difference low"] > 0.25).all())

    def test_the_shipped_bert_has_heads_for_neighbours(self, bert, twin, texts):
        assert self.heads_for_neighbours(bert, twin, texts)

    def test_its_twin_has_none(self, bert, twin, texts):
        assert not self.heads_for_neighbours(twin, bertlab.untrained(bert, seed=1), texts)


def test_bad_input_is_refused(bert, sharp):
    with pytest.raises(TypeError, match="list"):
        measure_heads(bert, "The cat sat.")
    with pytest.raises(ValueError, match="no text to measure"):
        measure_heads(bert, [])
    with pytest.raises(ValueError, match="no 'prevous' here; there are itself, previous"):
        measure_heads(bert, ["The cat sat."], ["prevous"])
    with pytest.raises(ValueError, match=r"'same piece' each half .* the halves have 0 and 1"):
        clearest_heads(sharp, sharp, ["The cat"] * 3 + ["no no"], ["same piece"])
    with pytest.raises(ValueError, match="other pieces than bertlab-mini"):
        clearest_heads(bert, sharp, ["Unbelievable qwertz."] * 4, ["previous"])


class TestWhatTheLessonFinds:
    """Numbers of the stored run, against the same measured by a plain loop over transformers' own output."""

    LESSON = lessons.folder() / "04_attention.ipynb"

    def texts(self):
        outputs = [o for cell in lessons.read(self.LESSON).cells if cell.cell_type == "code" for o in cell.outputs]
        return [o.get("data", {}).get("text/plain", o.get("text", "")) for o in outputs]

    def largest(self, model):
        """Return the largest mean weight of a head on the piece before, and on the one after, over all sentences."""
        total, rows = {-1: 0, 1: 0}, {-1: 0, 1: 0}
        for sentence in bertlab.data.read("short_texts")["sentence"]:
            inputs = model.tokenizer(sentence, return_tensors="pt")
            with torch.no_grad():
                weights = torch.cat(model.model.bert(**inputs, output_attentions=True).attentions)
            pieces = range(1, weights.shape[-1] - 1)
            for i in pieces:
                for step in total:
                    if i + step in pieces:
                        total[step], rows[step] = total[step] + weights[:, :, i, i + step], rows[step] + 1
        return [float((total[step] / rows[step]).max()) for step in total]

    def test_a_head_looks_at_the_neighbour_and_none_of_the_twins_does(self, bert, twin):
        (stored,) = [text for text in self.texts() if "pattern" in text and "uniform" in text]
        for pattern, found, twins in zip(("previous", "next"), self.largest(bert), self.largest(twin), strict=True):
            row = re.search(rf" {pattern} .*", stored)[0].split()
            assert float(row[3]) == pytest.approx(found, abs=0.05), "the second half alone is in the table"
            assert found > 0.8
            assert twins < 0.2
