"""The built wheel holds the model, the lessons and the licences, and works away from the repository; so does the sdist.

An editable installation hides a file that was left out, so the wheel itself is looked at.
"""

import hashlib
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path, PurePosixPath

import pytest

ROOT = Path(__file__).parents[2]
MODEL = ROOT / "bertlab" / "bertlab-mini"
pytestmark = pytest.mark.slow


def tracked(folder):
    return set(subprocess.check_output(["git", "ls-files", folder], cwd=ROOT, text=True).splitlines())


def build(source, folder):
    """Build a wheel of a folder or an sdist, and return its path."""
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", folder, source]
    subprocess.run(command, check=True)
    (path,) = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return build(ROOT, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def inside(wheel):
    """What the wheel holds, and each file's rights."""
    with zipfile.ZipFile(wheel) as archive:
        return {item.filename: (archive.read(item), item.external_attr >> 16) for item in archive.infolist()}


def test_the_wheel_holds_the_package_the_model_the_lessons_the_live_page_and_the_licences_and_nothing_else(inside):
    lessons = {f"bertlab/{name}" for name in tracked("notebooks") if name.endswith((".ipynb", ".md"))}
    live = {f"bertlab/live-page/{name.removeprefix('live/')}" for name in tracked("live") - tracked("live/learning")}
    expected = tracked("bertlab") | lessons | live
    assert {name for name in inside if not PurePosixPath(name).parts[0].endswith(".dist-info")} == expected
    for path in MODEL.iterdir():
        assert inside[f"bertlab/bertlab-mini/{path.name}"][0] == path.read_bytes(), path
    for licence in ("LICENSE", "LICENSE-lessons", "bertlab/bertlab-mini/LICENSE"):
        (held,) = [name for name in inside if name.endswith(f".dist-info/licenses/{licence}")]
        assert inside[held][0] == (ROOT / licence).read_bytes()


def test_the_wheel_for_teaching_holds_its_package_and_what_teachers_need_of_the_lessons(tmp_path):
    with zipfile.ZipFile(build(ROOT / "bertlab_teaching", tmp_path)) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    aside = [f"bertlab_teaching/{name}" for name in ("instructors/", "hub/", "pyproject.toml", "wheel.py")]
    ours = {name for name in tracked("bertlab_teaching") if not name.startswith(tuple(aside))}
    endings = (".slides.toml", ".quiz.toml", ".solutions.py")
    beside = {name for name in tracked("notebooks") if name.endswith(endings)} | {"pictures/page-light.png"}
    assert names == ours | {f"bertlab_teaching/{name}" for name in tracked("live/learning") | beside}


def test_everybody_may_read_what_an_administrator_installs(inside):
    rights = [mode & 0o444 for _, mode in inside.values()]  # transformers saves weights as 0600
    assert set(rights) == {0o444}


def test_checksums_cover_every_file_that_is_loaded():
    lines = (MODEL / "SHA256SUMS").read_text(encoding="utf8").splitlines()
    sums = {name: digest for digest, name in (line.split("  ") for line in lines)}
    documents = {"SHA256SUMS", "README.md", "LICENSE", "learning.png", "watch-it-learn.csv"}
    loaded = {path.name: path.read_bytes() for path in MODEL.iterdir() if path.name not in documents}
    assert sums == {name: hashlib.sha256(content).hexdigest() for name, content in loaded.items()}


def test_the_sdist_holds_all_that_is_tracked_and_makes_the_same_wheel(inside, tmp_path):
    command = [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", tmp_path]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (sdist,) = tmp_path.glob("bertlab-*.tar.gz")
    with tarfile.open(sdist) as archive:
        assert tracked(".") <= {name.partition("/")[2] for name in archive.getnames()}
    with zipfile.ZipFile(build(sdist, tmp_path)) as other:
        assert {name: other.read(name) for name in other.namelist()} == {name: inside[name][0] for name in inside}


def test_what_is_installed_loads_its_model_away_from_the_repository(wheel, tmp_path):
    target = tmp_path / "site"
    with zipfile.ZipFile(wheel) as archive:  # as pip does with one of pure Python
        archive.extractall(target)
    script = """if True:
        import sys
        sys.path.insert(0, sys.argv[1])
        sys.meta_path = [finder for finder in sys.meta_path if "editable" not in str(finder)]
        import bertlab
        assert bertlab.__file__.startswith(sys.argv[1]), bertlab.__file__
        bert = bertlab.load()
        print(*bert.read("The cat sat on the mat.").tokens)
        """
    environment = {name: value for name, value in os.environ.items() if name not in ("BERTLAB_MODEL", "PYTHONPATH")}
    command = [sys.executable, "-P", "-c", script, str(target)]
    printed = subprocess.check_output(command, cwd=tmp_path, env=environment, text=True)
    assert printed == "[CLS] the cat sat on the mat . [SEP]\n"
