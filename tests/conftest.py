"""Fixtures that every test may use: the shipped BERT, its untrained twin, a small BERT of another shape, a browser."""

import json
import os
import random
import re
import shutil
import signal
import socket
import string
import subprocess
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parent.parent
NOTEBOOKS = REPOSITORY / "notebooks"
PATIENCE = 90_000  # milliseconds: only what never comes to a page takes so long


def pytest_collection_modifyitems(items):
    """Begin with the lessons that take longest: at the end, one worker would wait for the other."""
    first = ("shows_what_is_stored[07_pretraining]", "shows_what_is_stored[08_finetuning]")
    items.sort(key=lambda item: not item.nodeid.endswith(first))


@pytest.fixture(scope="session")
def bert():
    import bertlab

    return bertlab.load("bertlab-mini")


@pytest.fixture(scope="session")
def twin(bert):
    import bertlab

    return bertlab.untrained(bert)


def words_of_the_lessons() -> list[str]:
    """Every word of the notebooks' cells and of the checks: the small BERT reads most sentences in whole pieces."""
    import bertlab
    from bertlab.checks import inputs

    notebooks = [json.loads(path.read_text("utf-8")) for path in sorted(NOTEBOOKS.glob("*.ipynb"))]
    cells = [cell for notebook in notebooks for cell in notebook["cells"]]
    texts = ["".join(cell["source"]) for cell in cells]
    for name in ("confused_words", "news_words", "web_words"):  # they were not written for small vocabularies
        texts += bertlab.data.read(name)["text"].tolist()
    for name in ("choice_pairs", "hard_agreement", "number_nouns"):  # a split word makes pairs of unequal length
        texts += bertlab.data.read(name).astype(str).to_numpy().ravel().tolist()
    words = {word for text in texts for word in re.findall(r"[A-Za-z]{2,}", text)}
    return sorted(words.union(inputs.ADJECTIVES, inputs.NOUNS, inputs.VERBS))  # letter by letter they are too long


@pytest.fixture(scope="session")
def tiny_folder(tmp_path_factory):
    """A saved BERT unlike the shipped one: other sizes, other special ids, capitals kept, random weights."""
    import torch
    from transformers import BertConfig, BertForPreTraining, BertTokenizer

    letters = [*string.ascii_letters, *string.digits]
    specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    pieces = [*specials, *string.punctuation, *letters, *(f"##{letter}" for letter in letters), *words_of_the_lessons()]
    tokenizer = BertTokenizer(vocab={piece: i for i, piece in enumerate(pieces)}, do_lower_case=False)
    sizes = {"num_hidden_layers": 2, "num_attention_heads": 4, "hidden_size": 48, "intermediate_size": 96}
    large = 0.05  # spread of the weights, so that two sentences differ by more than rounding
    shape = {"vocab_size": len(pieces), "max_position_embeddings": 96, **sizes}
    config = BertConfig(pad_token_id=0, initializer_range=large, **shape)
    with torch.random.fork_rng():
        torch.manual_seed(11)
        model = BertForPreTraining(config)
    folder = tmp_path_factory.mktemp("checkpoints") / "tiny"
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def tiny(tiny_folder):
    import bertlab

    return bertlab.load(tiny_folder)


@pytest.fixture(params=["shipped", "tiny"])
def model(request, bert, tiny):
    """The shipped BERT and the small one in turn: what holds for one shape alone is not right."""
    return bert if request.param == "shipped" else tiny


@pytest.fixture
def drawn(monkeypatch):
    """Let all that a check draws follow from a seed."""
    from bertlab.checks import inputs

    def seed(number):
        chance = random.Random(number)
        monkeypatch.setattr(inputs, "new_seed", lambda: chance.getrandbits(62))

    return seed


@pytest.fixture
def checkpoint(tiny_folder, tmp_path):
    """A copy of the small BERT that a test may break."""
    return Path(shutil.copytree(tiny_folder, tmp_path / "tiny"))


@pytest.fixture
def written(tmp_path):
    """Write a table of a student's own, and return its path."""

    def write(content, encoding="utf-8"):
        path = tmp_path / "mine.csv"
        path.write_bytes(content.encode(encoding))
        return path

    return write


@pytest.fixture
def full_disk():
    """Let no file grow beyond a thousand bytes: writing more stops midway with an error, as on a full disk."""
    resource = pytest.importorskip("resource", reason="Windows has no such limit")

    @contextmanager
    def limited():
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)

    return limited


@pytest.fixture
def displayed():
    """Run a function as a notebook's cell does, and return what it displays, in order."""
    from IPython.core.interactiveshell import InteractiveShell
    from IPython.utils.capture import capture_output

    InteractiveShell.instance()

    def run(function, *arguments):
        with capture_output() as captured:
            function(*arguments)
        return captured.outputs

    yield run
    InteractiveShell.clear_instance()


