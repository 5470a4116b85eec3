"""The live page: a BERT that runs in a browser, opened by a double click, without a network.

In the site, the weights are scripts in a folder beside it, as a page opened from a file can load nothing else. Beside
notebooks and slides they stand in the page: a Jupyter server hands it out in a sandbox. In a checkout that is served,
live/index.html reads the shipped weights, and live/known.json, which this module writes if it is run.
"""

import base64
import hashlib
import json
import re
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from safetensors.numpy import load_file

import bertlab
from bertlab.bert.loading import SHIPPED
from bertlab.data import files
from bertlab.lessons import shipped

if TYPE_CHECKING:
    from bertlab.bert.loading import Bert

PROGRAMS = shipped("live", Path(__file__).parent)
MODEL = Path(bertlab.__file__).parent / SHIPPED
PAGE, WEIGHTS = "live.html", "live-weights"
TYPES = r"(?m)^ *\* @(?!.*\*/).*\n|/\*\* @[^*]*\*/\s?"  # comments for those who change the programs
UNUSED = ("bert.pooler.", "cls.seq_relationship.")  # parts of the model that no view uses
PART = 2**19  # numbers in a script (1.4 MB as base64), small enough for a smooth progress bar
COPIES = sorted(PROGRAMS.glob("learning/*.bin"), key=lambda path: int(path.stem))  # of a sibling, by its steps
RANDOM_SENTENCES = 24  # the sentences from which random pairs of words are drawn


def write(folder: Path, lacking: Iterable[str] = ()) -> Path:
    """Write the page and its weights to a folder, without links to the `lacking` lessons; return the page's path."""
    weights = folder / WEIGHTS
    weights.mkdir(parents=True, exist_ok=True)
    for number, script in enumerate(scripts()):
        files.write(weights / f"{number:02d}.js", script)
    for path in COPIES:
        numbers = base64.b64encode(path.read_bytes()).decode()
        files.write(weights / f"copy-{path.stem}.js", f'bertlab.copy({path.stem}, "{numbers}");\n')
    whole = page()
    for lesson in lacking:
        whole = re.sub(rf'<a href="{lesson}\.html">(.*?)</a>', r"\1", whole)
    files.write(folder / PAGE, whole)
    return folder / PAGE


def write_alone(folder: Path) -> Path:
    """Write the page to a folder as one file that contains the weights and has no links to other pages."""
    folder.mkdir(parents=True, exist_ok=True)
    begin, *weights = _parts()
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


def _tensors() -> dict[str, np.ndarray]:
    """Return the weights of the shipped BERT that the page uses."""
    tensors = load_file(MODEL / "model.safetensors")
    return {name: tensors[name] for name in sorted(tensors) if not name.startswith(UNUSED)}


def scripts() -> list[str]:
    """Return the scripts beside the page: first what it needs from the package, then the weights in parts."""
    begin, *weights = _parts()
    parts = [f'bertlab.part({i * PART}, "{part}");\n' for i, part in enumerate(weights)]
    return [f"bertlab.begin({begin});\n", *parts]


def _parts() -> Iterator[str]:
    """Yield what the page needs from the package, as JSON, then the weights in parts, as base64."""
    numbers = np.concatenate([tensor.ravel() for tensor in _tensors().values()]).astype("<f2")
    starts = range(0, numbers.size, PART)
    vocabulary = (MODEL / "vocab.txt").read_text("utf-8").rstrip("\n").split("\n")
    begin = json.loads(_source("known.json")) | {"newer": json.loads(_source("newer.json")), "vocabulary": vocabulary}
    begin["ends"] = [*starts, numbers.size]  # one end per part; the first holds no weights
    parts = [numbers[start : start + PART].tobytes() for start in starts]
    begin["sums"] = [zlib.adler32(part) for part in parts]
    yield json.dumps(begin, separators=(",", ":"))
    for part in parts:
        yield base64.b64encode(part).decode()


def known() -> dict[str, Any]:
    """Return what the page needs from the package besides vocabulary and weights, as live/known.json keeps it."""
    from bertlab.paraphrase.similarity import similarities

    bert, tensors = bertlab.load(SHIPPED), _tensors()
    config = bert.model.config
    pairs = bertlab.data.read("graded_pairs")
    grades = (pairs["grade_a"] + pairs["grade_b"]) / 2
    rows = zip(pairs["first"], pairs["second"], grades.tolist(), similarities(bert, pairs).tolist(), strict=True)
    sentences = bertlab.data.read("short_texts")["sentence"].tolist()
    learning = pd.read_csv(MODEL / "watch-it-learn.csv").to_dict("records")
    sizes = np.cumsum([0, *(tensor.size for tensor in tensors.values())]).tolist()
    sized = {"layers": config.num_hidden_layers, "heads": config.num_attention_heads, "hidden": config.hidden_size}
    sized |= {"feedForward": config.intermediate_size, "positions": config.max_position_embeddings}
    return {
        "config": sized | {"epsilon": config.layer_norm_eps, "spread": config.initializer_range},
        "tensors": [
            {"name": name, "start": start, "size": tensor.size}
            for (name, tensor), start in zip(tensors.items(), sizes, strict=False)
        ],
        "pairs": [{"first": a, "second": b, "grade": g, "cosine": round(c, 3)} for a, b, g, c in rows],
        "sentences": sentences[:: len(sentences) // RANDOM_SENTENCES][:RANDOM_SENTENCES],
        "learning": learning,
        "proofreader": _watched(bert),
        "partners": [["he", "she"], *bertlab.data.read("number_nouns")[["singular", "plural"]].to_numpy().tolist()],
        "copies": {path.stem: zlib.adler32(path.read_bytes()) for path in COPIES},
    }


def _watched(bert: "Bert") -> dict[str, Any]:
    """Return the words that the proof-reader watches: confused ones, other single sets, and kinds of many sets."""
    from bertlab.masking.confused import CONFUSED, THRESHOLD, learner_sets

    kept = learner_sets(bert.tokenizer.get_vocab())
    single = [words for words, *more in kept.values() if not more]
    kinds = {name: sets for name, sets in kept.items() if len(sets) > 1}
    return {"confused": CONFUSED, "threshold": THRESHOLD, "single": single, "kinds": kinds}


if __name__ == "__main__":
    lines = [f"{json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}" for name, value in known().items()]
    (PROGRAMS / "known.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
