"""Copies of texts in which one piece is masked, and BERT's answers at the masked pieces (lessons 4 and 6)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from bertlab.bert.arguments import require_bert
from bertlab.bert.loading import Bert
from bertlab.bert.texts import Encoded, Text, encode, in_batches


@dataclass(frozen=True, eq=False)
class MaskedText:
    """A text in which one piece is masked, and the piece that BERT should find."""

    number: int  # which of the texts it is, from 0
    place: int  # where [MASK] stands, from 0
    piece: str  # what stood there
    answer: int  # its id
    ids: Tensor  # (tokens,)
    segments: Tensor  # (tokens,)

    @property
    def encoded(self) -> Encoded:
        """The copy in the form that the tokenizer returns."""
        return {"input_ids": self.ids.tolist(), "token_type_ids": self.segments.tolist()}


def masked_texts(
    bert: Bert, ids: Tensor, segments: Tensor, number: int = 0, rest_of_word: bool = False
) -> list[MaskedText]:
    """Return a copy per piece except [CLS], [SEP], [MASK]; `rest_of_word` masks its later pieces (``##``) as well."""
    tokenizer = bert.tokenizer
    never_masked = {tokenizer.cls_token_id, tokenizer.sep_token_id, tokenizer.mask_token_id}
    pieces = tokenizer.convert_ids_to_tokens(ids.tolist())
    copies = []
    for place, answer in enumerate(ids.tolist()):
        if answer in never_masked:
            continue
        end = place + 1
        while rest_of_word and pieces[end].startswith("##"):  # [SEP] comes last and ends it
            end += 1
        masked = ids.clone()
        masked[place:end] = tokenizer.mask_token_id
        copies.append(MaskedText(number, place, pieces[place], answer, masked, segments))
    return copies


def masked_copies(bert: Bert, texts: Sequence[Text], rest_of_word: bool = False) -> list[MaskedText]:
    """Return the masked copies of many texts, one after the other."""
    require_bert(bert)
    copies = []
    for number, encoding in enumerate(encode(bert.model, bert.tokenizer, texts)[1]):
        ids, segments = torch.tensor(encoding["input_ids"]), torch.tensor(encoding["token_type_ids"])
        text_copies = masked_texts(bert, ids, segments, number, rest_of_word)
        if not text_copies:  # left out, it would give its place to the next text
            pieces = " ".join(bert.tokenizer.convert_ids_to_tokens(ids.tolist()))
            raise ValueError(f"Text {number} has no piece to mask: it is read as {pieces}. Write a word or more.")
        copies += text_copies
    return copies


def answers(bert: Bert, copies: Sequence[MaskedText], batch_size: int = 64) -> tuple[np.ndarray, np.ndarray]:
    """Return each copy's loss on its masked piece, in nats, and the id of the most probable piece, (copies,) each."""
    bert.require("masked-word head")
    head: Any = bert.model.cls.predictions
    encoded = [copy.encoded for copy in copies]
    places = torch.tensor([copy.place for copy in copies])
    pieces = torch.tensor([copy.answer for copy in copies], device=bert.model.device)
    loss, best_ids = np.empty(len(copies)), np.empty(len(copies), dtype=np.int64)
    for batch, output, _ in in_batches(bert.model, bert.tokenizer, encoded, batch_size):
        with torch.no_grad():
            scores = head(output.last_hidden_state[range(len(batch)), places[batch]])  # (copies, vocabulary)
            loss[batch] = cross_entropy(scores, pieces[batch], reduction="none").cpu().numpy()
        best_ids[batch] = scores.argmax(dim=-1).cpu().numpy()
    return loss, best_ids
