import lzma
import random
from pathlib import Path

import pytest
from transformers import AutoTokenizer

import bertlab
from prepare import Corpus, Document, encode, prepare, read_documents, split_sentences

MINI = Path(bertlab.__file__).parent / "bertlab-mini"


@pytest.fixture
def tokenizer(prepared):
    return AutoTokenizer.from_pretrained(prepared / "tokenizer")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("latin.txt", "caf\xe9 au lait".encode("latin-1")),
        ("cut.txt.xz", lzma.compress(b"words " * 100)[:-20]),
        ("plain.txt.xz", b"these are no compressed bytes"),
    ],
)
def test_a_file_that_is_no_text_is_refused_by_name(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=f"{name} is not a whole file of UTF-8 text"):
        read_documents(tmp_path)


def test_a_family_that_is_there_twice_is_not_read_twice(tmp_path):
    with pytest.raises(ValueError, match="each family once"):
        read_documents(tmp_path)
    (tmp_path / "one.txt").write_text("a")
    assert len(read_documents(tmp_path)) == 1
    (tmp_path / "one.txt.xz").write_bytes(lzma.compress(b"a"))
    with pytest.raises(ValueError, match="each family once"):
        read_documents(tmp_path)


def test_blank_lines_part_documents_and_compression_changes_nothing(tmp_path):
    text = "One. Two.\nThree.\n\n\nFour.\n"
    (tmp_path / "a.txt").write_text(text)
    (tmp_path / "b.txt.xz").write_bytes(lzma.compress(text.encode()))
    documents = read_documents(tmp_path)
    assert [document.paragraphs for document in documents] == [("One. Two.", "Three."), ("Four.",)] * 2
    assert [document.family for document in documents] == ["a", "a", "b", "b"]
    assert documents[0].sentences == ["One.", "Two.", "Three."]


def test_the_held_out_rule_never_changes(texts):
    # A change of rule would put documents that a shipped model was trained on among the held-out ones.
    document = Document("any", ("The held-out list must stay as it is.",))
    assert document.fingerprint == "24c0b0bff7acf16a"
    chance = random.Random(5)
    many = [Document("any", (f"{chance.random()}",)) for _ in range(3000)]
    assert 10 < sum(each.held_out for each in many) < 60  # one in a hundred
    assert {each.held_out for each in many} == {True, False}


@pytest.mark.parametrize(
    ("paragraph", "sentences"),
    [
        ("Mr. Holmes smiled. 'Why?' asked J. Watson.", ["Mr. Holmes smiled.", "'Why?' asked J. Watson."]),
        ('"It is late." He left. 3 men came!', ['"It is late."', "He left.", "3 men came!"]),
        ("i.e. This is one, e.g. That.", ["i.e. This is one, e.g. That."]),
        ("no capital. follows here", ["no capital. follows here"]),
    ],
)
def test_sentences_end_where_a_capital_or_a_digit_follows(paragraph, sentences):
    assert split_sentences(paragraph) == sentences


def test_the_arrays_hold_the_tokenizers_ids_of_every_sentence(texts, prepared, tokenizer):
    corpus = Corpus.load(prepared / "train")
    training = [document for document in read_documents(texts) if not document.held_out]
    sentences = [sentence for document in training for sentence in document.sentences]
    assert len(corpus.documents) == len(sentences)
    assert corpus.documents[-1] + 1 == len(training)
    for number in (0, 17, len(sentences) - 1):
        ids = corpus.pieces[corpus.starts[number] : corpus.starts[number + 1]]
        assert ids.tolist() == tokenizer(sentences[number], add_special_tokens=False)["input_ids"]
    first = sum(len(document.sentences) for document in training if document.family == "first")
    assert corpus.families == {"first": [0, first], "second": [first, len(sentences)]}


def test_a_sentence_without_a_piece_is_left_out(tokenizer):
    corpus = encode([Document("one", ("The cow.", "\u200b\u200b", "The hen."))], tokenizer)
    assert len(corpus.documents) == 2


def test_training_and_held_out_text_share_no_document(texts, prepared):
    held_out = [document for document in read_documents(texts) if document.held_out]
    assert (prepared / "held-out.txt").read_text().split() == sorted({d.fingerprint for d in held_out})
    assert Corpus.load(prepared / "held-out").documents[-1] + 1 == len(held_out)


def test_the_vocabulary_has_berts_ids_and_its_size(prepared, tokenizer, texts, tmp_path):
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    assert tokenizer.convert_tokens_to_ids(special) == [0, 100, 101, 102, 103]
    assert (len(tokenizer), tokenizer.model_max_length) == (200, 32)
    assert tokenizer("Farmer", "COW")["input_ids"] == tokenizer("farmer", "cow")["input_ids"]
    with pytest.raises(ValueError, match="not 5000: more text"):
        prepare(texts, tmp_path, vocabulary=5000)


def test_the_vocabulary_of_a_model_can_be_taken_over(texts, tmp_path):
    prepare(texts, tmp_path, model=MINI)
    tokenizer = AutoTokenizer.from_pretrained(tmp_path / "tokenizer")
    assert tokenizer.get_vocab() == AutoTokenizer.from_pretrained(MINI).get_vocab()
    corpus = Corpus.load(tmp_path / "train")
    assert tokenizer.decode(corpus.pieces[: corpus.starts[1]].tolist()).startswith("the ")
