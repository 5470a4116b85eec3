"""Copies of a BERT that were kept while it was trained, in eight bits a number, for *Watch it learn* of the live page.

python making/eight_bits.py SIBLING live/learning    # a minute

Of each 128 numbers in a row the largest becomes 127 or -127, and all are rounded on that scale. So 130 bytes hold a
scale (float16) and 128 whole numbers (int8), and a file holds what the page uses, in the order of live/known.json.
"""

import argparse
import json
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from safetensors.numpy import load_file
from transformers import BertForPreTraining

import bertlab
from bertlab.masking.predictions import probabilities

LAYOUT = json.loads((Path(__file__).parents[1] / "live" / "known.json").read_text("utf-8"))["tensors"]
BLOCK = np.dtype([("scale", "<f2"), ("rounded", "i1", 128)])


def packed(tensors: Mapping[str, np.ndarray]) -> bytes:
    """Return the numbers that the page uses, in eight bits each."""
    numbers = np.concatenate([tensors[one["name"]].ravel() for one in LAYOUT])
    rows = numbers.reshape(-1, 128).astype("f4")
    blocks = np.empty(len(rows), BLOCK)
    blocks["scale"] = np.maximum(np.abs(rows).max(1) / 127, np.finfo("f2").tiny)  # a row of zeros has one, too
    wanted = rows / blocks["scale"].astype("f4")[:, None]
    blocks["rounded"] = wanted.round().clip(-127, 127)
    return blocks.tobytes()


def unpacked(content: bytes) -> dict[str, torch.Tensor]:
    """Return the numbers of each tensor again, in a row."""
    blocks = np.frombuffer(content, BLOCK)
    numbers = torch.from_numpy((blocks["scale"].astype("f4")[:, None] * blocks["rounded"]).ravel())
    return {one["name"]: numbers[one["start"] : one["start"] + one["size"]] for one in LAYOUT}


def rounded(model: BertForPreTraining, content: bytes) -> BertForPreTraining:
    """Return a BERT like this one with such numbers in place of its own."""
    other = deepcopy(model)
    own = other.state_dict()
    for name, numbers in unpacked(content).items():
        own[name].copy_(numbers.view_as(own[name]))
    return other


def expected(model: BertForPreTraining) -> torch.Tensor:
    """Return what a BERT expects in the place of a word in the middle of 200 sentences, (sentences, pieces)."""
    sentences = [sentence.split() for sentence in bertlab.data.read("unseen_sentences")["sentence"]]
    texts = [" ".join([*words[: (at := len(words) // 2)], "[MASK]", *words[at + 1 :]]) for words in sentences]
    return torch.cat(probabilities(replace(bertlab.load("bertlab-mini"), model=model), texts))


def change(before: torch.Tensor, after: torch.Tensor) -> dict[str, float]:
    """Return how far probabilities have moved: a gap's furthest, and whether the same piece is the first."""
    furthest = (after - before).abs().amax(1)
    same = (after.argmax(1) == before.argmax(1)).float()
    return {"mean": furthest.mean().item(), "largest": furthest.max().item(), "same_first": same.mean().item()}


def main() -> None:
    """Write the copies, and beside them what the rounding changes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, help="snapshots/step-* and the end of a run, with its settings.json")
    parser.add_argument("folder", type=Path, help="the folder to write to")
    options = parser.parse_args()
    copies = {int(path.name.removeprefix("step-")): path for path in sorted(options.run.glob("snapshots/step-*"))}
    copies[json.loads((options.run / "settings.json").read_text("utf-8"))["steps"]] = options.run
    rows = []
    for step, path in copies.items():
        content = packed(load_file(path / "model.safetensors"))
        (options.folder / f"{step}.bin").write_bytes(content)
        model = BertForPreTraining.from_pretrained(path, dtype=torch.float32).eval()
        rows.append({"step": step} | change(expected(model), expected(rounded(model, content))))
    pd.DataFrame(rows).round(4).to_csv(options.folder / "rounding.csv", index=False)


if __name__ == "__main__":
    main()
