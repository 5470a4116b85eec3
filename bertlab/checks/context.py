"""The check of exercise 6.3, what the other words tell about a hidden one."""

import re
from collections.abc import Callable
from typing import Any

from torch import Tensor

from bertlab.bert.loading import Bert
from bertlab.checks.inputs import other_bert
from bertlab.checks.outcome import Outcome
from bertlab.checks.runner import Slip, judge

# Each with a word that hardly any vocabulary has in one piece, a sign at the end, and one inside.
GAPS = (
    ("The unquestionableness of it, he said, was [MASK].", "the"),
    ("In the night, the [MASK] saw an uncharacteristically old bank.", "cat"),
)


def gain_from_context(bert: Bert, answer: Callable[[Bert, str, str], Tensor | float | None]) -> Outcome:
    """Check exercise 6.3, what the other words tell about a hidden one, against transformers' own output.

    Parameters
    ----------
    bert
    answer
        Takes bert, a text with one [MASK], and a word of one piece; returns one number.

    Returns
    -------
    Outcome
    """
    bert.require("masked-word head")

    def head(bert: Bert) -> Any:
        return bert.model.cls.predictions

    def logarithm(bert: Bert, text: str, word: str, hide: Callable[[int, int, str], bool] = lambda *_: False) -> Tensor:
        """Return the word's log-probability at [MASK], with the pieces hidden that `hide` says (place, gap, piece)."""
        tokenizer = bert.tokenizer
        ids = tokenizer(text, return_tensors="pt")["input_ids"][0]
        pieces, gap = tokenizer.convert_ids_to_tokens(ids), int((ids == tokenizer.mask_token_id).nonzero())
        given = ids.clone()
        for place, piece in enumerate(pieces):
            if piece not in (tokenizer.cls_token, tokenizer.sep_token) and hide(place, gap, piece):
                given[place] = tokenizer.mask_token_id
        hidden = bert.model.bert(given[None].to(bert.model.device)).last_hidden_state[0, gap]
        logits: Tensor = head(bert)(hidden)  # at the gap alone: at every place it takes most of the time
        return logits.log_softmax(dim=-1)[tokenizer.convert_tokens_to_ids(word)].cpu()

    def is_word(_place: int, _gap: int, piece: str) -> bool:
        return any(letter.isalnum() for letter in piece)

    def gain(bare: Callable[[Bert, str, str], Tensor]) -> Callable[[Bert, str, str], Tensor]:
        return lambda bert, text, word: logarithm(bert, text, word) - bare(bert, text, word)

    def without(bert: Bert, text: str, word: str) -> Tensor:
        return logarithm(bert, text, word, is_word)

    def a_mask_each_word(bert: Bert, text: str, word: str) -> Tensor:
        """Hide words instead of pieces: the text is then shorter in pieces."""
        marked = text.replace("[MASK]", "\0")
        fewer = re.sub(r"\w+", "[MASK]", marked)
        gap = marked[: marked.index("\0")]
        tokenizer = bert.tokenizer
        ids = tokenizer(fewer.replace("\0", "[MASK]"), return_tensors="pt")["input_ids"].to(bert.model.device)
        places = (ids[0] == tokenizer.mask_token_id).nonzero().flatten()
        hidden = bert.model.bert(ids).last_hidden_state[0, places[len(re.findall(r"\w+", gap))]]
        logits: Tensor = head(bert)(hidden)
        return logits.log_softmax(dim=-1)[tokenizer.convert_tokens_to_ids(word)].cpu()

    return judge(
        answer,
        [(model, text, word) for model in (bert, other_bert(bert)) for text, word in GAPS],
        gain(without),
        [
            Slip(
                "the signs are hidden as well: without full stop and comma, more is lost than the words.",
                gain(lambda b, t, w: logarithm(b, t, w, lambda *_: True)),
            ),
            Slip(
                "only the sign at the end is left: the comma is no word, either.",
                gain(lambda b, t, w: logarithm(b, t, w, lambda place, gap, piece: piece != ".")),
            ),
            Slip(
                "the pieces are not matched: one [MASK] for each word makes a shorter text. Hide each piece.",
                gain(a_mask_each_word),
            ),
            Slip(
                "the text is cut down to [MASK]: its length and its full stop are lost, too.",
                gain(lambda b, t, w: logarithm(b, "[MASK]", w)),
            ),
            Slip(
                "the text is cut down to [MASK] and its full stop: its length is lost, too.",
                gain(lambda b, t, w: logarithm(b, "[MASK].", w)),
            ),
            Slip(
                "only the words before the gap are hidden.",
                gain(lambda b, t, w: logarithm(b, t, w, lambda p, gap, piece: p < gap and is_word(p, gap, piece))),
            ),
            Slip(
                "only the words after the gap are hidden.",
                gain(lambda b, t, w: logarithm(b, t, w, lambda p, gap, piece: p > gap and is_word(p, gap, piece))),
            ),
            Slip(
                "it is the other way round: the logarithm in the whole text comes first.",
                lambda b, t, w: without(b, t, w) - logarithm(b, t, w),
            ),
            Slip(
                "these are probabilities: take their logarithms, then the difference.",
                lambda b, t, w: logarithm(b, t, w).exp() - without(b, t, w).exp(),
            ),
            Slip(
                "this is the ratio of the probabilities: take its logarithm.",
                lambda b, t, w: gain(without)(b, t, w).exp(),
            ),
            Slip("nothing is taken away: this is the logarithm in the whole text.", logarithm),
            Slip("this is the logarithm without the context alone.", without),
        ],
        "your numbers equal those of the model's own output, in two texts with signs and a split word, for two models.",
        atol=2e-4,  # differences of logarithms near ten
    )
