"""Ask BERT for a hidden word, and score sentences with it, written out in lesson 6.

The masked-word head gives each piece of the vocabulary a probability for the place of a [MASK]. Several [MASK]s in a
text are answered each by itself, while the others stay hidden. A sentence is scored by hiding each of its pieces in
turn (Salazar et al. 2020). What such a score says, and that fluent is not true, is for the lesson.
"""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd
import torch
from torch import Tensor

from bertlab.bert.arguments import whole_number
from bertlab.bert.texts import listed
from bertlab.masking.masked_texts import masked_loss

if TYPE_CHECKING:
    from bertlab.bert.loading import Bert

MISSPELT = re.compile(r"[\[<{]+\s*mask\s*[\]>}]+", re.IGNORECASE)
"""What people type for [MASK]: "[mask]", "<mask>", "[ MASK ]", "{mask}"."""


def probabilities(bert: "Bert", texts: Sequence[str], batch_size: int = 32) -> list[Tensor]:
    """Return what BERT expects at each [MASK] of each text: a probability for every piece of the vocabulary.

    Parameters
    ----------
    bert
    texts
        With a [MASK] or more in each.
    batch_size
        How many texts pass through the model together. Changes values only by rounding.

    Returns
    -------
    list of torch.Tensor, (masks, vocabulary) each
        Rows that sum to one, in the order of the [MASK]s in the text.

    Raises
    ------
    MissingPartError
        If the checkpoint was saved without its masked-word head.
    TypeError, ValueError
        As `Bert.read_all`; or if a text holds no [MASK], or one in another spelling.

    Examples
    --------
    >>> import bertlab
    >>> bert = bertlab.load("bertlab-mini")
    >>> probabilities(bert, ["The [MASK] sat on the [MASK]."])[0].shape
    torch.Size([2, 16000])
    """
    bert.require("masked-word head")
    texts = texts if isinstance(texts, str) else listed(texts)  # one string is refused by read_all
    readings = bert.read_all(texts, batch_size)
    for text in texts:
        _refuse_without_mask(bert, text)
    return _shares(bert, [r.hidden[-1, r.ids == bert.tokenizer.mask_token_id] for r in readings], batch_size)


def fill_mask(bert: "Bert", text: str, top_k: int = 5, candidates: Sequence[str] | None = None) -> pd.DataFrame:
    """Return the most probable pieces for each [MASK] of a text, or how probable some candidates are.

    Parameters
    ----------
    bert
    text
        With a [MASK] or more.
    top_k
        How many pieces for each [MASK].
    candidates
        Words that are one piece each, as a list, a column of a table or an array: then these are returned, all of
        them, whatever `top_k` is.

    Returns
    -------
    pandas.DataFrame
        For each [MASK], in their order, a row a piece, the most probable first: ``mask`` (which [MASK], from 0),
        ``rank`` in the whole vocabulary (1 is the most probable), ``piece``, ``probability``, and the ``sentence``
        with the piece in its place. Other [MASK]s stay: each is answered by itself, and answers need not fit together.

    Raises
    ------
    MissingPartError
        If the checkpoint was saved without its masked-word head.
    TypeError, ValueError
        As `probabilities`; if `top_k` is not a number of pieces that the vocabulary has; or if a candidate is not one
        piece.

    Examples
    --------
    >>> import bertlab
    >>> bert = bertlab.load("bertlab-mini")
    >>> len(fill_mask(bert, "The [MASK] sat on the mat.", top_k=3))
    3
    >>> fill_mask(bert, "A [MASK] is a fruit.", candidates=["Apple"])["sentence"].item()
    'A apple is a fruit.'
    """
    size = len(bert.tokenizer)
    most = whole_number(top_k)
    if most is None or not 1 <= most <= size:
        raise ValueError(
            f"top_k is {top_k!r}; it counts pieces, of which this vocabulary has {size:,}: from 1 to that."
        )
    if isinstance(candidates, str):
        raise TypeError(f"Candidates are a list of words: candidates=[{candidates!r}], also for a single one.")
    if isinstance(candidates, pd.DataFrame):
        raise TypeError("Candidates are a list of words, and this is a whole table. Give one column: table['word'].")
    if candidates is not None and not len(candidates):
        raise ValueError("There is no candidate. Give a list of words, or leave candidates out.")
    wanted = None if candidates is None else {piece_id(bert, word) for word in candidates}
    (shares,) = probabilities(bert, [text])
    rows = []
    for mask, row in enumerate(shares):
        for rank, id_ in enumerate(row.argsort(descending=True, stable=True).tolist(), start=1):
            if rank <= most if wanted is None else id_ in wanted:
                (piece,) = bert.tokenizer.convert_ids_to_tokens([id_])
                sentence = _filled(text, bert.tokenizer.mask_token, mask, piece)
                rows.append((mask, rank, piece, row[id_].item(), sentence))
    return pd.DataFrame(rows, columns=["mask", "rank", "piece", "probability", "sentence"])


