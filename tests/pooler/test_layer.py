"""The pooler and the next-sentence head equal transformers' own."""

import re
from dataclasses import replace
from functools import partial

import pytest
import torch
from transformers import BertForNextSentencePrediction

import bertlab
from bertlab.bert.errors import MissingPartError
from bertlab.course import notebooks as lessons
from bertlab.pooler.layer import next_sentence, pooler_output
from rounding import assert_rounded_equal

LESSON = lessons.folder() / "02_pooler.ipynb"
TEXTS = ["I love my pet python.", "It rained.", "She saw the cat on the mat."]
PAIRS = [("It rained all day.", "So we stayed at home."), ("I read.", "A heart is a muscle that pumps blood.")]


@pytest.mark.parametrize("shape", ["shipped", "tiny"])
def test_pool_equals_the_models_own_pooler_on_a_padded_batch(bert, tiny_folder, shape):
    model = bert if shape == "shipped" else bertlab.load(tiny_folder)
    inputs = model.tokenizer(TEXTS, padding=True, return_tensors="pt")
    with torch.no_grad():
        output = model.model.bert(**inputs)
    assert_rounded_equal(pooler_output(model, output.last_hidden_state), output.pooler_output)


def test_pool_takes_vectors_of_a_reading_to_where_the_model_is(tiny_folder):
    hidden = bertlab.load(tiny_folder).read(TEXTS[0]).hidden[-1:]
    elsewhere = bertlab.load(tiny_folder, device="meta")  # shapes alone: any machine has it
    assert pooler_output(elsewhere, hidden).device.type == "meta"


def test_pool_refuses_what_is_no_batch(bert):
    with pytest.raises(ValueError, match=r"takes a batch, .* this has shape \(3, 256\)"):
        pooler_output(bert, torch.zeros(3, 256))


@pytest.mark.parametrize("shape", ["shipped", "tiny"])
def test_next_sentence_equals_transformers_own_model(bert, tiny_folder, shape):
    model = bert if shape == "shipped" else bertlab.load(tiny_folder)
    own = BertForNextSentencePrediction.from_pretrained(model.model.name_or_path, dtype=torch.float32).eval()
    for pair, probability in zip(PAIRS, next_sentence(model, PAIRS), strict=True):
        with torch.no_grad():
            logits = own(**model.tokenizer(*pair, return_tensors="pt")).logits[0]
        assert_rounded_equal(probability, logits.softmax(dim=-1)[0])


@pytest.mark.parametrize("pairs", [["It rained.", "We stayed."], [PAIRS[0], ("It rained.",)], [list(PAIRS[0])]])
def test_next_sentence_refuses_what_is_no_pair_since_it_would_be_judged_as_one(bert, pairs):
    with pytest.raises(TypeError, match=r"is not a pair: .* next_sentence\(bert, \[\('first', 'second'\)\]\)\.$"):
        next_sentence(bert, pairs)


@pytest.mark.parametrize("part", ["pooler", "next-sentence head"])
def test_a_checkpoint_without_the_part_is_refused(bert, part):
    bare = replace(bert, missing_parts=(part,))
    ask = (
        partial(pooler_output, bare, torch.zeros(1, 2, 256))
        if part == "pooler"
        else partial(next_sentence, bare, PAIRS)
    )
    with pytest.raises(MissingPartError, match=f"without its {part}"):
        ask()


@pytest.fixture(scope="module")
def judged(bert):
    """The share that transformers' own model judges right of pairs that follow and pairs that do not, and its twins."""
    table = bertlab.data.read("short_texts").groupby("topic", sort=False)["sentence"].apply(list)
    texts = table.tolist()
    yes = [(text[i], text[i + 1]) for text in texts for i in range(4)]
    no = [(text[i], texts[(t + 7) % 20][i + 1]) for t, text in enumerate(texts) for i in range(4)]

    def share(model):
        return float((probabilities(model, yes) > 0.5).sum() + (probabilities(model, no) <= 0.5).sum()) / 160

    def probabilities(model, pairs):
        inputs = model.tokenizer(*map(list, zip(*pairs, strict=True)), padding=True, return_tensors="pt")
        with torch.no_grad():
            pooled = model.model.bert(**inputs).pooler_output
            return model.model.cls.seq_relationship(pooled).softmax(dim=-1)[:, 0]

    return share(bert), [share(bertlab.untrained(bert, seed)) for seed in range(5)]


@pytest.mark.slow
def test_the_shares_judged_right_are_those_of_the_stored_run(judged):
    own, untrained = judged
    outputs = [o for cell in lessons.read(LESSON).cells if cell.cell_type == "code" for o in cell.outputs]
    texts = [o.get("data", {}).get("text/plain", o.get("text", "")) for o in outputs]
    (stored,) = [text for text in texts if text.lstrip().startswith("share") and "a common word" in text]
    assert f"{own:.3f}" == re.search(r"bertlab-mini +([\d.]+)", stored)[1]
    assert f"{max(untrained):.3f}" == re.search(r"luckiest of 5 twins +([\d.]+)", stored)[1]
