"""Containers, Binder and a hub: what their files ask for is run with stand-ins; they themselves were not run."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import urllib.parse
import zipfile
from pathlib import Path

import pytest
from jupyter_client.kernelspec import KernelSpecManager
from traitlets.config.loader import PyFileConfigLoader

from bertlab import lessons

ROOT = Path(__file__).parents[2]
RECIPE = (ROOT / "Dockerfile").read_text(encoding="utf8")
LINES = [line for line in RECIPE.replace("\\\n", " ").splitlines() if line and not line.startswith("#")]
INSTRUCTIONS = [tuple(line.split(maxsplit=1)) for line in LINES]
PINS = (ROOT / "constraints.txt").read_text(encoding="utf8").splitlines()
TORCH = "python -m pip install --no-cache-dir --no-deps --index-url https://download.pytorch.org/whl/cpu"


@pytest.fixture
def calls(tmp_path):
    """Run a command in the repository where programs only say what they are asked for; return that, line by line."""
    for name in ("python", "useradd", "install"):
        stand_in = tmp_path / name
        stand_in.write_text(f'#!/bin/sh\necho {name} "$@"\n', encoding="utf8")
        stand_in.chmod(0o755)
    environment = {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    return lambda command: subprocess.check_output(command, cwd=ROOT, env=environment, text=True).splitlines()


def installs_the_pins(torch, lab, version):
    assert torch.startswith(f"{TORCH} torch==")
    assert torch.split()[-1] in PINS
    assert lab.endswith("[lab] -c constraints.txt")
    assert f"on Python {version}," in PINS[0]


def test_the_image_installs_the_pinned_versions_and_starts_the_lessons_as_a_user(calls):
    steps = [["sh", "-c", rest] for name, rest in INSTRUCTIONS if name == "RUN"]
    start = json.loads(dict(INSTRUCTIONS)["CMD"])
    torch, install, user, home, lab = [line for command in (*steps, start) for line in calls(command)]
    installs_the_pins(torch, install, re.fullmatch(r"python:(\d+\.\d+)-slim", dict(INSTRUCTIONS)["FROM"])[1])
    assert (user, home) == ("useradd --create-home student", "install -d -o student /home/student/work")
    names = [name for name, _ in INSTRUCTIONS]
    assert "RUN" not in names[names.index("USER") :]
    port = dict(INSTRUCTIONS)["EXPOSE"]
    assert lab == f"python -m bertlab lab . --ip 0.0.0.0 --port {port}"
    assert f"-p 127.0.0.1:{port}:{port} " in RECIPE, "its head publishes the port to this machine only"


def test_binder_installs_the_pinned_versions_and_copies_the_lessons(calls):
    torch, install, copy = calls(ROOT / ".binder" / "postBuild")
    environment = (ROOT / ".binder" / "environment.yml").read_text(encoding="utf8")
    installs_the_pins(torch, install, re.search(r"- python=(\S+)", environment)[1])
    assert copy == "python -m bertlab copy work"


@pytest.mark.slow
def test_the_package_can_be_built_from_what_the_image_gets(tmp_path):
    """.dockerignore excludes all and names what comes along."""
    lines = (ROOT / ".dockerignore").read_text(encoding="utf8").splitlines()
    assert "*" in lines
    context = tmp_path / "context"
    context.mkdir()
    for path in [path for line in lines if line.startswith("!") for path in ROOT.glob(line[1:])]:
        copy = shutil.copytree if path.is_dir() else shutil.copy
        copy(path, context / path.name)
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", tmp_path, context]
    subprocess.run(command, check=True)
    (wheel,) = tmp_path.glob("bertlab-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        assert {f"bertlab/notebooks/{path.name}" for path in ROOT.glob("notebooks/*.ipynb")} <= set(archive.namelist())


HUB = ROOT / "bertlab_teaching" / "hub"
PAGE = (HUB / "README.md").read_text(encoding="utf8")


def settings():
    (name,) = re.findall(r"jupyterhub -f bertlab_teaching/hub/(\S+)$", PAGE, re.M)
    return PyFileConfigLoader(name, str(HUB)).load_config()


def test_the_limit_of_memory_is_what_the_page_says_and_bears_the_largest_lesson_and_a_server():
    measured = re.findall(r"^\| \d+ \| \d+ \| ([\d,]+) \|$", PAGE, re.M)
    lesson = max(int(number.replace(",", "")) for number in measured)
    (server,) = map(int, re.findall(r"^    30 \* \([\d,]+ \+ (\d+)\) =", PAGE, re.M))
    gigabytes = int(re.fullmatch(r"(\d)G", settings().Spawner.mem_limit)[1])
    assert f"Each student needs {gigabytes} GB" in PAGE
    assert f"with limits of {gigabytes} GB and one core" in PAGE
    assert settings().Spawner.cpu_limit == 1
    assert lesson + server < gigabytes * 1024


def test_lessons_get_the_kernel_of_their_own_environment(tmp_path, monkeypatch):
    """The page's command, run with this Python; the settings' folder is searched before that of the server's Python."""
    (line,) = re.findall(r"^ *(/opt/bertlab/bin/python -m ipykernel install .+)$", PAGE, re.M)
    command = shlex.split(line.replace("/opt/bertlab", str(tmp_path)))
    subprocess.run([sys.executable, *command[1:]], check=True, capture_output=True)
    folder = settings().Spawner.environment["JUPYTER_PATH"]
    monkeypatch.setenv("JUPYTER_PATH", folder.replace("/opt/bertlab", str(tmp_path)))
    (name,) = {json.loads(path.read_text("utf8"))["metadata"]["kernelspec"]["name"] for path in lessons.paths()}
    spec = KernelSpecManager().get_kernel_spec(name)
    assert Path(spec.resource_dir).is_relative_to(tmp_path)
    assert spec.argv[0] == sys.executable


def test_the_link_opens_the_first_lesson_where_it_has_copied_it_and_where_it_is_collected():
    (link,) = re.findall(r"^ *(https://\S+/git-pull\?\S+)$", PAGE, re.M)
    query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(link).query))
    assert query["urlpath"] == f"lab/tree/{query['targetpath']}/{lessons.paths()[0].name}"
    assert f"git init -b {query['branch']}\n" in PAGE
    assert f"git push {query['repo']} {query['branch']}\n" in PAGE
    assert f'"$home/{query["targetpath"]}/"' in PAGE
