"""The page about an installation names what is missing; a bare import is cheap, loading quiet and without a network."""

import os
import re
import subprocess
import sys
import warnings
from importlib.metadata import PackageNotFoundError, version

import pytest
import torch
from safetensors.torch import load_file

import bertlab
from bertlab.__main__ import TEACHING, main
from bertlab.bert import versions
from bertlab.installation import report

# As hatchling writes them into a wheel: the upper bound first.
DECLARED = ["numpy<3,>=2.0", "huggingface-hub<3,>=2.0", "jupyterlab<5,>=4.5; extra == 'lab'", "x>=9; extra == 'test'"]


@pytest.fixture(autouse=True)
def _installed(monkeypatch):
    monkeypatch.setattr(versions, "requires", lambda _: DECLARED)


def test_page_of_a_sound_installation(capsys):
    assert main([]) == 0
    page = capsys.readouterr().out
    assert page.startswith(f"bertlab {bertlab.__version__}\nPython 3.")
    assert f"\n  numpy {version('numpy')}\n" in page
    assert "BERTLAB_MODEL is not set, so bertlab.load() means 'bertlab-mini'" in page
    assert re.search(r"inside the package; loads in \d+\.\d s\n  bertlab-mini, a BERT\n    4 layers", page)
    assert "GPU" in page


def lacking(name):
    if name in ("numpy", "jupyterlab", "bertlab"):
        raise PackageNotFoundError(name)
    return version(name)


def test_missing_packages_are_named_with_the_way_to_get_them(monkeypatch):
    monkeypatch.setattr(versions, "version", lacking)
    page, usable = report()
    assert not usable
    assert "  numpy MISSING" in page
    assert page.endswith("\nMissing: jupyterlab, numpy. Get what is wanted with: pip install 'bertlab[lab]'")
    monkeypatch.setattr(versions, "requires", lacking)  # a package that was never installed still gets its page
    assert "Missing: bertlab." in report()[0]


@pytest.fixture
def _old(monkeypatch):
    """Older versions of a package that is needed, and of one for JupyterLab, which somebody may do without."""
    older = {"numpy": "1.26.4", "jupyterlab": "4.4.0"}
    monkeypatch.setattr(versions, "version", lambda name: older.get(name) or version(name))
    versions.warn.cache_clear()
    yield
    versions.warn.cache_clear()


@pytest.mark.usefixtures("_old")
def test_the_page_names_versions_that_do_not_fit_even_if_other_commands_cannot_be_added(monkeypatch, capsys):
    monkeypatch.setattr("bertlab.__main__.entry_points", lambda group: 1 / 0)
    assert main([]) == 1
    page = capsys.readouterr().out
    assert "  jupyterlab 4.4.0, wanted >=4.5,<5\n  numpy 1.26.4, wanted >=2.0,<3\n" in page
    assert "\nOf another version: jupyterlab, numpy. Get what is wanted with: pip install 'bertlab[lab]'" in page


@pytest.mark.usefixtures("_old")
def test_the_first_load_warns_of_versions_that_do_not_fit_and_no_other_load_does(monkeypatch):
    with pytest.warns(UserWarning, match=r"may fail .* here, numpy 1.26.4 \(wanted >=2.0,<3\): .*`pip") as warned:
        [bertlab.load(name) for name in (None, "bertlab-mini")]
    assert [warning.filename for warning in warned] == [__file__]
    monkeypatch.setattr(versions, "requires", lacking)  # from a folder that was never installed
    versions.warn.cache_clear()
    with warnings.catch_warnings(action="error"):
        bertlab.load()


def test_a_chosen_folder_that_loads_and_one_that_does_not_and_a_hub_name_is_not_downloaded(checkpoint, monkeypatch):
    monkeypatch.setenv("BERTLAB_MODEL", str(checkpoint))
    page, usable = report()
    assert usable
    assert f"BERTLAB_MODEL is {checkpoint}" in page
    assert f"  {checkpoint}; loads in" in page
    (checkpoint / "model.safetensors").unlink()
    monkeypatch.setattr("bertlab.bert.hub.find", lambda name: pytest.fail(f"asked the Hub for {name}"))
    assert "does not load. The folder" in report()[0]
    monkeypatch.setenv("BERTLAB_MODEL", "someone/never-cached")
    page, usable = report()
    assert not usable
    assert "the first load will download it" in page


def test_a_command_says_what_to_type_where_jupyter_is_missing(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "nbformat", None)
    assert main(["copy", str(tmp_path / "work")]) == 1
    assert re.search(r"nbformat.* Get it with: pip install 'bertlab\[lab\]'\n$", capsys.readouterr().err)


@pytest.mark.parametrize("asked", [["grade", "submitted"], ["copy", "--notes", "teach"]])
def test_what_is_for_teaching_says_what_to_install_where_that_is_not_installed(monkeypatch, capsys, asked):
    monkeypatch.setattr("bertlab.__main__.entry_points", lambda group: [])
    assert main(asked) == 1
    assert "pip install bertlab-teaching" in capsys.readouterr().err
    with pytest.raises(SystemExit, match="0"):
        main(["--help"])
    assert "grade" not in capsys.readouterr().out


def test_each_command_for_teaching_is_added_where_that_is_installed(capsys):
    for command in ([], ["copy"]):
        with pytest.raises(SystemExit, match="0"):
            main([*command, "--help"])
    shown = capsys.readouterr().out
    assert [name for name in TEACHING if not re.search(rf"^ +{name} ", shown, re.M)] == []


def run(code, *arguments, **variables):
    command = [sys.executable, "-c", code, *map(str, arguments)]
    environment = os.environ | {"BERTLAB_MODEL": ""} | variables
    return subprocess.check_output(command, env=environment, stderr=subprocess.STDOUT, text=True)


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
    torch.save(load_file(checkpoint / "model.safetensors"), checkpoint / "pytorch_model.bin")
    (checkpoint / "model.safetensors").unlink()
    assert run(SILENT, tiny_folder, checkpoint, HF_HUB_OFFLINE="0", HF_ENDPOINT="http://127.0.0.1:9") == ""
