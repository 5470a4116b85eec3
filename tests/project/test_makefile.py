"""The Makefile: which Python it takes, what a failed installation leaves, how it starts JupyterLab."""

import os
import re
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")


def make(folder, *arguments, tools=None, **environment):
    """Run make in a folder, without what the shell or an outer make hands on; `tools` is first on the path."""
    unwanted = ("MAKE", "MFLAGS", "PYTHON", "IP", "PORT", "DISPLAY", "WAYLAND_DISPLAY")
    clean = {name: value for name, value in os.environ.items() if not name.startswith(unwanted)}
    if tools is not None:
        clean["PATH"] = f"{tools}{os.pathsep}{clean['PATH']}"
    uv = [] if any(argument.startswith("UV=") for argument in arguments) else ["UV="]  # the developer's own, if any
    command = ["make", "--no-print-directory", *uv, *arguments]
    return subprocess.run(
        command, cwd=folder, env=clean | environment, capture_output=True, text=True, check=False, timeout=60
    )


def program(path, script):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf8")
    path.chmod(0o755)
    return path


@pytest.fixture
def tools(tmp_path):
    """A folder of programs that stand before the system's own; `uname` there answers as on Linux."""
    uname(tmp_path / "bin", "Linux", "x86_64")
    return tmp_path / "bin"


def uname(folder, system, processor):
    program(folder / "uname", f"case $1 in -s) echo {system};; -m) echo {processor};; esac")


@pytest.fixture
def clone(tmp_path):
    """A folder, with a space in its name, that holds what an installation reads."""
    folder = tmp_path / "my lessons"
    folder.mkdir()
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, folder)
    return folder


def python(path, version="3.11", venv="true", pip="exit 1"):
    """Stand in for a Python: answers the Makefile's questions, makes environments that run `pip` instead."""
    return program(
        path,
        f"""case "$*" in
        *sys.exit*) [ "{version}" != 3.10 ];;
        *print*) echo {version};;
        *ensurepip*) {venv};;
        *venv*) mkdir -p .venv/bin; cd .venv/bin; (echo '#!/bin/sh'; echo '{pip}') > python; chmod +x python;;
        *) exit 1;;
        esac""",
    )


def install(clone, tools, python=None, what=""):
    """Make the virtual environment, with this Python where one is given, and what `-decks` or `-test` need on top."""
    return make(clone, f".venv/.installed{what}", *([f"PYTHON={python}"] if python else []), tools=tools)


def stamp(folder, what=""):
    return folder / ".venv" / f".installed{what}"


def test_python_310_is_refused_with_what_to_install(clone, tools):
    old = python(tools / "python3.10", version="3.10")
    run = install(clone, tools, old)
    assert run.returncode != 0
    assert "bertlab needs Python 3.11 or later" in run.stderr
    assert f"{old} (Python 3.10: too old)" in run.stderr
    assert not (clone / ".venv").exists()


def test_python_without_venv_is_refused_with_what_to_install(clone, tools):
    bare = python(tools / "python3.12", version="3.12", venv="false")
    run = install(clone, tools, bare)
    assert run.returncode != 0
    assert "with venv" in run.stderr
    assert f"{bare} (Python 3.12: no venv or ensurepip)" in run.stderr
    assert not (clone / ".venv").exists()


@pytest.mark.parametrize(
    ("program_there", "sentence"),
    [
        ("apt-get", "Type: sudo apt install python3 python3-venv"),
        ("dnf", "Type: sudo dnf install python3"),
        ("brew", "Type: brew install python@3.13"),
        (None, "Get it from https://www.python.org/downloads/"),
    ],
)
def test_one_sentence_says_what_to_type_on_this_system(clone, tools, program_there, sentence):
    for name in ("sh", "grep", "cat", "rm", "id", "make"):
        (tools / name).symlink_to(shutil.which(name))
    if program_there:
        program(tools / program_there, "true")
    command = [tools / "make", "UV=", "SHELL=/bin/sh", ".venv/.installed"]
    run = subprocess.run(command, cwd=clone, env={"PATH": str(tools)}, capture_output=True, text=True, check=False)
    assert run.returncode != 0
    first = run.stderr.splitlines()[0]
    assert first.startswith("bertlab needs Python 3.11 or later, with venv. ")
    assert first.endswith(sentence)


def test_the_first_python_that_can_be_used_is_taken(clone, tools):
    python(tools / "python3.11", version="3.10")
    python(tools / "python3.12", version="3.12", venv="false")
    python(tools / "python3.13", version="3.13")
    assert "with python3.13 (Python 3.13)" in install(clone, tools).stdout


