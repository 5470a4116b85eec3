import pytest
from transformers import AutoTokenizer

from bertlab.pretraining.recipe import Preparation
from bertlab.pretraining.vocabulary import train_vocabulary


def test_the_tokenizer_has_berts_ids_and_its_size(prepared):
    tokenizer = AutoTokenizer.from_pretrained(prepared / "tokenizer")
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    assert tokenizer.convert_tokens_to_ids(special) == [0, 100, 101, 102, 103]
    assert len(tokenizer) == 200
    assert tokenizer.model_max_length == 32
    assert tokenizer("Farmer", "COW")["input_ids"] == tokenizer("farmer", "cow")["input_ids"]
    assert [piece for piece in tokenizer.get_vocab() if piece != piece.lower() and piece[0] != "["] == []
    listed = (prepared / "tokenizer" / "vocab.txt").read_text().split("\n")[:-1]
    assert [tokenizer.get_vocab()[piece] for piece in listed] == list(range(200))


def test_a_text_too_small_for_the_vocabulary_says_so():
    with pytest.raises(ValueError, match="use more text or a smaller size"):
        train_vocabulary(["so few words"], Preparation(vocabulary=1000))
