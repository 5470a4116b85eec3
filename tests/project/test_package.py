"""The built wheel holds the model, the lessons and the licences, and works away from the repository.

An editable installation hides a file that was left out, so the wheel itself is looked at.
"""

import hashlib
import os
import subprocess
import sys
import zipfile
from pathlib import Path, PurePosixPath

import pytest

ROOT = Path(__file__).parents[2]
MODEL = ROOT / "bertlab" / "bertlab-mini"
pytestmark = pytest.mark.slow


def tracked(folder):
    listing = subprocess.run(["git", "ls-files", folder], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return set(listing.splitlines())


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "-q",
        "--no-deps",
        "--no-build-isolation",
        "-w",
        folder,
        ROOT,
    ]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    (path,) = folder.glob("bertlab-*.whl")
    return path


@pytest.fixture(scope="module")
def names(wheel):
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_wheel_holds_the_model_byte_for_byte(wheel, names):
    files = {path.name for path in MODEL.iterdir()}
    assert {
        "config.json",
        "model.safetensors",
        "tokenizer.json",
        "SHA256SUMS",
        "README.md",
        "LICENSE",
    } <= files
    with zipfile.ZipFile(wheel) as archive:
        for name in files:
            assert archive.read(f"bertlab/bertlab-mini/{name}") == (MODEL / name).read_bytes(), name


def test_wheel_holds_the_package_and_the_lessons_and_nothing_else(names):
    expected = tracked("bertlab") | {f"bertlab/{name}" for name in tracked("notebooks")}
    stray = {name for name in names - expected if not PurePosixPath(name).parts[0].endswith(".dist-info")}
    assert not stray
    assert not expected - names
    assert {f"bertlab/{name}" for name in tracked("notebooks") if name.endswith(".ipynb")}


def test_everybody_may_read_what_an_administrator_installs(wheel):
    with zipfile.ZipFile(wheel) as archive:
        modes = {item.filename: item.external_attr >> 16 for item in archive.infolist()}
    assert not [name for name, mode in modes.items() if mode & 0o444 != 0o444]  # transformers saves weights as 0600


def test_wheel_holds_the_licences(wheel, names):
    with zipfile.ZipFile(wheel) as archive:
        for licence in ("LICENSE", "LICENSE-lessons", "bertlab/bertlab-mini/LICENSE"):
            (inside,) = [name for name in names if name.endswith(f".dist-info/licenses/{licence}")]
            assert archive.read(inside) == (ROOT / licence).read_bytes()


def test_checksums_cover_every_file_that_is_loaded():
    lines = (MODEL / "SHA256SUMS").read_text(encoding="utf8").splitlines()
    sums = {name: digest for digest, name in (line.split("  ") for line in lines)}
    documents = {"SHA256SUMS", "README.md", "LICENSE", "learning.png", "watch-it-learn.csv"}
    loaded = {path.name: path.read_bytes() for path in MODEL.iterdir() if path.name not in documents}
    assert sums == {name: hashlib.sha256(content).hexdigest() for name, content in loaded.items()}


def test_wheel_loads_its_model_away_from_the_repository(wheel, tmp_path):
    target = tmp_path / "site"
    install = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "-q",
        "--no-deps",
        "--no-index",
        "--target",
        target,
        wheel,
    ]
    subprocess.run(install, check=True)
    script = """if True:
        import sys
        sys.path.insert(0, sys.argv[1])
        sys.meta_path = [finder for finder in sys.meta_path if "editable" not in str(finder)]
        import bertlab
        assert bertlab.__file__.startswith(sys.argv[1]), bertlab.__file__
        bert = bertlab.load()
        print(*bert.read("The cat sat on the mat.").tokens)
        """
    unwanted = ("BERTLAB_MODEL", "PYTHONPATH")
    environment = {name: value for name, value in os.environ.items() if name not in unwanted}
    command = [sys.executable, "-P", "-c", script, str(target)]
    run = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stdout.split() == ["[CLS]", "the", "cat", "sat", "on", "the", "mat", ".", "[SEP]"]
