"""Pairs of sentences about who did what to whom, the same or not: nothing that counts words can tell (lesson 8)."""

from typing import TYPE_CHECKING

import numpy as np

from bertlab import data
from bertlab.bert.arguments import require_count

if TYPE_CHECKING:
    from pandas import DataFrame


def as_texts(pairs: "DataFrame") -> list[tuple[str, str]]:
    """Return pairs as what BERT reads."""
    return list(zip(pairs["first"], pairs["second"], strict=True))


def active(agent: str, verb: str, patient: str) -> str:
    """Return who did what to whom in the active voice."""
    return f"The {agent} {verb} the {patient}."


def passive(agent: str, verb: str, patient: str) -> str:
    """Return who did what to whom in the passive voice."""
    return f"The {patient} was {verb} by the {agent}."


VOICES = ("one of each", "both active", "both passive", "mixed")


def role_pairs(count: int, part: str = "practice", seed: int = 0, voices: str = "one of each") -> "DataFrame":
    """Return pairs of sentences, in twos: of each event one pair that says the same, and one that does not.

    The parts "practice" and "test" have no noun or verb in common, and no two people meet with one verb twice, neither
    way round. The two pairs of an event have the same first sentence and follow each other, by turns the one or the
    other in front: so every second row is a table with one pair an event, half of which say the same (``same`` is 1).
    `voices` are "one of each", one sentence active and one passive; "both active"; "both passive"; or "mixed", where
    each sentence has its voice by a coin. The columns agent, verb and patient are of the first sentence.

    Examples
    --------
    >>> role_pairs(2)["same"].tolist()
    [1, 0]
    """
    import pandas as pd

    require_count(count=count)
    if count % 2:  # half of an event would be left out
        raise ValueError(f"Pairs come in twos, of each event one that says the same and one not; {count} is odd.")
    if voices not in VOICES:
        raise ValueError(f"voices are one of {', '.join(VOICES)}, not {voices!r}.")
    words = data.read("role_words").groupby(["part", "kind"], sort=False)["word"].apply(list)
    nouns, verbs = words[part, "noun"], words[part, "verb"]
    events = []
    for number, noun in enumerate(nouns):
        for other in nouns[:number]:
            events += [(noun, verb, other) for verb in verbs]
    chance = np.random.default_rng(seed)
    rows = []
    for event, number in enumerate(chance.choice(len(events), size=count // 2, replace=False)):
        noun, verb, other = events[number]
        agent, patient = (noun, other) if chance.random() < 0.5 else (other, noun)
        first, second = (active, passive) if chance.random() < 0.5 else (passive, active)
        if voices == "mixed" and chance.random() < 0.5:
            second = first
        elif voices in ("both active", "both passive"):
            first = second = active if voices == "both active" else passive
        told = (event, agent, verb, patient)
        same = (first(agent, verb, patient), second(agent, verb, patient), 1, *told)
        turned = (first(agent, verb, patient), second(patient, verb, agent), 0, *told)
        rows += [turned, same] if event % 2 else [same, turned]
    return pd.DataFrame(rows, columns=["first", "second", "same", "event", "agent", "verb", "patient"])


def six_kinds(count: int, part: str = "test") -> "dict[str, DataFrame]":
    """Return so many pairs of each of six kinds: both active, both passive, one of each voice, the same or not."""
    kinds = {}
    for voices in ("both active", "both passive", "one of each"):
        pairs = role_pairs(2 * count, part, voices=voices)
        kinds[f"{voices}, the same"] = pairs[pairs["same"] == 1]
        kinds[f"{voices}, not the same"] = pairs[pairs["same"] == 0]
    return kinds
