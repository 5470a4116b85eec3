import hashlib
import json
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bertlab
from bertlab.evidence.intervals import mean, ratio
from bertlab.pretraining import evaluation, learning, measures
from bertlab.pretraining.__main__ import main
from bertlab.pretraining.card import (
    CardFacts,
    read_families,
    run_facts,
    write_card,
    write_checksums,
)
from bertlab.pretraining.card_measures import markdown, renew_measures
from bertlab.pretraining.comparison import compare_checkpoints
from bertlab.pretraining.corpus import Document, read_folder
from bertlab.pretraining.evaluation import Measure
from bertlab.pretraining.learning import watch_it_learn
from bertlab.pretraining.recipe import SECOND_RUN, Recipe
from bertlab.pretraining.training import Run, RunSettings
from rounding import assert_rounded_equal


@pytest.fixture(scope="module")
def held_out(texts):
    return [document for document in read_folder(texts) if document.held_out]


def test_ahead_of_the_twin_is_positive_where_better():
    ours, twin = np.array([1.0, 2, 3, 2]), np.array([4.0, 5, 4, 6])
    ones = np.ones(4)
    assert Measure((ours, ones), ratio, higher_is_better=False).ahead_of(Measure((twin, ones), ratio)).value == 2.75
    difference = Measure((ours,), mean).ahead_of(Measure((twin,), mean))
    assert difference.value == -2.75
    assert difference.high < 0


@pytest.mark.slow
def test_a_trained_model_is_ahead_of_its_twin_and_the_twin_is_not(bert, twin, tmp_path):
    text = "The ship left the harbour at night. Nobody on the shore saw it go. The captain looked at the dark sea. "
    other = "Mix the flour with two eggs and some milk. Bake the cake for an hour. Let it cool before you cut it. "
    documents = [Document(name, (part * 12,)) for name, part in (("one", text), ("two", other))]
    pairs = tmp_path / "pairs.csv"
    pairs.write_text(
        "A man sings.,A man is singing.,4.5\nA dog runs.,A cat sleeps.,1.0\n" * 20 + "It rains.,Rain falls.,4.0\n" * 9
    )
    table, tables = compare_checkpoints({"shipped": bert}, documents, pairs, twins=2)
    table = table.set_index("measure")
    assert set(table.columns) == {"2 untrained twins", "shipped", "simplest baseline", "ahead of the best twin"}
    low = table["ahead of the best twin"].str.extract(r"\[(-?[\d.]+),")[0].astype(float)
    for measure in ("masked words, held-out loss (nats)", "masked words, accuracy", "senses, leave-one-out accuracy"):
        assert low[measure] > 0
    assert tables["heads"].attrs["dead layers"] == []
    same, _ = compare_checkpoints({"twin": twin}, documents, twins=1)
    differences = same.loc[same["twin"] != "", "ahead of the best twin"]
    assert differences.str.startswith("0.000").all()


def test_tables_in_markdown_hold_their_cells():
    table = pd.DataFrame({"a": [1, 2], "b": ["x|y", "z"]})
    assert markdown(table) == "| a | b |\n| --- | --- |\n| 1 | x\\|y |\n| 2 | z |"


def test_families_are_summed_from_the_manifest(tmp_path):
    rows = ["family\trepository\ttitle\tlicence\twords_kept"]
    rows += ["books\tr\tA\tCC BY 4.0 (LICENSE)\t100", "books\tr\tB\tCC BY 4.0 at commit abc of 2025; later NC\t50"]
    rows += ["news\tr\tC\tCC BY 2.5\t30"]
    (tmp_path / "M.tsv").write_text("\n".join(rows) + "\n")
    table = read_families(tmp_path / "M.tsv", replace(Recipe(), family_weights={"books": 0.3, "news": 0.1}))
    assert table["family"].tolist() == ["books", "news"]
    assert table["words"].tolist() == [150, 30]
    assert table["licence"].tolist() == ["CC BY 4.0", "CC BY 2.5"]
    assert_rounded_equal(table["weight"], [0.75, 0.25], dtype="float64")


def test_a_manifest_of_other_texts_is_refused(tmp_path):
    (tmp_path / "M.tsv").write_text("family\ttitle\tlicence\twords_kept\nletters\tA\tCC\t1\n")
    with pytest.raises(ValueError, match=r"none of the families .*letters"):
        read_families(tmp_path / "M.tsv", replace(Recipe(), family_weights={"books": 1.0}))


