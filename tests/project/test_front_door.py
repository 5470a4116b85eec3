"""The front page and the pages beside it say what is so: lessons, numbers, commands, links, sizes, versions."""

import importlib.util
import json
import platform
import re
import sys
import tomllib
from importlib.metadata import distribution
from pathlib import Path

import pytest
import yaml
from PIL import Image

import bertlab
from bertlab.course import notebooks as lessons

ROOT = Path(__file__).parents[2]
PAGES = ("README.md", "INSTALL.md", "CONTRIBUTING.md", "INSTRUCTORS.md", "CHANGELOG.md", "BENCHMARK.md")
TEXT = {name: (ROOT / name).read_text(encoding="utf8") for name in PAGES if (ROOT / name).is_file()}
README = TEXT["README.md"]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf8"))["project"]

# Where a lesson's stored outputs hold the numbers of its surprise, in the order in which the README names them. Those
# of lesson 5 stand behind a prediction, so its outputs lack them: the picture, drawn anew below, has them.
SURPRISES = {
    1: ["cat and dog {0}\n", "{1}% are above cat and dog"],
    2: ["lie {0} of “follow”", "{1} of “turned round”"],
    3: ["bertlab-mini is right in {0} [", " of {1} sentences: more often than luckiest of five twins ({2}, "],
    4: ["for all {0} heads", "it is shown to rise for {1} of them"],
    6: [
        "right in {0} [",
        "of {1} pairs",
        "right in {2} [",
        "of {3} facts",
        "Of {5} swaps of two facts",
        ", 1 right in {4},",
    ],
    7: ["after {0} steps 'the', 'of', '.'", "after {1},{2} 'boy', 'man', 'children'"],
    8: ["{0}: {1};", "{2}: {3} to {4}"],
}


def script(path):
    """The module of a script that is no part of the package."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def table():
    """The rows of the README's lessons: number, title, file, minutes, question, surprise."""
    row = r"^\| (\d) \| \[(.+?)\]\((.+?)\) \| (.+?) \| (.+?) \| (.+?) \|$"
    return [(int(number), *rest) for number, *rest in re.findall(row, README, re.M)]


def outputs(path):
    """All that a lesson's stored outputs say, as text."""
    cells = json.loads(path.read_text(encoding="utf8"))["cells"]
    shown = [output for cell in cells for output in cell.get("outputs", [])]
    parts = [output.get("text") or output.get("data", {}).get("text/plain", []) for output in shown]
    return "\n".join("".join(part) for part in parts)


def test_each_lesson_has_its_row_with_its_own_question_and_minutes():
    paths = lessons.paths()
    assert [f"notebooks/{path.name}" for path in paths] == [file for _, _, file, *_ in table()]
    for path, (number, title, _, minutes, question, _) in zip(paths, table(), strict=True):
        first = lessons.read(path).cells[0].source
        assert first.startswith(f"# {number} · {title}\n\n**{question}**\n")
        assert re.search(rf"^{re.escape(minutes)} minutes", first, re.M)


@pytest.mark.parametrize("number", [row[0] for row in table() if row[0] != 5])
def test_a_surprise_is_what_the_lesson_shows(number):
    (row,) = [row for row in table() if row[0] == number]
    numbers = re.findall(r"\d+\.\d+|\d+", row[-1])
    for pattern in SURPRISES[number]:
        assert pattern.format(*numbers) in outputs(ROOT / row[2])


def test_the_picture_is_what_the_model_makes_now():
    draw = script(ROOT / "pictures" / "draw.py")
    assert {path.stem for path in (ROOT / "pictures").glob("*.png")} == set(draw.PICTURES)
    for name, function in draw.PICTURES.items():
        path = ROOT / "pictures" / f"{name}.png"
        caption = function().caption
        with Image.open(path) as image:
            assert image.text["Description"] == caption, "make pictures"
        assert f"![{caption}](pictures/{name}.png)" in README, "the alt text is the caption"
        assert path.stat().st_size < 150_000
    (paraphrase, denial) = re.search(r"paraphrase has (\S+), its denial (\S+)\.$", caption).groups()
    (said,) = [surprise for number, *_, surprise in table() if number == 5]
    assert re.findall(r"\d\.\d+", said) == [paraphrase, denial]
    assert float(denial) > float(paraphrase), "as the README says"


def test_the_readme_takes_a_screen_and_a_half():
    assert len(README.splitlines()) < 75
    assert README.index("make lab") < README.index("## The lessons") < README.index("## Licence")
    words = re.sub(r"\]\([^)]+\)|!\[[^\]]+\]", "", README).split()
    assert len(words) < 1000


@pytest.mark.parametrize("name", TEXT)
def test_links_lead_somewhere(name):
    def headings(text):
        found = re.findall(r"^#+ (.+)$", text, re.M)
        return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in found}

    links = re.findall(r"\]\(([^)]+)\)", TEXT[name])
    assert links or name in ("CHANGELOG.md", "CONTRIBUTING.md")
    for link in links:
        file, _, part = link.partition("#")
        if link.startswith("http"):
            continue
        assert (ROOT / file).exists(), link
        if part:
            target = (ROOT / (file or name)).read_text(encoding="utf8")
            assert part in headings(target), link


