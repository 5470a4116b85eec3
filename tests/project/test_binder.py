"""What Binder builds from: the files are where it looks for them, and install what `make lab` installs.

Binder itself was not run.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
BINDER = ROOT / ".binder"


def test_python_is_named_as_binder_reads_it():
    environment = yaml.safe_load((BINDER / "environment.yml").read_text(encoding="utf8"))
    python, pip = environment["dependencies"]
    # repo2docker (buildpacks/conda) looks for "python=" and a number; a range gives its default Python.
    version = re.fullmatch(r"python=(\d+\.\d+)", python)[1]
    head = (ROOT / "constraints.txt").read_text(encoding="utf8")
    assert f"Made on Python {version}" in head, "the pins were made on this Python"
    assert pip == "pip"


def test_post_build_installs_the_pinned_versions_and_copies_the_lessons(tmp_path):
    if shutil.which("bash") is None:
        pytest.skip("bash is not installed")
    assert os.access(BINDER / "postBuild", os.X_OK), "Binder runs it as a program"
    stand_in = tmp_path / "bin" / "python"
    stand_in.parent.mkdir()
    stand_in.write_text(f'#!/bin/sh\necho "$@" >> "{tmp_path}/calls"\n', encoding="utf8")
    stand_in.chmod(0o755)
    environment = {"PATH": f"{stand_in.parent}{os.pathsep}{os.environ['PATH']}"}
    subprocess.run([BINDER / "postBuild"], cwd=ROOT, env=environment, check=True)
    torch, lessons, copy = (tmp_path / "calls").read_text(encoding="utf8").splitlines()
    makefile = (ROOT / "Makefile").read_text(encoding="utf8")
    (index,) = re.findall(r"--index-url (\S+)", makefile)
    assert f"--index-url {index} " in torch
    assert torch.split()[-1] in (ROOT / "constraints.txt").read_text(encoding="utf8").splitlines()
    assert lessons.endswith("install --no-cache-dir -e .[lab] -c constraints.txt")
    assert copy == "-m bertlab copy work"
