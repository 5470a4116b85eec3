"""The command line: ``python -m bertlab.pretraining prepare | train``."""

import argparse
import logging
from pathlib import Path

from bertlab.pretraining.corpus import prepare
from bertlab.pretraining.recipe import Recipe
from bertlab.pretraining.training import RunSettings, train


def main(arguments: list[str] | None = None) -> None:
    """Run one step of the way from text to model."""
    parser = argparse.ArgumentParser(prog="python -m bertlab.pretraining", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    part = commands.add_parser("prepare", help="text -> vocabulary and arrays")
    part.add_argument("texts", type=Path, help="folder of .txt or .txt.xz files")
    part.add_argument("folder", type=Path, help="where the prepared corpus goes")
    part = commands.add_parser("train", help="arrays -> model; goes on where a run was stopped")
    part.add_argument("prepared", type=Path, help="folder made by `prepare`")
    part.add_argument("run", type=Path, help="folder of the run")
    part.add_argument("--steps", type=int, help="length of the run; given anew on resuming, the end moves there")
    part.add_argument("--minutes", type=float, help="instead of --steps: measured once and turned into steps")
    part.add_argument("--recipe", type=Path, help="JSON file with what differs from the default recipe")
    part.add_argument("--save-every", type=float, default=240.0, help="seconds between checkpoints")
    part.add_argument("--no-bar", action="store_true", help="no progress bar")
    given = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    if given.command == "prepare":
        print(f"prepared: {prepare(given.texts, given.folder)}")
    elif given.command == "train":
        recipe = Recipe.from_json(given.recipe.read_text()) if given.recipe else None
        settings = RunSettings(save_every=given.save_every, progress=not given.no_bar)
        print(f"trained: {train(given.prepared, given.run, recipe, given.steps, given.minutes, settings)}")


if __name__ == "__main__":
    main()
