"""The live page: a BERT that runs in a browser, opened by a double click, without a network.

The page holds its programs and its style. The weights lie in a folder beside it as scripts, since a page that is opened
from a file may read nothing else: the first has all that the page must know of the package, the others the numbers.
"""

import base64
import csv
import hashlib
import json
import string
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import load_file

import bertlab
from bertlab.bert.loading import SHIPPED
from bertlab.data import files
from bertlab.lessons import shipped

PROGRAMS = shipped("live", Path(__file__).parent)
MODEL = Path(bertlab.__file__).parent / SHIPPED
PAGE, WEIGHTS = "live.html", "live-weights"
COMPUTING = ("tokenizer", "random", "arithmetic", "model", "tracing", "swapping", "worker")  # in a thread of its own
VIEWS = ("hide", "pieces", "heads", "numbers", "steps", "head", "vectors", "second", "swap", "knobs")
VIEWS += ("proofread", "learning")
SHOWING = ("asking", "drawing", "large", *(f"views/{view}" for view in VIEWS), "page")
UNUSED = ("bert.pooler.", "cls.seq_relationship.")  # no view asks these parts of the model
PART = 2**19  # numbers in a script, 1.4 MB as base64: often enough for a bar that moves
BLIND_SENTENCES = 24  # of which blind pairs of words are drawn


def write(folder: Path) -> Path:
    """Write the page and its weights into a folder, and return the page's path."""
    weights = folder / WEIGHTS
    weights.mkdir(parents=True, exist_ok=True)
    parts = scripts()
    for number, script in enumerate(parts):
        files.write(weights / f"{number:02d}.js", script)
    files.write(folder / PAGE, page())
    return folder / PAGE


def page() -> str:
    """Return the page, without the weights."""
    style, computing, showing = _source("style.css"), _sources(COMPUTING), _sources(SHOWING)
    return string.Template(_source("page.html")).substitute(
        policy=_policy(style, f"\n{showing}\n"),
        style=style,
        computing=computing,
        page=showing,
        millions=f"{sum(tensor.size for tensor in _tensors().values()) / 1e6:.1f}",
        version=bertlab.__version__,
    )


def _policy(style: str, script: str) -> str:
    """Return what the page may do: run this one script and those of the weights, compute, and nothing else."""
    hashed = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (style, script)]
    rules = {
        "default-src": "'none'",
        "script-src": f"'sha256-{hashed[1]}' 'self' file:",  # to a page from a file, 'self' is nobody in some browsers
        "style-src": f"'sha256-{hashed[0]}'",
        "img-src": "data:",  # of the empty icon, so that no browser asks the server for one
        "worker-src": "blob:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in rules.items())


def _source(name: str) -> str:
    return (PROGRAMS / name).read_text("utf-8")


def _sources(names: tuple[str, ...]) -> str:
    return "\n".join(_source(f"{name}.js") for name in names)


def _tensors() -> dict[str, np.ndarray]:
    """Return the numbers of the shipped BERT as they lie in its file, those that the page uses."""
    tensors = load_file(MODEL / "model.safetensors")
    return {name: tensors[name] for name in sorted(tensors) if not name.startswith(UNUSED)}


def scripts() -> list[str]:
    """Return the scripts beside the page: what it must know of the package, and then the weights, part by part."""
    tensors = _tensors()
    numbers = np.concatenate([tensor.ravel() for tensor in tensors.values()]).astype("<f2")
    starts = range(0, numbers.size, PART)
    begin = _known(tensors) | {"ends": [*starts, numbers.size]}  # of each script: the first brings no number
    written = [f"bertlab.begin({json.dumps(begin, separators=(',', ':'))});\n"]
    for start in starts:
        part = base64.b64encode(numbers[start : start + PART].tobytes()).decode()
        written.append(f'bertlab.part({start}, "{part}");\n')
    return written


def _known(tensors: dict[str, np.ndarray]) -> dict[str, Any]:
    """Return what the page must know of the package beside the weights."""
    from bertlab.masking.proofreading import SETS, THRESHOLD
    from bertlab.paraphrase.similarity import similarities

    bert = bertlab.load(SHIPPED)
    config = bert.model.config
    pairs = bertlab.data.read("graded_pairs")
    grades = (pairs["grade_a"] + pairs["grade_b"]) / 2
    rows = zip(pairs["first"], pairs["second"], grades.tolist(), similarities(bert, pairs).tolist(), strict=True)
    sentences = bertlab.data.read("short_texts")["sentence"].tolist()
    with (MODEL / "watch-it-learn.csv").open(encoding="utf-8", newline="") as table:
        learning = [{name: _number(value) for name, value in row.items()} for row in csv.DictReader(table)]
    sizes = np.cumsum([0, *(tensor.size for tensor in tensors.values())]).tolist()
    return {
        "config": {
            "layers": config.num_hidden_layers,
            "heads": config.num_attention_heads,
            "hidden": config.hidden_size,
            "feedForward": config.intermediate_size,
            "positions": config.max_position_embeddings,
            "epsilon": config.layer_norm_eps,
            "spread": config.initializer_range,
        },
        "vocabulary": bert.tokenizer.convert_ids_to_tokens(list(range(len(bert.tokenizer)))),
        "newer": json.loads(_source("newer.json")),
        "tensors": [
            {"name": name, "start": start, "size": tensor.size}
            for (name, tensor), start in zip(tensors.items(), sizes, strict=False)
        ],
        "pairs": [{"first": a, "second": b, "grade": g, "cosine": round(c, 3)} for a, b, g, c in rows],
        "sentences": sentences[:: len(sentences) // BLIND_SENTENCES][:BLIND_SENTENCES],
        "learning": learning,
        "proofreader": {"sets": SETS, "threshold": THRESHOLD},
    }


def _number(value: str) -> float | str:
    """Return a value of the table as a number, or as the words that it is."""
    try:
        return float(value) if "." in value else int(value)
    except ValueError:
        return value