@pytest.mark.parametrize("name", TEXT)
def test_commands_exist(name):
    """What a page tells to type, in blocks and in lines, names targets, commands, extras, files that there are."""
    typed = "\n".join(re.findall(r"^ {4}.+$|`[^`\n]+`", TEXT[name], re.M))
    targets = set(re.findall(r"^([a-z-]+)(?: [a-z]+)*:", (ROOT / "Makefile").read_text(encoding="utf8"), re.M))
    found = re.findall(r"(?:^ {4}|`)(?:\w+=\S+ )?make ([a-z]+(?:-[a-z]+)*)", typed, re.M)
    assert set(found) <= targets | {"present"}  # which shares its line with lab
    main = (ROOT / "bertlab" / "__main__.py").read_text(encoding="utf8")
    for command in set(re.findall(r"-m bertlab (\w+)", typed)):
        assert f'add_parser("{command}"' in main, command
    for extras in re.findall(r"(?:\.|bertlab)\[([a-z,]+)\]", typed):
        assert set(extras.split(",")) <= set(PROJECT["optional-dependencies"]), extras
    for path in re.findall(r"(?<![\w/.<])((?:tests|instructors|pictures|bertlab)/[\w./-]+)", typed):
        if "<" not in path and "your" not in path and not path.startswith("bertlab/bin"):
            assert (ROOT / path).exists(), path
    for path in re.findall(r"-c (\S+\.txt)|-f (\S+\.yml)", typed):
        assert (ROOT / "".join(path)).is_file()


@pytest.mark.slow
def test_sizes_are_those_of_the_installed_packages():
    constraints = (ROOT / "constraints.txt").read_text(encoding="utf8").splitlines()
    if sys.platform != "linux" or platform.machine() != "x86_64" or sys.version_info[:2] != (3, 11):
        pytest.skip("the sizes are those of Linux on x86_64 with Python 3.11")
    torch = distribution("torch")
    if f"torch=={torch.version.split('+')[0]}" not in constraints or torch.read_text("INSTALLER").strip() != "pip":
        pytest.skip("the sizes are those of the pinned versions, installed by pip")
    rows = re.findall(r"^\| `make .+? \| (\d+) \| (\d+) MB \| (\S+) GB \|$", TEXT["INSTALL.md"], re.M)
    for (count, _, disk), extras in zip(rows, [("lab",), ("lab", "decks"), ("lab", "decks", "test")], strict=True):
        packages = script(ROOT / ".ci" / "pins.py").needed(*extras)
        files = [Path(file.locate()) for name in packages for file in distribution(name).files or []]
        size = sum(file.stat().st_size for file in files if file.exists())
        assert (len(packages), f"{size / 1e9:.1f}") == (int(count), disk)
    count, download, disk = rows[0]
    assert f"{count} packages, {disk} GB on disk" in README
    assert f"download of {round(int(download), -2)} MB" in README
    makefile = (ROOT / "Makefile").read_text(encoding="utf8")
    assert f"{round(int(download), -2)} MB to download, {disk} GB on disk" in makefile
    changes = " ".join(TEXT["CHANGELOG.md"].split())
    assert f"{download} MB to download instead of 506, {disk} GB on disk instead of 2.1" in changes  # 0.1.0's


def test_the_model_is_as_large_as_the_readme_says(bert):
    weights = ROOT / "bertlab" / "bertlab-mini" / "model.safetensors"
    count = sum(parameter.numel() for parameter in bert.model.parameters())
    assert f"of {count / 1e6:.1f} million parameters and {weights.stat().st_size / 1e6:.0f} MB" in README


def test_minutes_seconds_and_memory_are_told_the_same_everywhere():
    said = " ".join(README.split())
    address, figure = map(int, re.findall(r"\| (\d{2,}) \|$", TEXT["INSTALL.md"], re.M))
    minutes = ["no", "one", "two", "three", "four", "five"][round(figure / 60)]
    assert address < figure
    assert f"the first figure was there after {minutes} minutes." in said
    assert f"some {minutes} minutes" in (ROOT / "Makefile").read_text(encoding="utf8")
    rows = re.findall(r"^\| \d \| (\d+) \| (\d+) \| \d+ \| \d+ \|$", TEXT["INSTRUCTORS.md"], re.M)
    assert len(rows) == len(lessons.paths())
    seconds, mebibytes = ([int(row[column]) for row in rows] for column in (0, 1))
    assert f"lessons 1 to 6 run top to bottom in {min(seconds[:6])} to {max(seconds[:6])} seconds on one core" in said
    assert f"in {seconds[6]}, and lesson 8, which fine-tunes several, in {seconds[7]};" in said
    assert f"at most {max(mebibytes) / 1024:.1f} GiB of memory" in said


def test_versions_agree():
    version = bertlab.__version__
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf8"))
    assert str(citation["version"]) == version
    newest, day = re.search(r"^## (\S+) \((.+)\)$", TEXT["CHANGELOG.md"], re.M).groups()
    assert newest == version
    released = citation["date-released"]
    assert f"{released.day} {released:%B %Y}" == day
    assert " AND ".join(citation["license"]) == PROJECT["license"]
    assert citation["authors"][0]["name"] == PROJECT["authors"][0]["name"]


def test_the_readme_quotes_the_benchmark(monkeypatch):
    page = TEXT["BENCHMARK.md"]
    monkeypatch.syspath_prepend(ROOT / "instructors")
    module = importlib.import_module("benchmark")
    assert module.quoted(README, page) == README
    ratios = re.findall(r"\| (\d+\.\d) \|$", page, re.M)
    assert len(ratios) > 3
    assert all(f"{ratio} times as quick" in README for ratio in ratios[:3])
    assert f"    {module.COMMAND}\n" in page
    assert [row[:2] for row in re.findall(r"^\| (\d\d) \|", page, re.M)] == [p.name[:2] for p in lessons.paths()]
