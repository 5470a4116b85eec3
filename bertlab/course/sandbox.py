"""A process apart: where bubblewrap works, it sees Python and this package, and nothing else of this machine."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parents[1]
KEPT = ("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "SYSTEMROOT")
OURS = {
    "HF_HUB_OFFLINE": "1",
    "MPLBACKEND": "agg",
    "OMP_NUM_THREADS": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONPATH": str(PACKAGE.parent),
    "PYTHONUTF8": "1",
    "TOKENIZERS_PARALLELISM": "false",
}
SYSTEM = ("/usr/bin", "/usr/lib", "/usr/lib64", "/bin", "/lib", "/lib64", "/etc/ld.so.cache")


def sealed(command: list[str]) -> list[str]:
    """Return a command that runs another one in bubblewrap: nobody to reach, nothing to read but what it needs."""
    bwrap = ["bwrap", "--unshare-all", "--die-with-parent", "--cap-drop", "ALL", "--proc", "/proc", "--dev", "/dev"]
    bwrap += ["--size", str(2**28), "--tmpfs", "/tmp", "--chdir", "/tmp"]  # first: Python may lie in it
    for path in (*SYSTEM, *{sys.prefix, sys.base_prefix} - {"/usr"}, str(PACKAGE)):
        bwrap += ["--ro-bind-try", path, path]
    if (PACKAGE / "notebooks").is_dir():  # of an installed package: the solutions are in it
        bwrap += ["--tmpfs", str(PACKAGE / "notebooks")]
    return [*bwrap, "--remount-ro", "/dev", "--remount-ro", "/", *command]


@cache
def possible() -> bool:
    """Say whether bubblewrap is here, and may do what it is asked for."""
    if shutil.which("bwrap") is None:
        return False
    return subprocess.run(sealed([sys.executable, "-c", ""]), capture_output=True, check=False).returncode == 0


def run(module: str, asked: str, seconds: float) -> tuple[str, int | None]:
    """Run a module apart, in an empty folder that is deleted afterwards; return what it printed, and its exit status.

    That is negative or above 128 for a signal, None if it took too long and was killed, with all that it had started.
    """
    # Its output is a file: a pipe would stay open as long as anything that it has started.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as own, tempfile.TemporaryFile() as printed:
        command = [sys.executable, "-P", "-m", module]
        environment = {name: os.environ[name] for name in KEPT if name in os.environ} | OURS
        environment |= dict.fromkeys(("HOME", "USERPROFILE", "TMPDIR", "TEMP", "TMP"), "/tmp" if possible() else own)
        process = subprocess.Popen(
            sealed(command) if possible() else command,
            stdin=subprocess.PIPE,
            stdout=printed,
            stderr=subprocess.DEVNULL,
            cwd=own,
            env=environment,
            start_new_session=True,  # without this terminal, and to be killed with all that it has started
        )
        try:
            process.communicate(asked.encode(), seconds)
            status = process.returncode
        except subprocess.TimeoutExpired:
            status = None
        finally:
            with suppress(ProcessLookupError, PermissionError, AttributeError):  # Windows has no groups
                os.killpg(process.pid, signal.SIGKILL)
            process.kill()
            process.wait()
        printed.seek(0)
        return printed.read().decode(errors="replace"), status