def test_no_python_before_311_is_taken():
    makefile = (ROOT / "Makefile").read_text(encoding="utf8")
    (condition,) = re.findall(r"sys\.exit\((.*)\)'", makefile)
    for version, refused in [
        ((2, 7, 18), True),
        ((3, 10, 13), True),
        ((3, 11, 0), False),
        ((3, 14, 2), False),
    ]:
        assert eval(condition, {"sys": SimpleNamespace(version_info=version)}) is refused


def test_failed_installation_leaves_no_stamp_and_says_so(clone, tools):
    run = install(clone, tools, python(tools / "python3.11", pip="echo ERROR: no such package >&2; exit 1"))
    assert run.returncode != 0
    assert "ERROR: no such package" in run.stderr
    assert "did not finish" in run.stderr
    assert (clone / ".venv").exists()
    assert not stamp(clone).exists()


def test_failed_reinstallation_takes_the_old_stamp_away(clone, tools):
    stamp(clone).parent.mkdir()
    stamp(clone).write_text(f"{clone}\n", encoding="utf8")
    os.utime(stamp(clone), (0, 0))  # older than constraints.txt
    assert install(clone, tools, python(tools / "python3.11")).returncode != 0
    assert not stamp(clone).exists()


def test_installs_once_and_again_when_pins_change_or_the_folder_moves(clone, tools, tmp_path):
    stand_in = python(tools / "python3.11", pip="exit 0")

    def installs(folder):
        run = install(folder, tools, stand_in)
        assert run.returncode == 0, run.stderr
        return "Installed." in run.stdout

    assert installs(clone)
    assert not installs(clone)
    os.utime(stamp(clone), (0, 0))
    assert installs(clone)
    assert not installs(clone)
    assert installs(clone.rename(tmp_path / "elsewhere"))


def test_torch_is_asked_of_the_cpu_index_in_the_pinned_version(clone, tools):
    stand_in = python(tools / "python3.11", pip='echo "$@" >> pip.log')
    assert install(clone, tools, stand_in).returncode == 0
    calls = [line for line in (clone / "pip.log").read_text().splitlines() if " install " in line]
    assert "--no-deps --retries 0" in calls[0]
    assert "--index-url https://download.pytorch.org/whl/cpu torch==" in calls[0]
    assert calls[0].split()[-1] in (clone / "constraints.txt").read_text().splitlines()
    assert calls[1].endswith("install -e .[lab] -c constraints.txt"), "what a student needs, and no more"
    assert len(calls) == 2


@pytest.mark.parametrize("extra", ["decks", "test"])
def test_an_extra_is_installed_on_top_and_once(clone, tools, extra):
    stand_in = python(tools / "python3.11", pip='echo "$@" >> pip.log')
    assert install(clone, tools, stand_in).returncode == 0
    (clone / "pip.log").unlink()

    def installs():
        run = install(clone, tools, stand_in, f"-{extra}")
        assert run.returncode == 0, run.stderr
        return "Installed." in run.stdout

    assert installs()
    (call,) = [line for line in (clone / "pip.log").read_text().splitlines() if " install " in line]
    assert call.endswith(f"install -e .[lab,{extra}] -c constraints.txt")
    assert not installs()
    os.utime(stamp(clone, f"-{extra}"), (0, 0))  # older than what students have
    assert installs()


def test_an_extra_that_failed_leaves_no_stamp(clone, tools):
    failing = 'case "$*" in *lab,test*) echo ERROR: no such package >&2; exit 1;; esac'
    run = install(clone, tools, python(tools / "python3.11", pip=failing), "-test")
    assert run.returncode != 0
    assert "ERROR: no such package" in run.stderr
    assert "did not finish" in run.stderr
    assert stamp(clone).exists()
    assert not stamp(clone, "-test").exists()


def test_a_clone_with_the_stamp_of_an_older_version_gets_what_is_new(clone, tools):
    stand_in = python(tools / "python3.11", pip='echo "$@" >> pip.log')
    assert install(clone, tools, stand_in).returncode == 0
    (clone / "pip.log").unlink()
    os.utime(stamp(clone), (0, 0))  # pyproject.toml came anew with the update
    assert install(clone, tools, stand_in, "-test").returncode == 0
    calls = [line.split(" -e ")[1] for line in (clone / "pip.log").read_text().splitlines() if " -e " in line]
    assert calls == [".[lab] -c constraints.txt", ".[lab,test] -c constraints.txt"]


