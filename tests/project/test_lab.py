"""`bertlab lab` copies the lessons and opens them in JupyterLab, on any system."""

import contextlib
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
from importlib.metadata import EntryPoint

import pytest
import websocket
from jupyterlab import labapp

from bertlab import lab, lessons
from bertlab.__main__ import main


@pytest.fixture
def started(tmp_path, monkeypatch):
    """Run the command in an empty folder with a stand-in for JupyterLab; give its switches and its surroundings."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(lessons, "paths", lambda: [lessons.folder() / lab.FIRST])
    monkeypatch.setattr("bertlab.page.page_parts", lambda: iter(["{}", "AAAA"]))  # a page without a BERT, for speed

    def run(*arguments, user=1000, system="linux", **environment):
        seen = {}

        def instead(argv):
            seen.update(switches=dict(word.lstrip("-").partition("=")[::2] for word in argv))
            seen.update(environment=dict(os.environ))

        monkeypatch.setattr(labapp, "main", instead)
        monkeypatch.setattr(os, "environ", environment)
        monkeypatch.setattr(os, "geteuid", lambda: user, raising=False)
        monkeypatch.setattr(sys, "platform", system)
        assert main(["lab", *arguments]) == 0
        return seen["switches"], seen["environment"]

    return run


def test_lesson_1_is_open_in_a_copy_that_only_this_machine_reaches(started, tmp_path):
    switches, _ = started()
    assert (tmp_path / "work" / lab.FIRST).is_file()
    assert switches["ServerApp.root_dir"] == str(tmp_path / "work")
    assert switches["LabApp.default_url"] == f"/lab/tree/{lab.FIRST}"
    assert (switches["ServerApp.ip"], switches["ServerApp.port"]) == ("127.0.0.1", "8888")
    switches, _ = started("my work", "--ip", "0.0.0.0", "--port", "8889")
    assert switches["ServerApp.root_dir"] == str(tmp_path / "my work")
    assert (switches["ServerApp.ip"], switches["ServerApp.port"]) == ("0.0.0.0", "8889")


@pytest.mark.parametrize("port", ["65536", "0", "http"])
def test_what_is_no_port_is_refused(started, port, capsys):
    with pytest.raises(SystemExit, match="2"):
        started(f"--port={port}")
    assert f"'{port}' is no port: give a number from 1 to 65535" in capsys.readouterr().err


def test_the_live_page_is_put_beside_the_lessons_once_and_mine_stays(started, tmp_path):
    started()
    page = tmp_path / "work" / "live.html"
    assert "A BERT in a page" in page.read_text("utf-8")
    page.write_text("mine")
    started()
    assert page.read_text("utf-8") == "mine"


def test_a_copy_with_notes_is_another_one(started, tmp_path, monkeypatch):
    teaching = EntryPoint("teaching", "bertlab_teaching.commands:add", "bertlab.commands")
    monkeypatch.setattr("bertlab.__main__.entry_points", lambda group: [teaching] * (group == teaching.group))
    for notes, folder in (([], "work"), (["--notes"], "teach")):
        switches, _ = started(*notes)
        assert switches["ServerApp.root_dir"] == str(tmp_path / folder)
        cells = lessons.read(tmp_path / folder / lab.FIRST).cells
        assert any(map(lessons.is_note, cells)) == bool(notes)


def test_a_browser_opens_where_there_is_a_display_and_else_a_sentence_says_what_to_do(started, capsys):
    for surroundings in ({}, {"DISPLAY": ":0"}, {"WAYLAND_DISPLAY": "wayland-0"}, {"system": "darwin"}):
        switches, _ = started(**surroundings)
        assert ("no-browser" not in switches) == bool(surroundings)
        assert ("open the http address printed below" not in capsys.readouterr().out) == bool(surroundings)


def test_root_may_start_it(started):
    assert "allow-root" in started(user=0)[0]
    assert "allow-root" not in started()[0]


def test_settings_stay_in_a_virtual_environment_of_ones_own(started, tmp_path, monkeypatch):
    theirs = {"JUPYTER_CONFIG_PATH": "/etc/ours"}
    monkeypatch.setattr(sys, "base_prefix", "/usr")
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    _, variables = started(**theirs)
    assert {name for name, value in variables.items() if value.startswith(str(tmp_path / "jupyter"))} == set(
        lab.FOLDERS
    )
    assert variables["JUPYTER_CONFIG_PATH"].split(os.pathsep)[1:] == ["/etc/ours"]
    monkeypatch.setattr(os, "access", lambda path, _: path != str(tmp_path))  # one that a class shares
    assert set(started()[1]) == {"JUPYTER_CONFIG_PATH"}
    monkeypatch.undo()
    monkeypatch.setattr(sys, "prefix", sys.base_prefix)  # none: conda's, or the system's
    assert not set(lab.FOLDERS) & set(lab.environment())


@pytest.fixture
def server(tmp_path):
    """JupyterLab itself, as the command starts it in a folder with an umlaut; at the end it is stopped."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # what runs in the background may ignore it
    environment = {name: value for name, value in os.environ.items() if "DISPLAY" not in name} | {"BROWSER": "true"}
    output = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "encoding": "utf-8"}
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    command = [sys.executable, "-m", "bertlab", "lab", str(tmp_path / "my exercises"), "--port", port]
    process = subprocess.Popen(command, env=environment, **output)
    signal.signal(signal.SIGINT, before)
    yield process
    process.kill()
    process.wait()
    process.stdout.close()


