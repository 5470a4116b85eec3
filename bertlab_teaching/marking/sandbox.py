"""A process apart: where bubblewrap works, it sees Python and this package, and nothing else of this machine."""

import mmap
import os
import shutil
import signal
import site
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import Any

import bertlab
from bertlab_teaching.marking import seccomp

PACKAGES = [Path(bertlab.__file__).parent, Path(__file__).parents[1]]
KEPT = ("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "SYSTEMROOT")
OURS = {
    "HF_HUB_OFFLINE": "1",
    "MPLBACKEND": "agg",
    "OMP_NUM_THREADS": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONPATH": os.pathsep.join(dict.fromkeys(str(package.parent) for package in PACKAGES)),
    "PYTHONUTF8": "1",
    "TOKENIZERS_PARALLELISM": "false",
}
if site.ENABLE_USER_SITE:
    OURS["PYTHONUSERBASE"] = site.getuserbase()  # whatever its home folder is
SYSTEM = ("/usr/bin", "/usr/lib", "/usr/lib64", "/bin", "/lib", "/lib64", "/etc/ld.so.cache")
PYTHON = ("bin", "lib", "lib64", "pyvenv.cfg")  # of an environment, in which Jupyter may keep tokens and what was typed

# Not all versions know it: no namespaces in the namespace, whose own mounts would take memory that nobody counts.
NO_MORE = ("--unshare-user", "--disable-userns")
PROCESSES = 64  # that one exercise may have at a time
stop = threading.Event()
"""Ends all that runs apart, at once."""


def popen(command: list[str], more: Sequence[str] = (), **options: Any) -> subprocess.Popen:
    """Start a command in bubblewrap: nobody to reach, nothing to read but what it needs."""
    bwrap = ["--unshare-all", *more, "--die-with-parent", "--cap-drop", "ALL", "--proc", "/proc"]
    bwrap += ["--dev", "/dev", "--size", str(2**28), "--tmpfs", "/tmp", "--chdir", "/tmp"]  # Python may lie in the last
    python = [f"{prefix}/{part}" for prefix in {sys.prefix, sys.base_prefix} - {"/usr"} for part in PYTHON]
    packages = (*site.getsitepackages(), site.getusersitepackages())  # Debian's, and those of one user
    for path in (*SYSTEM, *python, *packages, *map(str, PACKAGES)):
        bwrap += ["--ro-bind-try", path, path]
    if (PACKAGES[0] / "notebooks").is_dir():  # of an installed package: the solutions are in it
        bwrap += ["--tmpfs", str(PACKAGES[0] / "notebooks")]
    for path in ("/dev/zero", "/proc/keys", "/proc/key-users"):  # memory that all share, and what keyrings hold
        if Path(path).exists():
            bwrap += ["--dev-bind", "/dev/null", path]
    for path in ("/dev", "/proc", "/"):  # else root could write the kernel's settings
        bwrap += ["--remount-ro", path]
    handed = []
    try:
        if seccomp.program():
            handed.append(_readable(seccomp.program()))
            bwrap += ["--seccomp", str(handed[0])]
        handed.append(_readable("\0".join(bwrap).encode()))  # else the process could read these folders' names
        whole = [shutil.which("bwrap") or "bwrap", "--args", str(handed[-1]), *command]
        return subprocess.Popen(whole, pass_fds=handed, **options)
    finally:
        for end in handed:
            os.close(end)


def _readable(content: bytes) -> int:
    """Return the end of a pipe from which a short content is read."""
    end, beginning = os.pipe()
    with os.fdopen(beginning, "wb") as file:
        file.write(content)
    return end


@cache
def seal() -> tuple[str, ...] | None:
    """Return what bubblewrap can do besides, None where it is not here, or may not do what it is asked for."""
    if shutil.which("bwrap") is None:
        return None
    for more in (NO_MORE, ()):
        if popen([sys.executable, "-c", ""], more, stderr=subprocess.DEVNULL).wait() == 0:
            return more
    return None


def run(module: str, asked: str, seconds: float, memory: float) -> tuple[str, int | None]:
    """Run a module apart, in an empty folder that is deleted afterwards; return what it printed, and its exit status.

    That is negative or above 128 for a signal, as of what takes more `memory` (GiB, with all that it has started); None
    if it took too long. Then it is killed, with all that it had started.
    """
    # Its output is a file: a pipe would stay open as long as anything that it has started.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as own, tempfile.TemporaryFile() as printed:
        command = [sys.executable, "-P", "-m", module]
        environment = {name: os.environ[name] for name in KEPT if name in os.environ} | OURS
        more = seal()
        environment |= dict.fromkeys(("HOME", "USERPROFILE", "TMPDIR", "TEMP", "TMP"), own if more is None else "/tmp")
        if more is not None:
            environment["PATH"] = "/usr/bin:/bin"  # not the teacher's, which tells of their folders
        start = subprocess.Popen if more is None else partial(popen, more=more)
        process = start(
            command,
            stdin=subprocess.PIPE,  # which is empty once it is read: a file could be read again
            stdout=printed,
            stderr=subprocess.DEVNULL,
            cwd=own,
            env=environment,
            start_new_session=True,  # without this terminal, and to be killed with all that it has started
        )
        assert process.stdin
        until, status = time.monotonic() + seconds, None
        try:
            with suppress(BrokenPipeError), process.stdin:
                process.stdin.write(asked.encode())
            while time.monotonic() < until and not stop.is_set():
                with suppress(subprocess.TimeoutExpired):
                    status = process.wait(0.1)
                    break
                if too_much(process.pid, memory):
                    status = -signal.SIGKILL
                    break
        finally:
            with suppress(ProcessLookupError, PermissionError, AttributeError):  # Windows has no groups
                os.killpg(process.pid, signal.SIGKILL)
            process.kill()
            process.wait()
        printed.seek(0)
        return printed.read().decode(errors="replace"), status


def too_much(pid: int, memory: float) -> bool:
    """Say whether a process and all that it has started have more memory of their own than so many GiB; on Linux."""
    family, pages = [pid], 0
    for member in family:
        with suppress(OSError, ValueError):  # it has just ended
            _, resident, shared, *_ = map(int, Path(f"/proc/{member}/statm").read_text().split())
            pages += resident - shared
            for children in Path(f"/proc/{member}/task").glob("*/children"):
                family += map(int, children.read_text().split())
    return len(family) > PROCESSES or pages * mmap.PAGESIZE > memory * 2**30
