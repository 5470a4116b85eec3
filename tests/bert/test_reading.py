"""Readings equal transformers' own outputs, in any batch; what cannot be read is refused in words that help."""

import re

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import AutoModel, AutoTokenizer

import bertlab
from bertlab.bert.loading import SHIPPED, local_folder
from bertlab.bert.reading import refuse_layer
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


@pytest.fixture(scope="module")
def tiny(tiny_folder):
    return bertlab.load(tiny_folder)


@pytest.fixture(scope="module", params=["shipped", "tiny"])
def both(request, bert, tiny, tiny_folder):
    """A BERT of ours, and the same folder opened with transformers alone."""
    ours, folder = (bert, local_folder(SHIPPED)) if request.param == "shipped" else (tiny, tiny_folder)
    theirs = AutoModel.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()
    return ours, theirs, AutoTokenizer.from_pretrained(folder)


@pytest.mark.parametrize("text", TEXTS)
def test_reading_equals_transformers(both, text):
    bert, model, tokenizer = both
    text, pair = text if isinstance(text, tuple) else (text, None)
    inputs = tokenizer(text, pair, return_tensors="pt", return_offsets_mapping=True)
    offsets = inputs.pop("offset_mapping")[0].tolist()
    with torch.no_grad():
        output = model(**inputs, output_hidden_states=True, output_attentions=True)
    reading = bert.read(text, pair)
    assert (reading.text, reading.pair) == (text, pair)
    assert torch.equal(reading.ids, inputs["input_ids"][0])
    assert torch.equal(reading.segments, inputs["token_type_ids"][0])
    assert reading.tokens == tokenizer.convert_ids_to_tokens(inputs["input_ids"][0].tolist())
    assert [list(span) for span in reading.offsets] == offsets
    layers = bert.model.config.num_hidden_layers
    assert len(reading.hidden) == layers + 1
    for layer in range(layers + 1):
        assert_rounded_equal(reading.hidden[layer], output.hidden_states[layer][0])
    assert len(reading.attention) == layers
    for layer in range(layers):
        assert_rounded_equal(reading.attention[layer], output.attentions[layer][0])
    assert_rounded_equal(reading.pooled, output.pooler_output[0])


def assert_same(one, other):
    assert (one.text, one.pair, one.tokens, one.offsets) == (other.text, other.pair, other.tokens, other.offsets)
    assert torch.equal(one.ids, other.ids)
    assert torch.equal(one.segments, other.segments)
    for name in ("hidden", "attention", "pooled"):
        assert_rounded_equal(getattr(one, name), getattr(other, name))


@pytest.mark.parametrize("batch_size", [1, 2, 3, 100])
@pytest.mark.parametrize("shape", ["shipped", "tiny"])
def test_batches_equal_single_reads_in_any_order(bert, tiny, shape, batch_size):
    model = bert if shape == "shipped" else tiny
    singles = [model.read(*text) if isinstance(text, tuple) else model.read(text) for text in TEXTS]
    for order in (range(len(TEXTS)), reversed(range(len(TEXTS)))):
        order = list(order)
        for i, reading in zip(order, model.read_all([TEXTS[i] for i in order], batch_size, True), strict=True):
            assert_same(reading, singles[i])


def test_batches_equal_single_reads_where_the_tokenizer_pads_on_the_left(checkpoint):
    file = checkpoint / "tokenizer_config.json"
    file.write_text(file.read_text("utf-8").replace("{", '{"padding_side": "left",', 1), "utf-8")
    bert = bertlab.load(checkpoint)
    assert bert.tokenizer.padding_side == "left"
    texts = ["The cat", TEXTS[0], TEXTS[5]]
    for text, reading in zip(texts, bert.read_all(texts, attention=True), strict=True):
        assert_same(reading, bert.read(text))


def test_a_tokenizer_saved_with_truncation_and_padding_cuts_nothing(checkpoint, tiny):
    from tokenizers import Tokenizer

    file = str(checkpoint / "tokenizer.json")
    saved = Tokenizer.from_file(file)
    saved.enable_truncation(5)
    saved.enable_padding(length=30)
    saved.save(file)
    assert bertlab.load(checkpoint).read(TEXTS[0]).tokens == tiny.read(TEXTS[0]).tokens


def test_a_tokenizer_that_names_no_segments_is_asked_for_them(checkpoint, tiny):
    file = checkpoint / "tokenizer_config.json"
    file.write_text(file.read_text("utf-8").replace("{", '{"model_input_names": ["input_ids"],', 1), "utf-8")
    assert_same(bertlab.load(checkpoint).read("One.", "Two words"), tiny.read("One.", "Two words"))


