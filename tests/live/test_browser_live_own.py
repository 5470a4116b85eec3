"""A BERT of one's own in the live page: a checkpoint's folder computes there as in torch, or is refused."""

import json
import re
import shutil

import pytest
import torch
from playwright.sync_api import expect
from safetensors.torch import load_file, save_file

import bertlab
from pages import VIEWS, violations, wait_until_drawn

pytestmark = pytest.mark.browser

TEXT = "She opened the [MASK] and saw Zoë's naïve café, 漢字."
PROBLEM = ":is(.its, section) > .problem"
SHAPE = {"hidden_size": 48, "num_hidden_layers": 2, "num_attention_heads": 3, "intermediate_size": 94}
SHAPE |= {"vocab_size": 1003, "max_position_embeddings": 62, "initializer_range": 0.2}  # nothing is a multiple of four


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """A saved BERT of few numbers whose vocabulary has capitals, and its special pieces in odd places."""
    from tokenizers import BertWordPieceTokenizer
    from transformers import BertConfig, BertForPreTraining, BertTokenizer

    learned, specials = BertWordPieceTokenizer(lowercase=False), ["[MASK]", "[PAD]", "[SEP]", "[UNK]", "[CLS]"]
    texts = [*bertlab.data.read("graded_pairs")["first"], TEXT]
    learned.train_from_iterator(texts, vocab_size=1003, min_frequency=1, special_tokens=specials, show_progress=False)
    folder = tmp_path_factory.mktemp("own") / "my-bert"
    BertTokenizer(vocab=learned.get_vocab(), do_lower_case=False).save_pretrained(folder)
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model = BertForPreTraining(BertConfig(**SHAPE, pad_token_id=1))
    model.cls.predictions.transform.LayerNorm.weight.data *= 5  # it is sure of what it guesses
    model.save_pretrained(folder)
    (folder / "runs").mkdir()
    (folder / "runs" / "config.json").write_text("{}")  # what lies in folders within is none of it
    return folder


@pytest.fixture
def folder(own, tmp_path):
    """A copy of it, to be changed."""
    return shutil.copytree(own, tmp_path / "my-bert")


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