def test_jupyterlab_opens_lesson_1_asks_for_no_news_runs_a_cell_and_ends_with_ctrl_c(server):
    printed = ""
    while not (address := re.search(r"http://(127\.0\.0\.1:\d+)(/lab\S*)\?(token=\w+)", printed)):
        line = server.stdout.readline()
        assert line, printed
        printed += line
    assert address[2] == f"/lab/tree/{lab.FIRST}"

    def got(path, method="GET"):
        while server.poll() is None:  # it prints its address a moment before it listens
            with (
                contextlib.suppress(ConnectionRefusedError),
                contextlib.closing(http.client.HTTPConnection(address[1])) as connection,
            ):
                connection.request(method, f"{path}?{address[3]}")
                return connection.getresponse().read().decode()
        raise AssertionError(printed + server.stdout.read())

    (settings,) = re.findall(r'id="jupyter-config-data" type="application/json">(.+?)</script>', got("/lab"), re.S)
    assert "@jupyterlab/apputils-extension:announcements" in json.loads(settings)["disabledExtensions"]
    assert "bertlab-page" in {extension["name"] for extension in json.loads(settings)["federated_extensions"]}
    assert "_JUPYTERLAB" in got("/lab/extensions/bertlab-page/static/page.js")
    assert lab.FIRST in {file["name"] for file in json.loads(got("/api/contents"))["content"]}
    kernel = json.loads(got("/api/kernels", "POST"))["id"]
    channels = f"ws://{address[1]}/api/kernels/{kernel}/channels?session_id=one&{address[3]}"
    cell = {"header": {"msg_id": "1", "msg_type": "execute_request"}, "content": {"code": "print(6 * 7)"}}
    with contextlib.closing(websocket.create_connection(channels, timeout=60)) as connection:
        connection.send(json.dumps({"channel": "shell", "parent_header": {}, "metadata": {}} | cell))
        while json.loads(connection.recv())["content"].get("text") != "42\n":
            pass
    if os.name != "nt":  # which sends no such signal
        server.send_signal(signal.SIGINT)
        printed = server.communicate()[0]
        assert re.search(r"received signal \d+, stopping\n", printed)
        assert "[IPKernelApp] WARNING" not in printed, "a kernel frightens nobody"
        assert server.returncode == 0
