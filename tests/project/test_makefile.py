"""The Makefile: which Python it takes, what a failed installation leaves, how it opens the lessons."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LAB, TEST = "-e .[lab] -c constraints.txt", "-e .[test] -c constraints.txt"
pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")


class Shell:
    """A clone with an odd name, and a folder of programs, the only ones on the path."""

    def __init__(self, folder):
        name = os.fsdecode("""my "$HOME" `lessons`, übrigens #1's""".encode())
        self.clone, self.programs = folder / name, folder / "bin"
        (self.clone / "bertlab_teaching").mkdir(parents=True)
        self.programs.mkdir()
        for name in ("Makefile", "pyproject.toml", "constraints.txt", "bertlab_teaching/pyproject.toml"):
            shutil.copy(ROOT / name, self.clone / name)
        for name in ("cat", "chmod", "expand", "grep", "make", "mkdir", "rm", "sed", "sh"):
            (self.programs / name).symlink_to(shutil.which(name))
        self.program("uname", "echo Linux x86_64")

    def program(self, name, script):
        (self.programs / name).write_text(f"#!/bin/sh\n{script}\n")
        (self.programs / name).chmod(0o755)

    def python(self, name, pip="true"):
        """Stand in for a Python that makes environments, whose own Python writes down what it is asked for."""
        makes = f"(echo '#!/bin/sh'; echo 'echo \"$@\" >> calls; {pip}') > python; chmod +x python"
        self.program(name, f'case "$*" in *sys.exit*) ;; *venv*) mkdir -p .venv/bin; cd .venv/bin; {makes};; esac')

    def make(self, *arguments, **environment):
        command = [self.programs / "make", "--no-print-directory", "SHELL=/bin/sh", *arguments]
        env = {"PATH": str(self.programs)} | environment
        return subprocess.run(command, cwd=self.clone, env=env, capture_output=True, text=True, check=False)

    def installed(self, what=""):
        """Ask for an installation; return what was installed, in the order in which that was asked for."""
        (self.clone / "calls").write_text("")
        assert self.make(f".venv/.installed{what}").returncode == 0
        return re.findall(r" install (.+)", (self.clone / "calls").read_text())


@pytest.fixture
def shell(tmp_path):
    return Shell(tmp_path)


def test_the_pinned_cpu_torch_and_what_students_need_are_installed_once_and_anew_in_a_moved_clone(shell):
    shell.program("python3.11", "exit 1")
    shell.python("python3.12")
    torch, lab = shell.installed()
    index, pin = re.fullmatch(r"--no-deps --index-url (\S+) (\S+)", torch).groups()
    assert (index, lab) == ("https://download.pytorch.org/whl/cpu", LAB)
    assert pin in (ROOT / "constraints.txt").read_text().splitlines()
    assert [shell.installed(), shell.installed("-test"), shell.installed("-test")] == [[], [TEST], []]
    os.utime(shell.clone / ".venv" / ".installed", (0, 0))  # pyproject.toml came anew with an update
    assert shell.installed("-test")[1:] == [LAB, TEST]
    shell.clone = shell.clone.rename(shell.clone.with_name("elsewhere"))
    assert shell.installed()[1:] == [LAB]


def test_uv_is_used_where_it_is_and_without_it_and_python_one_message_says_what_to_type(shell):
    shell.program("uv", 'echo "$@" >> uv-calls; mkdir -p .venv')
    shell.make(".venv/.installed")
    environment, _, lab = (shell.clone / "uv-calls").read_text().splitlines()
    assert environment == "venv --quiet --seed --python >=3.11 .venv"
    assert lab == f"pip install --python .venv/bin/python {LAB}"
    shutil.rmtree(shell.clone / ".venv")
    refused = shell.make("UV=", ".venv/.installed")
    assert refused.returncode
    assert re.match(r"bertlab needs Python 3\.11 .*apt install .*\n.*dnf .*brew .*python\.org", refused.stderr)
    assert not (shell.clone / ".venv").exists()


def test_a_failed_installation_says_so_and_leaves_no_stamp_and_a_dead_cpu_index_does_not_stop_it(shell):
    shell.python(
        "python3", pip='case "$*" in *index-url*) exit 1;; *lab*) echo "  Downloading b (9 MB)"; echo x;; esac'
    )
    run = shell.make(".venv/.installed")
    assert (run.returncode, run.stdout.splitlines()[1:-1]) == (0, ["    Downloading b (9 MB)"])
    assert "the ordinary one is asked" in run.stderr
    shutil.rmtree(shell.clone / ".venv")
    shell.python("python3", pip='case "$*" in *lab*) echo ERROR: no such package >&2; exit 1;; esac')
    run = shell.make(".venv/.installed")
    assert run.returncode
    assert re.search("ERROR: no such package\n.*did not finish", run.stderr)
    assert not (shell.clone / ".venv" / ".installed").exists()


def test_lab_and_present_open_the_lessons_where_the_command_line_says(shell):
    shell.python("python3", pip='for word; do echo "$word"; done >> words; exit $STATUS')
    shell.installed()

    def words(*arguments, status="0"):
        (shell.clone / "words").write_text("")
        run = shell.make(*arguments, STATUS=status)
        return run.returncode, (shell.clone / "words").read_text().splitlines()

    assert words("lab") == (0, ["-m", "bertlab", "lab"])
    assert words("lab", "WORK=my work", "IP=0.0.0.0") == (0, ["-m", "bertlab", "lab", "--ip", "0.0.0.0", "my work"])
    shell.installed("-teaching")
    assert words("present", "PORT=8889") == (0, ["-m", "bertlab", "lab", "--port", "8889", "--notes"])
    assert words("lab", status="3")[0] != 0


def test_help_comes_first_and_names_every_command(shell):
    (commands,) = re.findall(r"^\.PHONY: (help .*)$", (ROOT / "Makefile").read_text(encoding="utf8"), re.M)
    assert re.findall(r"^make (\S+)  ", shell.make().stdout, re.M) == commands.split()