def test_readings_are_plain_cpu_tensors_that_keep_no_batch_alive(tiny):
    for reading in tiny.read_all(TEXTS, attention=True):
        for values in (reading.hidden, reading.attention, reading.pooled):
            assert values.dtype == torch.float32
            assert values.device.type == "cpu"
            assert not values.requires_grad
            assert values.untyped_storage().nbytes() == values.numel() * 4
        assert len(reading.ids) == len(reading.tokens) == len(reading.offsets) == reading.hidden.shape[1]
        assert "[PAD]" not in reading.tokens
        assert_rounded_equal(reading.attention.sum(-1), torch.ones(reading.attention.shape[:-1]))


def test_no_texts_give_no_readings(tiny):
    assert tiny.read_all([]) == []


def test_attention_is_kept_only_when_asked_for(tiny_folder):
    bert = bertlab.load(tiny_folder)
    with pytest.raises(ValueError, match="attention=True"):
        _ = bert.read_all(["The cat"])[0].attention
    bert.model.set_attn_implementation("sdpa")
    with pytest.raises(ValueError, match="eager"):
        _ = bert.read("The cat").attention


LONE = "The \ud83d cat"
REFUSED = [
    ("", ValueError, "is empty or only spaces.*Give a sentence"),
    (" \t\n\u3000", ValueError, "is empty or only spaces.*Give a sentence"),
    ("\u200b\u200d\ufeff", ValueError, "no character that the tokenizer keeps.*Give a sentence with letters"),
    ("\x00\x01\x7f", ValueError, "no character that the tokenizer keeps.*Give a sentence with letters"),
    (LONE, ValueError, "lone surrogate at place 4.*Read the file again with encoding='utf-8'"),
    (None, TypeError, "must be a string, but this one is NoneType.*in quotes"),
    (7, TypeError, "must be a string, but this one is int: 7.*in quotes"),
    (b"cat", TypeError, "must be a string, but this one is bytes"),
    (["cat", "dog"], TypeError, r"is list: .*read_all\("),
    (("a", "b", "c"), TypeError, "tuple of 3; a pair has two sentences"),
]


@pytest.mark.parametrize(("text", "kind", "words"), REFUSED)
def test_what_cannot_be_read_is_refused_alone_and_among_others(tiny, text, kind, words):
    with pytest.raises(kind, match=f"(?s)^The text .*{words}|^The text.*{words}"):
        tiny.read(text)
    with pytest.raises(kind, match=f"(?s)^Text 1 of 2 .*{words}"):
        tiny.read_all(["The cat", text])


@pytest.mark.parametrize("second", ["", "   ", "\u200b", LONE])
def test_a_bad_second_sentence_is_refused_too(tiny, second):
    with pytest.raises(ValueError, match=r"empty|keeps|lone surrogate"):
        tiny.read("The cat", second)


def test_the_longest_text_is_read_and_one_token_more_is_refused(tiny):
    assert len(tiny.read("the " * 94).tokens) == 96
    with pytest.raises(ValueError, match=r"is 97 tokens long.*at most 96.*Nothing was cut off.*Shorten it by 1 "):
        tiny.read("the " * 95)
    with pytest.raises(ValueError, match=r"^Text 2 of 3 is 97"):
        tiny.read_all(["the", "cat", "the " * 95])


def test_a_pair_too_long_together_is_refused(tiny):
    assert len(tiny.read("the " * 50, "the " * 43).tokens) == 96
    with pytest.raises(ValueError, match=r"both sentences together\) is 97 tokens.*at most 96"):
        tiny.read("the " * 50, "the " * 44)


def test_one_string_is_no_list_of_texts(tiny):
    with pytest.raises(TypeError, match=r"For one text use bert\.read"):
        tiny.read_all("The cat")


@pytest.mark.parametrize("marker", ["[CLS]", "[SEP]", "[PAD]"])
@pytest.mark.parametrize("shape", ["shipped", "tiny"])
def test_a_typed_token_of_the_tokenizer_is_refused(bert, tiny, shape, marker):
    model = bert if shape == "shipped" else tiny
    words = rf"has {re.escape(marker)} typed in it.*Leave it out; for two sentences use bert\.read\('first', pair="
    for text in (f"It rained. {marker} We stayed.", marker, f"{marker} The cat", f"the{marker}cat"):
        with pytest.raises(ValueError, match=f"^The text {words}"):
            model.read(text)
        with pytest.raises(ValueError, match=f"^Text 1 of 2 {words}"):
            model.read_all(["The cat", ("The cat", text)])


def test_it_is_the_tokenizers_own_tokens_that_are_refused(checkpoint):
    for name in ("tokenizer.json", "tokenizer_config.json"):
        file = checkpoint / name
        file.write_text(file.read_text("utf-8").replace("[SEP]", "</s>"), "utf-8")
    bert = bertlab.load(checkpoint)
    with pytest.raises(ValueError, match=r"has </s> typed in it"):
        bert.read("One. </s> Two.")
    assert bert.read("One. [SEP] Two.").tokens.count("</s>") == 1


def test_a_typed_mask_and_a_typed_unknown_piece_stand_for_a_piece(tiny):
    assert tiny.read("The [MASK] sat").tokens == ["[CLS]", "The", "[MASK]", "sat", "[SEP]"]
    reading = tiny.read("The [UNK] sat")
    assert reading.tokens == ["[CLS]", "The", "[UNK]", "sat", "[SEP]"]
    assert reading.unknown == ["[UNK]"]


