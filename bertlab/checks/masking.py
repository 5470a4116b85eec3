"""The checks of lesson 6, Masking."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from bertlab.bert.loading import Bert
from bertlab.checks.context import gain_from_context
from bertlab.checks.inputs import generator, other_bert, sentences
from bertlab.checks.outcome import Outcome
from bertlab.checks.runner import Shortcut, Slip, judge, once
from bertlab.checks.student import notebooks_bert

__all__ = ["fill_batch", "gain_from_context", "masked_word_loss"]

MASK = 4
"""The id of [MASK] in the made-up batches of the first check, where the notebook has no BERT that says another."""


def masked_word_loss(answer: Callable[[Tensor, Tensor, Tensor, Tensor], Tensor | float | None]) -> Outcome:
    """Check exercise 6.1, the loss on the chosen positions, against torch's own cross-entropy.

    Parameters
    ----------
    answer
        Takes logits (tokens, vocabulary), the ids of the text, the ids that went in, and which positions were chosen
        (bool), (tokens,) each; returns the mean loss.

    Returns
    -------
    Outcome
    """
    known = notebooks_bert(answer)
    mask = MASK if known is None else int(known.tokenizer.mask_token_id)

    def mean(logits: Tensor, ids: Tensor, places: Tensor) -> Tensor:
        return cross_entropy(logits[places], ids[places])

    def every(ids: Tensor) -> Tensor:
        return torch.ones_like(ids, dtype=torch.bool)

    return judge(
        answer,
        [_made_up_batch(mask) for _ in range(2)],
        lambda logits, ids, given, chosen: cross_entropy(logits, ids.masked_fill(~chosen, -100)),
        [
            Slip(
                "the loss is taken at all positions: only the chosen ones carry loss, or BERT would be asked to copy.",
                lambda logits, ids, given, chosen: mean(logits, ids, every(ids)),
            ),
            Slip(
                "the loss is taken only where [MASK] stands: of the chosen ones, those with another piece and those "
                "left as they were carry loss, too.",
                lambda logits, ids, given, chosen: mean(logits, ids, given == mask),
            ),
            Slip(
                "the loss is taken only where a piece was exchanged: those that were chosen and left as they were "
                "carry loss, too.",
                lambda logits, ids, given, chosen: mean(logits, ids, given != ids),
            ),
            Slip(
                "BERT is asked for what went in: the answers are the ids of the text.",
                lambda logits, ids, given, chosen: mean(logits, given, chosen),
            ),
            Slip(
                "the losses are added up: the mean divides by how many positions were chosen.",
                lambda logits, ids, given, chosen: mean(logits, ids, chosen) * chosen.sum(),
            ),
            Slip(
                "the sum is divided by the number of all tokens: divide by how many were chosen.",
                lambda logits, ids, given, chosen: mean(logits, ids, chosen) * chosen.float().mean(),
            ),
            Slip(
                "the sign is wrong: the loss is minus the logarithm of the probability.",
                lambda logits, ids, given, chosen: -mean(logits, ids, chosen),
            ),
            Slip(
                "logits are no logarithms of probabilities yet: take log_softmax of them.",
                lambda logits, ids, given, chosen: -logits[chosen, ids[chosen]].mean(),
            ),
        ],
        "your loss equals torch's cross-entropy, which leaves out the positions that were not chosen.",
    )


def _made_up_batch(mask: int = MASK, tokens: int = 40, pieces: int = 26) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return logits, ids, the ids that went in, and the chosen positions, of all three kinds; made anew each time."""
    chance, first = generator(), mask + 1
    logits = 2 * torch.randn(tokens, first + pieces, generator=chance)
    ids = torch.randint(first, first + pieces, (tokens,), generator=chance)
    chosen, given = torch.zeros(tokens, dtype=torch.bool), ids.clone()
    places = torch.randperm(tokens, generator=chance)[:12]
    chosen[places] = True
    given[places[:7]] = mask
    given[places[7:9]] = first + (ids[places[7:9]] - first + 1) % pieces  # always another piece
    return logits, ids, given, chosen


