"""Read text with BERT: one sentence or pair, or many in batches.

A *reading* is everything that BERT computes on the way: the tokens, the vectors after every layer, the
attention weights, the pooled vector. Lesson 1 opens the first step (`bertlab.embedding`), the other
lessons the rest. Nothing is cut off and nothing is guessed: a text that BERT cannot read is an error.
"""

import operator
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bertlab.bert.checkpoint import missing_part

if TYPE_CHECKING:
    from torch import Tensor
    from transformers import BatchEncoding, BertForPreTraining, BertTokenizer

Text = str | tuple[str, str]
"""One sentence, or a pair of them."""


@dataclass(frozen=True, eq=False)
class Reading:
    """What BERT computed for one text. All tensors are detached, on the CPU, floating ones float32.

    Attributes
    ----------
    text, pair
        The text as it was given.
    tokens
        The pieces, special tokens included.
    ids : (tokens,)
        Each piece's row in the word table.
    segments : (tokens,)
        0 for the first sentence and its special tokens, 1 for the second.
    offsets
        Where each piece stands in its sentence, as start and end; ``(0, 0)`` for special tokens.
    hidden : (layers + 1, tokens, hidden)
        ``hidden[0]`` is the embedding layer's output, ``hidden[l]`` that of encoder layer ``l``.
    lower_cased
        Whether the tokenizer made small letters of capitals.
    unknown_id
        The id of [UNK]: tokens that have it stand for a stretch that the vocabulary cannot spell.
    """

    text: str
    pair: str | None
    tokens: list[str]
    ids: "Tensor"
    segments: "Tensor"
    offsets: list[tuple[int, int]]
    hidden: "Tensor"
    lower_cased: bool = field(repr=False)
    unknown_id: int = field(repr=False)
    _attention: "Tensor | None" = field(repr=False)
    _pooled: "Tensor | None" = field(repr=False)

    @property
    def attention(self) -> "Tensor":
        """Attention weights, (layers, heads, tokens, tokens); a row (third axis) sums to one."""
        if self._attention is None:
            raise ValueError(
                "This reading holds no attention weights. bert.read(text) keeps them; bert.read_all(texts) does "
                "with attention=True; and the model must use eager attention, as bertlab.load sets it."
            )
        return self._attention

    @property
    def pooled(self) -> "Tensor":
        """The pooler's output, (hidden,), each value between -1 and 1."""
        if self._pooled is None:
            raise missing_part("pooler")
        return self._pooled

    @property
    def unknown(self) -> list[str]:
        """The stretches of the text that BERT did not see as they are.

        Those that became [UNK], and single characters that the tokenizer left out (invisible ones), in the
        order of the text.
        """
        stretches = []
        tokens = list(zip(self.offsets, self.ids.tolist(), self.segments.tolist(), strict=True))
        for segment, sentence in enumerate((self.text, self.pair or "")):
            here = [(span, id_) for span, id_, where in tokens if where == segment and span[1] > span[0]]
            covered = {place for (start, end), _ in here for place in range(start, end)}
            found = [(start, end) for (start, end), id_ in here if id_ == self.unknown_id]
            found += [(i, i + 1) for i, c in enumerate(sentence) if not c.isspace() and i not in covered]
            stretches += [sentence[start:end] for start, end in sorted(found)]
        return stretches

    def __repr__(self) -> str:
        """Say what was read, and the shape of what came out."""
        layers, tokens, hidden = self.hidden.shape
        pieces = " ".join(self.tokens)
        unknown = f"\n  not in the vocabulary: {', '.join(map(repr, self.unknown))}" if self.unknown else ""
        return f"Reading of {tokens} tokens: {pieces}\n  hidden ({layers}, {tokens}, {hidden}){unknown}"


def read(
    model: "BertForPreTraining",
    tokenizer: "BertTokenizer",
    texts: Sequence[Text],
    batch_size: int,
    attention: bool,
) -> list[Reading]:
    """Read texts in batches of similar length, and return the readings in the order of the texts.

    Parameters
    ----------
    model, tokenizer
        As `bertlab.load` returns them.
    texts
        Sentences, pairs of sentences, or both.
    batch_size
        How many texts pass through the model together. Changes speed and memory; values only by rounding.
    attention
        Whether to keep the attention weights: layers x heads x tokens x tokens numbers a text.

    Returns
    -------
    list of Reading
        Without padding.

    Raises
    ------
    TypeError
        If a text is not a string (or a pair of strings).
    ValueError
        If a text is empty, holds nothing that the tokenizer keeps, or is too long for the model.
    """
    import torch

    refuse_batch_size(batch_size)
    pairs, encoded = encode(model, tokenizer, texts)
    normalizer = tokenizer.backend_tokenizer.normalizer
    lower_cased = normalizer is not None and normalizer.normalize_str("A") == "a"

    readings: dict[int, Reading] = {}
    for batch in batches(encoded, batch_size):
        inputs = padded(tokenizer, [encoded[i] for i in batch])
        with torch.no_grad():
            output = model.bert(**inputs.to(model.device), output_hidden_states=True, output_attentions=attention)
        hidden = torch.stack(output.hidden_states, dim=1).float().cpu()  # (batch, layers + 1, tokens, hidden)
        weights = torch.stack(output.attentions, dim=1).float().cpu() if output.attentions else None
        pooled = output.pooler_output.float().cpu() if output.pooler_output is not None else None
        for row, i in enumerate(batch):
            ids = encoded[i]["input_ids"]
            n = len(ids)
            readings[i] = Reading(
                text=pairs[i][0],
                pair=pairs[i][1],
                tokens=list(tokenizer.convert_ids_to_tokens(ids)),
                ids=torch.tensor(ids),
                segments=torch.tensor(encoded[i]["token_type_ids"]),
                offsets=encoded[i]["offset_mapping"],
                # Cloned: a view would keep the whole padded batch in memory.
                hidden=hidden[row, :, :n].clone(),
                lower_cased=lower_cased,
                unknown_id=tokenizer.unk_token_id,
                _attention=None if weights is None else weights[row, :, :, :n, :n].clone(),
                _pooled=None if pooled is None else pooled[row].clone(),
            )
    return [readings[i] for i in range(len(texts))]


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
        As `read` takes them.

    Raises
    ------
    TypeError, ValueError
        As `read`.
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
    size = _whole(batch_size)
    if size is None or size < 1:
        raise ValueError(f"batch_size is {batch_size!r}; it counts texts, so it is at least 1.")


def refuse_layer(layer: object, last: int) -> None:
    """Refuse a layer that a BERT with `last` encoder layers does not have."""
    number = _whole(layer)
    if number is None or not -last - 1 <= number <= last:
        raise ValueError(
            f"There is no layer {layer!r}: this BERT has 0 (the embedding layer's output) to {last} (the last "
            f"encoder layer's); negative numbers count from the end, -1 is the last."
        )


def _whole(number: Any) -> int | None:
    """Return a whole number, Python's or numpy's, as Python's; None for all else, True and False too."""
    try:
        return None if isinstance(number, bool) else operator.index(number)
    except TypeError:
        return None


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
