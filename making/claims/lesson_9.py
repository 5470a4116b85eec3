"""Lesson 9's claims once more, by hooks: python making/claims/lesson_9.py FOLDER.

Heads are chosen on the first nouns, by what their output brings; the other nouns test them.
"""

import sys
from collections.abc import Callable, Iterable

import numpy as np
import pandas as pd
import torch
from base import DATA, lead, read
from sklearn.linear_model import LogisticRegression

bert = read(sys.argv[1])
layers, heads = bert.model.config.num_hidden_layers, bert.model.config.num_attention_heads
size = bert.model.config.hidden_size // heads
blocks = bert.model.bert.encoder.layer
nouns = pd.read_csv(DATA / "number_nouns.csv")
FORMS = {new: nouns.loc[(nouns["set"] != "first") == new, ["singular", "plural"]].to_numpy().tolist() for new in (0, 1)}
FRAME = "The {} near the {} [MASK] very old."
NUMBER, ARTICLE = [["is", "was"], ["are", "were"]], [["a"], ["an"]]


def pairs(new: int, changed: int = 0, frame: str = FRAME) -> tuple[list[str], list[str]]:
    """Return both sides: one noun (0 the first, 1 the other) in the singular and in the plural, the other in both."""
    both = ([], [])
    for forms, others in zip(FORMS[new], FORMS[new][7:] + FORMS[new][:7], strict=True):
        for other in others:
            for side, one in zip(both, forms, strict=True):
                side.append(frame.format(*((one, other) if changed == 0 else (other, one))))
    return both


def ids_of(texts: list[str]) -> torch.Tensor:
    """Return the ids of texts of one length."""
    return bert.tokenizer(texts, return_tensors="pt")["input_ids"]


def mask_of(ids: torch.Tensor) -> torch.Tensor:
    """Return the position of each text's [MASK]."""
    return (ids == bert.tokenizer.mask_token_id).int().argmax(dim=1)


@torch.no_grad()
def says(ids: torch.Tensor, words: list[list[str]], hooks: Iterable[tuple[int, str, Callable]] = ()) -> np.ndarray:
    """Return how much the second words are preferred at [MASK], with hooks on what layers' heads or layers give."""
    handles = []
    for layer, kind, change in hooks:
        if kind == "heads":
            dense = blocks[layer].attention.output.dense
            handles.append(dense.register_forward_pre_hook(lambda _, given, change=change: (change(given[0]),)))
        else:
            handles.append(blocks[layer].register_forward_pre_hook(lambda _, a, change=change: (change(a[0]), *a[1:])))
    scores = bert.model(input_ids=ids).prediction_logits[torch.arange(len(ids)), mask_of(ids)]
    for handle in handles:
        handle.remove()
    first, second = (scores[:, bert.tokenizer.convert_tokens_to_ids(some)].mean(dim=1) for some in words)
    return (second - first).numpy()


@torch.no_grad()
def inside(ids: torch.Tensor) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
    """Return the hidden states, and what the heads of each layer make, side by side."""
    made, handles = [], []
    for block in blocks:
        dense = block.attention.output.dense
        handles.append(dense.register_forward_pre_hook(lambda _, given: made.append(given[0].clone())))
    hidden = bert.model.bert(input_ids=ids, output_hidden_states=True).hidden_states
    for handle in handles:
        handle.remove()
    return list(hidden), made


def replaced(value: torch.Tensor, positions: torch.Tensor, columns: slice = slice(None)) -> Callable:
    """Return a change that takes some numbers at each text's position from `value`."""

    def change(given: torch.Tensor) -> torch.Tensor:
        given, rows = given.clone(), torch.arange(len(given))
        given[rows, positions, columns] = value[rows, positions, columns]
        return given

    return change


