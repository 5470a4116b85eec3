"""A small text of ours, made by a small grammar: enough structure for a tiny BERT to learn within seconds."""

import random

import pytest

from prepare import prepare
from settings import Settings

TOPICS = {  # who, does, what, when
    "farm": ("the farmer/the old woman/the boy", "feeds/watches/calls", "the cow/the hen/the goat"),
    "kitchen": ("the cook/the guest/the girl", "tastes/stirs/warms", "the soup/the sauce/the milk"),
    "sea": ("the sailor/the captain/the fisher", "mends/hoists/lowers", "the sail/the net/the flag"),
}


def document(chance: random.Random) -> str:
    """Return two paragraphs about one topic."""
    parts = [part.split("/") for part in (*TOPICS[chance.choice(sorted(TOPICS))], "again/today/slowly")]
    sentences = []
    for _ in range(10):
        words = [chance.choice(part) for part in parts]
        sentences.append(f"{' '.join(words).capitalize()}.")
    return " ".join(sentences[:5]) + "\n" + " ".join(sentences[5:])


@pytest.fixture(scope="session")
def texts(tmp_path_factory):
    """A folder of two families of text."""
    folder = tmp_path_factory.mktemp("texts")
    for family, count, seed in (("first", 400, 1), ("second", 200, 2)):
        chance = random.Random(seed)
        (folder / f"{family}.txt").write_text("\n\n".join(document(chance) for _ in range(count)) + "\n")
    return folder


@pytest.fixture(scope="session")
def prepared(texts, tmp_path_factory):
    folder = tmp_path_factory.mktemp("prepared")
    prepare(texts, folder, vocabulary=200, positions=32)
    return folder


@pytest.fixture(scope="session")
def changes():
    """The settings of a BERT that trains in seconds, as what differs from the usual ones."""
    shape = {"layers": 2, "heads": 2, "hidden": 32, "intermediate": 64, "positions": 32}
    batches = {"pieces_per_step": 512, "kinds": [[True, 32, 0.8], [False, 16, 0.2]]}
    rates = {"matrix_rate": 3e-3, "other_rate": 5e-3, "warmup": 10, "steps": 15}
    computed = {"bf16": False, "compile": False, "report_every": 5, "held_out_every": 1000, "save_every": 1000}
    return shape | batches | rates | computed | {"family_weights": {"first": 0.7, "second": 0.3}}


@pytest.fixture(scope="session")
def tiny(changes):
    return Settings(**changes)
