"""The files for hubs agree with each other and with the project, and their kernel is the one that the lessons get."""

import importlib.util
import json
import re
import shlex
import subprocess
import sys
import urllib.parse
from pathlib import Path

import pytest
import yaml
from jupyter_client.kernelspec import KernelSpecManager
from traitlets.config.loader import PyFileConfigLoader

ROOT = Path(__file__).parents[2]
HUB = ROOT / "hub"
PAGE = (HUB / "README.md").read_text(encoding="utf8")
IMAGE = (HUB / "Dockerfile").read_text(encoding="utf8")
PROJECT = (ROOT / "Dockerfile").read_text(encoding="utf8")
VALUES = yaml.safe_load((HUB / "values.yaml").read_text(encoding="utf8"))


def loaded(name):
    return PyFileConfigLoader(name, str(HUB)).load_config()


@pytest.mark.parametrize("name", ["tljh.py", "containers.py"])
def test_limits_are_the_same_on_all_hubs(name):
    spawner, pod = loaded(name).Spawner, VALUES["singleuser"]
    assert spawner.mem_limit == pod["memory"]["limit"] == "2G"  # what instructors/room.md says
    assert spawner.cpu_limit == pod["cpu"]["limit"]
    assert spawner.http_timeout == VALUES["hub"]["config"]["KubeSpawner"]["http_timeout"]
    assert spawner.args == pod["cmd"][1:]
    assert pod["extraEnv"].items() <= spawner.environment.items()


def test_lessons_get_the_kernel_of_their_own_environment(tmp_path, monkeypatch):
    """The page's command, run with this Python; the settings' folder is searched before that of the server's Python."""
    (line,) = re.findall(r"^ *(/opt/bertlab/bin/python -m ipykernel install .+)$", PAGE, re.M)
    command = shlex.split(line.replace("/opt/bertlab", str(tmp_path)))
    subprocess.run([sys.executable, *command[1:]], check=True, capture_output=True)
    folder = loaded("tljh.py").Spawner.environment["JUPYTER_PATH"]
    monkeypatch.setenv("JUPYTER_PATH", folder.replace("/opt/bertlab", str(tmp_path)))
    lessons = (json.loads(path.read_text(encoding="utf8")) for path in ROOT.glob("notebooks/*.ipynb"))
    (name,) = {lesson["metadata"]["kernelspec"]["name"] for lesson in lessons}
    spec = KernelSpecManager().get_kernel_spec(name)
    assert Path(spec.resource_dir).is_relative_to(tmp_path)
    assert spec.argv[0] == sys.executable


def test_the_image_is_made_from_the_project_s_and_started_by_its_name():
    names = re.findall(r"docker build -t (\S+)", IMAGE)
    assert names == ["bertlab", "bertlab-hub"]
    assert f"docker build -t {names[0]} ." in PROJECT
    assert f"FROM {names[0]}\n" in IMAGE
    assert loaded("containers.py").DockerSpawner.image == names[1]
    assert VALUES["singleuser"]["image"]["name"].endswith(f"/{names[1]}")
    assert "WORKDIR /opt/bertlab\n" in PROJECT
    assert "-c /opt/bertlab/constraints.txt" in IMAGE
    (home,) = loaded("containers.py").DockerSpawner.volumes.values()
    assert home == VALUES["singleuser"]["storage"]["homeMountPath"]
    for recipe in (PROJECT, IMAGE):
        assert f"/home/{re.findall(r'^USER (.+)', recipe, re.M)[-1]}" == home


def test_the_link_opens_a_lesson_where_it_has_copied_it():
    spec = importlib.util.spec_from_file_location("thirty", HUB / "thirty.py")
    thirty = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(thirty)
    (link,) = re.findall(r"^ *(https://\S+/git-pull\?\S+)$", PAGE, re.M)
    query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(link).query))
    assert query["urlpath"] == f"lab/tree/{query['targetpath']}/{thirty.LESSONS[1]}"
    assert query["targetpath"] == thirty.FOLDER
    assert all((ROOT / "notebooks" / lesson).is_file() for lesson in thirty.LESSONS.values())
