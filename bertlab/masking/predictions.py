"""Predictions for a hidden word, and scores of sentences (written out in lesson 6)."""

import re
from collections.abc import Sequence
from typing import Any

import pandas as pd
import torch
from torch import Tensor

from bertlab.arguments import Count, Some, guarded, require_as_many
from bertlab.bert.loading import Bert
from bertlab.bert.masked_texts import answers, masked_copies
from bertlab.bert.reading import Reading
from bertlab.bert.texts import Text

# What people type for [MASK]: "[mask]", "<mask>", "[ MASK ]", "{mask}".
MISSPELT = re.compile(r"[\[<{]+\s*mask\s*[\]>}]+", re.IGNORECASE)


@guarded
def probabilities(bert: Bert, texts: Some[str]) -> list[Tensor]:
    """Return the probability of every piece at each [MASK] of each text.

    Parameters
    ----------
    bert, texts
        The model that is asked, and texts with one [MASK] or more; one without is a `ValueError`.

    Returns
    -------
    list of Tensor
        For each text (masks, vocabulary).

    Examples
    --------
    >>> probabilities(bertlab.load("bertlab-mini"), ["The [MASK] sat on the [MASK]."])[0].shape
    torch.Size([2, 16000])
    """
    bert.require("masked-word head")
    hidden = [_at_masks(bert, reading) for reading in bert.read_all(texts)]  # (masks, hidden) each
    head: Any = bert.model.cls.predictions
    with torch.no_grad():  # the texts' vectors together: one at a time takes as long as thirty
        batches = torch.cat(hidden).to(bert.model.device).split(32)
        shares = torch.cat([head(batch).softmax(dim=-1).cpu() for batch in batches])  # (all masks, vocabulary)
    return list(shares.split([len(rows) for rows in hidden]))


@guarded
def fill_mask(bert: Bert, text: str, top_k: Count = 5, candidates: Some[str] | None = None) -> pd.DataFrame:
    """Return the most probable pieces at each [MASK] of a text; the answers to several [MASK]s need not fit together.

    Parameters
    ----------
    bert, text
        The model that is asked, and a text with one [MASK] or more.
    top_k : int
        The number of pieces for each [MASK].
    candidates : list of str, optional
        Words to rank instead; each must be a single piece of the vocabulary.

    Returns
    -------
    pandas.DataFrame
        One row per [MASK] and piece, the most probable first: ``mask`` (from 0), ``rank`` in the whole vocabulary
        (from 1), ``piece``, ``probability``, and the ``sentence`` with the piece filled in.

    Examples
    --------
    >>> fill_mask(bertlab.load("bertlab-mini"), "A [MASK] is a fruit.", candidates=["Apple"])["sentence"].item()
    'A apple is a fruit.'
    """
    wanted = None if candidates is None else {piece_id(bert, word) for word in candidates}
    (at_masks,) = probabilities(bert, [text])
    rows = []
    for mask, at_mask in enumerate(at_masks):
        order = at_mask.argsort(descending=True, stable=True).tolist()
        for rank, id_ in enumerate(order, start=1):
            if rank <= top_k if wanted is None else id_ in wanted:
                (piece,) = bert.tokenizer.convert_ids_to_tokens([id_])
                sentence = _filled(text, bert.tokenizer.mask_token, mask, piece)
                rows.append((mask, rank, piece, at_mask[id_].item(), sentence))
    return pd.DataFrame(rows, columns=["mask", "rank", "piece", "probability", "sentence"])


@guarded
def word_probabilities(bert: Bert, texts: Some[str], words: Sequence[str]) -> pd.DataFrame:
    """Return the probability of one word at the [MASK] of each text.

    Parameters
    ----------
    bert, texts, words
        The model, texts with one [MASK] each, and one word per text: a single piece of the vocabulary.

    Returns
    -------
    pandas.DataFrame
        One row per text: ``piece``, ``probability``, and ``rank`` in the whole vocabulary (from 1).

    Examples
    --------
    >>> word_probabilities(bertlab.load("bertlab-mini"), ["The [MASK] barked."], ["dog"])[["piece", "rank"]]
      piece  rank
    0   dog     3
    """
    require_as_many(texts=texts, words=words)
    rows = []
    for word, at_masks in zip(words, probabilities(bert, texts), strict=True):
        if len(at_masks) > 1:
            raise ValueError(f"A text for {word!r} holds {len(at_masks)} [MASK]s, and the word is asked for at one.")
        (at_mask,), id_ = at_masks, piece_id(bert, word)
        rank = 1 + int((at_mask > at_mask[id_]).sum())
        rows.append((bert.tokenizer.convert_ids_to_tokens(id_), at_mask[id_].item(), rank))
    return pd.DataFrame(rows, columns=["piece", "probability", "rank"])


