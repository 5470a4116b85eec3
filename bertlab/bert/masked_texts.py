"""Copies of texts in which one piece is masked, and BERT's answers at the masked pieces (lessons 4 and 6)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

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


def masked_copies(bert: Bert, texts: Sequence[Text], rest_of_word: bool = False) -> list[MaskedText]:
    """Return a copy of each text per piece except [CLS], [SEP], [MASK], one text after the other.

    `rest_of_word` masks a piece's later pieces (``##``) as well.
    """
    tokenizer = bert.tokenizer
    never_masked = {tokenizer.cls_token_id, tokenizer.sep_token_id, tokenizer.mask_token_id}
    copies = []
    for number, encoding in enumerate(encode(bert.model, tokenizer, texts)[1]):
        ids, segments = torch.tensor(encoding["input_ids"]), torch.tensor(encoding["token_type_ids"])
        pieces = tokenizer.convert_ids_to_tokens(ids.tolist())
        places = [place for place, id_ in enumerate(ids.tolist()) if id_ not in never_masked]
        if not places:  # left out, it would give its place to the next text
            raise ValueError(
                f"Text {number} has no piece to mask: it is read as {' '.join(pieces)}. Write a word or more."
            )
        for place in places:
            end = place + 1
            while rest_of_word and pieces[end].startswith("##"):  # [SEP] comes last and ends it
                end += 1
            masked = ids.clone()
            masked[place:end] = tokenizer.mask_token_id
            copies.append(MaskedText(number, place, pieces[place], int(ids[place]), masked, segments))
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
