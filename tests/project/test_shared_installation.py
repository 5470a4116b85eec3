"""One installation for a whole class: the lessons run where nothing of it can be written, and without a network.

Bubblewrap shows a process everything read-only but a new home folder, and of the network the loopback, over which a
notebook talks to its kernel. Where it is not there, or does not work, the tests are skipped.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LIST = "echo files:; find . -type f -printf '%P\\n'"
pytestmark = pytest.mark.slow


@pytest.fixture
def shut_in(tmp_path):
    """Run a shell script where only a home folder can be written; give what it printed and where it left files."""

    def run(script):
        bwrap = ["bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", tmp_path]
        bwrap += ["--unshare-net", "--die-with-parent", "--chdir", tmp_path]
        variables = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
        variables |= {"HOME": str(tmp_path), "TMPDIR": str(tmp_path), "PYTHON": sys.executable}
        command = [*bwrap, "sh", "-ec", f"{script}\n{LIST}"]
        done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
        printed, _, files = done.stdout.partition("files:\n")
        return printed, {line.split("/")[0] for line in files.splitlines()}, done.stderr

    if shutil.which("bwrap") is None or not run("touch mine")[1]:
        pytest.skip("bubblewrap is not here, or does not work")
    assert "Read-only file system" in run(f'touch "{ROOT}/written-by-a-test"')[2]
    return run


def test_a_lesson_is_copied_and_runs(shut_in):
    """One shows it: that no lesson needs a network or leaves a file where it runs is held by `run_cell` for all."""
    printed, files, error = shut_in("$PYTHON -m bertlab copy work; $PYTHON -m bertlab run work/01*.ipynb")
    assert printed.count("work/") == 1, error[-3000:]
    assert files == {"work", ".cache", ".ipython"}, "INSTALL.md says what is written where"
