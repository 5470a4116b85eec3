"""The recorded runs of lesson 9: the number of a noun on its way to the verb, and what is lost without single heads.

python making/record_circuits.py bertlab/data/circuit_runs.csv --seeds 4    # some minutes on one core

Each pair of sentences differs in the number of one noun. An interval draws nouns and frames again, both at once.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
import torch
from sklearn.linear_model import LogisticRegression
from torch import Tensor

import bertlab
from bertlab.attention.layer import features_of
from bertlab.bert.loading import Bert
from bertlab.circuits import scaled
from bertlab.circuits.means import left_with_heads, left_without_heads, means_of_heads
from bertlab.circuits.patching import differences, moved_by_heads
from bertlab.circuits.sides import Choice, Side, after_heads, layers_of, onward, sides
from recording import record

SETS = {"first": ("first", "first"), "new": ("new", "new"), "irregular": ("irregular", "new")}  # nouns, frames
RESAMPLES, DRAWS = 2000, 5
HEADS = [(layer, head) for layer in range(4) for head in range(8)]
CLOSELY = [(2, 7), (1, 2), (1, 3), (3, 0), (1, 4)]  # heads of which all three ways of switching off are compared


class Frame(NamedTuple):
    """The pairs of one frame, the positions of its parts, and what is asked."""

    number: int
    pairs: list[tuple[str, str]]
    nouns: np.ndarray  # the number of the noun that changes, (pairs,)
    words: tuple[list[str], list[str]]
    parts: dict[str, list[int]]  # article, noun, between, [MASK]


def frames(nouns: str, of_frames: str, changed: str) -> Iterator[Frame]:
    """Yield the frames of a set with pairs of its nouns; the noun that stays is drawn, and comes in both numbers.

    What changes is the number of the "subject" or of the "near noun", or the "noun": another one of the same number.
    """
    words = bertlab.data.read("number_nouns").query("set == @nouns")[["singular", "plural"]].to_numpy()
    of_set = bertlab.data.read("number_frames").query("set == @of_frames").reset_index()
    for row in of_set.itertuples():
        shift = 1 + np.random.default_rng(row.Index).integers(len(words) - 1, size=len(words))
        others = words[(np.arange(len(words)) + shift) % len(words)]  # never the same noun
        pairs = []
        for noun, following, other in zip(words, np.roll(words, -1, axis=0), others, strict=True):
            for number, fixed in enumerate(other):
                forms = (noun[number], following[number]) if changed == "noun" else noun
                two = [(fixed, form) if changed == "near noun" else (form, fixed) for form in forms]
                pairs.append(tuple(row.frame.format(subject=subject, near=near) for subject, near in two))
        parts = ["[CLS]", *re.findall(r"\{\w+\}|\[MASK\]|\w+|\.", row.frame)]
        subject, near = parts.index("{subject}"), parts.index("{near}")
        second = max(i for i in range(near) if parts[i] == "the")
        at = {"article": [1], "noun": [subject], "between": [*range(subject + 1, second)], "near": [near]}
        at |= {"[MASK]": [parts.index("[MASK]")], "[CLS]": [0]}
        yield Frame(row.Index, pairs, np.arange(len(pairs)) // 2, (row.singular.split(), row.plural.split()), at)


def with_change(bert: Bert, side: Side, change: Callable[[int, Tensor], Tensor], first: int = 0) -> Tensor:
    """Return the last layer's output at [MASK] if heads from a layer on give something else, (texts, hidden)."""
    hidden = side.hidden[first]
    with torch.no_grad():
        for number, layer in enumerate(layers_of(bert)[first:], first):
            hidden = after_heads(layer, hidden, change(number, layer.attention.self(hidden)[0]))
    return hidden[torch.arange(len(side.place)), side.place]


def moved(
    bert: Bert, both: tuple[Side, Side], choice: Choice, heads: Sequence[tuple[int, int]], at: list[int]
) -> Tensor:
    """Return what comes with all of some heads' outputs at some positions, (pairs,)."""
    text, other = both

    def change(number: int, joined: Tensor) -> Tensor:
        changed = joined.clone()
        for _, head in (pair for pair in heads if pair[0] == number):
            features = features_of(bert, head)
            changed[:, at, features] = other.joined[number][:, at, features]
        return changed

    return choice.preference(with_change(bert, text, change)) - choice.preference(text.at_mask)


