"""Ask BERT for a hidden word, and score sentences with it, written out in lesson 6."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd
import torch
from torch import Tensor

from bertlab.bert.arguments import require_as_many, require_count, require_list
from bertlab.bert.masked_texts import answers, sample
from bertlab.bert.texts import Text

if TYPE_CHECKING:
    from bertlab.bert.loading import Bert
    from bertlab.bert.reading import Reading

# What people type for [MASK]: "[mask]", "<mask>", "[ MASK ]", "{mask}".
MISSPELT = re.compile(r"[\[<{]+\s*mask\s*[\]>}]+", re.IGNORECASE)


def probabilities(bert: "Bert", texts: Sequence[str]) -> list[Tensor]:
    """Return what BERT expects at each [MASK] of each text: a probability for every piece, (masks, vocabulary) each.

    A text without a [MASK], or with one in another spelling, is a `ValueError`; a checkpoint that was saved without its
    masked-word head, here and below, a `MissingPartError`.

    Examples
    --------
    >>> import bertlab
    >>> bert = bertlab.load("bertlab-mini")
    >>> probabilities(bert, ["The [MASK] sat on the [MASK]."])[0].shape
    torch.Size([2, 16000])
    """
    bert.require("masked-word head")
    hidden = [_at_masks(bert, reading) for reading in bert.read_all(texts)]  # (masks, hidden) each
    head: Any = bert.model.cls.predictions
    with torch.no_grad():  # the texts' vectors together: one at a time takes as long as thirty
        batches = torch.cat(hidden).to(bert.model.device).split(32)
        shares = torch.cat([head(batch).softmax(dim=-1).cpu() for batch in batches])  # (all masks, vocabulary)
    return list(shares.split([len(rows) for rows in hidden]))


def fill_mask(bert: "Bert", text: str, top_k: int = 5, candidates: Sequence[str] | None = None) -> pd.DataFrame:
    """Return the most probable pieces for each [MASK] of a text, or all of some candidates, words of one piece each.

    Returns
    -------
    pandas.DataFrame
        For each [MASK], a row a piece, the most probable first: ``mask`` (which [MASK], from 0), ``rank`` in the whole
        vocabulary (from 1), ``piece``, ``probability``, and the ``sentence`` with the piece in its place. Other [MASK]s
        stay: each is answered by itself, and answers need not fit together.

    Examples
    --------
    >>> import bertlab
    >>> bert = bertlab.load("bertlab-mini")
    >>> fill_mask(bert, "A [MASK] is a fruit.", candidates=["Apple"])["sentence"].item()
    'A apple is a fruit.'
    """
    require_count(top_k=top_k)
    wanted = None if candidates is None else {piece_id(bert, word) for word in require_list(candidates=candidates)}
    (shares,) = probabilities(bert, [text])
    rows = []
    for mask, row in enumerate(shares):
        order = row.argsort(descending=True, stable=True).tolist()
        for rank, id_ in enumerate(order, start=1):
            if rank <= top_k if wanted is None else id_ in wanted:
                (piece,) = bert.tokenizer.convert_ids_to_tokens([id_])
                sentence = _filled(text, bert.tokenizer.mask_token, mask, piece)
                rows.append((mask, rank, piece, row[id_].item(), sentence))
    return pd.DataFrame(rows, columns=["mask", "rank", "piece", "probability", "sentence"])


def word_probabilities(bert: "Bert", texts: Sequence[str], words: Sequence[str]) -> pd.DataFrame:
    """Return how probable a word of one piece is at the one [MASK] of a text, for many texts with a word each.

    A row a text: ``piece``, ``probability``, and ``rank`` in the whole vocabulary, 1 for the most probable.
    """
    texts, words = require_list(texts=texts), require_list(words=words)
    require_as_many(texts=texts, words=words)
    rows = []
    for word, shares in zip(words, probabilities(bert, texts), strict=True):
        if len(shares) > 1:
            raise ValueError(f"A text for {word!r} holds {len(shares)} [MASK]s, and the word is asked for at one.")
        (row,), id_ = shares, piece_id(bert, word)
        rank = 1 + int((row > row[id_]).sum())
        rows.append((bert.tokenizer.convert_ids_to_tokens(id_), row[id_].item(), rank))
    return pd.DataFrame(rows, columns=["piece", "probability", "rank"])


def masked_loss(
    bert: "Bert", texts: Sequence[Text], *, per_text: int | None = None, seed: int = 0, rest_of_word: bool = False
) -> pd.DataFrame:
    """Return how badly BERT predicts the pieces of texts, each masked in turn, or at most `per_text` drawn of each.

    With `rest_of_word` the later pieces of the same word are masked too, so that a word cannot be guessed from the rest
    of itself (Kauf & Ivanova 2023). The loss stays that of the one piece.

    Returns
    -------
    pandas.DataFrame
        A row a masked piece: ``text`` and ``place`` (both from 0), ``piece``, the ``loss`` in nats: minus the
        logarithm of the piece's probability, and ``first``, the piece that is most probable.
    """
    copies = sample(bert, texts, per_text, seed, rest_of_word)
    loss, first = answers(bert, copies)
    rows = [(copy.number, copy.place, copy.piece) for copy in copies]
    table = pd.DataFrame(rows, columns=["text", "place", "piece"])
    return table.assign(loss=loss, first=bert.tokenizer.convert_ids_to_tokens(first.tolist()))


def sentence_scores(bert: "Bert", texts: Sequence[str], *, rest_of_word: bool = False) -> pd.DataFrame:
    """Return how much BERT expects sentences as they are: the pseudo-log-likelihood of Salazar et al. (2020).

    A row a text: ``score``, the sum over its pieces of minus the `masked_loss`, in nats, the lower the less expected;
    and how many ``pieces`` it adds up. Only texts with the same number of pieces compare.

    Examples
    --------
    >>> import bertlab
    >>> bert = bertlab.load("bertlab-mini")
    >>> sentence_scores(bert, ["The cat sat.", "It was late."])["pieces"].tolist()
    [4, 4]
    """
    texts = require_list(texts=texts)
    for text in texts:
        if bert.tokenizer.mask_token in str(text):
            raise ValueError(f"{text!r:.80} holds a [MASK], which has no word to score. Write the sentence out.")
    table = masked_loss(bert, texts, rest_of_word=rest_of_word)
    loss = table.groupby("text")["loss"]
    return pd.DataFrame({"score": -loss.sum(), "pieces": loss.count()}).reset_index(drop=True)


def piece_id(bert: "Bert", word: str) -> int:
    """Return the id of a word that is one piece, or of a piece such as ``##ing``; refuse any other word."""
    tokenizer = bert.tokenizer
    in_vocabulary = word == tokenizer.unk_token or tokenizer.convert_tokens_to_ids(word) != tokenizer.unk_token_id
    pieces = [word] if in_vocabulary else tokenizer.tokenize(word)
    if len(pieces) != 1 or pieces == [tokenizer.unk_token] != [word]:
        raise ValueError(f"{word!r} is no single piece of this vocabulary but {pieces}, and a [MASK] stands for one.")
    return tokenizer.convert_tokens_to_ids(pieces[0])  # pyrefly: ignore[bad-return]


def _at_masks(bert: "Bert", reading: "Reading") -> Tensor:
    """Return the last layer's output at the [MASK]s of a text, (masks, hidden), or refuse a text that asks nothing."""
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
    """Return a text with a piece in the place of one of its [MASK]s; one that continues a word joins it."""
    parts = text.split(mask_token)
    before, after = mask_token.join(parts[: mask + 1]), mask_token.join(parts[mask + 1 :])
    return f"{before.rstrip()}{piece[2:]}{after}" if piece.startswith("##") else f"{before}{piece}{after}"
