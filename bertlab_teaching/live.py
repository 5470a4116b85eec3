"""The live page of the site, with its weights beside it as scripts: a page opened from a file can load nothing else.

In a checkout that is served, live/index.html reads the shipped weights, and live/known.json, which this module writes
if it is run.
"""

import base64
import json
import re
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

import bertlab
from bertlab.bert.loading import SHIPPED
from bertlab.data import files
from bertlab.lessons import shipped
from bertlab.page import MODEL, PAGE, PART, PROGRAMS, page, page_parts, used_tensors

if TYPE_CHECKING:
    from bertlab.bert.loading import Bert

WEIGHTS = "live-weights"
LEARNING = shipped("live", Path(__file__).parent) / "learning"
COPIES = sorted(LEARNING.glob("*.bin"), key=lambda path: int(path.stem))  # of a sibling, by its steps
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


def scripts() -> list[str]:
    """Return the scripts beside the page: first what it needs from the package, then the weights in parts."""
    begin, *weights = page_parts()
    parts = [f'bertlab.part({i * PART}, "{part}");\n' for i, part in enumerate(weights)]
    return [f"bertlab.begin({begin});\n", *parts]


def known() -> dict[str, Any]:
    """Return what the page needs from the package besides vocabulary and weights, as live/known.json keeps it."""
    from bertlab.paraphrase.similarity import similarities

    bert, tensors = bertlab.load(SHIPPED), used_tensors()
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
