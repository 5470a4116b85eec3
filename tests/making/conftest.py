"""A small text of ours, made by a small grammar: enough structure for a tiny BERT to learn within seconds."""

import random
from pathlib import Path

import pytest

from prepare import prepare
from train import Settings

TOPICS = {  # who, does, what
    "farm": ("the farmer/the old woman/the boy", "feeds/watches/calls", "the cow/the hen/the goat"),
    "kitchen": ("the cook/the guest/the girl", "tastes/stirs/warms", "the soup/the sauce/the milk"),
    "sea": ("the sailor/the captain/the fisher", "mends/hoists/lowers", "the sail/the net/the flag"),
}
WHEN = "again/today/slowly"


def documents(count: int, seed: int) -> list[list[str]]:
    """Return documents of two paragraphs about one topic each."""
    chance = random.Random(seed)
    made = []
    for _ in range(count):
        who, does, what = TOPICS[chance.choice(sorted(TOPICS))]
        parts = [[chance.choice(words.split("/")) for words in (who, does, what, WHEN)] for _ in range(10)]
        sentences = [f"{' '.join(part).capitalize()}." for part in parts]
        made.append([" ".join(sentences[:5]), " ".join(sentences[5:])])
    return made


def write_text(path: Path, made: list[list[str]]) -> None:
    path.write_text("\n\n".join("\n".join(paragraphs) for paragraphs in made) + "\n", encoding="utf-8")


@pytest.fixture(scope="session")
def texts(tmp_path_factory):
    """A folder of two families of text."""
    folder = tmp_path_factory.mktemp("texts")
    write_text(folder / "first.txt", documents(400, seed=1))
    write_text(folder / "second.txt", documents(200, seed=2))
    return folder


@pytest.fixture(scope="session")
def prepared(texts, tmp_path_factory):
    """The text, prepared with a vocabulary of 200 pieces."""
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