def moved_by_vectors(bert: Bert, both: tuple[Side, Side], choice: Choice, layer: int, at: list[int]) -> Tensor:
    """Return what comes with the vectors at some positions before a layer, (pairs,)."""
    text, other = both
    hidden = text.hidden[layer].clone()
    hidden[:, at] = other.hidden[layer][:, at]
    return choice.preference(onward(bert, hidden, layer, text.place)) - choice.preference(text.at_mask)


def moved_by_part(bert: Bert, both: tuple[Side, Side], choice: Choice, where: tuple[int, int], values: bool) -> Tensor:
    """Return what comes with a head's values alone, its weights being those of the text; or the other way round."""
    (layer, head), (text, other) = where, both
    attention, features = layers_of(bert)[layer].attention.self, features_of(bert, head)
    looking, looked = (text, other) if values else (other, text)
    with torch.no_grad():
        query, key = (part(looking.hidden[layer])[..., features] for part in (attention.query, attention.key))
        weights = (query @ key.mT / query.shape[-1] ** 0.5).softmax(dim=-1)
        output = weights @ attention.value(looked.hidden[layer])[..., features]
    joined, rows = [*other.joined], torch.arange(len(text.place))
    joined[layer] = other.joined[layer].clone()
    joined[layer][rows, text.place, features] = output[rows, text.place]
    return moved(bert, (text, Side(other.hidden, joined, other.place)), choice, [where], [int(text.place[0])])


def left_if(
    bert: Bert, both: tuple[Side, Side], choice: Choice, instead: Callable[[int, Tensor], Tensor], first: int = 0
) -> Tensor:
    """Return the differences that are left if heads from a layer on give something else to both sentences, (pairs,)."""
    text, other = (choice.preference(with_change(bert, side, instead, first)) for side in both)
    return other - text


def resampled(bert: Bert, both: tuple[Side, Side], choice: Choice, own: list[Tensor], first: int = 0) -> Tensor:
    """Return what is left if heads give what they give for other sentences, except where `own` is true, (pairs,)."""
    everything = [torch.cat(joined) for joined in zip(*(side.joined for side in both), strict=True)]
    left = []
    for draw in range(DRAWS):
        order = torch.randint(len(everything[0]), (len(both[0].place),), generator=torch.Generator().manual_seed(draw))
        foreign = [outputs[order] for outputs in everything]
        left.append(left_if(bert, both, choice, lambda i, joined, f=foreign: torch.where(own[i], joined, f[i]), first))
    return torch.stack(left).mean(dim=0)


def mask_of(bert: Bert, both: tuple[Side, Side], kept: Sequence[tuple[int, int, Sequence[int]]]) -> list[Tensor]:
    """Return which numbers of the heads' outputs belong to some heads at some positions, (tokens, hidden) each."""
    own = [torch.zeros(joined.shape[1:], dtype=torch.bool) for joined in both[0].joined]
    for layer, head, at in kept:
        own[layer][list(at), features_of(bert, head)] = True
    return own