@pytest.mark.parametrize(
    "collect",
    [tuple, iter, lambda texts: (text for text in texts), pd.Series, lambda texts: pd.Series(texts, [7, 0, 7])],
    ids=["tuple", "iterator", "generator", "Series", "Series with an index of its own"],
)
def test_texts_come_in_whatever_has_an_order(tiny, collect):
    texts = ["The cat", "the mat sat on the cat.", "dog"]
    for reading, text in zip(tiny.read_all(collect(texts)), texts, strict=True):
        assert reading.text == text


NO_LISTS = {
    "a table": (pd.DataFrame({"sentence": ["The cat"]}), r"table \(DataFrame\).*give one column, table\['sentence'\]"),
    "nothing": (None, r"is NoneType: None\. Give what is to be read in \[ \]"),
    "a number": (3, r"is int: 3\. Give"),
    "bytes": (b"cat", "is bytes"),
    "a dictionary": ({"The cat": 1}, "is dict: .*in the order in which the results are to come"),
    "a set": ({"The cat"}, "is set: .*in the order in which the results are to come"),
}


@pytest.mark.parametrize("given", NO_LISTS)
def test_what_is_no_list_of_texts_is_refused(tiny, given):
    texts, words = NO_LISTS[given]
    with pytest.raises(TypeError, match=f"^A list is needed here, and this is .*{words}|^A list is .*{words}"):
        tiny.read_all(texts)


def test_a_pair_in_square_brackets_is_told_of_round_ones(tiny):
    with pytest.raises(TypeError, match=r"^Text 0 of 2 .* is list: .*a pair in round brackets: \('first', 'second'\)"):
        tiny.read_all([["The cat", "The mat"], ["One", "Two"]])


@pytest.mark.parametrize("layer", [np.int64(1), np.int32(-2), np.uint8(2)])
def test_a_layer_may_be_one_of_numpys_whole_numbers(tiny, layer):
    refuse_layer(layer, last=2)
    reading = tiny.read("The cat sat")
    assert torch.equal(bertlab.vectors.word_vector(reading, "cat", layer=layer), reading.hidden[int(layer), 2])


@pytest.mark.parametrize("layer", [3, -4, True, np.True_, 1.0, np.float64(1), "1", None, np.int64(3)])
def test_what_is_no_layer_is_refused(layer):
    with pytest.raises(ValueError, match=r"^There is no layer .*0 \(the embedding layer's output\) to 2 "):
        refuse_layer(layer, last=2)


@pytest.mark.parametrize("batch_size", [0, -1, 2.5, None, True])
def test_a_batch_holds_at_least_one_text(tiny, batch_size):
    with pytest.raises(ValueError, match="at least 1"):
        tiny.read_all(["The cat"], batch_size)


def test_a_model_in_training_mode_is_refused(tiny_folder):
    bert = bertlab.load(tiny_folder)
    bert.model.train()
    with pytest.raises(ValueError, match=r"training mode.*bert\.model\.eval\(\)"):
        bert.read("The cat")


@pytest.mark.parametrize(
    ("text", "pair", "unknown"),
    [
        ("I like 🍕", None, ["🍕"]),
        ("the ᚠᚢᚦ sat", None, ["ᚠᚢᚦ"]),
        ("the cat\u200b sat", None, ["\u200b"]),
        ("🍕 the", "cat 🦜", ["🍕", "🦜"]),
        ("The cat sat.", None, []),
    ],
)
@pytest.mark.parametrize("shape", ["shipped", "tiny"])
def test_what_is_not_in_the_vocabulary_is_visible(bert, tiny, shape, text, pair, unknown):
    reading = (bert if shape == "shipped" else tiny).read(text, pair)
    assert reading.unknown == unknown
    assert ("not in the vocabulary" in repr(reading)) == bool(unknown)
    visible = [stretch for stretch in unknown if stretch.isprintable()]
    assert reading.tokens.count("[UNK]") == len(visible)


@settings(max_examples=60, deadline=None)
@given(text=st.text(st.characters(), max_size=24))
def test_every_character_is_read_or_reported_or_the_text_is_refused(tiny, text):
    try:
        reading = tiny.read(text)
    except ValueError as error:
        assert any(words in str(error) for words in ("is empty", "tokenizer keeps", "lone surrogate"))  # noqa: PT017
        assert not any(c.isascii() and c.isalnum() for c in text) or "lone surrogate" in str(error)  # noqa: PT017
        return
    seen = {
        place
        for (start, end), token in zip(reading.offsets, reading.tokens, strict=True)
        if token != "[UNK]"
        for place in range(start, end)
    }
    lost = "".join(c for i, c in enumerate(text) if i not in seen and not c.isspace())
    assert "".join("".join(reading.unknown).split()) == lost
