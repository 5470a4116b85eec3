"""The commands of `bertlab` for teachers; each returns a sentence that says what it has done."""

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bertlab.__main__ import folder
from bertlab.data import files
from bertlab_teaching import decks, quiz, running, solving


def add(commands: Any) -> None:
    """Add these commands to those of ``bertlab``, and the option ``--notes`` to its commands ``lab`` and ``copy``."""
    about = "a copy to present from: with the speaker's notes"
    for copied in (commands.choices["lab"], commands.choices["copy"]):
        copied.add_argument("--notes", dest="version", action="store_const", const=solving.to_present, help=about)

    def command(name: str, do: Callable[[argparse.Namespace], str], about: str) -> argparse.ArgumentParser:
        parser = commands.add_parser(name, help=about)
        parser.set_defaults(do=do)
        if name != "run":
            parser.add_argument("folder", type=folder)
        return parser

    run = command("run", _run, "run notebooks top to bottom and store their outputs")
    run.add_argument("notebooks", type=Path, nargs="+")
    command("solve", _solved, "write the lessons to a folder, run, with their exercises solved")
    slides = command("decks", _decks, "write the lessons as slides that open without a network")
    slides.add_argument("notebooks", type=Path, nargs="*", help="with their stored outputs; by default the lessons")
    path = slides.add_mutually_exclusive_group()
    path.add_argument("--short", action="store_true", help="the short path, for 50 minutes")
    path.add_argument("--further", action="store_true", help="with the slides that the 90 minutes have no time for")
    pages = command("site", _site, "write the course as a book of web pages, without notes and keys")
    pages.add_argument("--form", action="append", default=[], choices=[*quiz.FORMS], help="with this form of the quiz")
    questions = command("quiz", _quiz, "write the quiz before and after the course: sheets, keys, Moodle's files")
    for chosen in (slides, pages, questions):
        chosen.add_argument("--lessons", type=_names, default=[], help="what your class takes: 1,3,4a; all by default")
    grade = command("grade", _graded, "check the exercises in students' notebooks; one table of all outcomes")
    grade.epilog = "The folder has one for each student in it, or their names before the files'."
    grade.add_argument("--into", type=Path, help="the table, grades.csv by default; one that is there goes on")
    grade.add_argument("--wide", type=Path, metavar="TABLE", help="write a table of a row for each student, too")
    grade.add_argument("--feedback", type=Path, metavar="FOLDER", help="write a page for each student, too")
    grade.add_argument("--minutes", type=_positive, default=5, help="how long one exercise may take (5)")
    grade.add_argument("--memory", type=_positive, default=6, help="GiB that one exercise may use (6)")
    grade.add_argument("--jobs", type=int, default=1, help="how many exercises run at a time (1)")
    grade.add_argument("--unsafe", action="store_true", help="run submissions with all your rights, without a sandbox")


def _positive(text: str) -> float:
    if not 0 < (value := float(text)) < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is not above 0")
    return value


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",")]


def _run(options: argparse.Namespace) -> str:
    return f"Run and stored: {', '.join(map(str, running.each(options.notebooks, running.store)))}."


def _solved(options: argparse.Namespace) -> str:
    names = ", ".join(path.name for path in running.solve_to(options.folder))
    return f"Copied to {options.folder}: {names or 'nothing new: the lessons are already there'}."


def _decks(options: argparse.Namespace) -> str:
    page, *written = decks.build(options.folder, options.notebooks, options.lessons, options.short, options.further)
    return f"{len(written)} {'deck' if len(written) == 1 else 'decks'}. Open {page} in a browser."


def _site(options: argparse.Namespace) -> str:
    from bertlab_teaching.book.build import build

    page = build(options.folder, options.lessons, options.form)
    return f"The lessons and their slides. Open {page} in a browser, or put the folder online."


def _quiz(options: argparse.Namespace) -> str:
    return f"Written: {', '.join(map(str, quiz.build(options.folder, options.lessons)))}."


def _graded(options: argparse.Namespace) -> str:
    """Grade what was handed in; warnings for the teacher go to the standard error."""
    from bertlab_teaching.marking import grading, marks, sandbox

    if not options.folder.is_dir():
        raise ValueError(f"There is no folder {str(options.folder)!r}: name the one that holds what was handed in.")
    if options.feedback and options.folder.resolve().is_relative_to(options.feedback.resolve()):
        raise ValueError(f"{str(options.feedback)!r} holds what was handed in, links perhaps. Name another --feedback.")
    if sandbox.seal() is None:
        if not options.unsafe:
            raise ValueError(
                "Submissions are programs, and nothing here can keep them from your files and your network: bubblewrap "
                "(bwrap) is missing, or may not work. Install it, or grade in a container; what was written by people "
                "whom you trust you can run with --unsafe."
            )
        is_root = hasattr(os, "geteuid") and os.geteuid() == 0
        more = ", AND YOU ARE ROOT: they can change and read everything here" if is_root else ""
        print(f"WARNING: submissions run with all your rights{more}.", file=sys.stderr)
    into = options.into or Path("grades.csv")
    if not options.into and into.resolve().is_relative_to(options.folder.resolve()):
        raise ValueError(
            f"{str(into)!r} would lie among what was handed in, where it may be a student's. Name a table elsewhere, "
            "such as --into ../grades.csv."
        )
    if options.wide:
        files.refuse_other(options.wide)
    if earlier := marks.earlier(into):
        print(f"Going on from {into}, {len(earlier)} rows.", file=sys.stderr)
    ours = {path.resolve() for path in (options.wide, options.feedback) if path}
    rows = grading.grade(options.folder, into, options.minutes, options.memory, max(1, options.jobs), ours)
    report = f"{marks.summary(rows)}\n\nWhat the checks said is in {into}."
    if options.wide:
        files.write(options.wide, marks.wide(rows))
        report += f" A row for each student: {options.wide}."
    if options.feedback:
        pages, failed = marks.feedback(rows, options.feedback)
        report += f" {pages} pages of feedback: {options.feedback}."
        report += "".join(f"\nNo page for {student}: {reason}" for student, reason in failed.items())
    return report
