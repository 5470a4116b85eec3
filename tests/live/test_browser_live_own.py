"""A BERT of one's own in the live page: a checkpoint's folder computes there as in torch."""

import json
import re

import pytest
import torch
from playwright.sync_api import expect
from safetensors.torch import load_file, save_file

import bertlab
from checkpoints import TEXT, change_weights, choose, edit
from pages import VIEWS, violations, wait_until_drawn

pytestmark = pytest.mark.browser

PROBLEM = ":is(.its, section) > .problem"


def halved(dtype):
    return lambda folder: change_weights(folder, lambda weights: {name: w.to(dtype) for name, w in weights.items()})


def as_once(folder):
    """Save as long ago: other names, two files, a last matrix of its own, the vocabulary as lines."""
    edit(folder / "config.json", lambda config: config.update(tie_word_embeddings=False))
    weights = load_file(folder / "model.safetensors")
    weights["cls.predictions.decoder.weight"] = weights["bert.embeddings.word_embeddings.weight"].flip(0)
    weights["cls.predictions.decoder.bias"] = weights.pop("cls.predictions.bias")
    (folder / "model.safetensors").unlink()
    old = {"LayerNorm.weight": "LayerNorm.gamma", "LayerNorm.bias": "LayerNorm.beta"}
    parts = [{}, {}]
    for name, tensor in weights.items():
        for new, once in old.items():
            name = name.replace(new, once)
        parts[name.startswith("bert.encoder.layer.1")][name.removeprefix("bert.")] = tensor
    for number, part in enumerate(parts, 1):
        save_file(part, folder / f"model-0000{number}-of-00002.safetensors")
    vocabulary = json.loads((folder / "tokenizer.json").read_text("utf-8"))["model"]["vocab"]
    lines = "".join(f"{piece}\n" for piece in sorted(vocabulary, key=vocabulary.get))
    (folder / "vocab.txt").write_text(lines, "utf-8")
    (folder / "tokenizer.json").unlink()
    return weights


SAVED = {
    "as it is": lambda folder: None,
    "in 16 bits": halved(torch.float16),
    "in 16 other bits": halved(torch.bfloat16),
    "as once": as_once,
}


@pytest.mark.parametrize("saved", SAVED)
def test_its_pieces_attention_and_guesses_are_those_of_transformers(live_page, own, folder, saved):
    from transformers import AutoTokenizer, BertForPreTraining

    model, tokenizer = BertForPreTraining.from_pretrained(own), AutoTokenizer.from_pretrained(own)
    weights = SAVED[saved](folder) or load_file(folder / "model.safetensors")
    if "cls.predictions.decoder.weight" in weights:
        model.cls.predictions.decoder.weight = torch.nn.Parameter(weights.pop("cls.predictions.decoder.weight"))
        weights["cls.predictions.bias"] = weights.pop("cls.predictions.decoder.bias")
    assert not model.load_state_dict(weights, strict=False).unexpected_keys
    said = choose(live_page, folder)
    assert said == "my-bert: 2 layers of 3 heads, 48 numbers a vector, 1,003 pieces, with capitals."
    asked = tokenizer(TEXT, return_tensors="pt")
    tokens = tokenizer.convert_ids_to_tokens(asked["input_ids"][0])
    model.set_attn_implementation("eager")
    with torch.no_grad():
        out = model.eval()(**asked, output_attentions=True)
    rows, read = live_page.evaluate("async text => [await bertlab.fill(text), await bertlab.read(text)]", TEXT)
    assert (read["tokens"], read["ids"]) == (tokens, asked["input_ids"][0].tolist())
    torch.testing.assert_close(torch.tensor(read["attention"]), torch.cat(out.attentions), atol=1e-4, rtol=0)
    probability = {row["piece"]: row["probability"] for row in rows}
    logits = out.prediction_logits[0, tokens.index("[MASK]")]
    scores = torch.tensor([probability[piece] for piece in tokenizer.convert_ids_to_tokens(range(1003))]).log()
    torch.testing.assert_close(scores, logits.log_softmax(-1), atol=1e-3, rtol=0)


