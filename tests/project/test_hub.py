"""The page about a hub and its settings agree with each other and with what was measured of the lessons."""

import json
import re
import shlex
import subprocess
import sys
import urllib.parse
from pathlib import Path

from jupyter_client.kernelspec import KernelSpecManager
from traitlets.config.loader import PyFileConfigLoader

from bertlab import lessons

ROOT = Path(__file__).parents[2]
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