@pytest.fixture(scope="session")
def browser():
    from playwright.sync_api import expect, sync_playwright

    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None:
        if os.environ.get("BERTLAB_BROWSER_REQUIRED"):
            pytest.fail("Chromium is required here and not installed.")
        pytest.skip("Chromium is not installed")
    # The last three keep Chromium itself from calling home; a page's own requests are watched in each test.
    switches = ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=chromium, args=switches)
        yield running
        running.close()


@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    """Start JupyterLab as a student does, on a fresh copy of the lessons; give its address and the copy."""
    if not (REPOSITORY / ".venv" / ".installed").is_file():
        pytest.skip("make lab was never run here")
    work = tmp_path_factory.mktemp("student") / "work"
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {name: value for name, value in os.environ.items() if "DISPLAY" not in name}
    output = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    command = ["make", "lab", f"WORK={work}", f"PORT={port}"]
    server = subprocess.Popen(command, cwd=REPOSITORY, env=environment, start_new_session=True, **output)
    limit = threading.Timer(3 * PATIENCE / 1000, os.killpg, (server.pid, signal.SIGTERM))
    limit.start()
    said, address = [], None
    for line in server.stdout:
        said.append(line)
        address = re.search(rf"(http://127\.0\.0\.1:{port}/lab\S*token=(\w+))", line)
        if address:
            break
    limit.cancel()
    if address is None:
        pytest.fail("make lab ended without an address:\n" + "".join(said))
    yield {"port": port, "token": address[2], "work": work}
    os.killpg(server.pid, signal.SIGTERM)
    server.wait()


@pytest.fixture
def page(browser):
    """A tab of its own, in which console errors and requests that leave this machine are written down."""
    context = browser.new_context(viewport={"width": 1280, "height": 1000})
    context.set_default_timeout(PATIENCE)
    tab = context.new_page()
    tab.errors, tab.elsewhere = [], []
    ours = ("http://127.0.0.1:", "ws://127.0.0.1:", "file:", "data:", "blob:", "about:")
    ours += ("attachment:",)  # JupyterLab puts a cell's picture on the page before it has looked it up

    def note(message):
        if message.type == "error" and not message.location.get("url", "").startswith("attachment:"):
            tab.errors.append(message.text)

    tab.on("console", note)
    tab.on("pageerror", lambda error: tab.errors.append(str(error)))
    for asking in ("request", "websocket"):  # a websocket is no request, to the browser
        tab.on(asking, lambda sent: None if sent.url.startswith(ours) else tab.elsewhere.append(sent.url))
    yield tab
    context.close()


A_CELL = 3 * PATIENCE  # the longest that is run here, lesson 4's without one head after the other, takes 41 s of a core
HIGHEST = """Math.max(0, ...[...document.querySelectorAll('.jp-CodeCell .jp-InputPrompt')].map(
    prompt => parseInt(prompt.textContent.slice(1)) || 0))"""


@pytest.fixture
def run_notebook(page, lab):
    """Open a notebook of the copy in JupyterLab and run all its cells, once or several times; not at all with 0.

    `cells` is the number of the last cell with code that is not folded.
    """
    from pages import wait_until

    def run(name, cells, times=1):
        page.goto(f"http://127.0.0.1:{lab['port']}/lab/tree/{name}?reset&token={lab['token']}")
        page.wait_for_selector(".jp-Notebook .jp-CodeCell")
        if times:
            page.wait_for_selector("text=Python 3 (ipykernel) | Idle")
        for time in range(1, max(times, 1) + 1):
            if times:
                page.click(".lm-MenuBar-item:has-text('Run')")
                # By key: until the menu is painted, the frame of a view that lies under it would catch a click.
                page.locator(".lm-Menu-item", has_text="Run All Cells").first.press("Enter")
            # Cells run in order, so wait until the last one has its number, and for each before it as long as one cell
            # may take. The kernel's own word, idle or busy, is no help: between two cells it is idle for a moment.
            number = cells * (time - 1)
            while number < cells * time:
                wait_until(page, f"a cell's number after [{number}]", f"number => {HIGHEST} > number", number, A_CELL)
                number = page.evaluate(HIGHEST)

    return run


@pytest.fixture(scope="session")
def spread(tiny_folder):
    """The small BERT of another shape, with weights so spread that every part makes a difference."""
    import torch

    import bertlab

    bert = bertlab.load(tiny_folder)
    with torch.no_grad():
        for values in bert.model.bert.encoder.parameters():
            values.mul_(3)
        bert.model.cls.predictions.transform.LayerNorm.weight.mul_(10)  # its logits would be as small as rounding
        for layer in bert.model.bert.encoder.layer:
            layer.attention.self.value.bias.normal_(generator=torch.Generator().manual_seed(1))
    return bert
