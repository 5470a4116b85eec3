"""The figures that the project's source notebooks printed for checkpoints of the Hugging Face Hub."""

import pytest
import torch
from torch.nn.functional import cosine_similarity

import bertlab
from bertlab.bert import CheckpointError
from bertlab.vectors.words import word_vector
from rounding import assert_rounded_equal

pytestmark = pytest.mark.hub


def hub_load(name):
    try:
        return bertlab.load(name)
    except CheckpointError as error:
        if "cannot be reached" not in str(error) and "HF_HUB_OFFLINE" not in str(error):
            raise
        pytest.skip(f"the Hub cannot be reached, and {name} is not in the cache")


@pytest.fixture(scope="module")
def base():
    return hub_load("bert-base-uncased")


@pytest.fixture(scope="module")
def small():
    return hub_load("prajjwal1/bert-small")


def test_base_reads_the_first_sentence_as_printed(base):
    assert len(list(base.model.bert.parameters())) == 199
    reading = base.read("Sinan loves a beautiful day")
    assert reading.ids.tolist() == [101, 8254, 2319, 7459, 1037, 3376, 2154, 102]
    assert_rounded_equal(reading.hidden[-1][0, :3], [-0.2327, 0.1515, -0.0448], decimals=4)
    assert_rounded_equal(reading.pooled[:4], [-0.8777, -0.4542, -0.6287, 0.7511], decimals=4)
    assert_rounded_equal(base.read("I am Sinan").hidden[0][0, :3], [0.16855, -0.28577, -0.32613], decimals=5)


def test_base_tells_bank_and_vault_apart_before_context_and_in_it(base):
    table = base.model.bert.embeddings.word_embeddings.weight.detach()
    bank, vault = base.tokenizer.convert_tokens_to_ids(["bank", "vault"])
    assert_rounded_equal(cosine_similarity(table[bank], table[vault], dim=0), 0.29, decimals=2)
    bank = word_vector(base.read("We deposited the check at the bank."), "bank")
    vault = word_vector(base.read("All the valuables are safe in the vault."), "vault")
    assert_rounded_equal(cosine_similarity(bank, vault, dim=0), 0.52, decimals=2)


def test_small_compares_the_1995_pair_as_printed(small):
    survey = "In 1995, the last survey, those numbers were equal."
    conducted = "The last time the survey was conducted, in 1995, those numbers matched."
    one, other = (reading.hidden[-1] for reading in small.read_all([survey, conducted]))
    poolings = [(one[0], other[0]), (one.mean(0), other.mean(0)), (one.amax(0), other.amax(0))]
    cosines = [cosine_similarity(a, b, dim=0).item() for a, b in poolings]
    assert_rounded_equal(cosines, [0.8662, 0.8753, 0.9388], decimals=4)


def test_small_fills_the_mask_as_printed(small):
    reading = small.read("The [MASK] sat on the mat")
    with torch.no_grad():
        logits = small.model.cls.predictions(reading.hidden[-1][None])[0, 2]
    best = logits.softmax(-1).topk(5)
    assert small.tokenizer.convert_ids_to_tokens(best.indices.tolist()) == ["couple", "man", "two", "woman", "children"]
    assert_rounded_equal(best.values, [0.0497, 0.0345, 0.0305, 0.0280, 0.0277], decimals=4)
