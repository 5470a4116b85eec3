"""A process apart, with limits: an empty folder of its own, and where Linux allows, nothing else to write or reach.

As a script it is the step in between: it has just got a file system of its own, makes that read-only, and starts what
shall run there without the rights to undo that.
"""

import ctypes
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
OWN = 256
"""Megabytes that a sealed process can write, all files together; they lie in memory."""

KEPT = ("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "SYSTEMROOT")
OURS = {
    "HF_HUB_OFFLINE": "1",
    "MPLBACKEND": "agg",
    "OMP_NUM_THREADS": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONUTF8": "1",
    "TOKENIZERS_PARALLELISM": "false",
}
PROGRAMS = ("unshare", "setpriv")


@cache
def possible() -> bool:
    """Return whether a process can be sealed here: a Linux on which a user may have namespaces."""
    if sys.platform != "linux" or any(shutil.which(program) is None for program in PROGRAMS):
        return False
    script = "import pathlib; pathlib.Path('mine').touch(); pathlib.Path(__import__('sys').argv[1], 'x').touch()"
    with tempfile.TemporaryDirectory() as own, tempfile.TemporaryDirectory() as other:
        # It must be able to write here, and must not there.
        tried = subprocess.run(
            _sealed([sys.executable, "-I", "-c", script, other], own, None), capture_output=True, text=True, check=False
        )
    return tried.returncode == 1 and "Read-only file system" in tried.stderr


def run(module: str, given: str, seconds: float, hidden: Path | None = None) -> tuple[str, int | None]:
    """Run a module in a process of its own, in an empty folder that is deleted afterwards.

    Parameters
    ----------
    module
    given
        Its standard input.
    seconds
        After these it is killed, with all that it has started.
    hidden
        A folder that it does not see, where it can be sealed.

    Returns
    -------
    str
        What it wrote to its standard output.
    int or None
        Its exit status, negative for a signal; None if it was killed for taking too long.
    """
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as own,
        tempfile.TemporaryFile() as asked,
        tempfile.TemporaryFile() as said,
    ):
        asked.write(given.encode())
        asked.seek(0)
        command = [sys.executable, "-P", "-m", module]
        environment = {name: os.environ[name] for name in KEPT if name in os.environ} | OURS
        environment |= dict.fromkeys(("HOME", "USERPROFILE", "TMPDIR", "TEMP", "TMP"), own)
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
        process = subprocess.Popen(
            _sealed(command, own, hidden) if possible() else command,
            stdin=asked,
            stdout=said,  # a file: a pipe would stay open as long as anything that the process has started
            stderr=subprocess.DEVNULL,
            cwd=own,
            env=environment,
            start_new_session=True,
        )
        try:
            status: int | None = process.wait(seconds)
        except subprocess.TimeoutExpired:
            status = None
        finally:
            _kill(process)
        said.seek(0)
        return said.read().decode(errors="replace"), status


def _kill(process: subprocess.Popen) -> None:
    """Kill a process and its group, which may outlive it."""
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.wait()


def _sealed(command: list[str], own: str, hidden: Path | None) -> list[str]:
    """Return a command that runs another one sealed: with processes, network and file system of its own."""
    apart = ["unshare", "--user", "--map-root-user", "--mount", "--net", "--pid", "--fork", "--kill-child"]
    needed = [Path(own), ROOT, Path(sys.prefix), Path(sys.base_prefix)]
    hide = hidden.resolve() if hidden else None
    covers = hide is not None and any(folder.resolve().is_relative_to(hide) for folder in needed)
    folders = [own, "" if hide is None or covers else str(hide)]
    without_rights = ["setpriv", "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs"]
    return [*apart, "--mount-proc", sys.executable, "-I", __file__, *folders, *without_rights, *command]


def _seal(own: str, hidden: str) -> None:
    """Make all file systems of this process read-only, but for a new empty one in its folder."""
    libc = ctypes.CDLL(None, use_errno=True)

    def succeed(status: int, what: str) -> None:
        if status:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), what)

    here, recursive, read_only, mount_setattr = -100, 0x8000, (ctypes.c_uint64 * 4)(1, 0, 0, 0), 442
    size = ctypes.c_size_t(ctypes.sizeof(read_only))
    succeed(libc.syscall(mount_setattr, here, b"/", recursive, ctypes.byref(read_only), size), "/")
    nosuid, nodev = 2, 4
    succeed(libc.mount(b"own", own.encode(), b"tmpfs", nosuid | nodev, f"size={OWN}m".encode()), own)
    if hidden:
        succeed(libc.mount(b"hidden", hidden.encode(), b"tmpfs", nosuid | nodev | read_only[0], b"size=1m"), hidden)
    os.chdir(own)


if __name__ == "__main__":
    _seal(sys.argv[1], sys.argv[2])
    os.execvp(sys.argv[3], sys.argv[3:])