def masked_loss(bert: Bert, texts: Sequence[Text], *, rest_of_word: bool = False) -> pd.DataFrame:
    """Return for each piece, masked in turn: ``text``, ``place``, ``piece``, ``loss``, and ``first``, the likeliest."""
    copies = masked_copies(bert, texts, rest_of_word=rest_of_word)
    loss, first = answers(bert, copies)
    rows = [(copy.number, copy.place, copy.piece) for copy in copies]
    table = pd.DataFrame(rows, columns=["text", "place", "piece"])
    return table.assign(loss=loss, first=bert.tokenizer.convert_ids_to_tokens(first.tolist()))


@guarded
def sentence_scores(bert: Bert, texts: Some[str], *, rest_of_word: bool = False) -> pd.DataFrame:
    """Return each sentence's pseudo-log-likelihood: the sum of its pieces' log-probabilities, each masked in turn.

    Compare only sentences with the same number of pieces (Salazar et al. 2020).

    Parameters
    ----------
    bert, texts
        The model that is asked, and sentences, or pairs of them, without [MASK].
    rest_of_word : bool
        Mask the later pieces of the same word too, so that they do not give it away (Kauf and Ivanova 2023).

    Returns
    -------
    pandas.DataFrame
        One row per sentence: its ``score``, in nats and lower if BERT expects it less, and its number of ``pieces``.

    Examples
    --------
    >>> sentence_scores(bertlab.load("bertlab-mini"), ["The cat sat.", "It was late."])["pieces"].tolist()
    [4, 4]
    """
    for text in texts:
        if bert.tokenizer.mask_token in text:
            raise ValueError(f"{text!r:.80} holds a [MASK], which has no word to score. Write the sentence out.")
    table = masked_loss(bert, texts, rest_of_word=rest_of_word)
    loss = table.groupby("text")["loss"]
    return pd.DataFrame({"score": -loss.sum(), "pieces": loss.count()}).reset_index(drop=True)


def piece_id(bert: Bert, word: str) -> int:
    """Return the id of a single piece, such as ``cat`` or ``##ing``; refuse any other word."""
    tokenizer = bert.tokenizer
    in_vocabulary = word == tokenizer.unk_token or tokenizer.convert_tokens_to_ids(word) != tokenizer.unk_token_id
    pieces = [word] if in_vocabulary else tokenizer.tokenize(word)
    if len(pieces) != 1 or pieces == [tokenizer.unk_token] != [word]:
        raise ValueError(
            f"{word!r} is not a single piece of this vocabulary but {pieces}, and a [MASK] stands for one."
        )
    return tokenizer.convert_tokens_to_ids(pieces[0])  # pyrefly: ignore[bad-return]


def _at_masks(bert: Bert, reading: Reading) -> Tensor:
    """Return the last layer's output at the [MASK]s of a text, (masks, hidden); refuse a text without one."""
    token, text = bert.tokenizer.mask_token, reading.text
    if misspelt := MISSPELT.search(text.replace(token, "")):
        raise ValueError(f"Type {token} for the hidden word, in just these letters; {text!r:.80} has {misspelt[0]!r}.")
    masks = reading.ids == bert.tokenizer.mask_token_id
    if not masks.any():
        raise ValueError(
            f"{text!r:.80} holds no {token}, so nothing is asked. Put {token} in the place of a word, for example "
            f"'The {token} sat on the mat.'"
        )
    return reading.hidden[-1, masks]


def _filled(text: str, mask_token: str, mask: int, piece: str) -> str:
    """Return a text with one of its [MASK]s replaced by a piece; a piece that continues a word joins it."""
    parts = text.split(mask_token)
    before, after = mask_token.join(parts[: mask + 1]), mask_token.join(parts[mask + 1 :])
    return f"{before.rstrip()}{piece[2:]}{after}" if piece.startswith("##") else f"{before}{piece}{after}"