@pytest.mark.parametrize(
    ("target", "stamps"),
    [
        ("lab", {""}),
        ("present", {""}),
        ("decks", {"", "-decks"}),
        ("site", {"", "-decks"}),
        ("test", {"", "-decks", "-test"}),
    ],
)
def test_each_command_installs_what_it_needs(clone, tools, target, stamps):
    stand_in = python(tools / "python3.11", pip="exit 0")
    make(clone, target, f"PYTHON={stand_in}", tools=tools)
    assert {path.name for path in (clone / ".venv").glob(".installed*")} == {f".installed{what}" for what in stamps}


PIP_SAYS = """
echo "Collecting one"
echo "  Downloading one-1.0-py3-none-any.whl (12 kB)"
echo "  Using cached two-2.0-cp311-cp311-linux.whl (190.3 MB)"
echo "Installing collected packages: two, one"
sleep 1
mkdir -p .venv/lib/python3.11/site-packages/one-1.0.dist-info
sleep 2
echo "Successfully installed one-1.0 two-2.0"
"""


def saying(tools):
    """Return a stand-in whose pip speaks as the real one does."""
    script = PIP_SAYS.strip().replace("\n", "; ")
    return python(tools / "python3.11", pip=f"case $* in *-e*) {script};; esac")


def test_progress_is_a_few_lines_where_there_is_no_terminal(clone, tools):
    run = install(clone, tools, saying(tools))
    assert run.returncode == 0, run.stderr
    said = run.stdout.splitlines()
    assert said[0].startswith("Installing bertlab into .venv/, once: ")
    assert [line[:7] for line in said[1:4]] == ["1 of 3:", "2 of 3:", "3 of 3:"]
    assert said[4:] == [
        "     Using cached two-2.0-cp311-cp311-linux.whl (190.3 MB)",
        "    Writing 2 packages into .venv/",
        "Installed. From now on this takes seconds.",
    ]


def test_progress_is_one_line_that_changes_in_a_terminal(clone, tools):
    pty = pytest.importorskip("pty", reason="Windows has no such terminals")
    stand_in, (screen, terminal) = saying(tools), pty.openpty()
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    subprocess.run(
        ["make", "UV=", f"PYTHON={stand_in}", ".venv/.installed"],
        cwd=clone,
        env=environment | {"PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"},
        stdout=terminal,
        check=True,
        timeout=60,
    )
    os.close(terminal)
    said = os.read(screen, 100_000).decode()
    assert "\r    1 packages fetched \r    2 packages fetched " in said
    assert "\r    1 of 2 packages written into .venv/ " in said
    assert said.endswith("Installed. From now on this takes seconds.\r\n")


def test_uv_makes_the_environment_and_installs_where_it_is(clone, tools):
    script = """echo "$@" >> uv.log
    case "$*" in *venv*) mkdir -p .venv/bin; printf '#!/bin/sh\nexit 0\n' > .venv/bin/python;; esac
    chmod +x .venv/bin/python"""
    uv = program(tools / "uv", script)
    run = make(clone, ".venv/.installed", f"UV={uv}", tools=tools)
    assert run.returncode == 0, run.stderr
    environment, torch, lessons = (clone / "uv.log").read_text().splitlines()
    assert environment == "venv --quiet --seed --python >=3.11 .venv"
    python = clone / ".venv/bin/python"
    index = "--index-url https://download.pytorch.org/whl/cpu torch=="
    assert torch.startswith(f"pip install --python {python} --no-deps {index}")
    assert lessons == f"pip install --python {python} -e .[lab] -c constraints.txt"