def test_run_facts_leave_pauses_out(tmp_path):
    begins = {"bfloat16": True, "compiled": False, "decay_from": 60}
    lines = [{"step": 0, "begins": begins}]
    lines += [{"step": 10, "pieces": 3600, "pieces a second": 1.0, "time": 0}]
    lines += [{"step": 20, "pieces": 7200, "pieces a second": 2.0, "time": 99_999}]
    (tmp_path / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines) + '{"step": 3')
    facts = run_facts(tmp_path)
    assert (facts["steps"], facts["pieces"], facts["hours"]) == (20, 7200, 1.5)
    (tmp_path / "metrics.jsonl").write_text(json.dumps(lines[0]) + "\n")
    with pytest.raises(ValueError, match="no report yet"):
        run_facts(tmp_path)


def test_checksums_are_those_of_sha256sum_and_bertlab_verifies_them(tmp_path):
    folder = tmp_path / "model"
    shutil.copytree(f"{next(iter(bertlab.__path__))}/bertlab-mini", folder)
    write_checksums(folder)
    listed = dict(reversed(line.split("  ")) for line in (folder / "SHA256SUMS").read_text().splitlines())
    assert set(listed) == {"config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json", "vocab.txt"}
    assert listed["config.json"] == hashlib.sha256((folder / "config.json").read_bytes()).hexdigest()
    if shutil.which("sha256sum"):
        subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=folder, check=True)
    bertlab.load(folder)


