"""Readings equal transformers' own outputs, in any batch; what cannot be read is refused in words that help."""

import pandas as pd
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import AutoModel, AutoTokenizer

import bertlab
from bertlab.bert.loading import SHIPPED, local_folder
from rounding import assert_rounded_equal

TEXTS = [
    "The cat sat on the mat.",
    ("Who sat on the mat?", "The cat did, unbelievably."),
    "Cats!",
    "I like 🍕 and Zürich",
    ("One.", "Two words"),
    "A longer sentence, so that short ones beside it in a batch need a good deal of padding to be as long as this.",
    "the the the the",
]


@pytest.mark.parametrize("shape", ["shipped", "tiny"])
def test_reading_equals_transformers(bert, tiny, tiny_folder, shape):
    ours, folder = (bert, local_folder(SHIPPED)) if shape == "shipped" else (tiny, tiny_folder)
    model = AutoModel.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    for text in TEXTS:
        sentences = text if isinstance(text, tuple) else (text, None)
        inputs = tokenizer(*sentences, return_tensors="pt", return_offsets_mapping=True)
        offsets = inputs.pop("offset_mapping")[0].tolist()
        with torch.no_grad():
            output = model(**inputs, output_hidden_states=True, output_attentions=True)
        reading = ours.read(*sentences)
        assert (reading.text, reading.pair) == sentences
        assert torch.equal(reading.ids, inputs["input_ids"][0])
        assert torch.equal(reading.segments, inputs["token_type_ids"][0])
        assert reading.tokens == tokenizer.convert_ids_to_tokens(inputs["input_ids"][0].tolist())
        assert [list(span) for span in reading.offsets] == offsets
        assert_rounded_equal(reading.hidden, torch.cat(output.hidden_states))
        assert_rounded_equal(reading.attention, torch.cat(output.attentions))
        assert_rounded_equal(reading.pooled, output.pooler_output[0])


def assert_same(one, other):
    assert (one.text, one.pair, one.tokens, one.offsets) == (other.text, other.pair, other.tokens, other.offsets)
    assert torch.equal(one.ids, other.ids)
    assert torch.equal(one.segments, other.segments)
    for name in ("hidden", "attention", "pooled"):
        assert_rounded_equal(getattr(one, name), getattr(other, name))


@pytest.mark.parametrize("batch_size", [3, 100])
def test_padded_batches_equal_single_reads_and_keep_no_batch_alive(bert, batch_size):
    for text, reading in zip(TEXTS, bert.read_all(pd.Series(TEXTS), batch_size, True), strict=True):
        assert_same(reading, bert.read(*text) if isinstance(text, tuple) else bert.read(text))
        for values in (reading.hidden, reading.attention, reading.pooled):
            assert not values.requires_grad
            assert values.untyped_storage().nbytes() == values.numel() * 4


def test_how_a_tokenizer_was_saved_to_pad_to_cut_and_what_to_name_changes_nothing(checkpoint, tiny):
    from tokenizers import Tokenizer

    file = str(checkpoint / "tokenizer.json")
    saved = Tokenizer.from_file(file)
    saved.enable_truncation(5)
    saved.enable_padding(length=30)
    saved.save(file)
    settings = checkpoint / "tokenizer_config.json"
    changed = '{"padding_side": "left", "model_input_names": ["input_ids"],'
    settings.write_text(settings.read_text("utf-8").replace("{", changed, 1), "utf-8")
    bert = bertlab.load(checkpoint)
    assert bert.tokenizer.padding_side == "left"
    readings = bert.read_all(TEXTS, attention=True)
    for reading, expected in zip(readings, tiny.read_all(TEXTS, attention=True), strict=True):
        assert_same(reading, expected)


