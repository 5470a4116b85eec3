"""The live page, written and opened."""

import shutil

import pytest


@pytest.fixture(scope="session")
def live_folder(tmp_path_factory):
    """The folder with the live page and its weights."""
    from bertlab_teaching import live as page

    folder = tmp_path_factory.mktemp("live")
    page.write(folder)
    return folder


# How many questions the page has asked of the thread that computes, and no answer has come.
COUNTED = """window.unanswered = 0;
window.Worker = class extends Worker {
    constructor(program) {
        super(program);
        window.computing = this;
        this.addEventListener('message', () => window.unanswered--);
    }
    postMessage(message) { window.unanswered++; super.postMessage(message); }
};"""


@pytest.fixture
def live_page(page, live_folder):
    """The live page, opened from a file, its weights there; at the end no error was written, and nothing asked for."""
    page.context.set_offline(True)
    page.add_init_script(COUNTED)
    page.goto((live_folder / "live.html").as_uri())
    page.wait_for_selector("#progress", state="hidden")
    page.wait_for_selector(".gap")
    yield page
    assert page.errors == []
    assert page.elsewhere == []


@pytest.fixture(scope="session")
def own(tmp_path_factory):
    """A saved BERT of few numbers whose vocabulary has capitals, and its special pieces in odd places."""
    import torch
    from tokenizers import BertWordPieceTokenizer
    from transformers import BertConfig, BertForPreTraining, BertTokenizer

    import bertlab
    from checkpoints import SHAPE, TEXT

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