def fill_batch(bert: Bert, answer: Callable[[Bert, list[str]], Tensor | None]) -> Outcome:
    """Check exercise 6.2, the masked-word head on a batch of texts, against transformers' own output.

    Parameters
    ----------
    bert
    answer
        Takes bert and a list of texts with one [MASK] each; returns (texts, vocabulary).

    Returns
    -------
    Outcome
    """
    bert.require("masked-word head")

    @once
    def encoded(bert: Bert, texts: list[str]) -> dict[str, Tensor]:
        return dict(bert.tokenizer(texts, padding=True, return_tensors="pt").to(bert.model.device))

    def places(bert: Bert, texts: list[str]) -> tuple[Tensor, Tensor]:
        rows, columns = (encoded(bert, texts)["input_ids"] == bert.tokenizer.mask_token_id).nonzero(as_tuple=True)
        return rows, columns

    def head(bert: Bert) -> Any:
        return bert.model.cls.predictions

    @once
    def last(bert: Bert, texts: list[str]) -> Tensor:
        return bert.model.bert(**encoded(bert, texts)).last_hidden_state

    def transformed(bert: Bert, texts: list[str], norm: bool = True, bend: bool = True) -> Tensor:
        parts = head(bert).transform
        vectors = parts.dense(last(bert, texts)[places(bert, texts)])
        vectors = parts.transform_act_fn(vectors) if bend else vectors
        return parts.LayerNorm(vectors) if norm else vectors

    def scores(bert: Bert, vectors: Tensor) -> Tensor:
        """Make scores without the bias of what comes out of the transform."""
        return vectors @ bert.model.bert.embeddings.word_embeddings.weight.T

    def ended(bert: Bert, vectors: Tensor) -> Tensor:
        return (scores(bert, vectors) + head(bert).bias).softmax(dim=-1)

    @once
    def logits(bert: Bert, texts: list[str]) -> Tensor:
        return bert.model(**encoded(bert, texts)).prediction_logits[places(bert, texts)]

    def at(where: Callable[[Tensor], Tensor]) -> Callable[[Bert, list[str]], Tensor]:
        def probabilities(bert: Bert, texts: list[str]) -> Tensor:
            rows, columns = places(bert, texts)
            return head(bert)(last(bert, texts)[rows, where(columns)]).softmax(dim=-1)

        return probabilities

    def by_words(bert: Bert, texts: list[str]) -> Tensor:
        rows, columns = places(bert, texts)
        counted = [next(i for i, word in enumerate(text.split()) if "[MASK]" in word) + 1 for text in texts]
        return head(bert)(last(bert, texts)[rows, columns.new_tensor(counted)]).softmax(dim=-1)

    def no_mask(bert: Bert, texts: list[str]) -> Tensor:
        hidden = bert.model.bert(encoded(bert, texts)["input_ids"]).last_hidden_state
        return head(bert)(hidden[places(bert, texts)]).softmax(dim=-1)

    texts = gaps()
    return judge(
        answer,
        [(bert, texts), (other_bert(bert), texts[1:])],
        lambda b, texts: logits(b, texts).softmax(dim=-1),
        [
            Slip("LayerNorm is missing, after GELU.", lambda b, t: ended(b, transformed(b, t, norm=False))),
            Slip(
                "the bias is missing: each piece has a number of its own that is added to its score.",
                lambda b, t: scores(b, transformed(b, t)).softmax(dim=-1),
            ),
            Slip(
                "LayerNorm and the bias are missing.",
                lambda b, t: scores(b, transformed(b, t, norm=False)).softmax(dim=-1),
            ),
            Slip(
                "GELU is missing, the bend between matrix and LayerNorm.",
                lambda b, t: ended(b, transformed(b, t, bend=False)),
            ),
            Slip(
                "the transform is missing: matrix, GELU and LayerNorm.",
                lambda b, t: ended(b, last(b, t)[places(b, t)]),
            ),
            Slip("these are logits: softmax makes probabilities of them.", logits),
            Slip("these are logarithms of probabilities.", lambda b, t: logits(b, t).log_softmax(dim=-1)),
            Slip(
                "softmax goes over the texts: a text's probabilities add up to one, dim=-1.",
                lambda b, t: logits(b, t).softmax(dim=0),
            ),
            Slip("wrong position: this is what is said at [CLS].", at(lambda c: 0 * c)),
            Slip("wrong position: one too early. [CLS] stands at place 0.", at(lambda c: c - 1)),
            Slip("wrong position: one too late.", at(lambda c: c + 1)),
            Slip(
                "wrong position: the place of the first text's [MASK] was taken for all of them.",
                at(lambda c: c[:1].expand(len(c))),
            ),
            Slip(
                "wrong position: words were counted, and BERT reads pieces. A word may be several of them, and a comma "
                "is one: look for the id of [MASK].",
                by_words,
            ),
            Slip("the attention mask is missing: the real tokens look at the padding.", no_mask),
        ],
        "your probabilities equal the model's own, for two batches with padding and two models.",
        shortcuts=[
            Shortcut(
                "the model's own head gives the answer. Go through its parts: matrix, GELU, LayerNorm, word table, "
                "bias, softmax.",
                _asks_the_head,
            )
        ],
    )


def gaps() -> list[str]:
    """Return texts with one [MASK] each, of different lengths, at different places and not at those of words."""
    long, short, middle = sentences(3)
    # A comma and a word of many pieces before the gap, a gap in the beginning, a gap at the very end.
    return [
        f"Of course, uncharacteristically, the [MASK] is old, and {long.lower()}",
        f"[MASK] saw {short.lower()}",
        f"{middle} It is, he said, a [MASK]",
    ]


def _asks_the_head(words: set[str]) -> bool:
    """Return whether the head's output is taken instead of computed: no answer by hand goes without its transform."""
    ready = {"prediction_logits", "fill_mask", "word_probabilities", "pipeline"}
    by_hand = any("transform" in word for word in words)
    return bool(words & ready) or {"bertlab", "probabilities"} <= words or ("model" in words and not by_hand)
