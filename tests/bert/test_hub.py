"""Hub names: the cache first, one quick request, and an error that helps within seconds. No real Hub is asked."""

import hashlib
import json
import os
import re
import socket
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
import torch

import bertlab
from rounding import assert_rounded_equal

NAME = "someone/small-bert"
COMMIT = "0123456789abcdef0123456789abcdef01234567"


@contextmanager
def hub(files, listed=(), stalls=None, pause=0.0):
    """Imitate the Hub on 127.0.0.1 for NAME, which holds `files` (name to bytes); yield address and requests.

    A request that `stalls`, as "GET /address", is not answered; with "body" files come half. Files come in ten parts
    with a `pause` before each.
    """
    asked = []
    closing = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def reply(self, status, content, **headers):
            self.send_response(status)
            for key, value in headers.items():
                self.send_header(key.replace("_", "-"), value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            if self.command == "GET":
                part = -(-len(content) // 10) if pause else len(content) or 1
                for start in range(0, len(content), part):
                    time.sleep(pause)
                    self.wfile.write(content[start : start + part])
                    self.wfile.flush()

        def do_GET(self):
            path = self.path.split("?")[0]
            names = list(files) + [name for name in listed if name not in files]
            asked.append(f"{self.command} {path}")
            if stalls and re.fullmatch(stalls, asked[-1]):
                closing.wait(60)
                return None
            if path.startswith(f"/api/models/{NAME}/tree/"):
                listing = [
                    {
                        "type": "file",
                        "path": name,
                        "size": len(files.get(name, b"")),
                        "oid": hashlib.sha1(name.encode()).hexdigest(),
                    }
                    for name in names
                ]
                return self.reply(200, json.dumps(listing).encode())
            if path in (f"/api/models/{NAME}", f"/api/models/{NAME}/revision/main"):
                info = {"id": NAME, "modelId": NAME, "sha": COMMIT, "siblings": [{"rfilename": name} for name in names]}
                return self.reply(200, json.dumps(info).encode())
            name = path.removeprefix(f"/{NAME}/resolve/{COMMIT}/")
            if name in files:
                tag = hashlib.sha256(files[name]).hexdigest()
                if stalls == "body" and self.command == "GET":
                    self.send_response(200)
                    self.send_header("Content-Length", str(len(files[name])))
                    self.end_headers()
                    self.wfile.write(files[name][: len(files[name]) // 2])
                    closing.wait(60)
                    return None
                return self.reply(200, files[name], ETag=f'"{tag}"', X_Repo_Commit=COMMIT)
            return self.reply(404, b"{}", X_Error_Code="EntryNotFound" if NAME in path else "RepoNotFound")

        do_HEAD = do_GET  # noqa: N815

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        closing.set()
        server.shutdown()
        server.server_close()


LOAD = """
import json, sys, time
import bertlab, bertlab.bert.loading, transformers
start = time.perf_counter()
try:
    bert = bertlab.load(sys.argv[1])
    told = {"name": bert.name, "pooled": bert.read("The cat sat on the mat.").pooled.tolist()}
except bertlab.bert.CheckpointError as error:
    told = {"error": str(error)}
print(json.dumps(told | {"seconds": time.perf_counter() - start}))
"""


SLOW_NAMES = """
import socket, time
socket.getaddrinfo = lambda *_, **__: time.sleep(30)
"""


def load(name, endpoint, cache, before="", **variables):
    """Load a Hub name in a process of its own, because huggingface_hub reads its variables when imported."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("HF_", "BERTLAB_"))}
    clean = {key: value for key, value in clean.items() if not key.lower().endswith("_proxy")}
    done = subprocess.run(
        [sys.executable, "-c", before + LOAD, name],
        env=clean | {"HF_ENDPOINT": endpoint, "HF_HOME": str(cache)} | variables,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture
def files(tiny_folder):
    served = {path.name: path.read_bytes() for path in tiny_folder.iterdir()}
    return served | {"pytorch_model.bin": b"not asked for", "README.md": b"nor this", "onnx/model.onnx": b"nor this"}


@pytest.fixture
def closed_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}"


@pytest.mark.slow
def test_downloads_only_what_is_needed_and_only_once(files, tiny_folder, tmp_path):
    expected = bertlab.load(tiny_folder).read("The cat sat on the mat.").pooled
    with hub(files) as (endpoint, asked):
        first = load(NAME, endpoint, tmp_path)
        fetched = {request.rsplit("/", 1)[1] for request in asked if "/resolve/" in request}
        asked.clear()
        second = load(NAME, endpoint, tmp_path)
        assert asked == []
    for told in (first, second):
        assert told.get("name") == NAME, told
        assert_rounded_equal(torch.tensor(told["pooled"]), expected)
    assert fetched == {"config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"}


def test_of_a_damaged_index_in_the_cache_the_folder_is_named(files, tmp_path):
    folder = tmp_path / "hub" / f"models--{NAME.replace('/', '--')}"
    snapshot = folder / "snapshots" / COMMIT
    snapshot.mkdir(parents=True)
    (folder / "refs").mkdir()
    (folder / "refs" / "main").write_text(COMMIT, "utf-8")
    for name in ("config.json", "tokenizer.json"):
        (snapshot / name).write_bytes(files[name])
    (snapshot / "model.safetensors.index.json").write_text('{"weight_map": {"bert', "utf-8")
    told = load(NAME, "http://127.0.0.1:9", tmp_path, HF_HUB_OFFLINE="1")
    assert f"The weights in '{snapshot}' cannot be used" in told["error"]


@pytest.mark.slow
def test_an_interrupted_download_is_not_taken_for_whole(files, tmp_path):
    folder = tmp_path / "hub" / f"models--{NAME.replace('/', '--')}"
    snapshot = folder / "snapshots" / COMMIT
    snapshot.mkdir(parents=True)
    (folder / "refs").mkdir()
    (folder / "refs" / "main").write_text(COMMIT, "utf-8")
    for name in ("config.json", "tokenizer.json"):
        (snapshot / name).write_bytes(files[name])
    with hub(files) as (endpoint, asked):
        told = load(NAME, endpoint, tmp_path)
        assert any("model.safetensors" in request for request in asked)
    assert told.get("name") == NAME, told


def test_a_name_that_the_hub_does_not_hold(files, tmp_path):
    with hub(files) as (endpoint, _):
        told = load("someone/mistyped", endpoint, tmp_path)
    assert "The Hub shows no checkpoint named 'someone/mistyped'" in told["error"]
    assert "Check the spelling" in told["error"]


@pytest.mark.slow
def test_a_download_that_breaks_off_says_so_and_goes_on_next_time(files, tmp_path):
    weights = files.pop("model.safetensors")
    with hub(files, listed=["model.safetensors"]) as (endpoint, asked):
        told = load(NAME, endpoint, tmp_path)
        assert f"The download of {NAME!r} broke off" in told["error"]
        assert "Load it again" in told["error"]
        files["model.safetensors"] = weights
        asked.clear()
        told = load(NAME, endpoint, tmp_path)
        assert any("resolve" in request and "model.safetensors" in request for request in asked)
    assert told.get("name") == NAME, told


def test_a_repository_without_pytorch_weights(files, tmp_path):
    kept = {name: content for name, content in files.items() if "model" not in name}
    with hub(kept) as (endpoint, asked):
        told = load(NAME, endpoint, tmp_path)
        assert not any("/resolve/" in request for request in asked)
    assert "holds no PyTorch weights" in told["error"]
    assert "Choose another checkpoint" in told["error"]


HASTE = """
import time, bertlab.bert.hub
bertlab.bert.hub.PATIENCE = 0.5
time.sleep = lambda _: None  # huggingface_hub waits between its attempts
"""


@pytest.mark.slow
@pytest.mark.parametrize("stalls", ["GET .*/revision/main", "GET .*/tree/.*", "HEAD .*", "GET .*/resolve/.*", "body"])
def test_a_hub_that_answers_and_then_stalls(files, tmp_path, stalls):
    with hub(files, stalls=stalls) as (endpoint, asked):
        told = load(NAME, endpoint, tmp_path, before=HASTE)
    assert stalls == "body" or any(re.fullmatch(stalls, request) for request in asked)
    assert f"The download of {NAME!r} broke off" in told["error"]
    assert "set HF_HUB_DOWNLOAD_TIMEOUT=60" in told["error"]
    assert "\n" not in told["error"]
    assert told["seconds"] < 15  # seven attempts of half a second; huggingface_hub alone: six minutes, or for ever


@pytest.mark.slow
def test_a_chosen_patience_is_kept(files, tmp_path):
    with hub(files, stalls="HEAD .*") as (endpoint, _):
        told = load(NAME, endpoint, tmp_path, before=HASTE, HF_HUB_DOWNLOAD_TIMEOUT="2")
    assert "broke off" in told["error"]
    assert 7 * 2 < told["seconds"] < 25


@pytest.mark.slow
def test_a_slow_hub_is_waited_for_as_long_as_it_sends(files, tmp_path):
    with hub(files, pause=0.2) as (endpoint, _):  # two seconds a file, four times the patience
        told = load(NAME, endpoint, tmp_path, before=HASTE)
    assert told.get("name") == NAME, told
    assert told["seconds"] > 2


@pytest.mark.slow  # it waits for a clock
def test_a_hub_that_accepts_and_never_answers(tmp_path):
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        told = load(NAME, f"http://127.0.0.1:{silent.getsockname()[1]}", tmp_path)
    assert "cannot be reached" in told["error"]
    assert 3 < told["seconds"] < 8


@pytest.mark.slow
def test_a_name_server_that_does_not_answer(tmp_path):
    told = load(NAME, "http://hub.invalid", tmp_path, before=SLOW_NAMES)
    assert "cannot be reached (no answer within 4.5 s)" in told["error"]
    assert told["seconds"] < 8


def test_no_network(closed_port, tmp_path):
    told = load(NAME, closed_port, tmp_path)
    for words in (repr(NAME), "not in this machine's cache", "cannot be reached", "bertlab.load()", closed_port):
        assert words in told["error"]
    assert told["seconds"] < 5


def test_offline_is_said_by_its_name(closed_port, tmp_path):
    told = load(NAME, closed_port, tmp_path, HF_HUB_OFFLINE="1")
    assert "HF_HUB_OFFLINE is set" in told["error"]
    assert "Unset HF_HUB_OFFLINE" in told["error"]
    assert told["seconds"] < 4  # the Hub would have been given as many to answer
