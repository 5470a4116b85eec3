"""Who did what to whom: pairs of sentences that say the same or not, and how a classifier judges them (lesson 8)."""

import numpy as np
import pandas as pd

from bertlab import data
from bertlab.arguments import Count, Seed, guarded
from bertlab.finetuning.classifier import Classifier, predict


def as_texts(pairs: pd.DataFrame) -> list[tuple[str, str]]:
    """Return the pairs of a table, such as `role_pairs` returns it, as a list of tuples, which BERT reads as pairs.

    Examples
    --------
    >>> as_texts(role_pairs(2))[0]
    ('The driver followed the lawyer.', 'The lawyer was followed by the driver.')
    """
    return list(zip(pairs["first"], pairs["second"], strict=True))


def active(agent: str, verb: str, patient: str) -> str:
    """Return a sentence in the active voice."""
    return f"The {agent} {verb} the {patient}."


def passive(agent: str, verb: str, patient: str) -> str:
    """Return a sentence in the passive voice."""
    return f"The {patient} was {verb} by the {agent}."


VOICES = ("one of each", "both active", "both passive", "mixed")


@guarded
def role_pairs(count: Count, part: str = "practice", seed: Seed = 0, voices: str = "one of each") -> pd.DataFrame:
    """Return pairs of sentences about events: for each event, one pair that says the same and one that does not.

    The two pairs of an event share their first sentence and are neighbours in the table; they take turns in coming
    first. No two people meet twice with the same verb.

    Parameters
    ----------
    count : int
        The number of pairs, an even one.
    part : {"practice", "test"}
        The two have no noun or verb in common.
    seed : int
        Decides which events are drawn.
    voices : {"one of each", "both active", "both passive", "mixed"}
        The voices of the two sentences; for ``"mixed"`` a coin decides for each.

    Returns
    -------
    pandas.DataFrame
        One row per pair: ``first`` and ``second`` sentence, ``same`` (1 if they say the same), the number of the
        ``event``, and ``agent``, ``verb`` and ``patient`` of the first sentence.

    Examples
    --------
    >>> role_pairs(2)["same"].tolist()
    [1, 0]
    """
    if count % 2:  # half of an event would be left out
        raise ValueError(f"Pairs come in twos, of each event one that says the same and one not; {count} is odd.")
    if voices not in VOICES:
        raise ValueError(f"voices are one of {', '.join(VOICES)}, not {voices!r}.")
    words = data.read("role_words").groupby(["part", "kind"], sort=False)["word"].apply(list)
    if part not in words:
        raise ValueError(f"part is one of {', '.join(dict.fromkeys(words.index.get_level_values(0)))}, not {part!r}.")
    nouns, verbs = words[part, "noun"], words[part, "verb"]
    events = [(noun, verb, nouns[j]) for i, noun in enumerate(nouns) for j in range(i) for verb in verbs]
    chance = np.random.default_rng(seed)
    rows = []
    for event, number in enumerate(chance.choice(len(events), size=count // 2, replace=False)):
        noun, verb, partner = events[number]
        agent, patient = (noun, partner) if chance.random() < 0.5 else (partner, noun)
        first, second = (active, passive) if chance.random() < 0.5 else (passive, active)
        if voices == "mixed" and chance.random() < 0.5:
            second = first
        elif voices in ("both active", "both passive"):
            first = second = active if voices == "both active" else passive
        roles = (event, agent, verb, patient)
        same = (first(agent, verb, patient), second(agent, verb, patient), 1, *roles)
        reverse = (first(agent, verb, patient), second(patient, verb, agent), 0, *roles)
        rows += [reverse, same] if event % 2 else [same, reverse]
    return pd.DataFrame(rows, columns=["first", "second", "same", "event", "agent", "verb", "patient"])


def is_right(classifier: Classifier, pairs: pd.DataFrame) -> np.ndarray:
    """Return whether a classifier of two labels is right, (pairs,), about `role_pairs`."""
    return predict(classifier, as_texts(pairs)).numpy() == pairs["same"].to_numpy()
