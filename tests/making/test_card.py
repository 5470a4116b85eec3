"""The card is written from the measures and the log; the shipped one agrees with itself and the settings."""

import hashlib
import json
import re
import shutil
import sys
from pathlib import Path

import pandas as pd
import pytest

import bertlab
import card
import evaluate
import measures
from batches import BatchKind
from card import families_read, markdown, renew_measures, write_checksums
from rounding import assert_rounded_equal
from train import train

SHIPPED = Path(bertlab.__file__).parent / "bertlab-mini"
SECOND = json.loads((card.HERE / "second_run.json").read_text())


def test_tables_in_markdown_hold_their_cells():
    table = pd.DataFrame({"a": [1, 2], "b": ["x|y", "z"]})
    assert markdown(table) == "| a | b |\n| --- | --- |\n| 1 | x\\|y |\n| 2 | z |"


def test_families_are_summed_from_the_manifest(tmp_path):
    rows = ["family\trepository\ttitle\tlicence\twords_kept"]
    rows += ["books\tr\tA\tCC BY 4.0 (LICENSE)\t100000", "books\tr\tB\tCC BY 4.0 at commit abc; later NC\t50000"]
    rows += ["news\tr\tC\tCC BY 2.5\t30000"]
    (tmp_path / "M.tsv").write_text("\n".join(rows) + "\n")
    table = families_read(tmp_path / "M.tsv", {"books": 0.3, "news": 0.1})
    assert table.to_numpy().tolist() == [
        ["books", "0.15 M", 2, "CC BY 4.0", "75%"],
        ["news", "0.03 M", 1, "CC BY 2.5", "25%"],
    ]


def test_checksums_are_those_of_sha256sum_and_bertlab_verifies_them(tmp_path):
    folder = tmp_path / "model"
    shutil.copytree(SHIPPED, folder)
    write_checksums(folder)
    assert (folder / "SHA256SUMS").read_text() == (SHIPPED / "SHA256SUMS").read_text()
    digest = hashlib.sha256((folder / "config.json").read_bytes()).hexdigest()
    assert f"{digest}  config.json\n" in (folder / "SHA256SUMS").read_text()
    bertlab.load(folder)


def test_what_is_measured_anew_replaces_its_section_alone(tmp_path):
    shutil.copy(SHIPPED / "README.md", tmp_path)
    renew_measures(tmp_path, "## What it measures\n\nNew.")
    old, new = (SHIPPED / "README.md").read_text("utf-8"), (tmp_path / "README.md").read_text("utf-8")
    before, after = new.split("## What it measures\n\nNew.\n\n")
    assert old.startswith(before)
    assert old.endswith(after)
    (tmp_path / "README.md").write_text("### Watch it learn\n\n## What it measures\n")
    with pytest.raises(ValueError, match="once and in this order"):
        renew_measures(tmp_path, "new")


@pytest.fixture
def few(monkeypatch, texts):
    """Measure little, and only what a model with 32 positions can read."""
    monkeypatch.setattr(measures, "ROWS", 40)
    monkeypatch.setattr(measures, "KIND", BatchKind(True, 32, 1.0))
    monkeypatch.setattr(measures, "HEAD_ROWS", 40)
    monkeypatch.setattr(evaluate, "TWINS", 2)
    senses = bertlab.data.read("word_senses").query("word == 'light' or word == 'cell'").reset_index(drop=True)
    probes = {"sentence": ["The [MASK] sat on the mat.", "The [MASK]."], "answers": ["cat", "cow"]}
    tables = {
        "word_senses": senses.assign(sentence=senses["word"]),
        "fill_mask_probes": pd.DataFrame(probes),
        "minimal_pairs": pd.DataFrame({"good": ["It was.", "We are."], "bad": ["It were.", "We is."]}),
        "agreement_pairs": pd.DataFrame({"good": ["It is.", "We were."], "bad": ["It are.", "We was."]}),
        "facts": bertlab.data.read("facts"),
        "graded_pairs": pd.DataFrame(
            {"first": ["A cat.", "Hot.", "No."], "second": ["A cow.", "Cold.", "No."], "grade_a": [1, 2, 5]}
        ).assign(grade_b=[1, 3, 5]),
    }
    monkeypatch.setattr(measures, "read", tables.__getitem__)
    manifest = "family\ttitle\tlicence\twords_kept\nfirst\tA\tours\t1000\nsecond\tB\tours\t500\n"
    (texts / "MANIFEST.tsv").write_text(manifest)


def command(monkeypatch, *arguments):
    """Run card.py as its command does."""
    monkeypatch.setattr(sys, "argv", ["card.py", *map(str, arguments)])
    card.main()


