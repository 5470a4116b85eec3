"""What the live page cannot compute of a checkpoint that is dropped on it, refused in a sentence."""

import json

import pytest
import torch
from playwright.sync_api import expect

from checkpoints import change_weights, choose, edit

pytestmark = pytest.mark.browser


def removed(*names):
    return lambda folder: [(folder / name).unlink() for name in names]


def configured(**changed):
    return lambda folder: edit(folder / "config.json", lambda config: config.update(changed))


def pickled(folder):
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")


def cut(folder):
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-1000])


def pointer(folder):
    (folder / "model.safetensors").write_text("version https://git-lfs.github.com/spec/v1\n" * 3)


def too_large(folder):
    path = folder / "model.safetensors"
    content, many = path.read_bytes(), 4_000_000
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + length])
    offsets = [0, many * 48 * 4]
    header["bert.embeddings.position_embeddings.weight"].update(shape=[many, 48], data_offsets=offsets)
    written = json.dumps(header).encode()
    with path.open("wb") as file:
        file.write(len(written).to_bytes(8, "little") + written)
        file.truncate(8 + len(written) + offsets[1])  # without a byte on the disk
    configured(max_position_embeddings=many)(folder)


def of_whole_numbers(weights):
    return {name: w.to(torch.int8) for name, w in weights.items()}


def without_mask(tokenizer):
    vocabulary = tokenizer["model"]["vocab"]
    vocabulary["<mask>"] = vocabulary.pop("[MASK]")


REFUSED = {
    "config.json is missing. Drop the whole folder": removed("config.json"),
    "config.json is damaged: copy it again.": lambda folder: (folder / "config.json").write_text("{"),
    "This is no BERT: config.json calls it <b>roberta": configured(model_type="<b>roberta"),
    "Its activation function is relu; this page computes gelu alone.": configured(hidden_act="relu"),
    "Its positions are of the kind relative_key;": configured(position_embedding_type="relative_key"),
    "Its tokens see only those before them": configured(is_decoder=True),
    "tokenizer.json is missing, or vocab.txt with tokenizer_config.json.": removed("tokenizer.json"),
    "Its tokenizer is not that of the first BERT": lambda folder: edit(
        folder / "tokenizer.json", lambda tokenizer: tokenizer.update(normalizer={"type": "NFC"})
    ),
    "Its vocabulary lacks [MASK]": lambda folder: edit(folder / "tokenizer.json", without_mask),
    "The vocabulary has 1003 pieces, but by config.json the word table has 1005 rows": configured(vocab_size=1005),
    "pytorch_model.bin is pickled, and can run programs: load it in Python": pickled,
    "model.safetensors is missing. Drop the whole folder": removed("model.safetensors"),
    "model.safetensors is cut off: copy it again.": cut,
    "model.safetensors is damaged: copy it again.": pointer,
    "The weights bert.encoder.layer.2.attention.self.query.weight are missing.": configured(num_hidden_layers=3),
    "has the shape 94 × 48, but by config.json it is 96 × 48": configured(intermediate_size=96),
    "It has 192 million numbers; this page has room for 180 million.": too_large,
    "Its numbers are of the kind I8: save it in float32.": lambda folder: change_weights(folder, of_whole_numbers),
}


@pytest.fixture(scope="module")
def opened(browser, live_folder):
    """The live page, opened once for all that it refuses."""
    tab = browser.new_page()
    tab.goto((live_folder / "live.html").as_uri())
    tab.wait_for_selector("#progress", state="hidden")
    yield tab
    tab.close()


@pytest.mark.parametrize("said", REFUSED)
def test_what_it_cannot_compute_is_refused_in_a_sentence(opened, folder, said):
    REFUSED[said](folder)
    assert said in choose(opened, folder)
    expect(opened.locator("html.own")).to_have_count(0)
