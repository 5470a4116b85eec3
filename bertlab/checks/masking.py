"""The checks of lesson 6, Masking."""

import re
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from bertlab.bert.loading import Bert
from bertlab.checks.outcome import Outcome, Slip, judge

TEXTS = ["The cat [MASK] on the mat.", "[MASK] rained.", "I love my old [MASK]"]

MASK = 4  # the id that stands for [MASK] in the made-up batches of the first check

# Each with a word that hardly any vocabulary has in one piece, a sign at the end, and one inside.
GAPS = (
    ("The unquestionableness of it, he said, was [MASK].", "the"),
    ("In the night, the [MASK] saw an uncharacteristically old bank.", "cat"),
)


def masked_word_loss(answer: Callable[[Tensor, Tensor, Tensor, Tensor], Tensor | float | None]) -> Outcome:
    """Check exercise 6.1, the loss on the chosen positions, against torch's own cross-entropy.

    Parameters
    ----------
    answer : callable
        Takes logits (tokens, vocabulary), the ids of the text, the ids that went in, and which positions were chosen
        (bool), (tokens,) each; returns the mean loss.

    Returns
    -------
    Outcome
    """

    def mean(logits: Tensor, ids: Tensor, places: Tensor) -> Tensor:
        return cross_entropy(logits[places], ids[places])

    def every(ids: Tensor) -> Tensor:
        return torch.ones_like(ids, dtype=torch.bool)

    return judge(
        answer,
        [_made_up_batch(seed) for seed in (1, 2)],
        lambda logits, ids, given, chosen: cross_entropy(logits, ids.masked_fill(~chosen, -100)),
        [
            Slip(
                "the loss is taken at all positions: only the chosen ones carry loss, or BERT would be asked to copy.",
                lambda logits, ids, given, chosen: mean(logits, ids, every(ids)),
            ),
            Slip(
                "the loss is taken only where [MASK] stands: of the chosen ones, those with another piece and those "
                "left as they were carry loss, too.",
                lambda logits, ids, given, chosen: mean(logits, ids, given == MASK),
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


def _made_up_batch(seed: int, tokens: int = 40, vocabulary: int = 30) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return logits, ids, the ids that went in, and the chosen positions, of all three kinds."""
    generator = torch.Generator().manual_seed(seed)
    logits = 2 * torch.randn(tokens, vocabulary, generator=generator)
    ids = torch.randint(5, vocabulary, (tokens,), generator=generator)
    chosen, given = torch.zeros(tokens, dtype=torch.bool), ids.clone()
    places = torch.randperm(tokens, generator=generator)[:12]
    chosen[places] = True
    given[places[:7]] = MASK
    given[places[7:9]] = 5 + (ids[places[7:9]] - 4) % (vocabulary - 5)  # always another piece
    return logits, ids, given, chosen


def fill_batch(bert: Bert, answer: Callable[[Bert, list[str]], Tensor | None]) -> Outcome:
    """Check exercise 6.2, the masked-word head on a batch of texts, against transformers' own output.

    Parameters
    ----------
    bert : Bert
    answer : callable
        Takes bert and a list of texts with one [MASK] each; returns (texts, vocabulary).

    Returns
    -------
    Outcome
    """
    bert.require("masked-word head")
    head: Any = bert.model.cls.predictions
    transform, table = head.transform, bert.model.bert.embeddings.word_embeddings.weight

    def encoded(texts: list[str]) -> dict[str, Tensor]:
        return dict(bert.tokenizer(texts, padding=True, return_tensors="pt").to(bert.model.device))

    def places(texts: list[str]) -> tuple[Tensor, Tensor]:
        rows, columns = (encoded(texts)["input_ids"] == bert.tokenizer.mask_token_id).nonzero(as_tuple=True)
        return rows, columns

    def at_mask(texts: list[str]) -> Tensor:
        return bert.model.bert(**encoded(texts)).last_hidden_state[places(texts)]

    def ended(vectors: Tensor) -> Tensor:
        """Make probabilities of what comes out of the transform."""
        return (vectors @ table.T + head.bias).softmax(dim=-1)

    def at(texts: list[str], where: Callable[[Tensor], Tensor]) -> Tensor:
        rows, columns = places(texts)
        return head(bert.model.bert(**encoded(texts)).last_hidden_state[rows, where(columns)]).softmax(dim=-1)

    def no_mask(texts: list[str]) -> Tensor:
        ids = encoded(texts)["input_ids"]
        return head(bert.model.bert(ids).last_hidden_state[places(texts)]).softmax(dim=-1)

    dense, bend, norm = transform.dense, transform.transform_act_fn, transform.LayerNorm
    return judge(
        answer,
        [(bert, TEXTS), (bert, TEXTS[1:])],
        lambda _, texts: bert.model(**encoded(texts)).prediction_logits[places(texts)].softmax(dim=-1),
        [
            Slip("LayerNorm is missing, after GELU.", lambda _, t: ended(bend(dense(at_mask(t))))),
            Slip(
                "the bias is missing: each piece has a number of its own that is added to its score.",
                lambda _, t: (norm(bend(dense(at_mask(t)))) @ table.T).softmax(dim=-1),
            ),
            Slip(
                "LayerNorm and the bias are missing.", lambda _, t: (bend(dense(at_mask(t))) @ table.T).softmax(dim=-1)
            ),
            Slip(
                "GELU is missing, the bend between matrix and LayerNorm.", lambda _, t: ended(norm(dense(at_mask(t))))
            ),
            Slip("the transform is missing: matrix, GELU and LayerNorm.", lambda _, t: ended(at_mask(t))),
            Slip(
                "these are logits: softmax makes probabilities of them.",
                lambda _, t: bert.model(**encoded(t)).prediction_logits[places(t)],
            ),
            Slip("these are logarithms of probabilities.", lambda _, t: head(at_mask(t)).log_softmax(dim=-1)),
            Slip(
                "softmax goes over the texts: a text's probabilities add up to one, dim=-1.",
                lambda _, t: head(at_mask(t)).softmax(dim=0),
            ),
            Slip("wrong position: this is what is said at [CLS].", lambda _, t: at(t, lambda c: 0 * c)),
            Slip(
                "wrong position: one too early. [CLS] stands at place 0.",
                lambda _, t: at(t, lambda c: c - 1),
            ),
            Slip("wrong position: one too late.", lambda _, t: at(t, lambda c: c + 1)),
            Slip(
                "wrong position: the place of the first text's [MASK] was taken for all of them.",
                lambda _, t: at(t, lambda c: c[:1].expand(len(c))),
            ),
            Slip("the attention mask is missing: the real tokens look at the padding.", lambda _, t: no_mask(t)),
        ],
        "your probabilities equal the model's own, for two batches with padding.",
        atol=1e-5,
    )


def gain_from_context(bert: Bert, answer: Callable[[Bert, str, str], Tensor | float | None]) -> Outcome:
    """Check exercise 6.3, what the other words tell about a hidden one, against transformers' own output.

    Parameters
    ----------
    bert : Bert
    answer : callable
        Takes bert, a text with one [MASK], and a word of one piece; returns one number.

    Returns
    -------
    Outcome
    """
    bert.require("masked-word head")
    tokenizer = bert.tokenizer
    mask, special = tokenizer.mask_token_id, {tokenizer.cls_token_id, tokenizer.sep_token_id}

    def logarithm(text: str, word: str, hide: Callable[[int, int, str], bool] = lambda *_: False) -> Tensor:
        """Return the word's log-probability at [MASK], with the pieces hidden that `hide` says (place, gap, piece)."""
        ids = tokenizer(text, return_tensors="pt")["input_ids"][0]
        pieces, gap = tokenizer.convert_ids_to_tokens(ids), int((ids == mask).nonzero())
        given = ids.clone()
        for place, piece in enumerate(pieces):
            if int(ids[place]) not in special and hide(place, gap, piece):
                given[place] = mask
        logits = bert.model(given[None].to(bert.model.device)).prediction_logits[0, gap]
        return logits.log_softmax(dim=-1)[tokenizer.convert_tokens_to_ids(word)].cpu()

    def is_word(_place: int, _gap: int, piece: str) -> bool:
        return any(letter.isalnum() for letter in piece)

    def gain(bare: Callable[[str, str], Tensor]) -> Callable[[Bert, str, str], Tensor]:
        return lambda _, text, word: logarithm(text, word) - bare(text, word)

    def without(text: str, word: str) -> Tensor:
        return logarithm(text, word, is_word)

    def a_mask_each_word(text: str, word: str) -> Tensor:
        """Hide words instead of pieces: the text is then shorter in pieces."""
        marked = text.replace("[MASK]", "\0")
        fewer = re.sub(r"\w+", "[MASK]", marked)
        gap = marked[: marked.index("\0")]
        ids = tokenizer(fewer.replace("\0", "[MASK]"), return_tensors="pt")["input_ids"].to(bert.model.device)
        logits = bert.model(ids).prediction_logits[0, ids[0] == mask][len(re.findall(r"\w+", gap))]
        return logits.log_softmax(dim=-1)[tokenizer.convert_tokens_to_ids(word)].cpu()

    return judge(
        answer,
        [(bert, text, word) for text, word in GAPS],
        gain(without),
        [
            Slip(
                "the signs are hidden as well: without full stop and comma, more is lost than the words.",
                gain(lambda t, w: logarithm(t, w, lambda *_: True)),
            ),
            Slip(
                "only the sign at the end is left: the comma is no word, either.",
                gain(lambda t, w: logarithm(t, w, lambda place, gap, piece: piece != ".")),
            ),
            Slip(
                "the pieces are not matched: one [MASK] for each word makes a shorter text. Hide each piece.",
                gain(a_mask_each_word),
            ),
            Slip(
                "the text is cut down to [MASK]: its length and its full stop are lost, too.",
                gain(lambda t, w: logarithm("[MASK]", w)),
            ),
            Slip(
                "the text is cut down to [MASK] and its full stop: its length is lost, too.",
                gain(lambda t, w: logarithm("[MASK].", w)),
            ),
            Slip(
                "only the words before the gap are hidden.",
                gain(lambda t, w: logarithm(t, w, lambda p, gap, piece: p < gap and is_word(p, gap, piece))),
            ),
            Slip(
                "only the words after the gap are hidden.",
                gain(lambda t, w: logarithm(t, w, lambda p, gap, piece: p > gap and is_word(p, gap, piece))),
            ),
            Slip(
                "it is the other way round: the logarithm in the whole text comes first.",
                lambda _, t, w: without(t, w) - logarithm(t, w),
            ),
            Slip(
                "these are probabilities: take their logarithms, then the difference.",
                lambda _, t, w: logarithm(t, w).exp() - without(t, w).exp(),
            ),
            Slip(
                "this is the ratio of the probabilities: take its logarithm.",
                lambda _, t, w: gain(without)(_, t, w).exp(),
            ),
            Slip("nothing is taken away: this is the logarithm in the whole text.", lambda _, t, w: logarithm(t, w)),
            Slip("this is the logarithm without the context alone.", lambda _, t, w: without(t, w)),
        ],
        "your numbers equal those of the model's own output, in two texts with signs and with a split word.",
        atol=2e-4,
    )
