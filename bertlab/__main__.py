"""``python -m bertlab``: say what is installed and loads; copy, solve or run the lessons; make slides of them."""

import argparse
import sys
from pathlib import Path

from bertlab import decks, lessons
from bertlab.report import report


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return the exit status.

    Parameters
    ----------
    arguments : list of str, optional
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
    slides = commands.add_parser("decks", help="run the lessons and write them as slides that open without a network")
    slides.add_argument("folder", type=Path)
    options = parser.parse_args(arguments)

    if options.command in ("copy", "solve"):
        if options.command == "solve":
            print("Running the lessons with their solutions: a minute or two ...", flush=True)
        try:
            if options.command == "copy":
                copied = lessons.copy_to(options.folder, notes=options.notes)
            else:
                copied = lessons.solve_to(options.folder)
        except OSError as error:
            print(error, file=sys.stderr)
            return 1
        names = ", ".join(path.name for path in copied) or "nothing new: the lessons are already there"
        print(f"Copied to {options.folder}: {names}.")
        return 0
    if options.command == "run":
        for path in options.notebooks:
            print(f"Running {path} ...", flush=True)
            lessons.store(path)
        return 0
    if options.command == "decks":
        print("Running the lessons: a minute or two ...", flush=True)
        try:
            page, *written = decks.build(options.folder)
        except (OSError, ModuleNotFoundError) as error:
            print(error, file=sys.stderr)
            return 1
        print(f"{len(written)} decks. Open {page} in a browser.")
        return 0
    page, usable = report()
    print(page)
    return 0 if usable else 1


if __name__ == "__main__":
    sys.exit(main())