def test_it_is_in_all_views_until_bertlab_mini_is_back(live_page, folder):
    def computed(view, selector):  # numbers that are computed once for a BERT, or for a sentence
        live_page.click(f"#tab-{view}")
        wait_until_drawn(live_page, f"the view {view}")
        said = live_page.locator(f"#{view} {selector}").inner_text()
        return re.findall(r"pairs: [−\d.]+", said) or re.findall(r"[−\d.]+\d", said)

    once = {"vectors": ".layers li >> nth=0 >> small", "knobs": ".first", "swap": ".places"}
    of_mini = [computed(view, selector) for view, selector in once.items()]
    live_page.locator("#swap .guess button:visible").first.click()
    live_page.click("#tab-head")
    wait_until_drawn(live_page, "bertlab-mini's map")
    choose(live_page, folder)
    of_own = [computed(view, selector) for view, selector in once.items()]
    for view, theirs, ours in zip(once, of_mini, of_own, strict=True):
        assert len(ours) >= 1, view
        assert ours != theirs, view
    for view in VIEWS:
        live_page.click(f"#tab-{view}")
        wait_until_drawn(live_page, f"the view {view}")
        section = live_page.locator(f"#{view}")
        assert set(live_page.locator(PROBLEM).all_inner_texts()) == {""}, view
        expect(section.locator(".guess")).to_be_hidden()
        assert "bertlab-mini" not in section.inner_text() or view == "learning"
        assert violations(live_page) == [], view
    for heads in ("#heads .grid button", "#head .map .head", "#knobs .panel input"):
        assert live_page.locator(heads).count() == 6
    live_page.click("#tab-hide")
    expect(live_page.locator("#hide .gaps")).to_contain_text(" of 1,003, ")
    trained = live_page.locator("#hide .bars").inner_text()
    live_page.locator("#hide [role=switch]").click()
    wait_until_drawn(live_page, "the twin")
    assert live_page.locator("#hide .bars").inner_text() != trained
    live_page.click("#large")
    expect(live_page.locator("#hide .result")).to_be_visible()  # guesses are of bertlab-mini
    live_page.keyboard.press("PageDown")
    expect(live_page.locator("#pieces .result")).to_be_visible()
    live_page.click("#large")
    live_page.click("#tab-hide")
    live_page.click("#back")
    expect(live_page.locator("#hide .gaps")).to_contain_text(" of 16,000, ")
    expect(live_page.locator("#hide .guess")).to_be_visible()
    assert live_page.evaluate("document.activeElement.id") == "choose"


def test_its_proof_reader_marks_what_that_of_python_marks(live_page, folder):
    choose(live_page, folder)
    live_page.click("#tab-proofread")
    text = "I am older then him. Their is no other. He said I may go. I saw my dog. Me and my dog have two for those."
    live_page.fill("#paragraph", text)
    wait_until_drawn(live_page, "the marks")
    found = bertlab.masking.proofread(bertlab.load(folder), text)
    marked = live_page.locator("#proofread mark").all_inner_texts()
    assert marked == [f"{row.word} → {row.suggestion}" for row in found.itertuples()]
    assert len(marked) >= 3


def test_without_a_masked_word_head_it_shows_all_but_guesses(live_page, folder):
    def without_head(weights):
        return {name.removeprefix("bert."): w for name, w in weights.items() if name.startswith("bert.")}

    change_weights(folder, without_head)
    assert "It came without a masked-word head" in choose(live_page, folder)
    for view in VIEWS:
        live_page.click(f"#tab-{view}")
        wait_until_drawn(live_page, f"the view {view}")
        said = "".join(live_page.locator(PROBLEM).all_inner_texts())
        assert ("without a masked-word head" in said) is (view in ("hide", "proofread", "swap", "knobs")), view
        assert live_page.locator(f"#{view} .bars").count() == 0
    live_page.click("#tab-head")
    view = live_page.locator("#head")
    view.get_by_role("radio", name="layer 1", exact=True).click()
    view.get_by_role("radio", name="add & norm").last.click()
    expect(view.locator(".place")).to_have_text(re.compile("^Layer 1, head .: step 12 of 12$"))
    expect(view.get_by_role("radio", name=re.compile("^guess"))).to_have_count(0)
    view.locator(".play").click()  # from the end to the beginning
    expect(view.locator(".place")).to_have_text(re.compile("^Layer 0, head .: step 1 of 12$"))
    assert "without a masked-word head" in live_page.evaluate("bertlab.fill('A [MASK].').catch(error => error.message)")


def test_a_folder_or_files_can_be_dropped(live_page, folder):
    tool = live_page.context.new_cdp_session(live_page)
    files = [str(path) for path in folder.iterdir() if path.is_file()]
    for dropped, name in (([str(folder)], "my-bert"), (files, "Your BERT")):
        data = {"items": [], "files": dropped, "dragOperationsMask": 1}
        for kind in ("dragEnter", "dragOver", "drop"):
            tool.send("Input.dispatchDragEvent", {"type": kind, "x": 500, "y": 400, "data": data})
        live_page.locator("#own .said", has_text=f"{name}: 2 layers of 3 heads").wait_for()
        expect(live_page.locator("#drop")).to_be_hidden()
