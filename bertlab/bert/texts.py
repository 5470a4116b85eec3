"""Texts made ready for BERT, or refused: through the tokenizer, and into batches.

Nothing is cut off and nothing is guessed: a text that BERT cannot read is an error that says what to do.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from bertlab.bert.arguments import whole_number

if TYPE_CHECKING:
    from transformers import BatchEncoding, BertForPreTraining, BertTokenizer

Text = str | tuple[str, str]
"""One sentence, or a pair of them."""


def listed(texts: Iterable[Any]) -> list[Any]:
    """Return texts or pairs as a list, or refuse what holds none in an order that results could come in."""
    if hasattr(texts, "columns"):
        raise TypeError(
            f"A list is needed here, and this is a table ({type(texts).__name__}), which may hold several columns. For "
            "texts give one column, table['sentence']; for pairs list(zip(table['first'], table['second']))."
        )
    if isinstance(texts, (str, bytes, Mapping, set, frozenset)) or not isinstance(texts, Iterable):
        raise TypeError(
            f"A list is needed here, and this is {type(texts).__name__}: {texts!r:.60}. Give what is to be read in "
            "[ ], in the order in which the results are to come."
        )
    return list(texts)


def encode(
    model: "BertForPreTraining", tokenizer: "BertTokenizer", texts: Sequence[Text]
) -> tuple[list[tuple[str, str | None]], list[dict[str, list]]]:
    """Return the texts as (sentence, pair or None) and what the tokenizer makes of each, or refuse them.

    Parameters
    ----------
    model, tokenizer, texts
        As `bertlab.bert.reading.read` takes them.

    Raises
    ------
    TypeError, ValueError
        As `bertlab.bert.reading.read`, and if the texts are no list.
    """
    if model.training:
        raise ValueError(
            "The model is in training mode, in which dropout may blank out values at random, so no two readings "
            "would agree. Switch it back with bert.model.eval()."
        )
    texts = listed(texts)
    names = [f"Text {i} of {len(texts)}" if len(texts) > 1 else "The text" for i in range(len(texts))]
    pairs = [_checked(text, name) for text, name in zip(texts, names, strict=True)]
    encoded = _encode(tokenizer, pairs)
    limit = model.config.max_position_embeddings
    for name, (_, pair), encoding in zip(names, pairs, encoded, strict=True):
        _refuse_typed_specials(tokenizer, encoding, name)
        _refuse_length(encoding, limit, name, sentences=1 if pair is None else 2)
    return pairs, encoded


def batches(encoded: Sequence[dict[str, list]], batch_size: int) -> list[list[int]]:
    """Return the places of texts batch by batch, the shortest first: texts of like length need little padding."""
    by_length = sorted(range(len(encoded)), key=lambda i: len(encoded[i]["input_ids"]))
    return [by_length[start : start + batch_size] for start in range(0, len(encoded), batch_size)]


def padded(tokenizer: "BertTokenizer", encoded: Sequence[dict[str, list]]) -> "BatchEncoding":
    """Return what the model takes for one batch, padded at the end to the longest text."""
    fed = ("input_ids", "token_type_ids", "attention_mask")
    rows = [{name: encoding[name] for name in fed} for encoding in encoded]
    return tokenizer.pad(rows, padding_side="right", return_tensors="pt")


def refuse_batch_size(batch_size: int) -> None:
    """Refuse a batch that holds no text."""
    size = whole_number(batch_size)
    if size is None or size < 1:
        raise ValueError(f"batch_size is {batch_size!r}; it counts texts, so it is at least 1.")


def _checked(text: Text, name: str) -> tuple[str, str | None]:
    """Return the text as (sentence, pair or None), or refuse it."""
    pair = text if isinstance(text, tuple) else (text,)
    if len(pair) not in (1, 2):
        raise TypeError(f"{name} is a tuple of {len(pair)}; a pair has two sentences: ('first', 'second').")
    for sentence in pair:
        if not isinstance(sentence, str):
            raise TypeError(
                f"{name} must be a string, but this one is {type(sentence).__name__}: {sentence!r:.60}. Give the "
                "sentence in quotes, a pair in round brackets: ('first', 'second'); for many use bert.read_all([...])."
            )
        if not sentence.strip():
            raise ValueError(
                f"{name} is empty or only spaces, so there is nothing to read. "
                "Give a sentence, for example 'The cat sat on the mat.'"
            )
        try:
            sentence.encode("utf-8")
        except UnicodeEncodeError as error:
            raise ValueError(
                f"{name} holds half of a character (a lone surrogate at place {error.start}), as a file read with "
                "the wrong encoding does. Read the file again with encoding='utf-8'."
            ) from None
    return (pair[0], pair[1] if len(pair) == 2 else None)


def _encode(tokenizer: "BertTokenizer", pairs: list[tuple[str, str | None]]) -> list[dict[str, list]]:
    """Tokenize all texts in two calls, one for single sentences and one for pairs."""
    encoded: dict[int, dict[str, list]] = {}
    for paired in (False, True):
        chosen = [i for i, (_, pair) in enumerate(pairs) if (pair is not None) == paired]
        if chosen:
            together = tokenizer(
                [pairs[i][0] for i in chosen],
                [pairs[i][1] for i in chosen] if paired else None,
                return_token_type_ids=True,
                return_attention_mask=True,
                return_offsets_mapping=True,
                return_special_tokens_mask=True,
            )
            for row, i in enumerate(chosen):
                encoded[i] = {name: values[row] for name, values in together.items()}
    return [encoded[i] for i in range(len(pairs))]


def _refuse_typed_specials(tokenizer: "BertTokenizer", encoding: dict[str, list], name: str) -> None:
    """Refuse a text in which a token is typed that only the tokenizer may put in.

    [MASK] and [UNK] stand where a piece stands, so both may be typed: the one asks for a word, the other is what an
    unknown word becomes anyway, and `Reading.unknown` names it.
    """
    only_ours = {tokenizer.cls_token_id, tokenizer.sep_token_id, tokenizer.pad_token_id}
    for id_, (start, end) in zip(encoding["input_ids"], encoding["offset_mapping"], strict=True):
        if id_ in only_ours and end > start:  # those that the tokenizer puts in stand nowhere in the text
            raise ValueError(
                f"{name} has {tokenizer.convert_ids_to_tokens(id_)} typed in it, which the tokenizer puts in itself: "
                "BERT would see it a second time, and all of the text as one sentence. Leave it out; for two "
                "sentences use bert.read('first', pair='second')."
            )


def _refuse_length(encoding: dict[str, list], limit: int, name: str, sentences: int) -> None:
    """Refuse a text of which the tokenizer keeps nothing, or more than the model has positions for."""
    segments = zip(encoding["token_type_ids"], encoding["special_tokens_mask"], strict=True)
    if len({segment for segment, special in segments if not special}) < sentences:
        raise ValueError(
            f"{name} holds no character that the tokenizer keeps (control and invisible characters are dropped), "
            "so there is nothing to read. Give a sentence with letters, digits or signs in it."
        )
    length = len(encoding["input_ids"])
    if length > limit:
        what = name if sentences == 1 else f"{name} (both sentences together)"
        raise ValueError(
            f"{what} is {length} tokens long, [CLS] and [SEP] included, and this model reads at most {limit}. "
            f"Nothing was cut off. Shorten it by {length - limit} tokens or more, or read it sentence by sentence."
        )