def word_probabilities(bert: "Bert", texts: Sequence[str], words: Sequence[str], batch_size: int = 32) -> pd.DataFrame:
    """Return how probable a word is at the [MASK] of a text, for many texts with a word each.

    Parameters
    ----------
    bert
    texts
        With one [MASK] in each.
    words
        As many, each one piece; spelt as in running text (a tokenizer that knows no capitals takes them away).
    batch_size
        How many texts pass through the model together.

    Returns
    -------
    pandas.DataFrame
        A row a text: ``piece``, ``probability``, and ``rank`` in the whole vocabulary, 1 for the most probable.

    Raises
    ------
    MissingPartError
        If the checkpoint was saved without its masked-word head.
    TypeError, ValueError
        As `probabilities`; if a text holds more than one [MASK], a word is not one piece, or there are not as many
        words as texts.

    Examples
    --------
    >>> import bertlab
    >>> bert = bertlab.load("bertlab-mini")
    >>> word_probabilities(bert, ["The [MASK] sat.", "It [MASK] late."], ["Cat", "was"])["piece"].tolist()
    ['cat', 'was']
    """
    if isinstance(words, str):
        raise TypeError(f"Words are a list, one for each text: [{words!r}], also for a single one.")
    if len(texts) != len(words):
        raise ValueError(f"There are {len(texts)} texts and {len(words)} words; each text needs one.")
    ids = [piece_id(bert, word) for word in words]
    rows = []
    for text, id_, shares in zip(texts, ids, probabilities(bert, texts, batch_size), strict=True):
        if len(shares) > 1:
            raise ValueError(
                f"{text!r:.80} holds {len(shares)} [MASK]s, and a word's probability is that at one. Write the others "
                "out, or use fill_mask with the word as a candidate, which answers for each."
            )
        row = shares[0]
        rows.append((bert.tokenizer.convert_ids_to_tokens(id_), row[id_].item(), _rank(row, id_)))
    return pd.DataFrame(rows, columns=["piece", "probability", "rank"])


def sentence_scores(
    bert: "Bert", texts: Sequence[str], *, rest_of_word: bool = False, batch_size: int = 64
) -> pd.DataFrame:
    """Return how much BERT expects sentences as they are: the pseudo-log-likelihood of Salazar et al. (2020).

    Each piece is hidden in turn, and the logarithms of the probabilities that it then gets are added up.

    Parameters
    ----------
    bert
    texts
        With a piece or more in each that can be hidden.
    rest_of_word
        Hide with each piece the later pieces of the same word (Kauf & Ivanova 2023): a word that is split is easily
        guessed from the rest of itself, which makes it look more expected than it is.
    batch_size
        How many masked copies pass through the model together. Changes values only by rounding.

    Returns
    -------
    pandas.DataFrame
        A row a text: ``score`` in nats, zero at most and the lower the less expected, and how many ``pieces`` it adds
        up. Only texts with the same number of pieces compare.

    Raises
    ------
    MissingPartError
        If the checkpoint was saved without its masked-word head.
    TypeError, ValueError
        As `bertlab.masking.masked_loss`; or if a text holds a [MASK], which has no word to score.

    Examples
    --------
    >>> import bertlab
    >>> bert = bertlab.load("bertlab-mini")
    >>> sentence_scores(bert, ["The cat sat.", "It was late."])["pieces"].tolist()
    [4, 4]
    """
    texts = texts if isinstance(texts, str) else listed(texts)  # one string is refused below
    for text in texts if not isinstance(texts, str) else []:
        if isinstance(text, str) and bert.tokenizer.mask_token in text:
            raise ValueError(f"{text!r:.80} holds a [MASK], which has no word to score. Write the sentence out.")
    table = masked_loss(bert, texts, rest_of_word=rest_of_word, batch_size=batch_size)
    loss = table.groupby("text")["loss"]
    return pd.DataFrame({"score": -loss.sum(), "pieces": loss.count()}).reset_index(drop=True)


