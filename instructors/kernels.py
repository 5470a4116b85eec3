"""Measure several students at once: kernels that run a lesson at the same time, their seconds and their memory.

    python instructors/kernels.py 02 08                # Linux only; ten kernels at once, and one alone
    python instructors/kernels.py 02 08 --write        # writes the table to INSTRUCTORS.md
    python instructors/kernels.py 02 --students 2

What falls on a shared server when a whole class runs a lesson top to bottom: the worst case, since students read and
type in between. Memory is the largest sum of PSS (see `measure`) of all kernels together, looked at twice a second.
Nothing else must be at work on the machine.
"""

import argparse
import os
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd
import psutil
from measure import CLASS, MIB, machine, replaced, student

from bertlab.course import notebooks as lessons

GUIDE = Path(__file__).parents[1] / "INSTRUCTORS.md"
SERVER = 8  # cores, for the example


def pss() -> float:
    """Return the PSS of all kernels that this process has started, in MiB."""
    total = 0
    for process in psutil.Process().children(recursive=True):
        try:
            total += process.memory_full_info().pss
        except psutil.Error:  # it has just ended
            continue
    return total / MIB


def at_once(lesson: Path, students: int) -> dict[str, float]:
    """Return the slowest student's seconds, the processor's seconds of all, and the largest memory of all."""
    together = threading.Barrier(students)

    def one() -> tuple[float, float]:
        with TemporaryDirectory() as folder, ExitStack() as stack:
            try:
                pid, seconds = student(lesson, stack, folder)
                used = psutil.Process(pid).cpu_times()
                together.wait()  # all kernels stay until the last is done, as in a class
            except BaseException:
                together.abort()
                raise
            return seconds, used.user + used.system

    with ThreadPoolExecutor(students) as pool:
        runs, peak = [pool.submit(one) for _ in range(students)], 0.0
        while not all(run.done() for run in runs):
            peak = max(peak, pss())
            time.sleep(0.5)
        failed = [error for run in runs if (error := run.exception())]
        for error in sorted(failed, key=lambda error: isinstance(error, threading.BrokenBarrierError)):
            raise error  # the failure itself, and not that others waited in vain
        seconds, processor = zip(*(run.result() for run in runs), strict=True)
    return {"seconds": max(seconds), "processor": sum(processor), "MiB": peak}


def table(found: pd.DataFrame) -> list[str]:
    """Return the rows of the table: each lesson with one kernel and with several, and these beside the one."""
    rows = [
        "| lesson | kernels | seconds | of the processor | MiB at most | times one's seconds | times one's MiB |",
        "|---|---|---|---|---|---|---|",
    ]
    for lesson, runs in found.groupby("lesson"):
        one = runs.iloc[0]
        rows += [
            f"| {lesson} | {run['kernels']:.0f} | {run['seconds']:.0f} | {run['processor']:.0f} | {run['MiB']:,.0f} | "
            f"{run['seconds'] / one['seconds']:.1f} | {run['MiB'] / one['MiB']:.1f} |"
            for _, run in runs.iterrows()
        ]
    return rows


def scaled(found: pd.DataFrame) -> list[str]:
    """Return the sums for a class on a server, from what each kernel took among the others."""
    lines = []
    for lesson, runs in found.groupby("lesson"):
        many, one = runs.iloc[-1], runs.iloc[0]
        processor = round(many["processor"] / many["kernels"])
        first = more = round(one["MiB"])
        if many["kernels"] > 1:
            more = round((many["MiB"] - one["MiB"]) / (many["kernels"] - 1))
        lines += [
            f"    lesson {lesson}: {CLASS} * {processor} / {SERVER} = {CLASS * processor / SERVER:.0f} seconds",
            f"    lesson {lesson}: {first} + {CLASS - 1} * {more} = {first + (CLASS - 1) * more:,} MiB",
        ]
    return lines


def section(found: pd.DataFrame, where: str) -> str:
    """Return what INSTRUCTORS.md says: the table, where it was measured, and the sums for a class."""
    said = f"Measured on {where}. So {CLASS} students who run a lesson at once on {SERVER} cores wait, and need,"
    return "\n".join([*table(found), "", textwrap.fill(said, 120), "", *scaled(found)])


def main() -> None:
    """Measure, print, and write to the guide where that is asked for."""
    parser = argparse.ArgumentParser(description="Measure kernels that run a lesson at the same time.")
    parser.add_argument("lessons", nargs="+", help="how their files begin, such as 02")
    parser.add_argument("--students", type=int, default=10, help="so many kernels at once (10)")
    parser.add_argument("--write", action="store_true", help=f"write the table to {GUIDE.name}")
    options = parser.parse_args()
    runs = [
        {"lesson": int(path.stem[:2]), "kernels": kernels} | at_once(path, kernels)
        for path in lessons.paths()
        if path.name.startswith(tuple(options.lessons))
        for kernels in sorted({1, options.students})
    ]
    done = section(pd.DataFrame(runs), machine("torch", "transformers", "ipykernel"))
    print(done)
    print("\nThreads of a kernel: OMP_NUM_THREADS is", os.environ.get("OMP_NUM_THREADS", "not set: bertlab takes one"))
    if options.write:
        GUIDE.write_text(replaced(GUIDE.read_text(encoding="utf8"), "kernels", done), encoding="utf8")


if __name__ == "__main__":
    main()
