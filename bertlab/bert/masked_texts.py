"""Texts in which one piece at a time is [MASK], each in its turn, and what BERT makes of them (lessons 4 and 6)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy
from torch.nn.utils.rnn import pad_sequence

from bertlab.bert.arguments import require_count
from bertlab.bert.texts import Text, encode

if TYPE_CHECKING:
    from bertlab.bert.loading import Bert
    from bertlab.bert.reading import Reading


@dataclass(frozen=True, eq=False)
class MaskedText:
    """A text in which one piece is masked: what goes in, and what is asked for."""

    number: int  # which of the texts it is, from 0
    place: int  # where [MASK] stands, from 0
    piece: str  # what stood there
    answer: int  # its id
    ids: Tensor  # (tokens,)
    segments: Tensor  # (tokens,)


def masked_texts(
    bert: "Bert", ids: Tensor, segments: Tensor, number: int = 0, rest_of_word: bool = False
) -> list[MaskedText]:
    """Return a copy for each piece but [CLS], [SEP], [MASK]; `rest_of_word` masks its later pieces (``##``) as well."""
    tokenizer = bert.tokenizer
    kept = {tokenizer.cls_token_id, tokenizer.sep_token_id, tokenizer.mask_token_id}
    pieces = tokenizer.convert_ids_to_tokens(ids.tolist())
    copies = []
    for place, answer in enumerate(ids.tolist()):
        if answer in kept:
            continue
        end = place + 1
        while rest_of_word and pieces[end].startswith("##"):  # [SEP] comes last and ends it
            end += 1
        masked = ids.clone()
        masked[place:end] = tokenizer.mask_token_id
        copies.append(MaskedText(number, place, pieces[place], answer, masked, segments))
    return copies


def sample(
    bert: "Bert", texts: Sequence[Text], per_text: int | None = None, seed: int = 0, rest_of_word: bool = False
) -> list[MaskedText]:
    """Return the copies of many texts, or of each text at most `per_text`, drawn without replacement."""
    if per_text is not None:
        require_count(per_text=per_text)
    rng = np.random.default_rng(seed)
    copies = []
    for number, encoding in enumerate(encode(bert.model, bert.tokenizer, texts)[1]):
        ids, segments = torch.tensor(encoding["input_ids"]), torch.tensor(encoding["token_type_ids"])
        of_text = masked_texts(bert, ids, segments, number, rest_of_word)
        if not of_text:  # left out, it would give its place to the next text
            pieces = " ".join(bert.tokenizer.convert_ids_to_tokens(ids.tolist()))
            raise ValueError(f"Text {number} has no piece to mask: it is read as {pieces}. Write a word or more.")
        if per_text is not None and per_text < len(of_text):
            of_text = [of_text[i] for i in sorted(rng.choice(len(of_text), per_text, replace=False))]
        copies += of_text
    return copies


def last_vectors(bert: "Bert", copies: "Sequence[MaskedText | Reading]", batch_size: int) -> Iterator[Tensor]:
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


def answers(bert: "Bert", copies: Sequence[MaskedText], batch_size: int = 64) -> tuple[np.ndarray, np.ndarray]:
    """Return each copy's loss, in nats, on its masked piece, and the id of the most probable one, (copies,) each."""
    bert.require("masked-word head")
    head: Any = bert.model.cls.predictions
    order = sorted(range(len(copies)), key=lambda i: len(copies[i].ids))  # alike in length: little padding
    loss, first = np.empty(len(copies)), np.empty(len(copies), dtype=np.int64)
    for start in range(0, len(copies), batch_size):
        numbers = order[start : start + batch_size]
        batch = [copies[i] for i in numbers]
        last = last_vectors(bert, batch, batch_size)
        at_masks = torch.stack([vectors[copy.place] for vectors, copy in zip(last, batch, strict=True)])
        wanted = torch.tensor([copy.answer for copy in batch], device=bert.model.device)
        with torch.no_grad():
            scores = head(at_masks)  # (copies, vocabulary)
            loss[numbers] = cross_entropy(scores, wanted, reduction="none").cpu().numpy()
            first[numbers] = scores.argmax(dim=-1).cpu().numpy()
    return loss, first
