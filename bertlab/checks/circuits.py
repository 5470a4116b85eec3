"""The checks of lesson 9, Circuits."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any

import torch
from torch import Tensor

from bertlab.attention.layer import layer_of
from bertlab.bert.loading import Bert
from bertlab.checks.inputs import generator, other_bert
from bertlab.checks.known import known
from bertlab.checks.outcome import Outcome
from bertlab.checks.runner import judge, once

Pairs = list[tuple[str, str]]
Words = Sequence[Sequence[str]]

# The two sets of pairs of 9.3 for the other BERT, two and two: words of its vocabulary.
FRAMES = ("the {} saw [MASK].", "a {} left [MASK].", "[MASK] {} bank is it.", "it is [MASK] {} bank.")


def swap_vector(answer: Callable) -> Outcome:
    """Check exercise 9.1, one token's vector from another sentence, against torch's where."""

    def truth(own: Tensor, others: Tensor, token: int) -> Tensor:
        return torch.where((torch.arange(len(own)) == token)[:, None], others, own)

    chance = generator()
    cases = [(torch.randn(7, 6, generator=chance), torch.randn(7, 6, generator=chance), 3)]
    cases += [(torch.randn(5, 8, generator=chance), torch.randn(5, 8, generator=chance), 2)]
    return judge(known("9.1"), answer, cases, truth, "only this token's vector comes from the other sentence.")


def swap_each_head(answer: Callable) -> Outcome:
    """Check exercise 9.2, each head of a layer swapped by itself in a batch, against one axis per head."""

    def truth(own: Tensor, others: Tensor, place: int, heads: int) -> Tensor:
        tokens, hidden = own.shape[1:]
        is_head = torch.eye(heads, dtype=torch.bool).repeat_interleave(hidden // heads, dim=1)  # (heads, hidden)
        is_place = torch.arange(tokens) == place
        return torch.where(is_head[:, None, None] & is_place[:, None], others, own)

    chance = generator()
    cases = []
    for shape, place, heads in (((3, 6, 12), 2, 4), ((2, 5, 10), 1, 2)):
        cases.append((torch.randn(shape, generator=chance), torch.randn(shape, generator=chance), place, heads))
    return judge(
        known("9.2"), answer, cases, truth, "in each copy one head at one place comes from the other sentences."
    )


def find_head(bert: Bert, answer: Callable) -> Outcome:
    """Check exercise 9.3, the head that a choice needs most, against hooks on transformers' own model."""
    bert.require("masked-word head")
    asked = once(_Asked)

    def truth(bert: Bert, pairs: Pairs, own_pairs: Pairs, words: Words) -> tuple[int, int, float]:
        layer, head = _largest(asked(bert, pairs, words).lost)
        return layer, head, asked(bert, own_pairs, words).lost[layer, head].item()

    other = other_bert(bert)
    nouns, other_nouns = (_differing(frame, "cat dog house", "river garden") for frame in FRAMES[:2])
    olds, other_olds = (_differing(frame, "old red", "cold") for frame in FRAMES[2:])
    # All cases ask the other BERT, whose sentences differ clearly: shares of hardly any difference are mostly rounding.
    cases: list[tuple[Bert, Pairs, Pairs, Words]] = [
        (other, nouns, other_nouns, [["it"], ["the", "of"]]),
        (other, olds, other_olds, [["a"], ["the"]]),
    ]
    is_, saw = (_differing(f"{start} [MASK] {{}} house.", "red cold", "old") for start in ("It is", "I saw"))
    layer, head, share = truth(bert, is_, saw, [["a"], ["an"]])
    lost = f"without it {share:.2f} is lost in sentences that did not choose it"
    praise = f"{layer}.{head} is needed most for a or an, and {lost}."
    return judge(known("9.3"), answer, cases, truth, praise, atol=0.001)


def _differing(frame: str, firsts: str, seconds: str) -> Pairs:
    """Return all pairs of a word of the first list and one of the second, in a sentence."""
    return [(frame.format(a), frame.format(b)) for a in firsts.split() for b in seconds.split()]


def _largest(table: Tensor) -> tuple[int, int]:
    layer, head = divmod(int(table.argmax()), table.shape[1])
    return layer, head


class _Asked:
    """What each head is worth for a choice, (layers, heads), by hooks on transformers' model."""

    def __init__(self, bert: Bert, pairs: Pairs, words: Words) -> None:
        self.bert = bert
        self.ids = [bert.tokenizer.convert_tokens_to_ids(list(some)) for some in words]
        sides = [list(side) for side in zip(*pairs, strict=True)]
        self.inputs = [bert.tokenizer(side, return_tensors="pt").to(bert.model.device) for side in sides]
        self.places = (self.inputs[0]["input_ids"] == bert.tokenizer.mask_token_id).int().argmax(dim=1)
        self.parts = [layer_of(bert, i).attention.output.dense for i in range(bert.model.config.num_hidden_layers)]
        config = bert.model.config
        self.heads, self.size = config.num_attention_heads, config.hidden_size // config.num_attention_heads
        with torch.no_grad():
            self._measure()

    def _measure(self) -> None:
        (own, made_in_own), (other, made_in_other) = (self._listen(inputs) for inputs in self.inputs)
        whole = (other - own).mean()
        lost, brought = [], []
        for part, mine, theirs in zip(self.parts, made_in_own, made_in_other, strict=True):
            mean = torch.cat([mine, theirs]).mean(dim=0)  # (tokens, hidden)
            for head in range(self.heads):
                columns = slice(head * self.size, (head + 1) * self.size)
                changed = mine.clone(), theirs.clone()
                for made in changed:
                    made[..., columns] = mean[:, columns]
                left = self._said(self.inputs[1], part, changed[1]) - self._said(self.inputs[0], part, changed[0])
                lost.append(1 - left.mean() / whole)
                swapped, rows = mine.clone(), torch.arange(len(mine))
                swapped[rows, self.places, columns] = theirs[rows, self.places, columns]
                brought.append((self._said(self.inputs[0], part, swapped) - own).mean() / whole)
        self.lost, self.brought = (torch.stack(each).view(-1, self.heads).cpu() for each in (lost, brought))

    def _listen(self, inputs: Any) -> tuple[Tensor, list[Tensor]]:
        """Return the preferences, and what the heads of each layer make."""
        made: list[Tensor] = []
        with ExitStack() as stack:
            for part in self.parts:
                handle = part.register_forward_pre_hook(lambda _, given: made.append(given[0]))
                stack.callback(handle.remove)
            return self._preference(inputs), made

    def _said(self, inputs: Any, part: Any, made: Tensor) -> Tensor:
        """Return the preferences with other outputs of the heads of one layer."""
        handle = part.register_forward_pre_hook(lambda *_: (made,))
        try:
            return self._preference(inputs)
        finally:
            handle.remove()

    def _preference(self, inputs: Any) -> Tensor:
        logits = self.bert.model(**inputs).prediction_logits
        at_mask = logits[torch.arange(len(logits)), self.places]
        first, second = (at_mask[:, ids].mean(dim=-1) for ids in self.ids)
        return second - first
