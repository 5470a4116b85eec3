"""The front page and the pages beside it say what is so: lessons, numbers, commands, links, sizes, versions."""

import importlib
import re
import tomllib
from pathlib import Path

import pytest
import yaml
from PIL import Image

import bertlab
from bertlab.__main__ import TEACHING

ROOT = Path(__file__).parents[2]
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("bertlab_teaching/*/*.md")]
TEXT = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf8") for path in PAGES}
README = TEXT["README.md"]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf8"))["project"]


def test_each_picture_is_there_light_and_dark_and_is_told_in_words():
    named = re.findall(r'"(pictures/(\w+)-(\w+)\.png)"( alt="\w[^"]+\.")?', README)
    assert {kind for _, kind, _, _ in named} == {"page", "lesson"}
    for path, _, theme, alt in named:
        assert (theme == "light") == bool(alt)
        with Image.open(ROOT / path) as image:
            ground = image.convert("L").resize((1, 1)).getpixel((0, 0))
        assert (ground > 128) == (theme == "light")
        assert (ROOT / path).stat().st_size < 200_000


def test_the_front_page_is_short_and_its_first_line_leads_to_the_published_pages(monkeypatch):
    assert sum(any(map(str.isalnum, word)) for word in README.split()) <= 900
    monkeypatch.setenv("BERTLAB_REPOSITORY", "someone/course")
    door = importlib.import_module("bertlab_teaching.instructors.guide").door([])
    for address in ("https://someone.github.io/course/live.html", "colab.research.google.com/github/someone/course/"):
        assert address in door


def headings(page):
    """The parts of a page, as links name them."""
    found = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf8"), re.M)
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in found}


@pytest.mark.parametrize("name", TEXT)
def test_links_lead_somewhere(name):
    assert "OWNER" not in README
    for link in re.findall(r"\]\((?!http)([^)]+)\)", TEXT[name]):
        file, _, part = link.partition("#")
        page = (ROOT / name).parent / file if file else ROOT / name
        assert page.exists(), link
        assert not part or part in headings(page), link


@pytest.mark.parametrize("name", TEXT)
def test_commands_exist(name):
    """What a page tells to type, in blocks and in lines, names targets, commands, extras, files that there are."""
    typed = "\n".join(re.findall(r"^ {4}.+$|`[^`\n]+`", TEXT[name], re.M))
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf8"), re.M))
    found = re.findall(r"(?:^ {4}|`)(?:\w+=\S+ )?make ([a-z]+(?:-[a-z]+)*)", typed, re.M)
    assert set(found) <= targets
    assert set(re.findall(r"(?:^ {4}|[/\\`]|-m )bertlab (\w+)", typed, re.M)) <= {"lab", "copy", "mine", *TEACHING}
    for extras in re.findall(r"(?:\.|bertlab)\[([a-z,]+)\]", typed):
        assert set(extras.split(",")) <= set(PROJECT["optional-dependencies"]), extras
    for path in re.findall(r"(?<![\w/.<])((?:tests|pictures|bertlab|bertlab_teaching|live)/[\w./-]+)", typed):
        if "<" not in path and "your" not in path and not path.startswith("bertlab/bin"):
            assert (ROOT / path).exists(), path
    for path in re.findall(r"-c (\S+\.txt)|-f (\S+\.yml)", typed):
        assert (ROOT / "".join(path)).is_file()


def test_the_model_is_as_large_as_the_readme_says(bert):
    weights = ROOT / "bertlab" / "bertlab-mini" / "model.safetensors"
    count = sum(parameter.numel() for parameter in bert.model.parameters())
    assert f"has {count / 1e6:.1f} million parameters and {weights.stat().st_size / 1e6:.0f} MB" in README


def test_sizes_and_minutes_are_told_the_same_everywhere():
    said, makefile = " ".join(README.split()), (ROOT / "Makefile").read_text(encoding="utf8")
    install = " ".join(TEXT["INSTALL.md"].split())
    size = re.search(r"installs (\d+) packages: (\d+) MB to download, (\S+) GB on disk", install)
    download = f"{round(int(size[2]), -2)} MB"
    assert f"download of {download}" in said
    assert f"{download} to download, {size[3]} GB on disk" in makefile
    figure = int(re.search(r"the first figure of lesson 1 appears after (\d+)\.", install)[1])
    minutes = ["no", "one", "two", "three", "four", "five"][round(figure / 60)]
    assert f"some {minutes} minutes" in makefile


def test_versions_agree():
    version = bertlab.__version__
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf8"))
    assert str(citation["version"]) == version
    released = citation["date-released"]
    newest = re.search(r"^## (\S+ \(.+\))$", TEXT["CHANGELOG.md"], re.M)[1]
    assert newest == f"{version} ({released.day} {released:%B %Y})"
    assert " AND ".join(citation["license"]) == PROJECT["license"]
    assert citation["authors"][0]["name"] == PROJECT["authors"][0]["name"]
