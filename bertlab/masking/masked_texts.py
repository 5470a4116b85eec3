"""Texts in which one piece at a time is [MASK], and what BERT makes of them (lessons 4 and 6).

Not the masking of the training, which hides several words at once: here all others stay, and each piece has a turn.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy
from torch.nn.utils.rnn import pad_sequence

from bertlab.bert.arguments import whole_number
from bertlab.bert.texts import Text, encode, refuse_batch_size

if TYPE_CHECKING:
    from bertlab.bert.loading import Bert


@dataclass(frozen=True, eq=False)
class MaskedText:
    """A text in which one piece is masked: what goes in, and what is asked for.

    Attributes
    ----------
    text
        Which of the texts it is, from 0.
    place
        Where [MASK] stands, from 0.
    piece, answer
        The piece that stood there, and its id.
    ids, segments : (tokens,)
    """

    text: int
    place: int
    piece: str
    answer: int
    ids: Tensor
    segments: Tensor


def masked_texts(
    bert: "Bert", ids: Tensor, segments: Tensor, text: int = 0, rest_of_word: bool = False
) -> list[MaskedText]:
    """Return a copy of a text for each piece that can be masked: all but [CLS], [SEP], and what is [MASK] already.

    With `rest_of_word` the later pieces of the same word, those that begin with ``##``, are [MASK] as well.
    """
    tokenizer = bert.tokenizer
    kept = {tokenizer.cls_token_id, tokenizer.sep_token_id, tokenizer.mask_token_id}
    pieces = tokenizer.convert_ids_to_tokens(ids.tolist())
    copies = []
    for place, answer in enumerate(ids.tolist()):
        if answer not in kept:
            given = ids.clone()
            given[place] = tokenizer.mask_token_id
            rest = place + 1
            while rest_of_word and pieces[rest].startswith("##"):  # [SEP] comes last and ends it
                given[rest] = tokenizer.mask_token_id
                rest += 1
            copies.append(MaskedText(text, place, pieces[place], answer, given, segments))
    return copies


def as_it_is(bert: "Bert", text: Text) -> MaskedText:
    """Return a text or a pair as one of the copies, with nothing masked: its place is that of [CLS]."""
    _, (encoding,) = encode(bert.model, bert.tokenizer, [text])
    ids = torch.tensor(encoding["input_ids"])
    return MaskedText(0, 0, bert.tokenizer.cls_token, int(ids[0]), ids, torch.tensor(encoding["token_type_ids"]))


def sample(
    bert: "Bert", texts: Sequence[Text], per_text: int | None = None, seed: int = 0, rest_of_word: bool = False
) -> list[MaskedText]:
    """Return the copies of many texts, or of each text a few; the parameters are those of `masked_loss`."""
    most = whole_number(per_text)
    if per_text is not None and (most is None or most < 1):
        raise ValueError(f"per_text is {per_text!r}; it counts the pieces to mask in each text, so it is at least 1.")
    if isinstance(texts, str):
        raise TypeError("masked_loss takes a list of texts. For one text, put it in [ ].")
    rng = np.random.default_rng(seed)
    copies = []
    given, encoded = encode(bert.model, bert.tokenizer, texts)
    for text, encoding in enumerate(encoded):
        ids, segments = torch.tensor(encoding["input_ids"]), torch.tensor(encoding["token_type_ids"])
        some = masked_texts(bert, ids, segments, text, rest_of_word)
        if not some:  # left out, it would give its place to the next text
            shown = given[text][0] if given[text][1] is None else given[text]
            pieces = " ".join(bert.tokenizer.convert_ids_to_tokens(ids.tolist()))
            raise ValueError(
                f"Text {text} has no piece to mask: {shown!r:.80} is read as {pieces}. Leave it out, or write a word "
                "or more."
            )
        if most is not None and most < len(some):
            some = [some[i] for i in sorted(rng.choice(len(some), most, replace=False))]
        copies += some
    if not copies:
        raise ValueError("There is no piece to mask. Give a list of sentences with a word or more in each.")
    return copies


def last_vectors(bert: "Bert", copies: Sequence[MaskedText], batch_size: int) -> Iterator[Tensor]:
    """Yield the last layer's output, (tokens, hidden), for each copy, computed in batches."""
    device = bert.model.device
    for start in range(0, len(copies), batch_size):
        batch = copies[start : start + batch_size]
        ids = pad_sequence([copy.ids for copy in batch], batch_first=True, padding_value=bert.tokenizer.pad_token_id)
        segments = pad_sequence([copy.segments for copy in batch], batch_first=True)
        present = pad_sequence([torch.ones_like(copy.ids) for copy in batch], batch_first=True)
        with torch.no_grad():
            hidden = bert.model.bert(ids.to(device), present.to(device), segments.to(device)).last_hidden_state
        yield from (row[: len(copy.ids)] for row, copy in zip(hidden, batch, strict=True))


