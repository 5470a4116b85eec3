"""The Makefile: which Python it takes, what a failed installation leaves, how it starts JupyterLab."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")


def program(path, script):
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf8")
    path.chmod(0o755)
    return path


@pytest.fixture
def tools(tmp_path):
    """A folder of programs, the only ones on the path: the system's own, and stand-ins."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("cat", "chmod", "expand", "grep", "id", "make", "mkdir", "rm", "sed", "sh"):
        (folder / name).symlink_to(shutil.which(name))
    program(folder / "uname", "echo Linux x86_64")
    return folder


@pytest.fixture
def clone(tmp_path):
    """A folder, with a space in its name, that holds what an installation reads."""
    folder = tmp_path / "my lessons"
    folder.mkdir()
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, folder)
    return folder


def make(folder, tools, *arguments, **environment):
    command = [tools / "make", "--no-print-directory", "SHELL=/bin/sh", *arguments]
    return subprocess.run(
        command, cwd=folder, env={"PATH": str(tools)} | environment, capture_output=True, text=True, check=False
    )


def python(path, pip="true", usable="true"):
    """Stand in for a Python that makes environments, in which `pip` runs and what it is asked for is written down."""
    return program(
        path,
        f"""case "$*" in
        *sys.exit*) {usable};;
        *venv*) mkdir -p .venv/bin; cd .venv/bin; (echo '#!/bin/sh'; echo 'echo "$@" >> calls; {pip}') > python
            chmod +x python;;
        esac""",
    )


def installs(clone, tools, what=""):
    """Ask for an installation; return what was installed, in the order in which that was asked for."""
    (clone / "calls").unlink(missing_ok=True)
    run = make(clone, tools, f".venv/.installed{what}")
    assert run.returncode == 0, run.stderr
    calls = (clone / "calls").read_text().splitlines() if (clone / "calls").exists() else []
    return [call.split("install ", 1)[1] for call in calls if " install " in call]


LAB, TEST = "-e .[lab] -c constraints.txt", "-e .[lab,test] -c constraints.txt"


def test_the_pinned_cpu_torch_and_what_students_need_are_installed_once_and_anew_in_a_moved_clone(clone, tools):
    program(tools / "python3.11", "exit 1")
    python(tools / "python3.12")
    torch, lab = installs(clone, tools)
    index, pin = re.fullmatch(r"--retries 0 --timeout 15 --no-deps --index-url (\S+) (\S+)", torch).groups()
    assert (index, lab) == ("https://download.pytorch.org/whl/cpu", LAB)
    assert pin in (clone / "constraints.txt").read_text().splitlines()
    assert installs(clone, tools) == []
    assert installs(clone, tools, "-test") == [TEST]
    assert installs(clone, tools, "-test") == []
    os.utime(clone / ".venv" / ".installed", (0, 0))  # pyproject.toml came anew with an update
    assert installs(clone, tools, "-test")[1:] == [LAB, TEST]
    clone = clone.rename(clone.with_name("elsewhere"))
    assert installs(clone, tools)[1:] == [LAB]


def test_uv_is_used_where_it_is_unless_it_is_declined(clone, tools):
    program(tools / "uv", 'echo "$@" >> uv-calls; mkdir -p .venv')
    make(clone, tools, ".venv/.installed")
    environment, torch, lab = (clone / "uv-calls").read_text().splitlines()
    assert environment == "venv --quiet --seed --python >=3.11 .venv"
    assert torch.startswith(f"pip install --python {clone}/.venv/bin/python --no-deps --index-url ")
    assert lab == f"pip install --python {clone}/.venv/bin/python {LAB}"
    shutil.rmtree(clone / ".venv")
    assert "needs Python" in make(clone, tools, "UV=", ".venv/.installed").stderr


