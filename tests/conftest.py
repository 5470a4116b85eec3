"""Fixtures that every test may use: the shipped BERT, its untrained twin, and a small BERT of another shape."""

import json
import re
import shutil
import string
from pathlib import Path

import pytest

NOTEBOOKS = Path(__file__).parent.parent / "notebooks"


@pytest.fixture(autouse=True)
def _no_chosen_model(monkeypatch):
    """A developer's own choice of model must not decide what the tests load."""
    monkeypatch.delenv("BERTLAB_MODEL", raising=False)


@pytest.fixture(scope="session")
def bert():
    import bertlab

    return bertlab.load("bertlab-mini")


@pytest.fixture(scope="session")
def twin(bert):
    import bertlab

    return bertlab.untrained(bert)


def words_of_the_lessons() -> list[str]:
    """Every word that the notebooks' cells hold, so that the small BERT reads most sentences in whole pieces."""
    notebooks = [json.loads(path.read_text("utf-8")) for path in sorted(NOTEBOOKS.glob("*.ipynb"))]
    cells = [cell for notebook in notebooks for cell in notebook["cells"]]
    return sorted({word for cell in cells for word in re.findall(r"[A-Za-z]{2,}", "".join(cell["source"]))})


@pytest.fixture(scope="session")
def tiny_folder(tmp_path_factory):
    """A saved BERT unlike the shipped one: other sizes, other special ids, capitals kept, random weights."""
    import torch
    from transformers import BertConfig, BertForPreTraining, BertTokenizer

    letters = [*string.ascii_letters, *string.digits]
    specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    pieces = [*specials, *string.punctuation, *letters, *(f"##{letter}" for letter in letters), *words_of_the_lessons()]
    tokenizer = BertTokenizer(vocab={piece: i for i, piece in enumerate(pieces)}, do_lower_case=False)
    config = BertConfig(
        vocab_size=len(pieces),
        num_hidden_layers=2,
        num_attention_heads=4,
        hidden_size=48,
        intermediate_size=96,
        max_position_embeddings=96,
        hidden_dropout_prob=0.1,
        pad_token_id=0,
    )
    with torch.random.fork_rng():
        torch.manual_seed(11)
        model = BertForPreTraining(config)
    folder = tmp_path_factory.mktemp("checkpoints") / "tiny"
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture
def checkpoint(tiny_folder, tmp_path):
    """A copy of the small BERT that a test may break."""
    return Path(shutil.copytree(tiny_folder, tmp_path / "tiny"))


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
