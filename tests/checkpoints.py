"""A small checkpoint unlike those that a page knows: its shape, and hands that change it or choose it on the page."""

import json
import re

from safetensors.torch import load_file, save_file

TEXT = "She opened the [MASK] and saw Zoë's naïve café, 漢字."
SHAPE = {"hidden_size": 48, "num_hidden_layers": 2, "num_attention_heads": 3, "intermediate_size": 94}
SHAPE |= {"vocab_size": 1003, "max_position_embeddings": 62, "initializer_range": 0.2}  # nothing is a multiple of four


def edit(path, change):
    """Change what a JSON file contains."""
    content = json.loads(path.read_text("utf-8"))
    change(content)
    path.write_text(json.dumps(content), "utf-8")


def change_weights(folder, change):
    """Change the dictionary of all weights."""
    weights = load_file(folder / "model.safetensors")
    save_file(change(weights) or weights, folder / "model.safetensors")


def choose(tab, folder):
    """Choose a folder as the button does, and return what is said of it."""
    tab.locator("#drop input").set_input_files(folder)
    said = tab.locator("#own .said", has_text=re.compile("^my-bert: "))
    said.or_(tab.locator("#own .problem:not(:empty)")).first.wait_for()
    return said.or_(tab.locator("#own .problem:not(:empty)")).last.inner_text()