@pytest.mark.parametrize(
    ("program_there", "sentence"),
    [
        ("apt-get", "Type: sudo apt install python3 python3-venv"),
        ("dnf", "Type: sudo dnf install python3"),
        ("brew", "Type: brew install python@3.13"),
        (None, "Get it from https://www.python.org/downloads/"),
        ("uname", "INSTALL.md, With conda."),
    ],
)
def test_where_no_python_can_be_used_one_sentence_says_what_to_type(clone, tools, program_there, sentence):
    python(tools / "python3", usable="exit 1")
    if program_there:
        program(tools / program_there, "echo Darwin x86_64")  # what uname says on a Mac with an Intel processor
    run = make(clone, tools, ".venv/.installed")
    assert run.returncode != 0
    assert run.stderr.splitlines()[0].endswith(sentence)
    assert not (clone / ".venv").exists()


@pytest.mark.parametrize("what", ["", "-decks"])
def test_a_failed_installation_says_so_and_leaves_no_stamp(clone, tools, what):
    asked = "*lab,decks*" if what else "*lab*"
    python(tools / "python3", pip=f"case $* in {asked}) echo ERROR: no such package >&2; exit 1;; esac")
    (clone / ".venv").mkdir()
    (clone / ".venv" / ".installed").write_text(f"{clone}\n")
    os.utime(clone / ".venv" / ".installed", (0, 0))  # of an older version
    run = make(clone, tools, f".venv/.installed{what}")
    assert run.returncode != 0
    assert "ERROR: no such package" in run.stderr
    assert "did not finish" in run.stderr
    assert [path.name for path in (clone / ".venv").glob(".installed*")] == ([".installed"] if what else [])


def test_a_dead_cpu_index_does_not_stop_the_installation_and_progress_is_a_few_lines(clone, tools):
    says = 'echo "  Downloading big-1.whl (190.3 MB)"; echo "Collecting x"; echo "Installing collected packages: x"'
    python(tools / "python3", pip=f"case $* in *index-url*) exit 1;; *-e*) {says};; esac")
    run = make(clone, tools, ".venv/.installed")
    assert run.returncode == 0
    assert "the ordinary one is asked" in run.stderr
    assert run.stdout.splitlines()[3:-1] == [
        "    Downloading big-1.whl (190.3 MB)",
        "    Writing them: a minute or two",
    ]


def lab(tools, *arguments, user=1000, **environment):
    """What `make lab` would run, for a user with this number."""
    (tools / "id").unlink()
    program(tools / "id", f"echo {user}")
    return make(ROOT, tools, "-n", *(arguments or ["lab"]), **environment).stdout.partition("-m bertlab ")[2]


def test_lab_listens_on_this_machine_only_opens_lesson_1_and_writes_nothing_into_the_home_folder(tools):
    command = lab(tools)
    assert "--ServerApp.ip=127.0.0.1 --ServerApp.port=8888" in command
    (lesson,) = re.findall(r"--LabApp.default_url=/lab/tree/(\S+)", command)
    assert (ROOT / "notebooks" / lesson).is_file()
    for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR", "MPLCONFIGDIR"):
        assert f'{name}="{ROOT}/.venv/jupyter/' in command
    for elsewhere in (lab(tools, "lab", "IP=0.0.0.0", "PORT=9"), lab(tools, IP="0.0.0.0", PORT="9")):
        assert "--ServerApp.ip=0.0.0.0 --ServerApp.port=9 " in elsewhere


def test_lab_opens_a_browser_only_on_a_display_allows_root_to_root_only_and_present_is_lab_with_notes(tools):
    assert "--no-browser" in lab(tools)
    assert "--no-browser" not in lab(tools, DISPLAY=":0") + lab(tools, WAYLAND_DISPLAY="wayland-0")
    assert "--allow-root" not in lab(tools)
    assert "--allow-root" in lab(tools, user=0)
    assert lab(tools).startswith('copy "work" \n')
    assert lab(tools, "present", "TEACH=my talks/1").startswith('copy "my talks/1" --notes\n')
    assert 'cd "my talks/1"' in lab(tools, "present", "TEACH=my talks/1")


def test_help_comes_first_and_names_every_command(tools):
    (commands,) = re.findall(r"^\.PHONY: (help .*)$", (ROOT / "Makefile").read_text(encoding="utf8"), re.M)
    assert re.findall(r"^make (\S+)  ", make(ROOT, tools).stdout, re.M) == commands.split()
