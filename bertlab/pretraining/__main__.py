"""The command line: ``python -m bertlab.pretraining prepare | train | evaluate | card | ...``."""

import argparse
import logging
import re
from pathlib import Path

import pandas as pd
from tqdm import tqdm

from bertlab.bert.loading import Bert, load
from bertlab.data import files
from bertlab.pretraining.card import CardFacts, read_families, write_card, write_checksums
from bertlab.pretraining.card_measures import renew_measures
from bertlab.pretraining.comparison import compare_checkpoints, in_words
from bertlab.pretraining.corpus import Document, prepare, read_folder
from bertlab.pretraining.learning import watch_it_learn
from bertlab.pretraining.recipe import Preparation, Recipe
from bertlab.pretraining.small_runs import record, record_left_out
from bertlab.pretraining.speed import compare_speed, keep_memory
from bertlab.pretraining.training import Run, RunSettings

DESCRIPTION = """Pre-train a small BERT, from a folder of text to its model card:

  prepare TEXTS PREPARED          text -> vocabulary and arrays (minutes)
  train PREPARED RUN --steps N    arrays -> model; the same command goes on where a run was stopped
  evaluate MODEL --texts TEXTS    every measure, beside untrained twins and the simplest baselines
  card RUN MODEL --texts TEXTS    evaluation and training log -> the model card, in MODEL
  remeasure MODEL --texts TEXTS   evaluation -> the card of a model whose run is gone; the rest of it stays
  speed PREPARED                  pieces a second, beside transformers' Trainer
  small FILE                      the runs of lesson 7, with ten seeds each, as a table

Several processes or a GPU: accelerate launch -m bertlab.pretraining train ...
On a machine that is shared, OMP_WAIT_POLICY=PASSIVE keeps waiting threads from using it up.
"""


def main(arguments: list[str] | None = None) -> None:
    """Run one step of the way from text to model."""
    given = _parser().parse_args(arguments)
    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    keep_memory()
    if given.command == "prepare":
        preparation = Preparation(vocabulary=given.vocabulary, positions=given.positions)
        print(f"prepared: {prepare(given.texts, given.folder, preparation, given.vocabulary_of)}")
    elif given.command == "train":
        recipe = Recipe.from_json(given.recipe.read_text()) if given.recipe else None
        settings = RunSettings(save_every=given.save_every, compiled=not given.eager, progress=not given.no_bar)
        run = Run(given.prepared, given.run, recipe, given.steps, given.minutes, settings, given.begin)
        print(f"trained: {run.train()}")
    elif given.command == "evaluate":
        _print_comparison(given)
    elif given.command == "card":
        _write_card(given)
    elif given.command == "remeasure":
        files.check(given.model / "README.md")  # before anything slow
        comparison, tables = compare_checkpoints(_beside(given), _held_out(given.texts), given.pairs)
        print(f"card: {renew_measures(given.model, comparison, tables)}")
    elif given.command == "small":
        files.check(given.file)  # before anything slow
        runs = record_left_out if given.left_out else record
        files.write(given.file, runs(tqdm(range(given.seeds))).to_csv(index=False))
    else:
        print(compare_speed(given.prepared).round(1).to_string(index=False))


def _print_comparison(given: argparse.Namespace) -> None:
    """Print the tables of `compare_checkpoints`, and write them where asked."""
    if given.out:  # before anything slow
        given.out.mkdir(parents=True, exist_ok=True)
        files.check(given.out / "table.csv")
    models = {str(path): load(path) for path in [*given.beside, given.model]}
    if len(models) <= len(given.beside):
        raise ValueError("one model is named twice: each is compared with others")
    comparison, tables = compare_checkpoints(models, _held_out(given.texts), given.pairs)
    with pd.option_context("display.width", 240, "display.max_columns", None, "display.max_colwidth", 60):
        for name, table in {"measures": comparison, **tables}.items():
            print(f"\n{name}\n{table.round(3).to_string(index=False)}")
            if given.out:
                path = given.out / f"{re.sub(r'[^A-Za-z0-9]+', '-', name)}.csv"
                files.write(path, table.to_csv(index=False))
    for path in map(str, given.beside):
        print(f"\n{in_words(tables[f'decision: {path}'], str(given.model), path)}")


