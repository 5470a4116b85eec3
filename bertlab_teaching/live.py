"""The live page: a BERT that runs in a browser, opened by a double click, without a network.

In the site the weights are scripts beside the page, for a page from a file can load nothing else. Beside notebooks and
slides it is one file with the weights: a Jupyter server hands out a page in a sandbox, which may load nothing.
"""

import base64
import hashlib
import json
import re
import string
from collections.abc import Iterator
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
COMPUTING = ("tokenizer", "random", "arithmetic", "model", "tracing", "swapping", "worker")  # in a worker
VIEWS = ("hide", "pieces", "heads", "numbers", "steps", "head", "vectors", "second", "swap", "knobs")
VIEWS += ("proofread", "learning")
SHOWING = ("asking", "drawing", "large", *(f"views/{view}" for view in VIEWS), "page", "start")
UNUSED = ("bert.pooler.", "cls.seq_relationship.")  # parts of the model that no view uses
PART = 2**19  # numbers in a script (1.4 MB as base64), small enough for a smooth progress bar
BLIND_SENTENCES = 24  # the sentences from which blind pairs of words are drawn


def write(folder: Path) -> Path:
    """Write the page and its weights to a folder, and return the path of the page."""
    weights = folder / WEIGHTS
    weights.mkdir(parents=True, exist_ok=True)
    parts = scripts()
    for number, script in enumerate(parts):
        files.write(weights / f"{number:02d}.js", script)
    files.write(folder / PAGE, page())
    return folder / PAGE


def write_alone(folder: Path) -> Path:
    """Write the page to a folder as one file that contains the weights and has no links to other pages."""
    folder.mkdir(parents=True, exist_ok=True)
    begin, *weights = _parts()
    begin = begin.replace("<", r"\u003c")  # so that no piece of the vocabulary ends the element
    blocks = [f'<script type="application/json" class="weights">{begin}</script>\n']
    blocks += [f'<script type="text/plain" class="weights">{part}</script>\n' for part in weights]
    whole = re.sub(r'<a href="(?:slides/)?index\.html">.*?</a>', "", page("".join(blocks)))
    files.write(folder / PAGE, re.sub(r'<a href="\w+\.html">(.*?)</a>', r"\1", whole))
    return folder / PAGE


def page(weights: str = "") -> str:
    """Return the page, with the weights as elements if it is to contain them."""
    style, computing, showing = _source("style.css"), _sources(COMPUTING), _sources(SHOWING)
    return string.Template(_source("page.html")).substitute(
        policy=_policy(style, f"\n{showing}\n"),
        style=style,
        computing=computing,
        page=showing,
        weights=weights,
        millions=f"{sum(tensor.size for tensor in _tensors().values()) / 1e6:.1f}",
        version=bertlab.__version__,
    )


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


def _sources(names: tuple[str, ...]) -> str:
    return "\n".join(_source(f"{name}.js") for name in names)


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
    tensors = _tensors()
    numbers = np.concatenate([tensor.ravel() for tensor in tensors.values()]).astype("<f2")
    starts = range(0, numbers.size, PART)
    begin = _known(tensors) | {"ends": [*starts, numbers.size]}  # one end per part; the first holds no weights
    yield json.dumps(begin, separators=(",", ":"))
    for start in starts:
        yield base64.b64encode(numbers[start : start + PART].tobytes()).decode()


def _known(tensors: dict[str, np.ndarray]) -> dict[str, Any]:
    """Return what the page needs from the package besides the weights."""
    from bertlab.paraphrase.similarity import similarities

    bert = bertlab.load(SHIPPED)
    config = bert.model.config
    pairs = bertlab.data.read("graded_pairs")
    grades = (pairs["grade_a"] + pairs["grade_b"]) / 2
    rows = zip(pairs["first"], pairs["second"], grades.tolist(), similarities(bert, pairs).tolist(), strict=True)
    sentences = bertlab.data.read("short_texts")["sentence"].tolist()
    learning = pd.read_csv(MODEL / "watch-it-learn.csv").to_dict("records")
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
        "proofreader": _watched(bert),
    }


def _watched(bert: "Bert") -> dict[str, Any]:
    """Return the words that the proof-reader watches: confused ones, other single sets, and kinds of many sets."""
    from bertlab.masking.confused import CONFUSED, THRESHOLD, learner_sets

    kept = learner_sets(bert.tokenizer.get_vocab())
    single = [{"words": one.sets[0], "least": one.least} for one in kept if len(one.sets) == 1]
    kinds = [one._asdict() for one in kept if len(one.sets) > 1]
    return {"confused": CONFUSED, "threshold": THRESHOLD, "single": single, "kinds": kinds}
