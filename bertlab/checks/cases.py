"""Cases of exercises that ask a BERT, with texts drawn anew at each try, and what the tables need for the truth.

A function that has the name of an exercise's function draws its cases, the quickest first.
"""

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

import bertlab
from bertlab.attention.layer import layer_of
from bertlab.bert.loading import Bert
from bertlab.checks.compare import as_tensor
from bertlab.checks.inputs import NOUNS, OTHERS, SPLIT, VERBS, other_bert, pick, sentences

Pairs = list[tuple[str, str]]
Head = tuple[int, int]  # the number of its layer, and its own


def output(bert: Bert, *texts: list[str], **options: bool) -> Any:
    """Return what transformers' own encoder gives for texts, or for pairs of texts, as one padded batch."""
    inputs = bert.tokenizer(*texts, padding=True, return_tensors="pt").to(bert.model.device)
    return bert.model.bert(**inputs, **options)


def two_batches(bert: Bert, texts: list[str]) -> list[tuple]:
    """Return texts of different lengths as two cases, so that there is much padding."""
    return [(bert, texts[1:]), (other_bert(bert), texts)]


def reads_one_by_one(answer: Callable, bert: Bert, texts: list[str]) -> bool:
    """Return whether a function gives the model each text by itself."""
    sizes: list[int] = []
    watched = deepcopy(bert)
    watched.model.bert.embeddings.register_forward_hook(lambda *given: sizes.append(len(given[-1])))
    answer(watched, texts)
    return max(sizes) == 1


# Lesson 1


def joins_by_tokenizer(answer: Callable, bert: Bert, first: str, second: str) -> bool:
    """Return whether a function lets the tokenizer join a pair: it gives another result where that joins the halves."""
    from tokenizers.processors import TemplateProcessing

    tokenizer: Any = deepcopy(bert.tokenizer)
    specials = [("[CLS]", tokenizer.cls_token_id), ("[SEP]", tokenizer.sep_token_id)]
    turned = "[CLS]:1 $B:1 [SEP]:1 $A:0 [SEP]:0"
    tokenizer.backend_tokenizer.post_processor = TemplateProcessing("[CLS] $A [SEP]", turned, specials)
    one, other = (answer(replace(bert, tokenizer=own), first, second) for own in (bert.tokenizer, tokenizer))
    return not torch.equal(as_tensor(one), as_tensor(other))


def with_like_neighbours(bert: Bert) -> Bert:
    """Return another BERT, most of whose neighbouring positions are a little similar, and some are not."""
    drawn = deepcopy(other_bert(bert))
    rows = drawn.model.bert.embeddings.position_embeddings.weight.data
    new = torch.randn(rows.shape)
    rows.copy_(4 * new + new.roll(1, dims=0))
    return drawn


# Lesson 2


def pool_batch(bert: Bert) -> list[tuple]:
    """Draw batches, one of them for a BERT whose pooler keeps its matrix and bias and returns zeros."""
    texts, other = sentences(3), other_bert(bert)
    silent: Any = deepcopy(other)
    silent.model.bert.pooler.register_forward_hook(lambda module, inputs, output: torch.zeros_like(output))
    return [(other, texts[1:]), (silent, texts), (bert, texts)]


