"""The checks of lesson 9, Circuits."""

from collections.abc import Callable, Sequence
from copy import deepcopy

import torch
from torch import Tensor

from bertlab.attention.layer import layer_of
from bertlab.bert.loading import Bert
from bertlab.checks.compare import changed
from bertlab.checks.inputs import NOUNS, OTHERS, SPLIT, VERBS, generator, other_bert
from bertlab.checks.known import known
from bertlab.checks.outcome import Outcome
from bertlab.checks.runner import judge
from bertlab.circuits import patch_heads, share_lost

Pairs = list[tuple[str, str]]
Words = Sequence[Sequence[str]]


def swap_vector(answer: Callable) -> Outcome:
    """Check exercise 9.1, one token's vector from another sentence, against torch's where."""

    def truth(own: Tensor, others: Tensor, token: int) -> Tensor:
        return torch.where((torch.arange(len(own)) == token)[:, None], others, own)

    chance = generator()
    cases = [(torch.randn(7, 6, generator=chance), torch.randn(7, 6, generator=chance), 3)]
    cases += [(torch.randn(5, 8, generator=chance), torch.randn(5, 8, generator=chance), 2)]
    praise = "only this token's vector comes from the other sentence, and own stays as it was."
    outcome = judge(known("9.1"), answer, cases, truth, praise)
    given = deepcopy(cases[0])
    if outcome.status == "right" and answer(*given) is not None and changed(cases[0], given):
        second_name = "(copy = own is no copy: it gives own a second name.)"
        return Outcome("wrong", f"your function changes what it is given: begin with own.clone(). {second_name}")
    return outcome


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
    praise = "in each copy one head at one place comes from the other sentences."
    return judge(known("9.2"), answer, cases, truth, praise)


def find_head(bert: Bert, answer: Callable) -> Outcome:
    """Check exercise 9.3, the head that a choice needs most, against hooks on transformers' own model."""
    bert.require("masked-word head")

    def truth(bert: Bert, pairs: Pairs, own_pairs: Pairs, words: Words) -> tuple[int, int, float]:
        layer, head = _largest(_lost(bert, pairs, words))
        return layer, head, _lost(bert, own_pairs, words)[layer, head].item()

    def praise() -> str:
        is_, saw = (_differing(f"{start} [MASK] {{}} house.", ["red", "cold"], ["old"]) for start in ("It is", "I saw"))
        layer, head = _largest(share_lost(bert, is_, [["a"], ["an"]]))
        share = share_lost(bert, saw, [["a"], ["an"]])[layer, head]
        lost = f"without it {share:.2f} is lost in sentences that did not choose it"
        return f"{layer}.{head} is needed most for a or an, and {lost}."

    # All cases ask the other BERT, whose sentences differ clearly.
    return judge(known("9.3"), answer, _cases(other_bert(bert)), truth, praise, atol=0.001)


def _cases(bert: Bert) -> list[tuple[Bert, Pairs, Pairs, Words]]:
    """Draw two cases with clear results, the first of which tells wrong heads apart."""
    chance = generator()

    def lot(words: Sequence[str], count: int) -> list[str]:
        whole = [word for word in words if word not in SPLIT]
        return [whole[i] for i in torch.randperm(len(whole), generator=chance)[:count]]

    cases: list[tuple[Bert, Pairs, Pairs, Words]] = []
    while len(cases) < 2:
        nouns, verbs, others = lot(NOUNS, 7), lot(VERBS, 2), lot(OTHERS, 3)
        pairs = _differing(f"the {{}} {verbs[0]} [MASK].", nouns[:2], nouns[2:4])
        own_pairs = _differing(f"a {{}} {verbs[1]} [MASK].", nouns[4:6], nouns[6:])
        words = [others[:1], others[1:]]
        lost = share_lost(bert, pairs, words)
        first, second = lost.flatten().topk(2).values
        layer, head = _largest(lost)
        # Shares above 3 are those of a small difference, and mostly rounding.
        if first > 3 or first - second < 0.05 or layer in (0, head):
            continue
        own_lost = share_lost(bert, own_pairs, words)
        heads = {int(table.argmax()) for table in (lost, own_lost, patch_heads(bert, pairs, words))}
        if own_lost.abs().max() < 3 and (cases or len(heads) == 3):
            cases.append((bert, pairs, own_pairs, words))
    return cases


def _differing(frame: str, firsts: Sequence[str], seconds: Sequence[str]) -> Pairs:
    """Return all pairs of one of the first words and one of the second, in a sentence."""
    return [(frame.format(a), frame.format(b)) for a in firsts for b in seconds]


def _largest(table: Tensor) -> tuple[int, int]:
    layer, head = divmod(int(table.argmax()), table.shape[1])
    return layer, head


def _lost(bert: Bert, pairs: Pairs, words: Words) -> Tensor:
    """Return what is lost of a choice with each head at its mean, (layers, heads)."""
    texts = [text for side in zip(*pairs, strict=True) for text in side]
    inputs = bert.tokenizer(texts, return_tensors="pt").to(bert.model.device)
    at_mask = inputs["input_ids"] == bert.tokenizer.mask_token_id
    ids = [bert.tokenizer.convert_tokens_to_ids(list(some)) for some in words]

    def difference() -> Tensor:
        logits = bert.model(**inputs).prediction_logits[at_mask]
        own, other = (logits[:, ids[1]].mean(dim=-1) - logits[:, ids[0]].mean(dim=-1)).chunk(2)
        return (other - own).mean()

    config, whole, lost = bert.model.config, difference(), []
    for layer in range(config.num_hidden_layers):
        for columns in torch.arange(config.hidden_size).chunk(config.num_attention_heads):

            def say_nothing(_: object, given: tuple[Tensor], columns: Tensor = columns) -> tuple[Tensor]:
                made = given[0].clone()  # by all heads, side by side: (texts, tokens, hidden)
                made[..., columns] = made[..., columns].mean(dim=0)
                return (made,)

            with layer_of(bert, layer).attention.output.dense.register_forward_pre_hook(say_nothing):
                lost.append(1 - difference() / whole)
    return torch.stack(lost).view(-1, config.num_attention_heads).cpu()