def by_heads(texts: tuple[list[str], list[str]], words: list[list[str]], position: int | None = None) -> np.ndarray:
    """Return what comes with each head at a position, (heads of all layers, pairs), in parts of the mean difference."""
    low, high = (ids_of(side) for side in texts)
    positions = mask_of(low) if position is None else torch.full((len(low),), position)
    before, (_, made) = says(low, words), inside(high)
    whole = (says(high, words) - before).mean()
    moved = []
    for number in range(layers * heads):
        layer, head = divmod(number, heads)
        change = replaced(made[layer], positions, slice(head * size, (head + 1) * size))
        moved.append((says(low, words, [(layer, "heads", change)]) - before) / whole)
    return np.array(moved)


def by_vectors(texts: tuple[list[str], list[str]], layer: int) -> np.ndarray:
    """Return what comes with each position's vector before a layer, (positions, pairs)."""
    low, high = (ids_of(side) for side in texts)
    before, (hidden, _) = says(low, NUMBER), inside(high)
    whole = (says(high, NUMBER) - before).mean()
    changes = [replaced(hidden[layer], torch.full((len(low),), at)) for at in range(low.shape[1])]
    return np.array([(says(low, NUMBER, [(layer, "layer", change)]) - before) / whole for change in changes])


def kept_by(texts: tuple[list[str], list[str]], sets: list[list[tuple[int, int, int]]]) -> np.ndarray:
    """Return what is left if all heads but a set give their mean, (sets, pairs)."""
    low, high = (ids_of(side) for side in texts)
    means = [torch.cat(both).mean(dim=0) for both in zip(inside(low)[1], inside(high)[1], strict=True)]
    whole, left = (says(high, NUMBER) - says(low, NUMBER)).mean(), []
    for some in sets:
        own = [torch.zeros_like(mean, dtype=torch.bool) for mean in means]
        for layer, head, position in some:
            own[layer][position, head * size : (head + 1) * size] = True
        hooks = [(i, "heads", lambda given, i=i, own=own: torch.where(own[i], given, means[i])) for i in range(layers)]
        left.append((says(high, NUMBER, hooks) - says(low, NUMBER, hooks)) / whole)
    return np.array(left)


def name(number: int) -> str:
    """Return layer and head of a number that counts through all layers."""
    return "L{}H{}".format(*divmod(int(number), heads))


def best_of(brought: np.ndarray, many: int = 1) -> list[int]:
    """Return the heads that bring most."""
    return [int(number) for number in np.argsort(-brought.mean(axis=1), kind="stable")[:many]]


def beside(first: np.ndarray, other: np.ndarray, groups: np.ndarray) -> str:
    """Return the first number and the lead, in hundredths of the difference."""
    return f"{first.mean():.3f}, beside {np.mean(other):.3f}; {lead(first, other, groups.tolist())}"


# 1: a or an
choices = pd.read_csv(DATA / "choice_pairs.csv").query("task == 'a / an'")
articles = by_heads((choices["text"].tolist(), choices["other"].tolist()), ARTICLE)
one, two = best_of(articles, 2)
of_nouns = np.array([" / ".join(sorted({*a.split()} ^ {*b.split()})) for a, b in choices[["text", "other"]].to_numpy()])
print(f"a or an: {name(one)} brings, beside {name(two)}:", beside(articles[one], articles[two], of_nouns))

# 2 and 5: where the number is after two layers
first, new = pairs(0), pairs(1)
of_noun = np.repeat(np.arange(len(FORMS[0])), 2)
for layer in range(1, layers):
    shares = by_vectors(first, layer)
    row = " ".join(
        f"{label} {shares[at].mean():.2f}"
        for label, at in zip(("[CLS]", "the", "noun", "near", "[MASK]"), (0, 1, 2, 3, 6), strict=True)
    )
    print(f"after {layer} layers: {row}")
    print("  the article beside the noun:", beside(shares[1], shares[2], of_noun))
known, unseen = (
    np.stack([h.numpy() for side in texts for h in inside(ids_of(side))[0][2][:, :4]]) for texts in (first, new)
)
labels, asked = (np.repeat([0, 1], len(texts[0])) for texts in (first, new))
new_noun = np.tile(np.repeat(np.arange(len(FORMS[1])), 2), 2)
for label, at in (("[CLS]", 0), ("the noun", 2)):
    right = LogisticRegression(max_iter=1000).fit(known[:, at], labels).predict(unseen[:, at]) == asked
    print(f"a probe after two layers, {label}:", beside(right, np.full(len(right), 0.5), new_noun))
