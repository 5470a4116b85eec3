"""Hub names: the cache first, one quick question, and an error that helps. No real Hub is asked, no clock is read."""

import hashlib
import json
import os
import socket
import subprocess
import sys
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

NAME = "someone/small-bert"
COMMIT = "0123456789abcdef0123456789abcdef01234567"


@contextmanager
def imitated_hub(files, listed=()):
    """Imitate the Hub on 127.0.0.1 for NAME, which holds `files` (name to bytes); yield address and requests."""
    asked = []

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
                self.wfile.write(content)

        def do_GET(self):
            path = self.path.split("?")[0]
            names = {**files, **dict.fromkeys(listed, b"")}
            asked.append(path)
            if path.startswith(f"/api/models/{NAME}/tree/"):
                rows = [
                    {"type": "file", "path": name, "size": len(content), "oid": hashlib.sha1(name.encode()).hexdigest()}
                    for name, content in names.items()
                ]
                return self.reply(200, json.dumps(rows).encode())
            if path in (f"/api/models/{NAME}", f"/api/models/{NAME}/revision/main"):
                info = {"id": NAME, "modelId": NAME, "sha": COMMIT, "siblings": [{"rfilename": name} for name in names]}
                return self.reply(200, json.dumps(info).encode())
            content = files.get(path.removeprefix(f"/{NAME}/resolve/{COMMIT}/"))
            if content is None:
                return self.reply(404, b"{}", X_Error_Code="EntryNotFound" if NAME in path else "RepoNotFound")
            return self.reply(200, content, ETag=f'"{hashlib.sha256(content).hexdigest()}"', X_Repo_Commit=COMMIT)

        do_HEAD = do_GET  # noqa: N815

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        server.server_close()


LOAD = """
import json, sys
import bertlab
from bertlab.bert import hub
assert hub.TIMEOUT < 10
hub.TIMEOUT = float(sys.argv[2])  # a busy machine imitates the Hub slowly
try:
    bert = bertlab.load(sys.argv[1])
    told = {"name": bert.name, "tokens": bert.read("The cat sat.").tokens}
except bertlab.bert.CheckpointError as error:
    told = {"error": str(error)}
print(json.dumps(told))
"""


PATIENT = dict.fromkeys(("HF_HUB_ETAG_TIMEOUT", "HF_HUB_DOWNLOAD_TIMEOUT"), "600")


def load(name, endpoint, cache, patience=600, **variables):
    """Load a Hub name in a process of its own, because huggingface_hub reads its variables when imported."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("HF_", "BERTLAB_"))}
    clean = {key: value for key, value in clean.items() if not key.lower().endswith("_proxy")}
    done = subprocess.run(
        [sys.executable, "-c", LOAD, name, str(patience)],
        env=clean | {"HF_ENDPOINT": endpoint, "HF_HOME": str(cache), **PATIENT} | variables,
        capture_output=True,
        text=True,
        timeout=900,  # a question without a limit of time would be waited for as long
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture
def files(tiny_folder):
    served = {path.name: path.read_bytes() for path in tiny_folder.iterdir()}
    return served | {"pytorch_model.bin": b"not asked for", "README.md": b"nor this", "onnx/model.onnx": b"nor this"}


@pytest.mark.slow
def test_downloads_only_what_is_needed_and_only_once(files, tmp_path):
    with imitated_hub(files) as (endpoint, asked):
        first = load(NAME, endpoint, tmp_path)
        fetched = {path.rsplit("/", 1)[1] for path in asked if "/resolve/" in path}
        asked.clear()
        second = load(NAME, endpoint, tmp_path)
        assert asked == []
    assert first == second == {"name": NAME, "tokens": ["[CLS]", "The", "cat", "sat", ".", "[SEP]"]}
    assert fetched == {"config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"}


@pytest.mark.slow
def test_a_download_that_breaks_off_says_so_and_goes_on_next_time(files, tmp_path):
    weights = files.pop("model.safetensors")
    with imitated_hub(files, listed=["model.safetensors"]) as (endpoint, asked):
        told = load(NAME, endpoint, tmp_path)
        assert f"The download of {NAME!r} broke off" in told["error"]
        files["model.safetensors"] = weights  # what came is in the cache, and is not taken for whole
        asked.clear()
        told = load(NAME, endpoint, tmp_path)
        assert any("resolve" in path and "model.safetensors" in path for path in asked)
    assert told.get("name") == NAME, told


@pytest.mark.slow
def test_a_repository_without_pytorch_weights_and_a_name_that_the_hub_does_not_hold(files, tmp_path):
    kept = {name: content for name, content in files.items() if "model" not in name}
    with imitated_hub(kept) as (endpoint, asked):
        told = load(NAME, endpoint, tmp_path)
        assert not any("/resolve/" in path for path in asked)
        mistyped = load("someone/mistyped", endpoint, tmp_path)
    assert "The Hub shows no checkpoint named 'someone/mistyped'" in mistyped["error"]
    assert "holds no PyTorch weights" in told["error"]
    assert "Choose another checkpoint" in told["error"]


def test_no_network(tmp_path):
    with socket.socket() as probe, socket.socket() as silent:
        probe.bind(("127.0.0.1", 0))
        silent.bind(("127.0.0.1", 0))
        silent.listen()  # accepts and never answers
        closed, mute = (f"http://127.0.0.1:{each.getsockname()[1]}" for each in (probe, silent))
        for endpoint in (mute, closed, "http://hub.invalid"):  # the last is a name that does not resolve
            told = load(NAME, endpoint, tmp_path, patience=0.1)
            said = ("cannot be reached", "bertlab.load()", repr(NAME), endpoint)
            assert all(words in told["error"] for words in said)
    assert "Unset HF_HUB_OFFLINE" in load(NAME, closed, tmp_path, patience=0.1, HF_HUB_OFFLINE="1")["error"]
