"""A separate process; if bubblewrap works, it sees Python, this package and nothing else of the machine."""

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
    OURS["PYTHONUSERBASE"] = site.getuserbase()  # which must not depend on its home folder
SYSTEM = ("/usr/bin", "/usr/lib", "/usr/lib64", "/bin", "/lib", "/lib64", "/etc/ld.so.cache")
PYTHON = ("bin", "lib", "lib64", "pyvenv.cfg")  # not all of an environment, because Jupyter may keep tokens in it

# No nested namespaces, whose mounts would take memory that nobody counts. Not all versions have these options.
NO_MORE = ("--unshare-user", "--disable-userns")
PROCESSES = 64  # the most that one exercise may have at a time
stop = threading.Event()
"""Ends all separate processes at once."""


def popen(command: list[str], more: Sequence[str] = (), **options: Any) -> subprocess.Popen:
    """Start a command in bubblewrap, without a network and with only the files that it needs."""
    bwrap = ["--unshare-all", *more, "--die-with-parent", "--cap-drop", "ALL", "--proc", "/proc"]
    bwrap += ["--dev", "/dev", "--size", str(2**28), "--tmpfs", "/tmp", "--chdir", "/tmp"]  # Python may be in /tmp
    python = [f"{prefix}/{part}" for prefix in {sys.prefix, sys.base_prefix} - {"/usr"} for part in PYTHON]
    packages = (*site.getsitepackages(), site.getusersitepackages())  # Debian's, and those of one user
    for path in (*SYSTEM, *python, *packages, *map(str, PACKAGES)):
        bwrap += ["--ro-bind-try", path, path]
    for folder in (package / "notebooks" for package in PACKAGES):
        if folder.is_dir():  # an installed package contains the solutions
            bwrap += ["--tmpfs", str(folder)]
    for path in ("/dev/zero", "/proc/keys", "/proc/key-users"):  # shared memory, and the contents of keyrings
        if Path(path).exists():
            bwrap += ["--dev-bind", "/dev/null", path]
    for path in ("/dev", "/proc", "/"):  # otherwise root could write the kernel's settings
        bwrap += ["--remount-ro", path]
    pipes = []
    try:
        if seccomp.program():
            pipes.append(_readable(seccomp.program()))
            bwrap += ["--seccomp", str(pipes[0])]
        pipes.append(_readable("\0".join(bwrap).encode()))  # otherwise the process could read these folders' names
        arguments = [shutil.which("bwrap") or "bwrap", "--args", str(pipes[-1]), *command]
        return subprocess.Popen(arguments, pass_fds=pipes, **options)
    finally:
        for end in pipes:
            os.close(end)


def _readable(content: bytes) -> int:
    """Return the end of a pipe from which this short content can be read."""
    end, beginning = os.pipe()
    with os.fdopen(beginning, "wb") as file:
        file.write(content)
    return end


@cache
def seal() -> tuple[str, ...] | None:
    """Return the optional arguments that bubblewrap takes here, or None if it is missing or may not work."""
    if shutil.which("bwrap") is None:
        return None
    for more in (NO_MORE, ()):
        if popen([sys.executable, "-c", ""], more, stderr=subprocess.DEVNULL).wait() == 0:
            return more
    return None


def run(module: str, asked: str, seconds: float, memory: float) -> tuple[str, int | None]:
    """Run a module in a process and an empty folder of its own; return what it printed and its exit status.

    The status is None after `seconds`, and of SIGKILL if it takes more than `memory` GiB, its children included.
    """
    # Its output is a file, because a pipe would stay open as long as any of its children.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home, tempfile.TemporaryFile() as printed:
        command = [sys.executable, "-P", "-m", module]
        environment = {name: os.environ[name] for name in KEPT if name in os.environ} | OURS
        more = seal()
        environment |= dict.fromkeys(("HOME", "USERPROFILE", "TMPDIR", "TEMP", "TMP"), home if more is None else "/tmp")
        if more is not None:
            environment["PATH"] = "/usr/bin:/bin"  # not the teacher's, which names their folders
        start = subprocess.Popen if more is None else partial(popen, more=more)
        process = start(
            command,
            stdin=subprocess.PIPE,  # it can be read once only, unlike a file
            stdout=printed,
            stderr=subprocess.DEVNULL,
            cwd=home,
            env=environment,
            start_new_session=True,  # without this terminal, and killed with its children
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
    """Return whether a process and its children use more than `memory` GiB of their own (on Linux)."""
    family, pages = [pid], 0
    for member in family:
        with suppress(OSError, ValueError):  # it has just ended
            _, resident, shared, *_ = map(int, Path(f"/proc/{member}/statm").read_text().split())
            pages += resident - shared
            for children in Path(f"/proc/{member}/task").glob("*/children"):
                family += map(int, children.read_text().split())
    return len(family) > PROCESSES or pages * mmap.PAGESIZE > memory * 2**30