@pytest.mark.slow
def test_the_card_holds_every_measured_figure_and_tells_two_runs_as_one(
    prepared, changes, texts, few, tmp_path, monkeypatch
):
    first, second = tmp_path / "first", tmp_path / "second"
    monkeypatch.setattr("train.SNAPSHOTS", (0, 5))
    train(prepared, first, **changes)
    (tmp_path / "notes.md").write_text("## Tried\n\nnothing")
    said = ["--texts", texts, "--machine", "a machine", "--notes", tmp_path / "notes.md"]
    command(monkeypatch, first / "final", "--run", first, *said)
    text = (first / "final" / "README.md").read_text("utf-8")
    assert not re.findall(r"\{[^}]*\}", text)
    assert "15 steps and 0.0 million pieces in all" in text
    assert "It began with random weights with a standard deviation of 0.05." in text
    assert "begun again" not in text
    assert re.search(r"\d+% of the pieces were chosen for the masked-word task", text), "lesson 6 looks for this"
    assert text.index("15 steps") < text.index("## What it measures") < text.index("### Watch it learn")
    assert text.endswith("## Tried\n\nnothing\n")
    learning = pd.read_csv(first / "final" / "watch-it-learn.csv")
    assert learning["step"].tolist() == [0, 5, 15]
    assert learning["held_out_loss"].is_monotonic_decreasing
    assert f"| {learning['held_out_loss'].iloc[-1]:.3f} [" in text
    assert (first / "final" / "learning.png").read_bytes().startswith(b"\x89PNG")
    bertlab.load(first / "final")  # the checksums are right

    train(prepared, second, **changes | {"begin": str(first / "final"), "steps": 10})
    command(monkeypatch, second / "final", "--run", second, "--beside", first / "final", *said)
    text = (second / "final" / "README.md").read_text("utf-8")
    both = pd.read_csv(second / "final" / "watch-it-learn.csv")
    assert both.columns.tolist() == learning.columns.tolist()
    assert both["step"].tolist() == [0, 5, 15, 20, 25]
    assert both["millions_of_pieces"].is_monotonic_increasing
    # The same weights on the same items, before and after: nothing jumps where the run was begun again.
    assert_rounded_equal(both["held_out_loss"][2], learning["held_out_loss"].iloc[-1], decimals=3)
    assert "25 steps and 0.0 million pieces in all. The last run: 10 steps" in text
    assert "It began with the weights of an earlier model" in text
    assert "| 15 (begun again) |" in text
    assert "the place of the earlier model" in text
    known = text
    command(monkeypatch, second / "final", "--beside", first / "final", "--texts", texts)
    assert (second / "final" / "README.md").read_text("utf-8") == known


def table_of(text, first):
    """Return the table of a card whose first column has this name, as a dictionary of rows by that column."""
    start = text.index(f"| {first} |")
    names, _, *rows = (
        [cell.strip() for cell in line.split("|")[1:-1]] for line in text[start:].split("\n\n")[0].split("\n")
    )
    return {row[0]: dict(zip(names, row, strict=True)) for row in rows}


class TestTheShippedCard:
    """What it says in words stands in its tables, and in the settings."""

    text = (SHIPPED / "README.md").read_text("utf-8")

    def numbers(self, measure, column="this checkpoint"):
        return [float(number) for number in re.findall(r"-?\d+\.\d+", table_of(self.text, "measure")[measure][column])]

    def test_what_it_cannot_do_is_what_was_measured(self):
        said = " ".join(self.text[self.text.index("## What it cannot do") :].split())
        facts, agreement = bertlab.data.read("facts"), bertlab.data.read("agreement_pairs")
        first, *_ = self.numbers("facts: the true word first of its topic's six")
        assert f"comes first for {first:.2f} of {len(facts)} questions, where guessing gives {1 / 6:.2f}" in said
        agrees, low, high = self.numbers("agreement across a distractor, accuracy")
        assert f"{agrees:.2f} of {len(agreement)} such pairs, which is not shown to differ from one half" in said
        assert low < 0.5 < high
        _, _, high = self.numbers("pairs of stsb-en-dev, Spearman, static rows", "ahead of the best twin")
        assert high < 0, "the rows of the word table: less than the best twin"
        ways = [self.numbers(f"pairs of stsb-en-dev, Spearman, {way}")[0] for way in ("[CLS]", "mean", "max")]
        counted, *_ = self.numbers("pairs of stsb-en-dev, Spearman, word overlap", "simplest baseline")
        assert max(ways) < counted

    def test_it_tells_the_settings_of_the_last_run(self):
        weights = {family: row["weight"] for family, row in table_of(self.text, "family").items()}
        assert weights == {family: f"{weight:.0%}" for family, weight in SECOND["family_weights"].items()}
        assert f"Batches of {SECOND['pieces_per_step']:,} pieces:" in self.text
        assert f"warm-up over {SECOND['warmup']} steps" in self.text
