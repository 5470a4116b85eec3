"""The embedding layer's parts equal the model's own layer."""

import pytest
import torch

import bertlab
from bertlab.embedding import parts

TEXTS = [("The cat sat on the mat.", None), ("Who sat on the mat?", "The cat did."), ("I like 🍕", None)]


@pytest.mark.parametrize(("text", "pair"), TEXTS)
@pytest.mark.parametrize("shape", ["shipped", "tiny"])
def test_normed_equals_the_models_own_layer(bert, tiny_folder, shape, text, pair):
    model = bert if shape == "shipped" else bertlab.load(tiny_folder)
    inputs = model.tokenizer(text, pair, return_tensors="pt")
    with torch.no_grad():
        theirs = model.model.bert.embeddings(inputs["input_ids"], inputs["token_type_ids"])[0]
    torch.testing.assert_close(parts(model, text, pair).normed, theirs)


def test_each_part_is_the_row_of_its_table(bert):
    taken = parts(bert, "Who sat on the mat?", "The cat did.")
    state = bert.model.state_dict()
    ids = bert.tokenizer("Who sat on the mat?", "The cat did.")["input_ids"]
    second = taken.tokens.index("[SEP]") + 1
    for place, id_ in enumerate(ids):
        assert torch.equal(taken.word[place], state["bert.embeddings.word_embeddings.weight"][id_])
        assert torch.equal(taken.position[place], state["bert.embeddings.position_embeddings.weight"][place])
        segment = int(place >= second)
        assert torch.equal(taken.segment[place], state["bert.embeddings.token_type_embeddings.weight"][segment])


def test_the_parts_are_detached_and_add_up(bert):
    taken = parts(bert, "The cat sat on the mat.")
    torch.testing.assert_close(taken.word + taken.position + taken.segment, taken.summed)
    for tensor in (taken.word, taken.position, taken.segment, taken.summed, taken.normed):
        assert tensor.shape == (len(taken.tokens), bert.model.config.hidden_size)
        assert not tensor.requires_grad


def test_an_empty_text_is_refused(bert):
    with pytest.raises(ValueError, match="empty"):
        parts(bert, " ")
