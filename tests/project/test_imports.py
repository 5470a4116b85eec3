"""A bare import is cheap, loading and reading are quiet, and neither touches the network."""

import os
import subprocess
import sys

import pytest

import bertlab


def run(code, *arguments, **variables):
    environment = {key: value for key, value in os.environ.items() if key != "BERTLAB_MODEL"} | variables
    command = [sys.executable, "-c", code, *map(str, arguments)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    return done.stdout + done.stderr


def test_bare_import_loads_no_heavy_library():
    heavy = ("torch", "transformers", "tokenizers", "huggingface_hub", "matplotlib", "pandas", "numpy", "sklearn")
    assert run("import bertlab, sys; print(set(sys.argv[1:]) & set(sys.modules))", *heavy) == "set()\n"


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'bertlab' has no attribute 'lod'"):
        _ = bertlab.lod


SILENT = """
import socket, sys
tried = []
def refuse(*arguments, **_):
    tried.append(arguments[-1])
    raise OSError("no network in this test")
socket.socket.connect = socket.socket.connect_ex = socket.getaddrinfo = refuse

import bertlab
for name in ("bertlab-mini", *sys.argv[1:]):
    bert = bertlab.load(name)
    bert.read("The cat sat on the mat.")
    bert.read_all(["the " * 60, ("One.", "Two.")])
    bertlab.untrained(bert)
from transformers import AutoModel, AutoTokenizer
folder = bertlab.bert.loading.local_folder("bertlab-mini")
AutoModel.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
if tried:
    print("reached for the network:", tried)
"""


def test_loading_and_reading_are_quiet_and_need_no_network(tiny_folder, checkpoint):
    import torch
    from safetensors.torch import load_file

    torch.save(load_file(checkpoint / "model.safetensors"), checkpoint / "pytorch_model.bin")
    (checkpoint / "model.safetensors").unlink()
    assert run(SILENT, tiny_folder, checkpoint, HF_HUB_OFFLINE="0", HF_ENDPOINT="http://127.0.0.1:9") == ""