@pytest.fixture(scope="module")
def run(prepared, tiny, tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    settings = RunSettings(
        half=False, compiled=False, progress=False, report_every=5, held_out_every=10, snapshots=(0, 10)
    )
    Run(prepared, folder, tiny, steps=20, settings=settings).train()
    return folder


@pytest.fixture
def few(monkeypatch):
    """Measure little, and only what a model with 32 positions can read."""
    monkeypatch.setattr(measures, "HELD_OUT_ROWS", 40)
    monkeypatch.setattr(measures, "HELD_OUT_LENGTH", 32)
    monkeypatch.setattr(evaluation, "HEAD_ROWS", 40)
    senses = bertlab.data.read("word_senses").query("word == 'light' or word == 'cell'").reset_index(drop=True)
    senses["sentence"] = senses["word"]
    tables = {
        "word_senses": senses,
        "fill_mask_probes": pd.DataFrame(
            {"kind": "a", "sentence": [learning.CAT, "The [MASK]."], "answers": ["cat", "cow"]}
        ),
        "minimal_pairs": pd.DataFrame({"good": ["It was.", "We are."], "bad": ["It were.", "We is."]}),
        "agreement_pairs": pd.DataFrame({"good": ["It is.", "We were."], "bad": ["It are.", "We was."]}),
        "facts": bertlab.data.read("facts"),
        "graded_pairs": pd.DataFrame(
            {"first": ["A cat.", "Hot.", "No."], "second": ["A cow.", "Cold.", "No."], "grade_a": [1, 2, 5]}
        ).assign(grade_b=[1, 3, 5]),
    }
    monkeypatch.setattr(evaluation, "read", tables.__getitem__)


@pytest.mark.slow
def test_the_card_holds_every_measured_figure_and_no_blank(run, held_out, few, tmp_path):
    model = tmp_path / "model"
    shutil.copytree(run / "final", model)
    table, tables = compare_checkpoints({"this checkpoint": bertlab.load(model)}, held_out, twins=2)
    learnt = watch_it_learn(run, held_out)
    assert learnt["step"].tolist() == [0, 10, 20]
    assert learnt["held_out_loss"].is_monotonic_decreasing
    families = pd.DataFrame({"family": ["first"], "words": [10], "sources": [1], "licence": ["ours"], "weight": [1.0]})
    written = write_card(model, run, CardFacts(table, tables, learnt, families, "a machine", "## Tried\nnothing"))
    text = written.read_text()
    assert not re.findall(r"\{\w*\}", text)
    for cell in table["this checkpoint"]:
        assert cell in text
    assert "20 steps" in text
    assert "pre-trained from random weights" in text
    assert "begun again" not in text
    assert re.search(r"\d+% of the pieces were chosen for the masked-word task", text), "lesson 6 looks for this"
    assert "## Tried" in text
    assert pd.read_csv(model / "watch-it-learn.csv").shape == learnt.shape
    assert (model / "learning.png").read_bytes().startswith(b"\x89PNG")
    assert text.index("20 steps") < text.index("## What it measures") < text.index("### Watch it learn")
    renewed, known = tables | {"frequency": tables["frequency"].assign(loss=12.34)}, written.read_text()
    renew_measures(model, table, renewed)
    anew = written.read_text().splitlines()
    gone = [line for line in known.splitlines() if line not in anew]
    assert len(gone) == len(tables["frequency"])
    assert all(line.startswith("| ") and " to " in line for line in gone)
    assert sum("| 12.34 |" in line for line in anew) == len(tables["frequency"])
    renew_measures(model, table, tables)
    assert written.read_text() == known


@pytest.mark.parametrize("card", ["", "## What it measures\n", "### Watch it learn\n\n## What it measures\n"])
def test_a_card_without_its_headings_is_not_written_over(tmp_path, card):
    (tmp_path / "README.md").write_text(card)
    with pytest.raises(ValueError, match="once and in this order"):
        renew_measures(tmp_path, pd.DataFrame(), {})
    assert (tmp_path / "README.md").read_text() == card


@pytest.mark.slow
def test_the_card_of_a_run_that_was_begun_with_a_model_tells_both_stories_as_one(
    run, prepared, tiny, held_out, few, tmp_path
):
    first = watch_it_learn(run, held_out)
    first.to_csv(run / "final" / "watch-it-learn.csv", index=False)
    settings = RunSettings(half=False, compiled=False, progress=False, report_every=5, snapshots=(0, 5))
    later = tmp_path / "later"
    Run(prepared, later, tiny, steps=10, settings=settings, begin=run / "final").train()
    model = tmp_path / "model"
    shutil.copytree(later / "final", model)
    models = {"the earlier model": bertlab.load(run / "final"), "this checkpoint": bertlab.load(model)}
    table, tables = compare_checkpoints(models, held_out, twins=1)
    families = pd.DataFrame({"family": ["first"], "words": [10], "sources": [1], "licence": ["ours"], "weight": [1.0]})
    learnt = watch_it_learn(later, held_out)
    text = write_card(model, later, CardFacts(table, tables, learnt, families, "a machine", "")).read_text()
    both = pd.read_csv(model / "watch-it-learn.csv")
    assert both.columns.tolist() == first.columns.tolist()
    assert both["step"].tolist() == [0, 10, 20, 25, 30]
    assert both["millions_of_pieces"].is_monotonic_increasing
    # The same weights on the same items, before and after: nothing jumps where the run was begun again.
    assert abs(both["held_out_loss"][2] - first["held_out_loss"].iloc[-1]) < 0.0015
    pieces = sum(run_facts(folder)["pieces"] for folder in (run, later))
    assert f"30 steps and {pieces / 1e6:.1f} million pieces in all" in text
    assert "pre-trained from random weights" not in text
    assert "Initial weights" not in text
    assert "| 20 (begun again) |" in text
    assert "a step there that is no learning" not in text
    assert "the place of the earlier model" in text
    assert not re.findall(r"\{\w*\}", text)


@pytest.mark.parametrize("lacking", ["notes.md", "manifest.tsv"])
def test_what_a_card_lacks_is_said_before_anything_is_measured(run, texts, tmp_path, monkeypatch, lacking):
    monkeypatch.setattr("bertlab.pretraining.__main__.compare_checkpoints", lambda *_: pytest.fail("it was measured"))
    (tmp_path / "notes.md").write_text("none")
    (tmp_path / "manifest.tsv").write_text("family\ttitle\tlicence\twords_kept\nfirst\tA\tCC\t1\n")
    (tmp_path / lacking).unlink()
    said = ["--manifest", tmp_path / "manifest.tsv", "--notes", tmp_path / "notes.md", "--machine", "one"]
    with pytest.raises(FileNotFoundError, match=lacking):
        main([str(part) for part in ("card", run, run / "final", "--texts", texts, *said)])


def test_a_folder_for_tables_that_cannot_be_is_said_before_anything_is_measured(run, texts, tmp_path, monkeypatch):
    monkeypatch.setattr("bertlab.pretraining.__main__.compare_checkpoints", lambda *_: pytest.fail("it was measured"))
    (tmp_path / "tables").write_text("a file")
    with pytest.raises(FileExistsError):
        main(["evaluate", str(run / "final"), "--texts", str(texts), "--out", str(tmp_path / "tables")])


@pytest.mark.slow
def test_the_commands_go_from_text_to_measures(texts, tiny, few, tmp_path, capsys):
    (tmp_path / "recipe.json").write_text(tiny.to_json())
    folder, trained = str(tmp_path / "prepared"), str(tmp_path / "run")
    with pytest.raises(ValueError, match="use more text or a smaller size"):
        main(["prepare", str(texts), folder])
    main(["prepare", str(texts), folder, "--vocabulary", "200", "--positions", "32"])
    main(["train", folder, trained, "--steps", "6", "--recipe", str(tmp_path / "recipe.json"), "--eager", "--no-bar"])
    main(["evaluate", f"{trained}/final", "--texts", str(texts), "--out", str(tmp_path / "tables")])
    assert "masked words, held-out loss" in capsys.readouterr().out
    assert (tmp_path / "tables" / "measures.csv").is_file()
    early = f"{trained}/snapshots/step-00000000"
    main(["evaluate", f"{trained}/final", "--texts", str(texts), "--beside", early])
    assert f"may not take the place of {early}" in capsys.readouterr().out
    with pytest.raises(ValueError, match="named twice"):
        main(["evaluate", early, "--texts", str(texts), "--beside", early])


SHIPPED = Path(bertlab.__file__).parent / "bertlab-mini" / "README.md"


def table_of(card, first):
    """Return the table of a card whose first column has this name, as a dictionary of rows by that column."""
    start = card.index(f"| {first} |")
    names, _, *rows = (
        [cell.strip() for cell in line.split("|")[1:-1]] for line in card[start:].split("\n\n")[0].split("\n")
    )
    return {row[0]: dict(zip(names, row, strict=True)) for row in rows}


def test_what_the_shipped_card_says_in_words_stands_in_its_tables():
    card = SHIPPED.read_text(encoding="utf-8")
    table = table_of(card, "measure")
    said = " ".join(card[card.index("## What it cannot do") :].split())

    def numbers(measure, column="this checkpoint"):
        return [float(number) for number in re.findall(r"-?\d+\.\d+", table[measure][column])]  # value, low, high

    facts, agreement = bertlab.data.read("facts"), bertlab.data.read("agreement_pairs")
    (candidates,) = set(facts.groupby("topic")["true"].nunique())
    first, *_ = numbers("facts: the true word first of its topic's six")
    assert (
        f"true one comes first for {first:.2f} of {len(facts)} questions, where guessing gives {1 / candidates:.2f}"
        in said
    )
    agrees, low, high = numbers("agreement across a distractor, accuracy")
    assert f"{agrees:.2f} of {len(agreement)} such pairs, which is not shown to differ from one half" in said
    assert low < 0.5 < high
    _, _, high = numbers("pairs of stsb-en-dev, Spearman, static rows", "ahead of the best twin")
    assert high < 0, "the rows of the word table: less than the best twin"
    of_pairs = [numbers(name)[0] for name in table if name.startswith("pairs of stsb") and numbers(name)]
    counted, *_ = numbers("pairs of stsb-en-dev, Spearman, word overlap", "simplest baseline")
    assert len(of_pairs) == 4
    assert max(of_pairs) < counted


def test_the_shipped_card_tells_the_recipes_of_both_runs():
    card = SHIPPED.read_text(encoding="utf-8")
    weights = {family: row["weight"] for family, row in table_of(card, "family").items()}
    assert weights == {family: f"{weight:.0%}" for family, weight in SECOND_RUN.family_weights.items()}
    assert f"Batches of {SECOND_RUN.pieces_per_step:,} pieces:" in card
    assert f"warm-up over {SECOND_RUN.warmup} steps" in card
    first = " ".join(card[card.index("## The first run") : card.index("## What was tried")].split())
    groups = re.findall(r"(\d+)%(?: each)?(?: were)? from ([\w, ]+?)(?=, \d|\. )", first)
    shares = {name: int(share) for share, names in groups for name in re.split(r", | and ", names)}
    assert shares == {family: round(100 * weight) for family, weight in Recipe().family_weights.items()}
    assert f"{Recipe().pieces_per_step:,} pieces, twice that from step {Recipe().doubled_from:,} on" in first
