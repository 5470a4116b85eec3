"""Encode texts for BERT, refuse those that it cannot read, and send the others through it in batches."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tokenizers import Encoding
    from torch import Tensor
    from transformers import BertForPreTraining, BertTokenizer

Text = str | tuple[str, str]  # one sentence, or a pair of them
Encoded = dict[str, list]  # what the tokenizer makes of one text


def encode(
    model: "BertForPreTraining", tokenizer: "BertTokenizer", texts: Iterable[Text]
) -> tuple[list[tuple[str, str | None]], list[Encoded]]:
    """Return each text as (sentence, second sentence or None), and as its whole encoding."""
    if model.training:
        raise ValueError(
            "The model is in training mode, in which dropout may blank out values at random, so no two readings "
            "would agree. Switch it back with bert.model.eval()."
        )
    texts = list(texts)
    names = [f"Text {i} of {len(texts)}" if len(texts) > 1 else "The text" for i in range(len(texts))]
    sentences = [_sentences(text, name) for text, name in zip(texts, names, strict=True)]
    backend = tokenizer.backend_tokenizer
    backend.no_truncation()  # which a tokenizer may have been saved with, as well as padding
    backend.no_padding()
    encodings = backend.encode_batch([pair if pair[1] else pair[0] for pair in sentences])
    for name, encoding in zip(names, encodings, strict=True):
        _refuse_tokens(tokenizer, encoding, model.config.max_position_embeddings, name)
    return sentences, [
        {"input_ids": each.ids, "token_type_ids": each.type_ids, "offset_mapping": each.offsets} for each in encodings
    ]


def _sentences(text: Text, name: str) -> tuple[str, str | None]:
    """Return a text as (sentence, second sentence or None); raise an error if it is neither, or empty."""
    sentences = text if isinstance(text, tuple) else (text,)
    if len(sentences) not in (1, 2) or not all(isinstance(sentence, str) for sentence in sentences):
        raise TypeError(
            f"{name} must be a string, but this one is {type(text).__name__}: {text!r:.60}. Give the sentence in "
            "quotes, a pair in round brackets: ('first', 'second'); for many use bert.read_all([...])."
        )
    for sentence in sentences:
        if not sentence.strip():
            raise ValueError(
                f"{name} is empty or only spaces, so there is nothing to read. "
                "Give a sentence, for example 'The cat sat on the mat.'"
            )
        if any("\ud800" <= character <= "\udfff" for character in sentence):  # the tokenizer would call it no text
            raise ValueError(
                f"{name} holds half of a character (a lone surrogate), as a file read with the wrong encoding does. "
                "Read the file again with encoding='utf-8'."
            )
    return sentences[0], sentences[1] if len(sentences) == 2 else None


def _refuse_tokens(tokenizer: "BertTokenizer", encoding: "Encoding", limit: int, name: str) -> None:
    """Raise `ValueError` if a text contains [CLS], [SEP] or [PAD], has no tokens of its own, or is too long."""
    # [MASK] and [UNK] may be typed: each stands where a piece stands.
    reserved = {tokenizer.cls_token_id, tokenizer.sep_token_id, tokenizer.pad_token_id}
    for id_, token, (start, end) in zip(encoding.ids, encoding.tokens, encoding.offsets, strict=True):
        if id_ in reserved and end > start:  # those that the tokenizer puts in stand nowhere in the text
            raise ValueError(
                f"{name} has {token} typed in it, which the tokenizer puts in itself: BERT would see it a second "
                "time, and all of the text as one sentence. Leave it out; for two sentences use "
                "bert.read('first', pair='second')."
            )
    if set(encoding.sequence_ids) != {None, *range(encoding.n_sequences)}:
        raise ValueError(
            f"{name} holds no character that the tokenizer keeps (control and invisible characters are dropped), "
            "so there is nothing to read. Give a sentence with letters, digits or signs in it."
        )
    length = len(encoding.ids)
    if length > limit:
        both = " (both sentences together)" if encoding.n_sequences == 2 else ""
        raise ValueError(
            f"{name}{both} is {length} tokens long, [CLS] and [SEP] included, and this model reads at most {limit}. "
            f"Nothing was cut off. Shorten it by {length - limit} tokens or more, or read it sentence by sentence."
        )


def forward(
    model: "BertForPreTraining", tokenizer: "BertTokenizer", encoded: Sequence[Encoded], **options: Any
) -> "tuple[Any, Tensor]":
    """Return the output of transformers' ``BertModel`` for one batch, with gradients, and the mask, (texts, tokens)."""
    rows = [{name: encoding[name] for name in ("input_ids", "token_type_ids")} for encoding in encoded]
    inputs: Any = tokenizer.pad(rows, padding_side="right", return_attention_mask=True, return_tensors="pt")
    inputs = inputs.to(model.device)
    return model.bert(**inputs, **options), inputs["attention_mask"]


def in_batches(
    model: "BertForPreTraining",
    tokenizer: "BertTokenizer",
    encoded: Sequence[Encoded],
    batch_size: int,
    progress: Callable[[list], Iterable] = iter,
    **options: Any,
) -> "Iterator[tuple[list[int], Any, Tensor]]":
    """Yield for each batch, shortest texts first, the numbers of its texts, their output without gradients and mask."""
    import torch

    by_length = sorted(range(len(encoded)), key=lambda number: len(encoded[number]["input_ids"]))
    for numbers in progress([by_length[start : start + batch_size] for start in range(0, len(encoded), batch_size)]):
        with torch.no_grad():
            output, mask = forward(model, tokenizer, [encoded[number] for number in numbers], **options)
        yield numbers, output, mask
