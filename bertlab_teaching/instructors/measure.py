"""Measure the time and memory of a lesson that one student runs top to bottom. Linux only."""

import os
import platform
import re
import time
from datetime import date
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil
import torch
from nbclient import NotebookClient

from bertlab import lessons

LOAD = os.getloadavg()


def machine(*packages: str) -> str:
    """Return the date, the machine and the versions of these packages in words."""
    info = Path("/proc/cpuinfo").read_text(encoding="utf8").splitlines()
    model = next((line.split(":")[1].strip() for line in info if line.startswith("model name")), platform.machine())
    threads = f"{torch.get_num_threads()} thread{'s' * (torch.get_num_threads() > 1)}"
    return (
        f"{date.today():%d %B %Y}, {platform.system()} {platform.machine()}, {os.cpu_count()} cores of {model}, "
        f"{threads}, Python {platform.python_version()}, {', '.join(f'{name} {version(name)}' for name in packages)}; "
        f"{LOAD[0]:.1f} other processes were at work when it began"
    )


def alone(lesson: Path) -> dict[str, float]:
    """Return the seconds that a lesson takes one student, the processor's seconds, and the peak memory in MiB."""
    notebook = lessons.handed_out(lesson)
    with TemporaryDirectory() as folder:
        settings = {"resources": {"metadata": {"path": folder}}, "extra_arguments": ["--log-level=ERROR"]}
        client = NotebookClient(notebook, timeout=3600, startup_timeout=600, kernel_name="python3", **settings)
        start = time.perf_counter()
        with client.setup_kernel():
            for number, cell in enumerate(notebook.cells):
                client.execute_cell(cell, number)
            seconds, pid = time.perf_counter() - start, client.km.provisioner.pid
            status = Path(f"/proc/{pid}/status").read_text(encoding="utf8")
            (kilobytes,) = re.findall(r"^VmHWM:\s+(\d+) kB$", status, re.M)
            cpu = psutil.Process(pid).cpu_times()
            return {"seconds": seconds, "CPU": cpu.user + cpu.system, "MiB": int(kilobytes) / 1024}
