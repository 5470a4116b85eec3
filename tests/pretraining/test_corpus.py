import json
import lzma
from pathlib import Path

import numpy as np
import pytest
from transformers import AutoTokenizer

import bertlab
from bertlab.pretraining.corpus import (
    Corpus,
    Document,
    TextError,
    encode_documents,
    find_files,
    prepare,
    read_file,
    read_folder,
    split_sentences,
)
from bertlab.pretraining.recipe import Preparation


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("empty.txt", b"", "empty"),
        ("blank.txt", b"\n \n\n", "empty"),
        ("picture.txt", b"PNG\0\x01 not text", "binary"),
        ("latin.txt", "caf\xe9 au lait".encode("latin-1"), "not UTF-8"),
        ("cut.txt.xz", lzma.compress(b"words " * 100)[:-20], "not a whole .xz"),
        ("plain.txt.xz", b"these are no compressed bytes", "not a whole .xz"),
    ],
)
def test_a_file_that_is_no_text_is_refused_by_name(tmp_path, name, content, says):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(TextError, match=says) as error:
        list(read_folder(tmp_path))
    assert name in str(error.value)


def test_a_folder_without_text_is_refused_by_name(tmp_path):
    with pytest.raises(TextError, match="is not a folder"):
        find_files(tmp_path / "nowhere")
    with pytest.raises(TextError, match=r"holds no \.txt"):
        find_files(tmp_path)
    (tmp_path / "one.txt").write_text("a")
    (tmp_path / "one.txt.xz").write_bytes(lzma.compress(b"a"))
    with pytest.raises(TextError, match="both"):
        find_files(tmp_path)


def test_blank_lines_part_documents_and_compression_changes_nothing(tmp_path):
    text = "One. Two.\nThree.\n\n\nFour.\n"
    (tmp_path / "plain.txt").write_text(text)
    (tmp_path / "packed.txt.xz").write_bytes(lzma.compress(text.encode()))
    plain, packed = read_file(tmp_path / "plain.txt"), read_file(tmp_path / "packed.txt.xz")
    assert [document.paragraphs for document in plain] == [("One. Two.", "Three."), ("Four.",)]
    assert [document.paragraphs for document in packed] == [document.paragraphs for document in plain]
    assert (plain[0].family, packed[0].family) == ("plain", "packed")
    assert plain[0].sentences == ["One.", "Two.", "Three."]


def test_held_out_documents_are_the_same_whatever_the_files_and_their_order(tmp_path, make_documents, write_documents):
    made = make_documents(3000, seed=5)
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    write_documents(one / "all.txt", made)
    write_documents(two / "z.txt", made[1500:][::-1])
    write_documents(two / "a.txt", made[:1500])
    lists = [{d.fingerprint for d in read_folder(folder) if d.held_out} for folder in (one, two)]
    assert lists[0] == lists[1]
    assert 10 < len(lists[0]) < 60  # one in a hundred of 3,000


def test_the_held_out_rule_never_changes():
    # A change of rule would put documents that a shipped model was trained on among the held-out ones.
    document = Document("any", ("The held-out list must stay as it is.",))
    assert document.fingerprint == "24c0b0bff7acf16a"


@pytest.mark.parametrize(
    ("paragraph", "sentences"),
    [
        ("It rained. We stayed.", ["It rained.", "We stayed."]),
        ('He said "No." Then he left.', ['He said "No."', "Then he left."]),
        ("Dr. Grey met J. Black at 3.5 miles.", ["Dr. Grey met J. Black at 3.5 miles."]),
        ("no end", ["no end"]),
    ],
)
def test_sentences_end_where_a_reader_would_end_them(paragraph, sentences):
    assert split_sentences(paragraph) == sentences


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


def test_long_sentences_are_cut_where_the_preparation_says(prepared):
    tokenizer = AutoTokenizer.from_pretrained(prepared / "tokenizer")
    document = Document("a", ("The cow calls the goat. The hen calls.",))
    whole, cut = encode_documents([document], tokenizer), encode_documents([document], tokenizer, 3)
    assert np.diff(cut.starts).tolist() == [3, 3]
    for start, (s, e) in zip(cut.starts, zip(whole.starts[:-1], whole.starts[1:], strict=True), strict=False):
        assert cut.pieces[start : start + 3].tolist() == whole.pieces[s:e][:3].tolist()
        assert e - s > 3


def test_what_a_call_before_has_left_in_the_tokenizer_changes_nothing(prepared):
    tokenizer = AutoTokenizer.from_pretrained(prepared / "tokenizer")
    document = Document("one", ("She ran.", "It was the best of times, it was the worst of times."))
    expected = encode_documents([document], tokenizer)
    tokenizer(["It was.", "It was the best of times."], padding=True, truncation=True, max_length=4)
    found = encode_documents([document], tokenizer)
    assert np.array_equal(found.pieces, expected.pieces)
    assert np.array_equal(found.starts, expected.starts)


def test_the_numbers_of_the_preparation_are_used_and_stored(texts, tmp_path):
    preparation = Preparation(vocabulary=150, positions=16, longest_sentence=4)
    folder = prepare(texts, tmp_path, preparation)
    assert Preparation(**json.loads((folder / "preparation.json").read_text())) == preparation
    tokenizer = AutoTokenizer.from_pretrained(folder / "tokenizer")
    assert (len(tokenizer), tokenizer.model_max_length) == (150, 16)
    for part in ("train", "held-out"):
        assert np.diff(Corpus.load(folder / part).starts).max() == 4


def test_the_vocabulary_of_a_model_can_be_taken_over(texts, tmp_path):
    model = AutoTokenizer.from_pretrained(Path(bertlab.__file__).parent / "bertlab-mini")
    folder = prepare(texts, tmp_path, Preparation(vocabulary=200), Path(bertlab.__file__).parent / "bertlab-mini")
    assert AutoTokenizer.from_pretrained(folder / "tokenizer").get_vocab() == model.get_vocab()
    assert json.loads((folder / "preparation.json").read_text())["vocabulary"] == 16_000
    corpus = Corpus.load(folder / "train")
    assert model.decode(corpus.pieces[: corpus.starts[1]].tolist()).startswith("the ")


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
        encode_documents(mixed, tokenizer)
    with pytest.raises(ValueError, match="no document"):
        encode_documents([], tokenizer)