def test_uv_is_found_by_itself_and_can_be_declined(clone, tools):
    uv = program(tools / "uv", "true")
    environment = {"PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}
    for chosen, expected in ([], True), (["UV="], False):
        command = ["make", "-n", *chosen, ".venv/.installed"]
        said = subprocess.run(command, cwd=clone, env=environment, capture_output=True, text=True, check=True).stdout
        assert (f'"{uv}" pip install' in said) is expected


def test_a_dead_cpu_index_does_not_stop_the_installation(clone, tools):
    run = install(clone, tools, python(tools / "python3.11", pip='case "$*" in *index-url*) exit 1;; esac'))
    assert run.returncode == 0
    assert "going on with the ordinary index" in run.stderr
    assert stamp(clone).exists()


def test_intel_macs_are_sent_to_conda(clone, tools):
    uname(tools, "Darwin", "x86_64")
    run = install(clone, tools, python(tools / "python3.11", pip="exit 0"))
    assert run.returncode != 0
    assert "conda env create -f environment.yml" in run.stderr
    assert not (clone / ".venv").exists()
    uname(tools, "Darwin", "arm64")
    assert install(clone, tools, python(tools / "python3.11", pip="exit 0")).returncode == 0


def lab(tools, *arguments, user="1000", target="lab", **environment):
    """What `make lab` would run, for a user with this number."""
    program(tools / "id", f"echo {user}")
    run = make(ROOT, "-n", target, *arguments, tools=tools, **environment)
    assert run.returncode == 0, run.stderr
    return run.stdout[run.stdout.index("-m bertlab ") :]


def test_lab_listens_on_this_machine_only_and_opens_lesson_1(tools):
    command = lab(tools)
    assert "--ServerApp.ip=127.0.0.1 --ServerApp.port=8888" in command
    (lesson,) = re.findall(r"--LabApp.default_url=/lab/tree/(\S+)", command)
    assert (ROOT / "notebooks" / lesson).is_file()


def test_lab_hands_ip_and_port_on(tools):
    assert "--ServerApp.ip=0.0.0.0 --ServerApp.port=9999" in lab(tools, "IP=0.0.0.0", "PORT=9999")
    assert "--ServerApp.ip=0.0.0.0 --ServerApp.port=9999" in lab(tools, IP="0.0.0.0", PORT="9999")


def test_lab_starts_its_own_jupyterlab_and_no_other_that_is_on_the_path(tools):
    program(tools / "jupyter-lab", "echo another")
    (module,) = re.findall(r"-m (jupyter.*?) --ServerApp", lab(tools))
    command = [sys.executable, "-m", *module.split(), "--version"]
    path = f"{tools}{os.pathsep}{os.environ['PATH']}"
    run = subprocess.run(command, env=os.environ | {"PATH": path}, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == metadata.version("jupyterlab")


def test_lab_allows_root_to_root_only(tools):
    assert "--allow-root" in lab(tools, user="0")
    assert "--allow-root" not in lab(tools, user="1000")


def test_lab_opens_a_browser_only_where_there_is_a_display(tools):
    assert "--no-browser" in lab(tools)
    assert "--no-browser" not in lab(tools, DISPLAY=":0")
    assert "--no-browser" not in lab(tools, WAYLAND_DISPLAY="wayland-0")
    uname(tools, "Darwin", "arm64")
    assert "--no-browser" not in lab(tools)


def test_lab_writes_nothing_into_the_home_folder(tools):
    command = lab(tools)
    for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR"):
        assert f'{name}="{ROOT}/.venv/jupyter/' in command


def test_present_is_lab_in_a_copy_with_the_notes(tools):
    students, instructors = lab(tools), lab(tools, target="present")
    assert 'bertlab copy "work"' in students
    assert "--notes" not in students
    assert 'bertlab copy "teach" --notes' in instructors
    assert instructors.replace('"teach" --notes', '"work" ').replace('cd "teach"', 'cd "work"') == students
    assert 'cd "my talks/1"' in lab(tools, "TEACH=my talks/1", target="present")


def test_decks_are_written_where_git_does_not_look(tools):
    command = make(ROOT, "-n", "decks", tools=tools).stdout
    (folder,) = re.findall(r'-m bertlab decks "(.+)"', command)
    ignored = (ROOT / ".gitignore").read_text(encoding="utf8").splitlines()
    assert f"/{folder.split('/')[0]}/" in ignored
    assert {"/work/", "/teach/"} <= set(ignored)
    assert 'decks "/tmp/x y"' in make(ROOT, "-n", "decks", "DECKS=/tmp/x y", tools=tools).stdout


def test_help_comes_first_and_names_every_command():
    run = make(ROOT)
    assert run.returncode == 0
    (commands,) = re.findall(r"^\.PHONY: help (.*)$", (ROOT / "Makefile").read_text(encoding="utf8"), re.M)
    for command in commands.split():
        assert f"make {command} " in run.stdout


LATER_THAN_381 = [
    r"^\s*\.ONESHELL",
    r"&:",  # grouped targets
    r"\$[({](file|guile|let|intcmp) ",
    r"^[^\t#]*!=",
    r"^[^\t#]*::+=",
    r"^define\s.*=",
    r"^\s*(undefine|private)\b",
]


@pytest.mark.parametrize("later", LATER_THAN_381)
def test_no_syntax_that_make_381_lacks(later):
    lines = (ROOT / "Makefile").read_text(encoding="utf8").splitlines()
    assert not [line for line in lines if re.search(later, line)]