def of_subject(bert: Bert, frame: Frame, both: tuple[Side, Side], choice: Choice) -> dict[tuple[str, str], Tensor]:
    """Return everything that is measured of a frame whose subject changes."""
    at, found = frame.parts, {}
    for layer in range(1, 4):
        for part in ("article", "noun", "between", "[MASK]", "[CLS]"):
            found[f"vector after layer {layer - 1}", part] = moved_by_vectors(bert, both, choice, layer, at[part])
    single = {
        "2.7 at [MASK]": (2, 7, "[MASK]"),
        "1.2 at the article": (1, 2, "article"),
        "1.3 between": (1, 3, "between"),
    }
    single |= {"3.0 at [MASK]": (3, 0, "[MASK]"), "1.3 at [MASK]": (1, 3, "[MASK]")}
    for name, (layer, head, part) in single.items():
        found["head", name] = moved(bert, both, choice, [(layer, head)], at[part])
    for name, values in {"values only": True, "weights only": False}.items():
        found[name, "2.7 at [MASK]"] = moved_by_part(bert, both, choice, (2, 7), values)
    for head in ("3.0", "1.4"):  # does another head take over where 2.7 is off?
        layer, number = map(int, head.split("."))
        off = scaled(bert, {(2, 7): 0})
        found["head, with 2.7 off", f"{head} at [MASK]"] = moved_by_heads(off, frame.pairs, frame.words)[layer, number]
    tokens = range(both[0].hidden[0].shape[1])
    four = [(1, 2, at["article"]), (1, 3, at["between"]), (2, 7, at["[MASK]"]), (3, 0, at["[MASK]"])]
    found["kept, mean", "the four"] = left_with_heads(bert, frame.pairs, frame.words, [four])[0]
    own, means = mask_of(bert, both, four), means_of_heads(both)
    found["kept, resampled", "the four"] = resampled(bert, both, choice, own)
    found["kept, mean", "all but the four"] = left_if(
        bert, both, choice, lambda i, joined: torch.where(own[i], means[i], joined)
    )
    generator, others = np.random.default_rng(frame.number), []
    for _ in range(DRAWS):
        free = {layer: generator.permutation([h for h in range(8) if (layer, h) not in CLOSELY]) for layer in (1, 2, 3)}
        drawn = [(layer, free[layer][head % 2], where) for layer, head, where in four]  # 1.2 and 1.3 get two heads
        kept = mask_of(bert, both, drawn)
        others.append(left_if(bert, both, choice, lambda i, joined, kept=kept: torch.where(kept[i], joined, means[i])))
    found["kept, mean", "four others"] = torch.stack(others).mean(dim=0)
    return found | lost(bert, frame, both, choice, HEADS, tokens)


def lost(
    bert: Bert, frame: Frame, both: tuple[Side, Side], choice: Choice, heads: Sequence[tuple[int, int]], tokens: range
) -> dict[tuple[str, str], Tensor]:
    """Return what is lost without each head: at its mean, at zero, and with what it gives for other sentences."""
    whole = differences(bert, frame.pairs, frame.words)
    at_mean, found = left_without_heads(bert, frame.pairs, frame.words), {}
    for layer, head in heads:
        name, one = f"{layer}.{head}", mask_of(bert, both, [(layer, head, tokens)])
        found["lost, mean", name] = whole - at_mean[layer, head]
        if (layer, head) in CLOSELY:
            zeros = left_if(bert, both, choice, lambda i, joined, one=one: joined.masked_fill(one[i], 0), layer)
            found["lost, zero", name] = whole - zeros
            found["lost, resampled", name] = whole - resampled(bert, both, choice, [~some for some in one], layer)
    return found


def of_near(bert: Bert, frame: Frame, both: tuple[Side, Side], choice: Choice) -> dict[tuple[str, str], Tensor]:
    """Return everything that is measured of a frame whose near noun changes."""
    found = {("head", "1.3 at [MASK]"): moved(bert, both, choice, [(1, 3)], frame.parts["[MASK]"])}
    found["head", "2.7 at [MASK]"] = moved(bert, both, choice, [(2, 7)], frame.parts["[MASK]"])
    only = [(1, 3, frame.parts["[MASK]"])]
    found["kept, mean", "1.3 at [MASK]"] = left_with_heads(bert, frame.pairs, frame.words, [only])[0]
    tokens = range(both[0].hidden[0].shape[1])
    return found | lost(bert, frame, both, choice, [(1, 3), (1, 4), (0, 5), (2, 7)], tokens)


def two_ways(
    parts: np.ndarray, whole: np.ndarray, nouns: np.ndarray, of_frame: np.ndarray
) -> tuple[float, float, float]:
    """Return the sum of parts over that of wholes with its 95 % interval, nouns and frames drawn again."""
    sums = np.zeros((2, nouns.max() + 1, of_frame.max() + 1))
    for table, values in zip(sums, (parts, whole), strict=True):
        np.add.at(table, (nouns, of_frame), values)
    generator = np.random.default_rng(0)
    counts = [generator.multinomial(size, np.full(size, 1 / size), RESAMPLES) for size in sums.shape[1:]]
    drawn = np.einsum("bn,inf,bf->ib", counts[0], sums, counts[1])
    low, high = np.percentile(drawn[0] / drawn[1], [2.5, 97.5])
    return parts.sum() / whole.sum(), low, high


