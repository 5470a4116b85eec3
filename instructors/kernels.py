"""Measure several students at once: kernels that run a lesson at the same time, their seconds and their memory.

    python instructors/kernels.py 02 08                # Linux only; ten kernels at once, and one alone
    python instructors/kernels.py 02 08 --write        # writes the table to room.md
    python instructors/kernels.py 02 --students 2

What falls on a shared server when a whole class runs a lesson top to bottom: the worst case, since students read and
type in between. Memory is the largest sum of PSS (see `measure`) of all kernels together, looked at twice a second.
Nothing else must be at work on the machine.
"""

import argparse
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil
from measure import MIB, machine, replaced, student

from bertlab.course import notebooks as lessons

ROOM = Path(__file__).with_name("room.md")
CLASS, SERVER = 30, 8  # students and cores, for the example
HEADER = "| lesson | kernels | seconds | of the processor | MiB at most | times one's seconds | times one's MiB |"


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


def section(measured: dict[int, dict[int, dict[str, float]]], where: str) -> str:
    """Return what room.md says of runs by lesson and kernels: a table, where, and the sums for a class."""
    lines, sums = [HEADER, "|---|---|---|---|---|---|---|"], []
    for lesson, runs in measured.items():
        one, kernels = runs[1], max(runs)
        for count, run in runs.items():
            numbers = f"{run['seconds']:.0f} | {run['processor']:.0f} | {run['MiB']:,.0f}"
            beside = f"{run['seconds'] / one['seconds']:.1f} | {run['MiB'] / one['MiB']:.1f}"
            lines.append(f"| {lesson} | {count} | {numbers} | {beside} |")
        processor, first = round(runs[kernels]["processor"] / kernels), round(one["MiB"])
        more = round((runs[kernels]["MiB"] - one["MiB"]) / (kernels - 1))
        seconds, memory = CLASS * processor / SERVER, first + (CLASS - 1) * more
        sums.append(f"    lesson {lesson}: {CLASS} * {processor} / {SERVER} = {seconds:.0f} seconds")
        sums.append(f"    lesson {lesson}: {first} + {CLASS - 1} * {more} = {memory:,} MiB")
    said = f"Measured on {where}. So {CLASS} students who run a lesson at once on {SERVER} cores wait, and need,"
    return "\n".join([*lines, "", textwrap.fill(said, 120), "", *sums])


def main() -> None:
    """Measure, print, and write to the page where that is asked for."""
    parser = argparse.ArgumentParser(description="Measure kernels that run a lesson at the same time.")
    parser.add_argument("lessons", nargs="+", help="how their files begin, such as 02")
    parser.add_argument("--students", type=int, default=10, help="so many kernels at once, two or more (10)")
    parser.add_argument("--write", action="store_true", help=f"write the table to {ROOM.name}")
    options = parser.parse_args()
    paths = [path for path in lessons.paths() if path.name.startswith(tuple(options.lessons))]
    measured = {
        int(path.stem[:2]): {kernels: at_once(path, kernels) for kernels in (1, options.students)} for path in paths
    }
    done = section(measured, machine("torch", "transformers", "ipykernel"))
    print(done)
    if options.write:
        ROOM.write_text(replaced(ROOM.read_text(encoding="utf8"), "kernels", done), encoding="utf8")


if __name__ == "__main__":
    main()
