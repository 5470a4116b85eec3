"""Texts become documents, sentences, a vocabulary with BERT's ids, and arrays that hold every sentence."""

import lzma

import pytest
from transformers import AutoTokenizer

from prepare import Corpus, Document, held_out_documents, read_documents, split_sentences

HELD_OUT = [12, 47, 82, 196, 224, 228, 265, 275, 351, 444, 489, 518, 635, 705, 821, 905, 960]


def test_blank_lines_part_documents_and_compression_changes_nothing(tmp_path):
    text = "One. Two.\nThree.\n\n\nFour.\n"
    (tmp_path / "a.txt").write_text(text)
    (tmp_path / "b.txt.xz").write_bytes(lzma.compress(text.encode()))
    paragraphs = [("One. Two.", "Three."), ("Four.",)]
    assert read_documents(tmp_path) == [Document(family, those) for family in "ab" for those in paragraphs]


def test_the_held_out_rule_never_changes():
    # A change of rule would put documents that a shipped model was trained on among the held-out ones.
    numbered = {number: Document("any", (f"Text {number}.", "More.")) for number in range(1000)}
    assert [number for number, document in numbered.items() if document.held_out] == HELD_OUT


@pytest.mark.parametrize(
    ("paragraph", "sentences"),
    [
        ("Mr. Holmes smiled. 'Why?' asked J. Watson.", ["Mr. Holmes smiled.", "'Why?' asked J. Watson."]),
        ('"It is late." He left. 3 men came!', ['"It is late."', "He left.", "3 men came!"]),
        ("i.e. This is one, e.g. That. no capital", ["i.e. This is one, e.g. That. no capital"]),
    ],
)
def test_sentences_end_where_a_capital_or_a_digit_follows(paragraph, sentences):
    assert split_sentences(paragraph) == sentences


def test_the_arrays_hold_the_tokenizers_ids_of_every_sentence_and_the_vocabulary_has_berts_ids(texts, prepared):
    tokenizer = AutoTokenizer.from_pretrained(prepared / "tokenizer")
    corpus, training = Corpus.load(prepared / "train"), []
    for document in read_documents(texts):
        training += [(document.family, sentence) for sentence in document.sentences if not document.held_out]
    for number in (0, 17, len(training) - 1):
        ids = corpus.pieces[corpus.starts[number] : corpus.starts[number + 1]]
        assert ids.tolist() == tokenizer(training[number][1], add_special_tokens=False)["input_ids"]
    first = [family for family, _ in training].count("first")
    assert corpus.families == {"first": [0, first], "second": [first, len(training)]}
    assert Corpus.load(prepared / "held-out").documents[-1] + 1 == len(held_out_documents(texts)) > 0
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    assert tokenizer.convert_tokens_to_ids(special) == [0, 100, 101, 102, 103]
    assert (len(tokenizer), tokenizer.model_max_length) == (200, 32)
