"""The live page: a BERT that runs in a browser, opened by a double click, without a network.

Beside notebooks and slides the weights stand in the page: a Jupyter server hands it out in a sandbox, where it may load
nothing. `bertlab_teaching.live` writes it for the site, with the weights beside it.
"""

import base64
import hashlib
import json
import re
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file

import bertlab
from bertlab.bert.loading import SHIPPED
from bertlab.data import files

HERE = Path(__file__).parent
PROGRAMS = next(filter(Path.is_dir, (HERE / "live-page", HERE.parent / "live")))  # installed, or in a checkout
MODEL = HERE / SHIPPED
PAGE = "live.html"
TYPES = r"(?m)^ *\* @(?!.*\*/).*\n|/\*\* @[^*]*\*/\s?"  # comments for those who change the programs
UNUSED = ("bert.pooler.", "cls.seq_relationship.")  # parts of the model that no view uses
PART = 2**19  # numbers in a part (1.4 MB as base64), small enough for a smooth progress bar


def write_alone(folder: Path) -> Path:
    """Write the page to a folder as one file that contains the weights and has no links to other pages."""
    folder.mkdir(parents=True, exist_ok=True)
    begin, *weights = page_parts()
    begin = begin.replace("<", r"\u003c")  # so that no piece of the vocabulary ends the element
    blocks = [f'<script type="application/json" class="weights">{begin}</script>\n']
    blocks += [f'<script type="text/plain" class="weights">{part}</script>\n' for part in weights]
    whole = re.sub(r'<a href="(?:slides/)?index\.html">.*?</a>', "", page("".join(blocks)))
    files.write(folder / PAGE, re.sub(r'<a href="(\w+)\.html">(.*?)</a>', r"\2 (<code>\1.ipynb</code>)", whole))
    return folder / PAGE


def page(weights: str = "") -> str:
    """Return the page with programs and style in it, and with the weights as elements if it is to contain them."""
    whole = _source("index.html")
    style = "\n".join(map(_source, re.findall(r'<link rel="stylesheet" href="(.+?)">', whole)))
    (computing,) = re.findall(r'data-programs="(.+?)"', whole)
    linked = re.findall(r'<script src="(.+?)"></script>\n', whole)
    showing = _sources(name for name in linked if name != "served.js")
    parts = {
        r"<!-- A server .+? -->": "<!-- It runs what stands in it and the weights beside it, and sends nothing. -->",
        r"(?<=Policy\" content=\")[^\"]+": _policy(style, f"\n{showing}\n"),
        r"(<link rel=\"stylesheet\"[^>]+>\s*)+": f"<style>{style}</style>",
        r"\n    data-programs=.+?>": f'>\n"use strict";\n{_sources(computing.split())}\n',
        r"(<script src.+?</script>\n)+": f'<script type="module">\n{showing}\n</script>\n{weights}',
        r"(?<=<footer>bertlab)": f" {bertlab.__version__}",
    }
    for old, new in parts.items():
        whole = re.sub(old, lambda _, new=new: new, whole, count=1, flags=re.DOTALL)
    return whole


def _policy(style: str, script: str) -> str:
    """Return the page's content security policy: it may run this script and those of the weights, and nothing else."""
    hashed = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (style, script)]
    rules = {
        "default-src": "'none'",
        "script-src": f"'sha256-{hashed[1]}' 'self' file:",  # to a page from a file, 'self' is nobody in some browsers
        "style-src": f"'sha256-{hashed[0]}'",
        "img-src": "data:",  # the empty icon, so that no browser requests one from the server
        "worker-src": "blob:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in rules.items())


def _source(name: str) -> str:
    return (PROGRAMS / name).read_text("utf-8")


def _sources(names: Iterable[str]) -> str:
    return re.sub(TYPES, "", "\n".join(map(_source, names)))


def used_tensors() -> dict[str, np.ndarray]:
    """Return the weights of the shipped BERT that the page uses."""
    tensors = load_file(MODEL / "model.safetensors")
    return {name: tensors[name] for name in sorted(tensors) if not name.startswith(UNUSED)}


def page_parts() -> Iterator[str]:
    """Yield what the page needs from the package, as JSON, then the weights in parts, as base64."""
    numbers = np.concatenate([tensor.ravel() for tensor in used_tensors().values()]).astype("<f2")
    starts = range(0, numbers.size, PART)
    vocabulary = (MODEL / "vocab.txt").read_text("utf-8").rstrip("\n").split("\n")
    begin = json.loads(_source("known.json")) | {"newer": json.loads(_source("newer.json")), "vocabulary": vocabulary}
    begin["ends"] = [*starts, numbers.size]  # one end per part; the first holds no weights
    parts = [numbers[start : start + PART].tobytes() for start in starts]
    begin["sums"] = [zlib.adler32(part) for part in parts]
    yield json.dumps(begin, separators=(",", ":"))
    for part in parts:
        yield base64.b64encode(part).decode()
