import numpy as np
import pytest
from transformers import AutoTokenizer

from bertlab.pretraining.corpus import Corpus, encode
from bertlab.pretraining.text import Document, read_folder
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
        train_vocabulary(["so few words"], size=1000)


def test_the_arrays_hold_what_the_tokenizer_says(texts, prepared):
    tokenizer = AutoTokenizer.from_pretrained(prepared / "tokenizer")
    corpus = Corpus.load(prepared / "train")
    training = [document for document in read_folder(texts) if not document.held_out]
    sentences = [sentence for document in training for sentence in document.sentences]
    assert len(corpus.documents) == len(sentences)
    assert corpus.documents[-1] + 1 == len(training)
    for number in (0, 17, len(sentences) - 1):
        ids = corpus.pieces[corpus.starts[number] : corpus.starts[number + 1]]
        assert ids.tolist() == tokenizer(sentences[number], add_special_tokens=False)["input_ids"]
    first = sum(len(document.sentences) for document in training if document.family == "first")
    assert corpus.families == {"first": (0, first), "second": (first, len(sentences))}


def test_training_and_held_out_text_share_no_document(texts, prepared):
    held_out = [document for document in read_folder(texts) if document.held_out]
    assert (prepared / "held-out.txt").read_text().split() == sorted({d.fingerprint for d in held_out})
    assert Corpus.load(prepared / "held-out").documents[-1] + 1 == len(held_out)


def test_a_damaged_or_missing_corpus_is_refused_by_name(prepared, tmp_path):
    with pytest.raises(FileNotFoundError, match=str(tmp_path)):
        Corpus.load(tmp_path)
    corpus = Corpus.load(prepared / "held-out")
    corpus.save(tmp_path)
    np.save(tmp_path / "pieces.npy", corpus.pieces[:-3])
    with pytest.raises(ValueError, match="do not fit each other"):
        Corpus.load(tmp_path)


def test_families_must_come_one_after_the_other(prepared):
    tokenizer = AutoTokenizer.from_pretrained(prepared / "tokenizer")
    mixed = [Document(family, ("The cow calls.",)) for family in ("a", "b", "a")]
    with pytest.raises(ValueError, match="documents of a do not come"):
        encode(mixed, tokenizer)
    with pytest.raises(ValueError, match="no document"):
        encode([], tokenizer)
