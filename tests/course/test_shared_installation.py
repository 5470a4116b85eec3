"""One installation for a whole class: the lessons run where nothing of it can be written, and without a network.

Linux can show a process a file system and a network of its own. In these tests all is mounted read-only, which binds
root too, but for a new home folder; and of the network there is the loopback, over which a notebook talks to its
kernel. Where a user may not ask for that, the tests are skipped.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
READ_ONLY = {Path("/"), ROOT, Path(sys.prefix), Path(sys.base_prefix)}
pytestmark = pytest.mark.slow


def shut_in(home, script):
    """Run a shell script, stopped by its first error, where only `home` can be written; it is empty again after."""
    mounts = "".join(f'mount --bind "{d}" "{d}"\nmount -o remount,bind,ro "{d}"\n' for d in READ_ONLY - {Path("/")})
    mounts += f'mount -o remount,bind,ro /\nmount -t tmpfs home "{home}"\nip link set lo up\ncd "{home}"\n'
    user = [] if os.geteuid() == 0 else ["--map-root-user"]
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    return subprocess.run(
        ["unshare", *user, "--mount", "--net", "sh", "-ec", f"{mounts}\n{script}"],
        env=environment | {"HOME": str(home), "TMPDIR": str(home), "PYTHON": sys.executable},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )


@pytest.fixture
def home(tmp_path):
    missing = [program for program in ("unshare", "mount", "ip") if shutil.which(program) is None]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    tried = shut_in(tmp_path, "true")
    if tried.returncode:
        pytest.skip(f"no file system of our own here: {tried.stderr.strip()}")
    return tmp_path


def written(stdout):
    """Return the first parts of the paths of all files in the home folder, from the last lines of a script."""
    return {line.split("/")[0] for line in stdout.split("files:\n")[1].splitlines()}


LIST = "echo files:; find . -type f -printf '%P\\n'"


def test_nothing_but_the_home_folder_can_be_written_and_nobody_is_reached(home):
    for folder in READ_ONLY:
        run = shut_in(home, f'touch "{folder}/written-by-a-test"')
        assert "Read-only file system" in run.stderr, folder
    out = "import socket; socket.create_connection(('192.0.2.1', 443), timeout=5)"  # an address kept for examples
    assert "Network is unreachable" in shut_in(home, f'$PYTHON -c "{out}"').stderr
    assert written(shut_in(home, f"touch mine; {LIST}").stdout) == {"mine"}


def test_the_lessons_that_need_no_minutes_run(home):
    run = shut_in(home, f"$PYTHON -m bertlab copy work; $PYTHON -m bertlab run work/0[1-6]*.ipynb; {LIST}")
    assert run.returncode == 0, run.stderr[-3000:]
    assert run.stdout.split("files:")[0].count("work/") == 6
    assert written(run.stdout) == {"work", ".cache", ".ipython"}, "INSTALL.md says what is written where"


def test_a_full_disk_leaves_the_notebook_as_it_was(home):
    source = "print('x' * 700_000)"  # once in the notebook that is there, and once more in the one beside it
    cell = f'{{"cell_type":"code","id":"a","metadata":{{}},"source":"{source}","outputs":[],"execution_count":null}}'
    run = shut_in(
        home,
        f"""mkdir small; mount -t tmpfs -o size=1m small small
        cat > small/mine.ipynb <<'END'
        {{"nbformat":4,"nbformat_minor":5,"metadata":{{}},"cells":[{cell}]}}
END
        $PYTHON -m bertlab run small/mine.ipynb
        cp small/mine.ipynb before.ipynb
        $PYTHON -m bertlab run small/mine.ipynb && exit 1
        cmp small/mine.ipynb before.ipynb; ls -A small; wc -c < before.ipynb""",
    )
    assert run.returncode == 0, run.stderr
    assert "'small/mine.ipynb' could not be written: No space left on device. It is as it was" in run.stderr
    assert run.stdout.split()[-2] == "mine.ipynb"
    assert int(run.stdout.split()[-1]) > 700_000


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
