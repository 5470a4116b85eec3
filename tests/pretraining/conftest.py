"""A small text of ours, made by a small grammar: enough structure for a tiny BERT to learn within seconds."""

import random
from pathlib import Path

import pytest

from bertlab.pretraining.corpus import prepare
from bertlab.pretraining.recipe import BatchKind, Preparation, Recipe

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
def make_documents():
    return documents


@pytest.fixture(scope="session")
def write_documents():
    return write_text


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
    return prepare(texts, tmp_path_factory.mktemp("prepared"), Preparation(vocabulary=200, positions=32))


@pytest.fixture(scope="session")
def tiny():
    """A recipe for a BERT that trains in seconds."""
    return Recipe(
        layers=2,
        heads=2,
        hidden=32,
        intermediate=64,
        positions=32,
        pieces_per_step=512,
        kinds=(BatchKind(True, 32, 0.8), BatchKind(False, 16, 0.2)),
        family_weights={"first": 0.7, "second": 0.3},
        matrix_rate=3e-3,
        other_rate=5e-3,
        warmup=10,
    )