def losses(bert: "Bert", copies: Sequence[MaskedText], batch_size: int = 64) -> np.ndarray:
    """Return the loss of each copy's masked piece, (copies,), in nats: minus the logarithm of its probability."""
    return answers(bert, copies, batch_size)[0]


def answers(bert: "Bert", copies: Sequence[MaskedText], batch_size: int = 64) -> tuple[np.ndarray, np.ndarray]:
    """Return for each copy the loss of its masked piece and the id of the most probable one, (copies,) each."""
    bert.require("masked-word head")
    refuse_batch_size(batch_size)
    head: Any = bert.model.cls.predictions
    order = sorted(range(len(copies)), key=lambda i: len(copies[i].ids))  # alike in length: little padding
    found, first = np.empty(len(copies)), np.empty(len(copies), dtype=np.int64)
    for start in range(0, len(copies), batch_size):
        places = order[start : start + batch_size]
        batch = [copies[i] for i in places]
        wanted = torch.tensor([copy.answer for copy in batch], device=bert.model.device)
        with torch.no_grad():
            scores = head(_masked_vectors(bert, batch))  # (copies, vocabulary)
            found[places] = cross_entropy(scores, wanted, reduction="none").cpu().numpy()
            first[places] = scores.argmax(dim=-1).cpu().numpy()
    return found, first


def _masked_vectors(bert: "Bert", batch: Sequence[MaskedText]) -> Tensor:
    """Return the last layer's output at the masked places alone, (copies, hidden)."""
    rows, places = torch.arange(len(batch)), torch.tensor([copy.place for copy in batch])

    # Behind the last layer's attention no token meets another, so there the masked places go on alone: a fifth of all
    # that is computed for short texts is spared.
    def at_places(_module: Any, inputs: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        return tuple(vectors[rows, places][:, None] for vectors in inputs)

    last: Any = bert.model.bert.encoder.layer[-1]
    handle = last.attention.output.register_forward_pre_hook(at_places)
    try:
        return torch.cat(list(last_vectors(bert, batch, len(batch))))
    finally:
        handle.remove()


def masked_loss(
    bert: "Bert",
    texts: Sequence[Text],
    *,
    per_text: int | None = None,
    seed: int = 0,
    rest_of_word: bool = False,
    batch_size: int = 64,
) -> pd.DataFrame:
    """Return how badly BERT predicts pieces of texts, each masked in turn.

    Parameters
    ----------
    bert
    texts
    per_text
        Mask only so many pieces of each text (all of a shorter one), drawn without replacement. By default every one.
    seed
        Fixes what is drawn.
    rest_of_word
        Mask with each piece the later pieces of the same word, so that a word cannot be guessed from the rest of
        itself (Kauf & Ivanova 2023). The loss stays that of the one piece.
    batch_size
        How many masked texts pass through the model together. Changes values only by rounding.

    Returns
    -------
    pandas.DataFrame
        A row a masked piece: ``text`` and ``place`` (both from 0), ``piece``, the ``loss`` in nats: minus the
        logarithm of the probability that the masked-word head gives the piece, and ``first``, the piece to which it
        gives the highest.

    Raises
    ------
    MissingPartError
        If the checkpoint was saved without its masked-word head.
    TypeError, ValueError
        As `Bert.read_all`; or if there is no text, or one without a piece to mask.

    Examples
    --------
    >>> import bertlab
    >>> bert = bertlab.load("bertlab-mini")
    >>> masked_loss(bert, ["The cat sat.", "It was late."])["piece"].tolist()
    ['the', 'cat', 'sat', '.', 'it', 'was', 'late', '.']
    """
    copies = sample(bert, texts, per_text, seed, rest_of_word)
    columns = {name: [getattr(copy, name) for copy in copies] for name in ("text", "place", "piece")}
    loss, first = answers(bert, copies, batch_size)
    return pd.DataFrame(columns | {"loss": loss, "first": bert.tokenizer.convert_ids_to_tokens(first.tolist())})