def measured(bert: Bert, nouns: str, changed: str) -> list[tuple]:
    """Return the rows of one set of nouns."""
    found: dict[tuple[str, str], list[Tensor]] = {}
    noun, of_frame = [], []
    for frame in frames(nouns, SETS[nouns][1], changed):
        both, choice = sides(bert, frame.pairs), Choice(bert, frame.words)
        whole = differences(bert, frame.pairs, frame.words)
        parts = (of_subject if changed == "subject" else of_near)(bert, frame, both, choice)
        for name, values in ({("difference", "all"): whole} | parts).items():
            found.setdefault(name, []).append(values)
        noun.append(frame.nouns)
        of_frame.append(np.full(len(frame.pairs), frame.number))
        print(nouns, changed, frame.number, flush=True)
    at = np.concatenate(noun), np.concatenate(of_frame)
    arrays = {name: torch.cat(values).double().numpy() for name, values in found.items()}
    whole = arrays["difference", "all"]
    rows = []
    for (what, where), values in arrays.items():
        each = np.ones_like(whole) if what == "difference" else whole
        rows.append((nouns, changed, what, where, *two_ways(values, each, *at), len(whole)))
    right = two_ways((whole > 0).astype(float), np.ones_like(whole), *at)
    return [*rows, (nouns, changed, "moves the right way", "share of pairs", *right, len(whole))]


def probe(bert: Bert) -> list[tuple]:
    """Return how well the subject's number is read from [CLS] after layer 1 by a line, learned from the first set."""
    seen = {}
    for nouns in ("first", "new"):
        vectors, plural, noun, of_frame = [], [], [], []
        for frame in frames(nouns, nouns, "subject"):
            for many, side in enumerate(sides(bert, frame.pairs)):
                vectors.append(side.hidden[2][:, 0])
                plural += [many] * len(frame.pairs)
                noun.append(frame.nouns)
                of_frame += [frame.number] * len(frame.pairs)
        seen[nouns] = torch.cat(vectors).numpy(), np.array(plural), np.concatenate(noun), np.array(of_frame)
    line = LogisticRegression(max_iter=2000).fit(*seen["first"][:2])
    vectors, plural, *at = seen["new"]
    right = (line.predict(vectors) == plural).astype(float)
    return [
        ("new", "subject", "probe", "[CLS] after layer 1", *two_ways(right, np.ones_like(right), *at), len(right) // 2)
    ]


def controls(bert: Bert, seeds: int) -> list[tuple]:
    """Return what untrained twins do, and what another noun of the same number does in the trained model."""
    rows, listed = [], list(frames("new", "new", "subject"))
    at = np.concatenate([f.nouns for f in listed]), np.concatenate([np.full(len(f.pairs), f.number) for f in listed])
    each = np.ones(len(at[0]))
    for seed in range(seeds):
        twin = bertlab.untrained(bert, seed)
        whole = torch.cat([differences(twin, frame.pairs, frame.words) for frame in listed]).double().numpy()
        heads = torch.cat([moved_by_heads(twin, frame.pairs, frame.words).abs() for frame in listed], dim=-1)
        largest = heads.flatten(0, 1)[heads.mean(dim=-1).argmax()].double().numpy()
        parts = {"difference": (whole, each), "size of the difference": (abs(whole), each)}
        parts["largest head's share of it"] = (largest, abs(whole))
        for where, (values, wholes) in parts.items():
            rows.append(("new", "subject", f"twin {seed}", where, *two_ways(values, wholes, *at), len(whole)))
    swapped = torch.cat([differences(bert, frame.pairs, frame.words) for frame in frames("new", "new", "noun")])
    of_noun = swapped.double().numpy()
    around = np.sqrt(two_ways(of_noun**2, each, *at))
    for where, three in (("difference", two_ways(of_noun, each, *at)), ("root mean square", around)):
        rows.append(("new", "noun of the same number", "difference", where, *three, len(each)))
    return rows


def measure(bert: Bert, seeds: int) -> pd.DataFrame:
    """Measure all sets, the probe, and the controls."""
    rows = [row for nouns in SETS for changed in ("subject", "near noun") for row in measured(bert, nouns, changed)]
    rows += [*probe(bert), *controls(bert, seeds)]
    names = ["nouns", "changed", "what", "where", "value", "low", "high", "pairs"]
    return pd.DataFrame(rows, columns=names).round(4)


if __name__ == "__main__":
    record(__doc__, measure)