def piece_id(bert: "Bert", word: str) -> int:
    """Return the id of a word that is one piece, or of a piece such as ``##ing``.

    Raises
    ------
    TypeError, ValueError
        If the word is not a string, or not one piece of this vocabulary.

    Examples
    --------
    >>> import bertlab
    >>> bert = bertlab.load("bertlab-mini")
    >>> bert.tokenizer.convert_ids_to_tokens(piece_id(bert, "Cat"))
    'cat'
    """
    if not isinstance(word, str):
        raise TypeError(f"A word is a string, but this one is {type(word).__name__}: {word!r:.60}.")
    tokenizer = bert.tokenizer
    in_vocabulary = word == tokenizer.unk_token or tokenizer.convert_tokens_to_ids(word) != tokenizer.unk_token_id
    pieces = [word] if in_vocabulary else tokenizer.tokenize(word)
    if pieces == [tokenizer.unk_token]:
        raise ValueError(
            f"{word!r} holds a character that this vocabulary lacks, so it has no piece. Take another word."
        )
    if len(pieces) != 1:
        what = f"{len(pieces)} pieces in this vocabulary ({' '.join(pieces)})" if pieces else "empty"
        raise ValueError(f"{word!r} is {what}, and a [MASK] stands for one piece. Take a word that is one piece.")
    return tokenizer.convert_tokens_to_ids(pieces[0])  # pyrefly: ignore[bad-return]


def _shares(bert: "Bert", hidden: Sequence[Tensor], batch_size: int) -> list[Tensor]:
    """Return the probabilities, (masks, vocabulary), for each text's vectors, (masks, hidden)."""
    head: Any = bert.model.cls.predictions
    with torch.no_grad():  # the texts' vectors together: one at a time takes as long as thirty
        parts = torch.cat(list(hidden)).to(bert.model.device).split(batch_size)
        shares = torch.cat([head(part).softmax(dim=-1).cpu() for part in parts])  # (all masks, vocabulary)
    return list(shares.split([len(rows) for rows in hidden]))


def _rank(shares: Tensor, id_: int) -> int:
    """Return at which rank a piece stands, 1 for the most probable; of equal ones the first comes first."""
    return int((shares > shares[id_]).sum() + (shares[:id_] == shares[id_]).sum()) + 1


def _filled(text: str, mask_token: str, mask: int, piece: str) -> str:
    """Return a text with a piece in the place of one of its [MASK]s; one that continues a word joins it."""
    *_, before = (text[: found.start()] for found in list(re.finditer(re.escape(mask_token), text))[: mask + 1])
    after = text[len(before) + len(mask_token) :]
    return f"{before.rstrip()}{piece[2:]}{after}" if piece.startswith("##") else f"{before}{piece}{after}"


def _refuse_without_mask(bert: "Bert", text: str) -> None:
    """Refuse a text without [MASK], or with something that was meant as one."""
    if not isinstance(text, str):
        raise TypeError(f"A text with a [MASK] is one string, and this is {type(text).__name__}: {text!r:.60}.")
    token = bert.tokenizer.mask_token
    rest = text.replace(token, "")
    if misspelt := MISSPELT.search(rest):
        raise ValueError(f"Type {token} for the hidden word, in just these letters; {text!r:.80} has {misspelt[0]!r}.")
    if rest == text:
        raise ValueError(
            f"{text!r:.80} holds no {token}, so nothing is asked. Put {token} in the place of a word, for example "
            f"'The {token} sat on the mat.'"
        )