cls = by_vectors(tuple(side[:40] for side in new), 2)[0]
print("[CLS] swapped, new nouns:", beside(cls, np.zeros(len(cls)), np.repeat(np.arange(20), 2)))

# 4: two knobs
reader, echo = best_of(by_heads(first, NUMBER))[0], best_of(by_heads(pairs(0, 1), NUMBER))[0]
hard = pd.read_csv(DATA / "hard_agreement.csv")


@torch.no_grad()
def right_verbs(column: str, head: int | None = None, factor: float = 1.0) -> np.ndarray:
    """Return in which sentences the right verb is the more probable one, with a head's output times a factor."""
    handle = None
    if head is not None:
        layer, number = divmod(head, heads)
        scale = torch.ones(heads * size)
        scale[number * size : (number + 1) * size] = factor
        dense = blocks[layer].attention.output.dense
        handle = dense.register_forward_pre_hook(lambda _, given: (given[0] * scale,))
    given = bert.tokenizer(hard[column].tolist(), padding=True, return_tensors="pt")
    logits = bert.model(**given).prediction_logits
    at = (given["input_ids"] == bert.tokenizer.mask_token_id).int().argmax(dim=1)
    good, bad = (bert.tokenizer.convert_tokens_to_ids(hard[verb].tolist()) for verb in ("right", "wrong"))
    rows = torch.arange(len(hard))
    if handle:
        handle.remove()
    return (logits[rows, at, good] > logits[rows, at, bad]).numpy()


verbs_of = hard["verb"].tolist()
as_it_is = {column: right_verbs(column) for column in ("text", "easy")}
for what, head, factor in ((f"reader {name(reader)} doubled", reader, 2), (f"echo {name(echo)} off", echo, 0)):
    turned = {column: right_verbs(column, head, factor) for column in ("text", "easy")}
    print(
        f"{what}: hard {as_it_is['text'].sum()} to {turned['text'].sum()}, "
        f"easy {as_it_is['easy'].sum()} to {turned['easy'].sum()}"
    )
    print("  hard:", lead(turned["text"], as_it_is["text"], verbs_of))

# 6 and 7: other sentences
for frame in ("Near the {1}, the {0} [MASK] very old.", "[MASK] the {} near the {} very old?"):
    brought = by_heads(pairs(0, 0, frame), NUMBER)
    best, next_one = best_of(brought, 2)
    print(f"{frame} {name(best)}, beside {name(next_one)}:", beside(brought[best], brought[next_one], of_noun))
    print(f"  beside the reader {name(reader)}:", beside(brought[best], brought[reader], of_noun))

# 3: four heads, the slowest: two minutes on an idle core
four = [
    (*divmod(number, heads), at)
    for at, many in ((1, 1), (3, 1), (6, 2))
    for number in best_of(by_heads(first, NUMBER, at), many)
]
draw, sets = np.random.default_rng(0), []
for _ in range(200):
    shuffled = [draw.permutation(heads) for _ in range(layers)]
    sets.append([(layer, int(shuffled[layer][head]), at) for layer, head, at in four])
of_new = np.repeat(np.arange(len(FORMS[1])), 2)
kept = kept_by(new, [four, [(1, 2, 1), (1, 3, 3), (2, 7, 6), (3, 0, 6)], *sets])
others = kept[2:].mean(axis=1)
print("four heads:", [f"L{layer}H{head} at {at}" for layer, head, at in four])
print("  keep, beside the luckiest random set:", beside(kept[0], kept[2 + others.argmax()], of_new))
print(
    f"  random sets: median {np.median(others):.2f}, most {others.max():.2f}, 95 % below "
    f"{np.quantile(others, 0.95):.2f}"
)
print(f"  bertlab-mini's four keep {kept[1].mean():.2f}")
