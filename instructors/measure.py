"""Measure what a student costs: the time and memory of each lesson, and of the server; `kernels` measures several.

    python instructors/measure.py              # Linux only; some minutes
    python instructors/measure.py 01

A student is a kernel that has run a lesson top to bottom. RSS is all that a process has in memory; PSS is the same
with what several processes share (the libraries' code, for the most part) divided among them; USS is what it has
alone. So the sum of the PSS of all processes is what they take together.
"""

import argparse
import os
import platform
import re
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterable
from contextlib import ExitStack
from datetime import date
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd
import psutil
import torch
from nbclient import NotebookClient

from bertlab.course import notebooks as lessons

MIB = 2**20
LOAD = os.getloadavg()
STARTING = threading.Lock()  # one kernel at a time: a port is chosen before it is taken, and another may choose it too


def machine(*packages: str) -> str:
    """Say when and where this is measured, and with which packages."""
    info = Path("/proc/cpuinfo").read_text(encoding="utf8").splitlines()
    model = next((line.split(":")[1].strip() for line in info if line.startswith("model name")), platform.machine())
    threads = f"{torch.get_num_threads()} thread{'s' * (torch.get_num_threads() > 1)}"
    return (
        f"{date.today():%d %B %Y}, {platform.system()} {platform.machine()}, {os.cpu_count()} cores of {model}, "
        f"{threads}, Python {platform.python_version()}, {', '.join(f'{name} {version(name)}' for name in packages)}; "
        f"{LOAD[0]:.1f} other processes were at work when it began"
    )


def replaced(page: str, name: str, text: str) -> str:
    """Return a page with this text between its marks ``<!-- name -->`` and ``<!-- -->``."""
    pattern = rf"(<!-- {name} -->\n).+?(\n *<!-- -->)"
    done, count = re.subn(pattern, lambda marks: f"{marks[1]}{text}{marks[2]}", page, flags=re.S)
    if count != 1:
        raise ValueError(f"The page has {count} places marked <!-- {name} -->; it needs one.")
    return done


def table(header: str, rows: Iterable[Iterable[object]]) -> str:
    """Return a table of Markdown."""
    rule = "|" + "---|" * len(header.split(" | "))
    lines = [f"| {' | '.join(map(str, row))} |" for row in rows]
    return "\n".join([f"| {header} |", rule, *lines]).replace("|  |", "| |")


def memory(pid: int) -> dict[str, float]:
    """Return what a process has in memory, and had at most, in MiB."""
    now = psutil.Process(pid).memory_full_info()
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf8")
    (peak,) = re.findall(r"^VmHWM:\s+(\d+) kB$", status, re.M)
    return {"peak RSS": int(peak) * 1024 / MIB, "RSS": now.rss / MIB, "PSS": now.pss / MIB, "USS": now.uss / MIB}


def student(lesson: Path, stack: ExitStack, folder: str) -> tuple[int, float]:
    """Start a kernel that lives as long as the stack, run a lesson in it; return its process and the seconds."""
    notebook = lessons.handed_out(lesson)
    settings = {"resources": {"metadata": {"path": folder}}, "extra_arguments": ["--log-level=ERROR"]}
    client = NotebookClient(notebook, timeout=3600, startup_timeout=600, kernel_name="python3", **settings)
    start = time.perf_counter()
    with STARTING:
        stack.enter_context(client.setup_kernel())
    for number, cell in enumerate(notebook.cells):
        client.execute_cell(cell, number)
    return client.km.provisioner.pid, time.perf_counter() - start


def alone(lesson: Path) -> dict[str, float]:
    """Return the seconds, those of the processor, and the memory of one student with a lesson."""
    with TemporaryDirectory() as folder, ExitStack() as stack:
        pid, seconds = student(lesson, stack, folder)
        cpu = psutil.Process(pid).cpu_times()
        return {"seconds": seconds, "CPU": cpu.user + cpu.system, **memory(pid)}


def server() -> dict[str, float]:
    """Return the memory of a JupyterLab server that has delivered its page once."""
    with TemporaryDirectory() as folder:
        places = {f"JUPYTER_{name}_DIR": folder for name in ("CONFIG", "DATA", "RUNTIME")}
        switches = ["--no-browser", "--allow-root", "--ServerApp.ip=127.0.0.1", "--IdentityProvider.token=measure"]
        process = subprocess.Popen(
            [sys.executable, "-m", "jupyterlab", *switches, f"--ServerApp.root_dir={folder}"],
            env=os.environ | places,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            assert process.stderr is not None
            found = (re.search(r"http://127\.0\.0\.1:\d+/lab", line) for line in process.stderr)
            address = next(match[0] for match in found if match)
            for _ in range(30):  # the address is printed a moment before anybody listens there
                time.sleep(1)
                try:
                    urllib.request.urlopen(f"{address}?token=measure", timeout=60).read()
                    return memory(process.pid)
                except urllib.error.URLError:
                    continue
            raise TimeoutError(f"JupyterLab did not answer at {address}.")
        finally:
            process.terminate()
            process.wait(timeout=30)


def main() -> None:
    """Print the table of the lessons, and the server's memory."""
    parser = argparse.ArgumentParser(description="Measure what a student costs in time and memory.")
    parser.add_argument("lessons", nargs="*", help="how their files begin, such as 01; by default all")
    options = parser.parse_args()
    paths = [path for path in lessons.paths() if path.name.startswith(tuple(options.lessons or [""]))]

    print(machine("torch", "transformers", "jupyterlab"), f"; model {os.environ.get('BERTLAB_MODEL', 'bertlab-mini')}")
    table = pd.DataFrame({path.stem: alone(path) for path in paths}).T
    print(f"\nOne student, each lesson top to bottom (memory in MiB):\n{table.round().astype(int)}")

    print("\nJupyterLab's server (MiB):", ", ".join(f"{name} {value:.0f}" for name, value in server().items()))


if __name__ == "__main__":
    main()