def test_attention_that_is_not_kept_and_readings_that_would_be_wrong_are_refused(tiny_folder):
    bert = bertlab.load(tiny_folder)
    with pytest.raises(ValueError, match="attention=True"):
        _ = bert.read_all(["The cat"])[0].attention
    bert.model.set_attn_implementation("sdpa")
    with pytest.raises(ValueError, match="eager"):
        _ = bert.read("The cat").attention
    bert.model.train()
    with pytest.raises(ValueError, match=r"training mode.*bert\.model\.eval\(\)"):
        bert.read("The cat")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (" \t\n\u3000", "is empty or only spaces.*Give a sentence"),
        ("\u200b\x00\ufeff", "no character that the tokenizer keeps.*Give a sentence with letters"),
        ("The \ud83d cat", "lone surrogate.*Read the file again with encoding='utf-8'"),
    ],
)
def test_what_cannot_be_read_is_refused_among_others_and_as_a_second_sentence(tiny, text, words):
    with pytest.raises(ValueError, match=f"(?s)^Text 1 of 2 .*{words}"):
        tiny.read_all(["The cat", text])
    with pytest.raises(ValueError, match=words):
        tiny.read("The cat", text)


def test_the_longest_text_is_read_and_one_token_more_is_refused(tiny):
    assert len(tiny.read("the " * 94).tokens) == len(tiny.read("the " * 50, "the " * 43).tokens) == 96
    with pytest.raises(ValueError, match=r"^Text 2 of 3 is 97 tokens .*at most 96.*Nothing was cut off.*by 1 "):
        tiny.read_all(["the", "cat", "the " * 95])
    with pytest.raises(ValueError, match=r"both sentences together\) is 97 tokens.*at most 96"):
        tiny.read("the " * 50, "the " * 44)


@pytest.mark.parametrize("text", ["It rained. [SEP] We stayed.", "[CLS]", "the[PAD]cat"])
def test_a_typed_token_of_the_tokenizer_is_refused(bert, text):
    with pytest.raises(ValueError, match=r"^Text 1 of 2 has \[(CLS|SEP|PAD)\] typed in it.*Leave it out; for two"):
        bert.read_all(["The cat", ("The cat", text)])


def test_a_typed_mask_and_a_typed_unknown_piece_stand_for_a_piece(tiny):
    reading = tiny.read("The [MASK] [UNK]")
    assert reading.tokens == ["[CLS]", "The", "[MASK]", "[UNK]", "[SEP]"]
    assert reading.unknown == ["[UNK]"]


@pytest.mark.parametrize(
    ("text", "pair", "unknown"),
    [("the ᚠᚢᚦ sat", None, ["ᚠᚢᚦ"]), ("the cat\u200b sat", None, ["\u200b"]), ("🍕 the", "cat 🦜", ["🍕", "🦜"])],
)
def test_what_is_not_in_the_vocabulary_is_visible(bert, text, pair, unknown):
    reading = bert.read(text, pair)
    assert reading.unknown == unknown
    assert ("not in the vocabulary" in repr(reading)) == bool(unknown)
    assert reading.tokens.count("[UNK]") == sum(stretch.isprintable() for stretch in unknown)


@settings(settings.get_profile("ci"), max_examples=60)  # the same texts on each machine, at any pace
@given(text=st.text(st.characters(), max_size=24))
def test_every_character_is_read_or_reported_or_the_text_is_refused(tiny, text):
    try:
        reading = tiny.read(text)
    except ValueError as error:
        said = str(error)
        with_letters = ("lone surrogate", "typed in it")  # hypothesis takes words of this package's code, too: [CLS]
        assert any(words in said for words in ("is empty", "tokenizer keeps", *with_letters))
        assert not any(c.isascii() and c.isalnum() for c in text) or any(words in said for words in with_letters)
        return
    seen = set()
    for (start, end), token in zip(reading.offsets, reading.tokens, strict=True):
        seen.update(range(start, end) if token != "[UNK]" else ())
    lost = "".join(c for i, c in enumerate(text) if i not in seen and not c.isspace())
    assert "".join("".join(reading.unknown).split()) == lost
