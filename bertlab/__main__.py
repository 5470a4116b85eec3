"""``python -m bertlab``: say what is installed and loads; copy, solve or run the lessons; make slides of them."""

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path

from bertlab.course import decks, running
from bertlab.course import notebooks as lessons
from bertlab.course.installation import report


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return the exit status.

    Parameters
    ----------
    arguments
        By default those of the process.
    """
    parser = argparse.ArgumentParser(
        prog="python -m bertlab",
        description="Without a command: a page about this installation, to paste when asking for help.",
    )
    commands = parser.add_subparsers(dest="command", title="commands", metavar="")
    copy = commands.add_parser("copy", help="copy the lessons to a folder to work in; nothing is overwritten")
    copy.add_argument("folder", type=Path)
    copy.add_argument("--notes", action="store_true", help="a copy to present from: with the speaker's notes")
    solve = commands.add_parser("solve", help="write the lessons to a folder, run, with their exercises solved")
    solve.add_argument("folder", type=Path)
    run = commands.add_parser("run", help="run notebooks top to bottom and store their outputs")
    run.add_argument("notebooks", type=Path, nargs="+")
    slides = commands.add_parser("decks", help="write the lessons as slides that open without a network")
    slides.add_argument("folder", type=Path)
    slides.add_argument("notebooks", type=Path, nargs="*", help="with their stored outputs; by default the lessons")
    options = parser.parse_args(arguments)
    if options.command is None:
        page, usable = report()
        print(page)
        return 0 if usable else 1
    try:
        print(_done(options))
    except (ModuleNotFoundError, OSError, RuntimeError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Interrupted. What was finished is there; all other files are as they were.", file=sys.stderr)
        return 130
    return 0


def _done(options: argparse.Namespace) -> str:
    """Do what the command line asks for, and say what was done."""
    if options.command == "run":
        stored = running.each(options.notebooks, lambda path: running.store(path, progress=_bar))
        return f"Run and stored: {', '.join(map(str, stored))}."
    if options.command == "decks":
        page, *written = decks.build(options.folder, options.notebooks or None)
        return f"{len(written)} decks. Open {page} in a browser."
    if options.command == "copy":
        copied = lessons.copy_to(options.folder, notes=options.notes)
    else:
        copied = running.solve_to(options.folder, progress=_bar)
    names = ", ".join(path.name for path in copied) or "nothing new: the lessons are already there"
    return f"Copied to {options.folder}: {names}."


def _bar(cells: list, name: str) -> Iterable:
    """Show how far a run is, so that a cell that is stuck can be seen."""
    from tqdm import tqdm

    return tqdm(cells, desc=name, unit="cell", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
