"""The command ``bertlab``: describe the installation, open or copy the lessons, and run bertlab-teaching's commands."""

import argparse
import signal
import sys
from importlib.metadata import entry_points
from pathlib import Path

from bertlab import lab, lessons

COMMANDS = "bertlab.commands"
# The commands of the second distribution, and its option of `lab` and `copy`; it adds them where it is installed.
TEACHING = ("run", "solve", "decks", "site", "quiz", "grade", "--notes")


def main(arguments: list[str] | None = None) -> int:
    """Run a command line, by default that of the process, and return the exit status."""
    try:
        return _run(sys.argv[1:] if arguments is None else arguments)
    except ModuleNotFoundError as error:  # of Python's own, which names the module, or one that says what to do
        print(f"{error}. Get it with: pip install 'bertlab[lab]'" if error.name else error, file=sys.stderr)
        return 1
    except (OSError, RuntimeError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Interrupted. What was finished is there; all other files are as they were.", file=sys.stderr)
        return 130


def _run(arguments: list[str]) -> int:
    """Run a command line; what is slow to import is imported here, so that Ctrl+C ends that in a sentence too."""
    for name in ("SIGTERM", "SIGHUP"):  # as Ctrl+C: nothing is left behind; nohup stays as it is
        if hasattr(signal, name) and signal.getsignal(getattr(signal, name)) == signal.SIG_DFL:
            signal.signal(getattr(signal, name), signal.default_int_handler)
    if not arguments:  # before other commands are added: what they import may be missing
        from bertlab.installation import report

        page, usable = report()
        print(page)
        return not usable
    asked = "--notes" if "--notes" in arguments else arguments[0]
    if asked in TEACHING and not entry_points(group=COMMANDS):
        raise ValueError(
            f"`{asked}` belongs to bertlab-teaching, which is not installed here. Get it with: pip install "
            "bertlab-teaching (in a clone, with make decks)."
        )
    options = _parser().parse_args(arguments)
    print(options.do(options), flush=True)
    if options.command == "lab":
        if not lab.has_display():
            print("There is no display here: open the http address printed below in a browser.", flush=True)
        lab.start(options.folder, options.ip, options.port)
    return 0


def _parser() -> argparse.ArgumentParser:
    about = "Without a command: a page about this installation, to paste when asking for help."
    parser = argparse.ArgumentParser(prog="python -m bertlab", description=about)
    commands = parser.add_subparsers(dest="command", title="commands", metavar="", required=True)
    opened = commands.add_parser("lab", help="copy the lessons to a folder and open them there in JupyterLab")
    opened.add_argument("folder", type=folder, nargs="?", help="by default work, or teach with --notes")
    opened.add_argument("--ip", default="127.0.0.1", help="0.0.0.0 in a container; by default this machine only")
    opened.add_argument("--port", type=_port, default=8888, help="by default 8888; the next one where it is taken")
    copy = commands.add_parser("copy", help="copy the lessons to a folder to work in; nothing is overwritten")
    copy.add_argument("folder", type=folder)
    shown = commands.add_parser("mine", help="show the BERT that you wrote in the lessons, and how to carry it along")
    shown.set_defaults(do=_mine)
    for command in (opened, copy):
        command.set_defaults(do=_copied, version=lessons.handed_out)
    for point in entry_points(group=COMMANDS):
        point.load()(commands)
    return parser


def _mine(_options: argparse.Namespace) -> str:
    """Return the student's BERT, and how to carry it to another machine."""
    from bertlab import mine  # torch comes with it

    if not (text := mine.written()):
        raise ValueError(f"There is no {mine.FILE} here. It begins with the first part that you write in lesson 1.")
    carry = "VS Code and a hub keep this file beside your notebooks, Colab forgets it. Elsewhere, put it beside them."
    own = mine.parts().own
    missing = ", ".join(name for name in mine.PARTS if name not in own)
    return f"{text}\n# {len(own)} of {len(mine.PARTS)} parts are yours.{missing and f' Still ours: {missing}.'} {carry}"


def folder(text: str) -> Path:
    """Return the folder that a command writes to; refuse an empty name and a file."""
    if not text or Path(text).is_file():
        raise argparse.ArgumentTypeError(f"{text!r} is no folder: give the name of one, '.' for the current one")
    return Path(text)


def _port(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 65535:  # of a larger one JupyterLab takes the last 16 bits
        raise argparse.ArgumentTypeError(f"{text!r} is no port: give a number from 1 to 65535")
    return int(text)


def _copied(options: argparse.Namespace) -> str:
    """Copy the lessons with the page that they show, and return a message that names the new ones."""
    from bertlab import page  # numpy comes with it

    options.folder = options.folder or Path("work" if options.version is lessons.handed_out else "teach")
    names = ", ".join(path.name for path in lessons.copy_to(options.folder, options.version))
    if lessons.is_missing(options.folder / page.PAGE):
        page.write_alone(options.folder)
    return f"Copied to {options.folder}: {names or 'nothing new: the lessons are already there'}."


if __name__ == "__main__":
    sys.exit(main())