def next_sentence_accuracy(bert: Bert, yes: Pairs, no: Pairs) -> list[tuple]:
    """Draw pairs on which another BERT is always right, then always wrong, then both by lot; and take the lesson's.

    In the last but one there are more pairs of one kind, and some that "do not follow" though they do, so that no
    other way to count gives the right share.
    """
    yes, no = list(yes), list(no)
    sure, follow, strange = right_for_all(other_bert(bert))
    cases = [(sure, follow, strange), (sure, strange, follow)]
    for a, b, c, d in torch.randint(1, len(strange), (2, 4)).tolist():
        cases.append((sure, follow[:a] + strange[:b], strange[-c:] + follow[-d:]))
    return [*cases, (bert, yes[1:] + no[: len(no) // 4], no[: len(no) // 2]), (bert, yes, no)]


def right_for_all(bert: Bert) -> tuple[Bert, Pairs, Pairs]:
    """Return a copy of a BERT with pairs that follow and pairs that do not, all of which it classifies correctly."""
    pairs: Pairs = [(short, long) for long, short in (sentences(2) for _ in range(60))]
    follows = bertlab.pooler.next_sentence(bert, pairs)
    sure: Any = deepcopy(bert)
    # Its yes begins at the middle one of these pairs, so that it says both yes and no.
    sure.model.cls.seq_relationship.bias.data[0] -= follows.median().logit()
    order = follows.argsort().tolist()
    return sure, [pairs[i] for i in order[-13:]], [pairs[i] for i in order[:11]]


# Lesson 3


def vector_at() -> list[tuple[str, str, int]]:
    """Draw sentences, each with a word and where it begins: the last time that its characters occur."""
    noun, other = pick(("cat", "dog", "river", "house", "child", "friend"), 2)  # of one piece, and in no sentence
    texts = {
        f"The {noun} \u265e saw the unquestionableness of it. {sentences(2)[1]}": "unquestionableness",  # many pieces
        f"The {noun} \u265e and the other {noun} are old.": noun,  # was there before
        f"An embankment \u265e of the {other} is not a bank of money.": "bank",  # hides in an earlier word
        f"Horseshoeing a {other} \u265e is hard.": "Horseshoeing",  # comes first, where [CLS] and [SEP] begin too
        f"The old ({noun}), a {other}, saw it.": noun,  # is touched by punctuation marks on both sides
    }
    return [(text, word, text.rindex(word)) for text, word in texts.items()]


# Lesson 4


def head_of_batch(bert: Bert) -> list[tuple]:
    """Draw batches, one of them for a BERT with a head that looks for [PAD], and scores that -10 does not hide."""
    texts, other = sentences(3), deepcopy(other_bert(bert))
    inside: Any = other.model.bert
    attention = inside.encoder.layer[0].attention.self
    inside.embeddings.word_embeddings.weight.data[0] = 10 * attention.key.weight.data[-1]
    attention.query.bias.data[-1] += 8
    attention.key.bias.data[-1] -= 8
    return [(bert, texts[1:], bert.model.config.num_hidden_layers - 1, 1), (other, texts, 0, 2)]


def more_than_others(bert: Bert, texts: Sequence[str]) -> list[tuple]:
    """Draw texts and heads of another BERT, and take the head that looks most at the previous piece."""
    previous = bertlab.attention.measure_heads(bert, texts, ["previous"]).nlargest(1, "previous")
    layer, number = int(previous["layer"].item()), int(previous["head"].item())
    beside = [(layer, head) for head in range(bert.model.config.num_attention_heads) if head != number][:2]
    own, other = sentences(3)[1:], other_bert(bert)
    return [
        (other, own, (5, 1), [(5, 0), (5, 2), (0, 0)]),
        (other, own, (5, 1), [(0, 0)]),
        (other, own, (0, 0), [(5, 1)]),  # one of the two is below zero
        (bert, list(texts), (layer, number), beside),
    ]


def compared(bert: Bert, texts: Sequence[str], head: Head, others: Sequence[Head]) -> str:
    """Return what a head does to the loss, and what others do."""
    whole = loss_without(bert, texts)
    own = loss_without(bert, texts, head) - whole
    theirs = np.mean([loss_without(bert, texts, other) for other in others]) - whole
    return (
        f"without head {head[1]} of layer {head[0]}, which looks most at the previous piece, the loss changes by "
        f"{own:+.2f}; without one of {len(others)} others of its layer by {theirs:+.2f} on average."
    )


def loss_without(bert: Bert, texts: Sequence[str], *heads: Head) -> float:
    """Return the mean loss on each token, masked in turn, with zeros for some heads in the output projection."""
    model: Any = deepcopy(bert.model)
    size = model.config.hidden_size // model.config.num_attention_heads
    losses = []
    with torch.no_grad():
        for layer, head in heads:
            matrix = model.bert.encoder.layer[layer].attention.output.dense.weight
            matrix[:, head * size : (head + 1) * size] = 0
        for text in texts:
            ids = bert.tokenizer(text, return_tensors="pt")["input_ids"][0]
            places = torch.arange(1, len(ids) - 1)
            masked = ids.repeat(len(places), 1)
            masked[places - 1, places] = bert.tokenizer.mask_token_id
            hidden = model.bert(input_ids=masked.to(model.device)).last_hidden_state[places - 1, places]
            losses.append(cross_entropy(model.cls.predictions(hidden).cpu(), ids[places], reduction="none"))
    return float(torch.cat(losses).mean())


# Lesson 6

# The word's letters are inside another word before it; no order of the words is alphabetical.
# After one word comes a full stop, which a search for the word between spaces misses. {} is drawn.
CONFUSED_IN_TEXT = (
    ("Strengthening the {} is harder then selling it, he said.", "then", ["then", "than"]),
    ("Nowhere did he know, in the old {}, where the bank was.", "where", ["where", "were"]),
    ("The {} will rest today and tomorrow, I think, and on Monday to.", "to", ["two", "too", "to"]),
)


def weigh() -> list[tuple[str, str, list[str]]]:
    """Draw texts with a word that is easily confused, and what it is confused with."""
    nouns = pick(NOUNS, len(CONFUSED_IN_TEXT))
    return [(text.format(noun), word, words) for noun, (text, word, words) in zip(nouns, CONFUSED_IN_TEXT, strict=True)]


def gaps() -> list[str]:
    """Draw texts of different lengths with one [MASK] each, at different positions."""
    long, short, middle = sentences(3)
    # A comma and a word of many pieces before the gap, a gap in the beginning, a gap at the very end.
    return [
        f"Of course, uncharacteristically, the [MASK] is old, and {long.lower()}",
        f"[MASK] saw {short.lower()}",
        f"{middle} It is, he said, a [MASK]",
    ]


# Lesson 9


def find_head(bert: Bert) -> list[tuple]:
    """Draw two cases with clear results, the first of which tells wrong heads apart."""
    cases: list[tuple] = []
    while len(cases) < 2:
        nouns = pick([noun for noun in NOUNS if noun not in SPLIT], 7)
        verbs, others = pick(VERBS, 2), pick(OTHERS, 3)
        pairs = _differing(f"the {{}} {verbs[0]} [MASK].", nouns[:2], nouns[2:4])
        own_pairs = _differing(f"a {{}} {verbs[1]} [MASK].", nouns[4:6], nouns[6:])
        words = [others[:1], others[1:]]
        on_pairs = bertlab.circuits.share_lost(bert, pairs, words)
        first, second = on_pairs.flatten().topk(2).values
        layer, head = largest(on_pairs)
        # Shares above 3 are those of a small difference, and mostly rounding.
        if first > 3 or first - second < 0.05 or layer in (0, head):
            continue
        on_own = bertlab.circuits.share_lost(bert, own_pairs, words)
        heads = {largest(table) for table in (on_pairs, on_own, bertlab.circuits.patch_heads(bert, pairs, words))}
        if on_own.abs().max() < 3 and (cases or len(heads) == 3):
            cases.append((bert, pairs, own_pairs, words))
    return cases


def a_or_an(bert: Bert) -> str:
    """Return which head a BERT needs most for *a* or *an*, and how much in sentences that did not choose it."""
    is_, saw = (_differing(f"{start} [MASK] {{}} house.", ["red", "cold"], ["old"]) for start in ("It is", "I saw"))
    layer, head = largest(bertlab.circuits.share_lost(bert, is_, [["a"], ["an"]]))
    share = bertlab.circuits.share_lost(bert, saw, [["a"], ["an"]])[layer, head]
    is_needed = f"L{layer}H{head} is needed most for a or an"
    return f"{is_needed}, and without it {share:.2f} is lost in sentences that did not choose it."


def _differing(frame: str, firsts: Sequence[str], seconds: Sequence[str]) -> Pairs:
    """Return all pairs of one of the first words and one of the second, in a sentence."""
    return [(frame.format(a), frame.format(b)) for a in firsts for b in seconds]


def largest(table: Tensor) -> Head:
    """Return the layer and head with the largest value."""
    return divmod(int(table.argmax()), table.shape[1])


def lost(bert: Bert, pairs: Pairs, words: Sequence[Sequence[str]]) -> Tensor:
    """Return what is lost of a choice with each head at its mean, (layers, heads)."""
    texts = [text for side in zip(*pairs, strict=True) for text in side]
    inputs = bert.tokenizer(texts, return_tensors="pt").to(bert.model.device)
    at_mask = inputs["input_ids"] == bert.tokenizer.mask_token_id
    ids = [bert.tokenizer.convert_tokens_to_ids(list(some)) for some in words]

    def difference() -> Tensor:
        logits = bert.model(**inputs).prediction_logits[at_mask]
        own, other = (logits[:, ids[1]].mean(dim=-1) - logits[:, ids[0]].mean(dim=-1)).chunk(2)
        return (other - own).mean()

    config, whole, shares = bert.model.config, difference(), []
    for layer in range(config.num_hidden_layers):
        for columns in torch.arange(config.hidden_size).chunk(config.num_attention_heads):

            def say_nothing(_: object, given: tuple[Tensor], columns: Tensor = columns) -> tuple[Tensor]:
                made = given[0].clone()  # by all heads, side by side: (texts, tokens, hidden)
                made[..., columns] = made[..., columns].mean(dim=0)
                return (made,)

            with layer_of(bert, layer).attention.output.dense.register_forward_pre_hook(say_nothing):
                shares.append(1 - difference() / whole)
    return torch.stack(shares).view(-1, config.num_attention_heads).cpu()