def _write_card(given: argparse.Namespace) -> None:
    """Measure the model and its snapshots, and write the card into its folder."""
    documents = _held_out(given.texts)
    recipe = Recipe.from_json((given.run / "recipe.json").read_text())
    notes = given.notes.read_text(encoding="utf-8") if given.notes else ""  # what can fail does so before what is slow
    families = read_families(given.manifest, recipe)
    files.check(given.model / "README.md")
    models = _beside(given)
    comparison, tables = compare_checkpoints(models, documents, given.pairs)
    learnt = watch_it_learn(given.run, documents)
    facts = CardFacts(comparison, tables, learnt, families, given.machine, notes)
    print(f"card: {write_card(given.model, given.run, facts)}")
    write_checksums(given.model)


def _beside(given: argparse.Namespace) -> dict[str, Bert]:
    """Return the models of a card under the names that they have there, the one in question last."""
    models = {"the earlier model" if len(given.beside) == 1 else path.name: load(path) for path in given.beside}
    if len(models) < len(given.beside):
        raise ValueError(
            "two of the models beside have one name, under which the card would show them: rename a folder"
        )
    return models | {"this checkpoint": load(given.model)}


def _held_out(texts: Path) -> list[Document]:
    """Return the held-out documents of a folder of text."""
    return [document for document in read_folder(texts) if document.held_out]


def _parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m bertlab.pretraining",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True)
    part = commands.add_parser("prepare", help="text -> vocabulary and arrays")
    part.add_argument("texts", type=Path, help="folder of .txt or .txt.xz files")
    part.add_argument("folder", type=Path, help="where the prepared corpus goes")
    usual = Preparation()
    part.add_argument("--vocabulary", type=int, default=usual.vocabulary, help="pieces, the special ones included")
    part.add_argument("--positions", type=int, default=usual.positions, help="longest input in pieces")
    part.add_argument("--vocabulary-of", type=Path, help="folder of a model whose vocabulary is taken")
    part = commands.add_parser("train", help="arrays -> model; goes on where a run was stopped")
    part.add_argument("prepared", type=Path, help="folder made by `prepare`")
    part.add_argument("run", type=Path, help="folder of the run")
    part.add_argument("--steps", type=int, help="length of the run; given anew on resuming, the end moves there")
    part.add_argument("--minutes", type=float, help="instead of --steps: measured once and turned into steps")
    part.add_argument("--recipe", type=Path, help="JSON file with what differs from the default recipe")
    part.add_argument("--begin", type=Path, help="folder of a model whose weights a new run begins with")
    part.add_argument("--save-every", type=float, default=RunSettings.save_every, help="seconds between checkpoints")
    part.add_argument("--eager", action="store_true", help="do not try torch.compile")
    part.add_argument("--no-bar", action="store_true", help="no progress bar")
    part = commands.add_parser("evaluate", help="every measure, on any checkpoint")
    part.add_argument("model", type=Path, help="folder of a model or a checkpoint")
    _measuring(part)
    part.add_argument("--out", type=Path, help="folder for the tables as .csv")
    part = commands.add_parser("card", help="evaluation and training log -> the model card")
    part.add_argument("run", type=Path, help="folder of the run")
    part.add_argument("model", type=Path, help="folder of the model; the card goes there")
    _measuring(part)
    part.add_argument("--manifest", type=Path, required=True, help="MANIFEST.tsv of the text")
    part.add_argument("--machine", required=True, help="the machine, in words")
    part.add_argument("--notes", type=Path, help="Markdown: what was tried and dropped")
    part = commands.add_parser("remeasure", help="evaluation -> the card of a model whose run is gone")
    part.add_argument("model", type=Path, help="folder of the model, with its card")
    _measuring(part)
    part = commands.add_parser("speed", help="pieces a second, beside transformers' Trainer")
    part.add_argument("prepared", type=Path, help="folder made by `prepare`")
    part = commands.add_parser("small", help="the runs of lesson 7, as a table")
    part.add_argument("file", type=Path, help="the .csv file to write")
    part.add_argument("--seeds", type=int, default=10, help="how many of each")
    part.add_argument("--left-out", action="store_true", help="those of texts with and without some sentences")
    return parser


def _measuring(part: argparse.ArgumentParser) -> None:
    """Add what measuring a model needs."""
    part.add_argument("--texts", type=Path, required=True, help="folder of text; its held-out documents are used")
    part.add_argument("--pairs", type=Path, help="file of graded pairs: sentence 1, sentence 2, score")
    part.add_argument(
        "--beside",
        type=Path,
        nargs="*",
        default=[],
        help="earlier models: measured as well, and whether MODEL may take their place",
    )


if __name__ == "__main__":
    main()
