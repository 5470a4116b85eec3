"""``bertlab``: what is installed and loads; the lessons opened, copied, solved, run, graded; slides, the quiz."""

import argparse
import os
import signal
import sys
from pathlib import Path

from bertlab import lab
from bertlab.course import decks, quiz, release, running
from bertlab.course import notebooks as lessons
from bertlab.course.installation import report
from bertlab.course.web import site
from bertlab.data import files


def main(arguments: list[str] | None = None) -> int:
    """Run the command line, by default that of the process, and return the exit status."""
    options = _parser().parse_args(arguments)
    if options.command is None:
        page, usable = report()
        print(page)
        return 0 if usable else 1
    for name in ("SIGTERM", "SIGHUP"):  # as Ctrl+C: nothing is left behind; nohup stays as it is
        if hasattr(signal, name) and signal.getsignal(getattr(signal, name)) == signal.SIG_DFL:
            signal.signal(getattr(signal, name), signal.default_int_handler)
    if options.command == "lab":
        options.folder = options.folder or Path("teach" if options.notes else "work")
    try:
        print(_done(options), flush=True)
        if options.command == "lab":
            if not lab.has_display():
                print("There is no display here: open the http address printed below in a browser.", flush=True)
            lab.start(options.folder, options.ip, options.port)
    except ModuleNotFoundError as error:  # of Python's own, which names the module, or one that says what to do
        print(f"{error}. Get it with: pip install 'bertlab[lab]'" if error.name else error, file=sys.stderr)
        return 1
    except (OSError, RuntimeError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Interrupted. What was finished is there; all other files are as they were.", file=sys.stderr)
        return 130
    return 0


def _parser() -> argparse.ArgumentParser:
    about = "Without a command: a page about this installation, to paste when asking for help."
    parser = argparse.ArgumentParser(prog="python -m bertlab", description=about)
    commands = parser.add_subparsers(dest="command", title="commands", metavar="")
    opened = commands.add_parser("lab", help="copy the lessons to a folder and open them there in JupyterLab")
    run = commands.add_parser("run", help="run notebooks top to bottom and store their outputs")
    run.add_argument("notebooks", type=Path, nargs="+")
    copy = commands.add_parser("copy", help="copy the lessons to a folder to work in; nothing is overwritten")
    solve = commands.add_parser("solve", help="write the lessons to a folder, run, with their exercises solved")
    slides = commands.add_parser("decks", help="write the lessons as slides that open without a network")
    pages = commands.add_parser("site", help="write the course as pages for a web server, without notes and keys")
    asked = commands.add_parser("quiz", help="write the quiz before and after the course: sheets, keys, Moodle's files")
    grade = commands.add_parser("grade", help="check the exercises in students' notebooks; one table of all outcomes")
    assignments = commands.add_parser("release", help="write the lessons as assignments for nbgrader")
    for command in (copy, solve, slides, pages, asked, grade, assignments):
        command.add_argument("folder", type=_folder)
    for command in (opened, copy):
        command.add_argument("--notes", action="store_true", help="a copy to present from: with the speaker's notes")
    opened.add_argument("folder", type=_folder, nargs="?", help="by default work, and teach for a copy with notes")
    opened.add_argument("--ip", default="127.0.0.1", help="0.0.0.0 in a container; by default this machine only")
    opened.add_argument("--port", type=int, default=8888, help="by default 8888; the next one where it is taken")
    slides.add_argument("notebooks", type=Path, nargs="*", help="with their stored outputs; by default the lessons")
    slides.add_argument("--sitting", action="append", default=[], help="4b, or 4 for all of lesson 4; by default all")
    slides.add_argument("--part", action="append", default=[], help="a part of it, such as 'Step 2'; by default all")
    slides.add_argument("--short", action="store_true", help="the short path, for 50 minutes")
    grade.epilog = "The folder has one for each student in it, or their names before the files'."
    grade.add_argument("--into", type=Path, help="the table, grades.csv by default; one that is there goes on")
    grade.add_argument("--wide", type=Path, metavar="TABLE", help="write a table of a row for each student, too")
    grade.add_argument("--feedback", type=Path, metavar="FOLDER", help="write a page for each student, too")
    grade.add_argument("--minutes", type=_positive, default=5, help="how long one exercise may take (5)")
    grade.add_argument("--memory", type=_positive, default=6, help="GiB that one exercise may use (6)")
    grade.add_argument("--jobs", type=int, default=1, help="how many exercises run at a time (1)")
    grade.add_argument("--unsafe", action="store_true", help="run submissions with all your rights, without a sandbox")
    return parser


def _folder(text: str) -> Path:
    if not text or Path(text).is_file():
        raise argparse.ArgumentTypeError(f"{text!r} is no folder: give the name of one, '.' for the current one")
    return Path(text)


def _positive(text: str) -> float:
    if not 0 < (value := float(text)) < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is not above 0")
    return value


def _done(options: argparse.Namespace) -> str:
    """Do what the command line asks for, and say what was done."""
    if options.command == "run":
        return f"Run and stored: {', '.join(map(str, running.each(options.notebooks, running.store)))}."
    if options.command == "decks":
        chosen = options.notebooks or None
        page, *written = decks.build(options.folder, chosen, options.sitting, options.part, options.short)
        return f"{len(written)} {'deck' if len(written) == 1 else 'decks'}. Open {page} in a browser."
    if options.command == "site":
        page, *written = site.build(options.folder)
        return f"{len(written)} lessons, their slides and the quiz. Open {page} in a browser, or put the folder online."
    if options.command == "quiz":
        return f"Written: {', '.join(map(str, quiz.build(options.folder)))}."
    if options.command == "grade":
        return _graded(options)
    if options.command == "release":
        new = ", ".join(path.stem for path in release.release_to(options.folder)) or "nothing new"
        return f"Assignments in {options.folder / 'source'}: {new}. Go on there with `nbgrader generate_assignment`."
    if options.command == "solve":
        copied = running.solve_to(options.folder)
    else:
        copied = lessons.copy_to(options.folder, options.notes)
    names = ", ".join(path.name for path in copied) or "nothing new: the lessons are already there"
    return f"Copied to {options.folder}: {names}."


def _graded(options: argparse.Namespace) -> str:
    """Grade what was handed in; what whoever grades must know goes to the standard error."""
    from bertlab.course import grading, marks, sandbox

    if options.feedback and options.folder.resolve().is_relative_to(options.feedback.resolve()):
        raise ValueError(f"{str(options.feedback)!r} holds what was handed in, links perhaps. Name another --feedback.")
    if sandbox.seal() is None:
        if not options.unsafe:
            raise ValueError(
                "Submissions are programs, and nothing here can keep them from your files and your network: bubblewrap "
                "(bwrap) is missing, or may not work. Install it, or grade in a container (instructors/marks.md); what "
                "was written by people whom you trust you can run with --unsafe."
            )
        root = (
            ", AND YOU ARE ROOT: they can change and read everything here"
            if not getattr(os, "geteuid", lambda: 1)()
            else ""
        )
        print(f"WARNING: submissions run with all your rights{root}.", file=sys.stderr)
    into = options.into or Path("grades.csv")
    if not options.into and into.resolve().is_relative_to(options.folder.resolve()):
        raise ValueError(
            f"{str(into)!r} would lie among what was handed in, where it may be a student's. Name a table elsewhere, "
            "such as --into ../grades.csv."
        )
    if options.wide:
        files.refuse_foreign(options.wide)
    if earlier := marks.earlier(into):
        print(f"Going on from {into}, {len(earlier)} rows.", file=sys.stderr)
    ours = {path.resolve() for path in (options.wide, options.feedback) if path}
    rows = grading.grade(options.folder, into, options.minutes, options.memory, max(1, options.jobs), ours)
    said = f"{marks.summary(rows)}\n\nWhat the checks said is in {into}."
    if options.wide:
        files.write(options.wide, marks.wide(rows))
        said += f" A row for each student: {options.wide}."
    if options.feedback:
        pages, failed = marks.feedback(rows, options.feedback)
        said += f" {pages} pages of feedback: {options.feedback}."
        said += "".join(f"\nNo page for {student}: {reason}" for student, reason in failed.items())
    return said


if __name__ == "__main__":
    sys.exit(main())
