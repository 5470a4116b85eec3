"""Who did what to whom: pairs of sentences that say the same or not, and a BERT trained to tell (lesson 8)."""

from collections.abc import Callable, Iterable

import numpy as np
import pandas as pd

from bertlab import data
from bertlab.bert.arguments import require_count
from bertlab.bert.loading import Bert
from bertlab.finetuning.classifier import EPOCHS, Classifier, predict, train


def as_texts(pairs: pd.DataFrame) -> list[tuple[str, str]]:
    """Return the pairs of a table as tuples, which BERT reads as pairs.

    Parameters
    ----------
    pairs : pandas.DataFrame
        One pair per row, in the columns ``first`` and ``second``.

    Returns
    -------
    list of (str, str)
        The pairs.

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


def role_pairs(count: int, part: str = "practice", seed: int = 0, voices: str = "one of each") -> pd.DataFrame:
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
    require_count(count=count)
    if count % 2:  # half of an event would be left out
        raise ValueError(f"Pairs come in twos, of each event one that says the same and one not; {count} is odd.")
    if voices not in VOICES:
        raise ValueError(f"voices are one of {', '.join(VOICES)}, not {voices!r}.")
    words = data.read("role_words").groupby(["part", "kind"], sort=False)["word"].apply(list)
    nouns, verbs = words[part, "noun"], words[part, "verb"]
    events = []
    for number, noun in enumerate(nouns):
        for partner in nouns[:number]:
            events += [(noun, verb, partner) for verb in verbs]
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


def six_kinds(count: int) -> dict[str, pd.DataFrame]:
    """Return pairs of the test of six kinds: both active, both passive or one of each, and the same or not.

    Parameters
    ----------
    count : int
        The number of pairs of each kind.

    Returns
    -------
    dict of str to pandas.DataFrame
        The pairs of each kind, with the columns of `role_pairs`.

    Examples
    --------
    >>> len(six_kinds(3)["both active, the same"])
    3
    """
    count = require_count(count=count)
    kinds = {}
    for voices in ("both active", "both passive", "one of each"):
        pairs = role_pairs(2 * count, "test", voices=voices)
        kinds[f"{voices}, the same"] = pairs[pairs["same"] == 1]
        kinds[f"{voices}, not the same"] = pairs[pairs["same"] == 0]
    return kinds


def tuned(
    bert: Bert,
    seed: int,
    *,
    pairs: int = 600,
    voices: str = "one of each",
    epochs: int = EPOCHS,
    progress: Callable[[range], Iterable] = iter,
) -> Classifier:
    """Return a classifier that was trained to tell whether the sentences of `role_pairs` say the same.

    Parameters
    ----------
    bert : Bert
        The model to copy.
    seed : int
        Decides the pairs, the head's random numbers and the order of training.
    pairs : int
        The number of pairs to train on.
    voices : str
        As for `role_pairs`.
    epochs, progress
        As for `train`.

    Returns
    -------
    Classifier
        The trained copy.

    Examples
    --------
    >>> is_right(tuned(bertlab.load("bertlab-mini"), 0, pairs=2, epochs=1), role_pairs(4, "test")).shape
    (4,)
    """
    drawn = role_pairs(pairs, seed=seed, voices=voices)
    classifier = Classifier(bert, seed=seed)
    train(classifier, as_texts(drawn), drawn["same"].tolist(), epochs=epochs, together=2, seed=seed, progress=progress)
    return classifier


def is_right(classifier: Classifier, pairs: pd.DataFrame) -> np.ndarray:
    """Return whether a classifier answers each pair correctly; `tuned` has an example.

    Parameters
    ----------
    classifier : Classifier
        A classifier with two labels.
    pairs : pandas.DataFrame
        As `role_pairs` returns them.

    Returns
    -------
    numpy.ndarray
        Whether each answer is right, (pairs,).
    """
    return predict(classifier, as_texts(pairs)).numpy() == pairs["same"].to_numpy()
