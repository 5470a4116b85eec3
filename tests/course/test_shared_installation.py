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
pytestmark = pytest.mark.slow


def shut_in(home, script):
    """Run a shell script, stopped by its first error, where only `home` can be written; it is empty again after."""
    bwrap = ["bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", home, "--unshare-net"]
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    return subprocess.run(
        [*bwrap, "--die-with-parent", "--chdir", home, "sh", "-ec", script],
        env=environment | {"HOME": str(home), "TMPDIR": str(home), "PYTHON": sys.executable},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )


@pytest.fixture
def home(tmp_path):
    if shutil.which("bwrap") is None or shut_in(tmp_path, "touch mine").returncode:
        pytest.skip("bubblewrap is not here, or does not work")
    assert "Read-only file system" in shut_in(tmp_path, f'touch "{ROOT}/written-by-a-test"').stderr
    return tmp_path


def written(stdout):
    """Return the first parts of the paths of all files in the home folder, from the last lines of a script."""
    return {line.split("/")[0] for line in stdout.split("files:\n")[1].splitlines()}


LIST = "echo files:; find . -type f -printf '%P\\n'"


def test_the_lessons_that_need_no_minutes_run(home):
    run = shut_in(home, f"$PYTHON -m bertlab copy work; $PYTHON -m bertlab run work/0[1-6]*.ipynb; {LIST}")
    assert run.returncode == 0, run.stderr[-3000:]
    assert run.stdout.split("files:")[0].count("work/") == 6
    assert written(run.stdout) == {"work", ".cache", ".ipython"}, "INSTALL.md says what is written where"


def test_jupyterlab_delivers_its_page(home):
    switches = "--no-browser --allow-root --ServerApp.port=8888 --LanguageServerManager.autodetect=False"
    ask = "import urllib.request as u; print(u.urlopen('http://127.0.0.1:8888/lab?token=ours').read().decode())"
    run = shut_in(
        home,
        f"""$PYTHON -m jupyterlab {switches} --IdentityProvider.token=ours 2>log &
        for second in $(seq 60); do sleep 1; $PYTHON -c "{ask}" 2>/dev/null && break; done
        kill $!; wait $! || true; {LIST}""",
    )
    assert "<title>JupyterLab</title>" in run.stdout, run.stderr
    assert written(run.stdout) <= {"log", ".jupyter", ".local"}, "INSTALL.md says what is written where"
