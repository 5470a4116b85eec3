"""The card is written from the measures and the log; the shipped one agrees with itself and the settings."""

import json
import re
import sys
from pathlib import Path

import pandas as pd
import pytest

import bertlab
import card
import measures
from settings import BatchKind
from train import train

SHIPPED = Path(bertlab.__file__).parent / "bertlab-mini"


def table_of(text, first):
    """Return the table of a card whose first column has this name, as a dictionary of rows by that column."""
    lines = text[text.index(f"| {first} |") :].split("\n\n")[0].split("\n")
    names, _, *rows = ([cell.strip() for cell in line.split("|")[1:-1]] for line in lines)
    return {row[0]: dict(zip(names, row, strict=True)) for row in rows}


@pytest.mark.slow
def test_the_card_holds_every_measured_figure_and_loads(prepared, changes, texts, tmp_path, monkeypatch):
    # Little is measured, and only what a model with 32 positions can read.
    for owner, name, value in ((measures, "ROWS", 40), (measures, "HEAD_ROWS", 40), (card, "TWINS", 2)):
        monkeypatch.setattr(owner, name, value)
    monkeypatch.setattr(measures, "KIND", BatchKind(True, 32, 1.0))
    senses = bertlab.data.read("word_senses").query("word == 'light' or word == 'cell'").reset_index(drop=True)
    choices = pd.DataFrame({"good": ["It was.", "We are."], "bad": ["It were.", "We is."]})
    graded = {"first": ["A cat.", "Hot.", "No."], "second": ["A cow.", "Cold.", "No."], "grade_a": [1, 2, 5]}
    tables = {
        "word_senses": senses.assign(sentence=senses["word"]),
        "minimal_pairs": choices,
        "agreement_pairs": choices,
        "facts": bertlab.data.read("facts"),
        "graded_pairs": pd.DataFrame(graded).assign(grade_b=[1, 3, 5]),
    }
    monkeypatch.setattr(measures, "read", tables.__getitem__)
    probes = pd.DataFrame({"sentence": ["The [MASK] sat.", "The [MASK]."], "answers": ["cat", "cow"]})
    monkeypatch.setattr(measures, "PROBES", probes)
    (texts / "MANIFEST.tsv").write_text(
        "family\ttitle\tlicence\twords_kept\nsecond\tA\tCC BY 2.5\t30000\n"
        "first\tB\tCC BY 4.0 (LICENSE)\t100000\nfirst\tC\tCC BY 4.0 at commit abc; later NC\t50000\n"
    )
    first = tmp_path / "first"

    def written(model, *arguments):
        monkeypatch.setattr(sys, "argv", ["card.py", str(model), "--texts", str(texts), *map(str, arguments)])
        card.main()
        return (model / "README.md").read_text("utf-8")

    monkeypatch.setattr("train.SNAPSHOTS", (0, 5))
    train(prepared, first, **changes)
    (tmp_path / "notes.md").write_text("## Tried\n\nnothing")
    text = written(first / "final", "--run", first, "--notes", tmp_path / "notes.md")
    assert not re.findall(r"\{[^}]*\}", text)
    assert "15 steps and 0.0 million pieces in all" in text
    assert "| first | 0.15 M | 2 | CC BY 4.0 | 70% |\n| second | 0.03 M | 1 | CC BY 2.5 | 30% |" in text
    assert re.search(r"\d+% of the pieces were chosen for the masked-word task", text), "lesson 6 looks for this"
    assert text.endswith("## Tried\n\nnothing\n")
    learning = pd.read_csv(first / "final" / "watch-it-learn.csv")
    assert learning["step"].tolist() == [0, 5, 15]
    assert f"| {learning['held_out_loss'].iloc[-1]:.3f} [" in text
    bertlab.load(first / "final")  # the checksums are right
    assert written(first / "final") == text, "measured anew without the run: the same"


def test_the_shipped_card_says_in_words_what_was_measured():
    text = (SHIPPED / "README.md").read_text("utf-8")
    rows = table_of(text, "measure")

    def numbers(measure, column="this checkpoint"):
        return [float(number) for number in re.findall(r"-?\d+\.\d+", rows[measure][column])]

    said = " ".join(text[text.index("## What it cannot do") :].split())
    facts, agreement = bertlab.data.read("facts"), bertlab.data.read("agreement_pairs")
    first, *_ = numbers("facts: the true word first of its topic's six")
    counted = (
        f"comes first for {first * len(facts):.0f} of {len(facts)} questions, where guessing finds {len(facts) // 6}"
    )
    assert counted in said
    agrees, *_ = numbers("agreement across a distractor, accuracy")
    assert f"in {agrees * len(agreement):.0f} of {len(agreement)}: the nearer noun misleads it" in said
    _, _, high = numbers("pairs of stsb-en-dev, Spearman, static rows", "ahead of the best twin")
    assert high < 0, "the rows of the word table: less than the best twin"
    ways = [numbers(f"pairs of stsb-en-dev, Spearman, {way}")[0] for way in ("[CLS]", "mean", "max")]
    counted, *_ = numbers("pairs of stsb-en-dev, Spearman, word overlap", "simplest baseline")
    assert max(ways) < counted


def test_the_shipped_card_tells_the_settings_of_the_last_run():
    text, settings = (SHIPPED / "README.md").read_text("utf-8"), json.loads((card.HERE / "second_run.json").read_text())
    weights = {family: row["weight"] for family, row in table_of(text, "family").items()}
    assert weights == {family: f"{weight:.0%}" for family, weight in settings["family_weights"].items()}
    assert f"Batches of {settings['pieces_per_step']:,} pieces:" in text
    assert f"warm-up over {settings['warmup']} steps" in text
