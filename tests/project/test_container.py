"""The Dockerfile: its recipe is run step by step with stand-ins, from the files that .dockerignore lets through.

Docker itself was not run.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RECIPE = (ROOT / "Dockerfile").read_text(encoding="utf8")


def instructions():
    """The instructions of the Dockerfile as (name, rest), long lines joined."""
    lines = [line for line in RECIPE.replace("\\\n", " ").splitlines() if line and not line.startswith("#")]
    return [tuple(line.split(maxsplit=1)) for line in lines]


def context(folder):
    """Copy into a folder what .dockerignore lets through; it excludes all and names what comes along."""
    lines = [line for line in (ROOT / ".dockerignore").read_text(encoding="utf8").splitlines() if line[:1] not in "#"]
    assert lines[0] == "*"
    for pattern in [line[1:] for line in lines if line.startswith("!")]:
        found = list(ROOT.glob(pattern))
        assert found, pattern
        for path in found:
            copy = shutil.copytree if path.is_dir() else shutil.copy
            copy(path, folder / path.name, **({"ignore": _ignored(lines)} if path.is_dir() else {}))
    return folder


def _ignored(lines):
    return shutil.ignore_patterns(*(line.removeprefix("**/") for line in lines if line.startswith("**/")))


def test_it_begins_with_the_python_of_the_pins():
    version = re.fullmatch(r"python:(\d+\.\d+)-slim", dict(instructions())["FROM"])[1]
    assert f"Made on Python {version}" in (ROOT / "constraints.txt").read_text(encoding="utf8")


def test_its_steps_install_the_pinned_versions_and_start_the_lessons_as_a_user(tmp_path):
    if shutil.which("sh") is None:
        pytest.skip("sh is not installed")
    tools, here = tmp_path / "bin", tmp_path / "opt"
    tools.mkdir()
    here.mkdir()
    context(here)
    for name in ("python", "useradd", "install"):
        stand_in = tools / name
        stand_in.write_text(f'#!/bin/sh\necho {name} "$@" >> "{tmp_path}/calls"\n', encoding="utf8")
        stand_in.chmod(0o755)
    steps = [rest for name, rest in instructions() if name == "RUN"]
    (start,) = [json.loads(rest) for name, rest in instructions() if name == "CMD"]
    environment = {"PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}
    for command in [*(["sh", "-c", step] for step in steps), start]:
        subprocess.run(command, cwd=here, env=environment, check=True)
    torch, lessons, user, home, copy, lab = (tmp_path / "calls").read_text(encoding="utf8").splitlines()
    (index,) = re.findall(r"--index-url (\S+)", (ROOT / "Makefile").read_text(encoding="utf8"))
    assert f"--no-deps --index-url {index} " in torch
    assert torch.split()[-1] in (ROOT / "constraints.txt").read_text(encoding="utf8").splitlines()
    assert lessons.endswith("install --no-cache-dir .[lab] -c constraints.txt")
    assert (user, home) == ("useradd --create-home student", "install -d -o student /home/student/work")
    names = [name for name, _ in instructions()]
    assert names.index("USER") > max(place for place, name in enumerate(names) if name == "RUN")
    assert dict(instructions())["USER"] == "student"
    assert copy == "python -m bertlab copy ."
    port = dict(instructions())["EXPOSE"]
    assert lab.startswith(f"python -m jupyterlab --ip=0.0.0.0 --port={port} --no-browser ")
    (lesson,) = re.findall(r"default_url=/lab/tree/(\S+)", lab)
    assert (ROOT / "notebooks" / lesson).is_file()


def test_its_head_publishes_the_port_to_this_machine_only():
    (published,) = re.findall(r"^# +docker run .*-p (\S+)", RECIPE, re.M)
    port = dict(instructions())["EXPOSE"]
    assert published == f"127.0.0.1:{port}:{port}"


@pytest.mark.slow
def test_the_package_can_be_built_from_what_the_image_gets(tmp_path):
    (tmp_path / "opt").mkdir()
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", tmp_path]
    run = subprocess.run([*command, context(tmp_path / "opt")], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    (wheel,) = tmp_path.glob("bertlab-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        assert {f"bertlab/notebooks/{path.name}" for path in ROOT.glob("notebooks/*.ipynb")} <= set(archive.namelist())
