"""A classifier comes back from its folder as it was; and the cells that make one of a student's own file."""

import re

import pytest
import torch
from safetensors import torch as tensors

import bertlab
from bertlab import lessons
from bertlab.bert import CheckpointError
from bertlab.finetuning import Classifier, load_classifier, predict, save

LESSON = next(path for path in lessons.paths() if path.stem == "08_finetuning")

CELLS = {cell.id: cell.source for cell in lessons.read(LESSON).cells}


def test_what_comes_back_answers_as_before(tiny, tmp_path):
    classifier = Classifier(tiny, labels=3, seed=4)
    folder = save(classifier, tmp_path / "mine", ["a", "b", "c"])
    back, names = load_classifier(folder)
    texts = ["The cat sat.", "It rained all day."]
    with torch.no_grad():
        assert torch.equal(back(texts), classifier(texts))
    assert names == ["a", "b", "c"]
    assert bertlab.load(folder).model.config.num_hidden_layers == 2, "its body is a BERT like any other"


def test_what_is_there_stays_as_it_is_and_each_label_has_a_name(tiny, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes").touch()
    with pytest.raises(FileExistsError, match="mine"):
        save(Classifier(tiny), tmp_path / "mine", ["a", "b"])
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["notes"]
    for names in (["a"], ["a", "a"]):
        with pytest.raises(ValueError, match="2 labels, and here are 1 names"):
            save(Classifier(tiny), tmp_path / "other", names)


@pytest.mark.parametrize(
    ("file", "content"),
    [
        *(("labels.json", labels) for labels in ('["a", "a"]', "[0, 1]", '["a", "b', '"ab"', '{"a": 0, "b": 1}')),
        ("head.safetensors", "cut off"),
        ("head.safetensors", tensors.save({"weight": torch.zeros(2, 2)})),
        ("head.safetensors", tensors.save({"weight": torch.full((2, 48), torch.nan), "bias": torch.zeros(2)})),
    ],
)
def test_what_is_damaged_is_refused_in_words(tiny, tmp_path, file, content):
    folder = save(Classifier(tiny), tmp_path / "mine", ["a", "b"])
    (folder / file).write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(CheckpointError, match=r"'\S+mine' holds no whole classifier: .+ Save it anew\."):
        load_classifier(folder)


def test_a_full_disk_leaves_nothing_behind(tiny, tmp_path, full_disk):
    with full_disk(), pytest.raises(Exception, match=r"(?i)file too large|error"):
        save(Classifier(tiny), tmp_path / "mine", ["a", "b"])
    assert list(tmp_path.iterdir()) == []


def test_a_file_in_a_table_and_a_model_out(tiny, displayed, tmp_path):
    rows = [f"the {noun} is {kind},{kind}" for kind in ("old", "red") for noun in ("cat", "dog", "river", "house")]
    path = tmp_path / "mine.csv"
    path.write_text("\n".join(["text,label", *rows, "so old,old", "so red,red"]), encoding="utf-8")
    names = {"bertlab": bertlab, "bert": tiny}
    exec("\n".join(re.findall(r"^from sklearn.*", CELLS["l08-57c"], re.M)), names)
    exec("import numpy as np\nfrom IPython.display import display\nbar = bertlab.figures.progress", names)
    exec(CELLS["l08-111"], names)
    names |= {"my_file": str(path), "folder": str(tmp_path / "model")}
    outputs = displayed(lambda: [exec(CELLS[id_], names) for id_ in ("l08-112", "l08-113", "l08-113b")])
    assert {"text", "label", "said"} <= set(outputs[0].data["text/plain"].split()), "the texts that it gets wrong"
    assert list(names["answers_to_new"]) == ["the fine-tuned BERT", "TF-IDF", "the most frequent label"]
    back, labels = load_classifier(tmp_path / "model")
    assert labels == ["old", "red"]
    texts = names["new"]["text"].tolist()
    assert predict(back, texts).tolist() == names["answers_to_new"]["the fine-tuned BERT"].tolist()
    (lines,) = re.findall(r"```python\n(.+?)```", CELLS["l08-114"], re.S)
    exec(lines.replace('"my_model"', repr(str(tmp_path / "model"))), names)  # the three lines that use it again
    assert set(names["names"]) == {"old", "red"}
    assert not set(texts) & set(names["known"]["text"])
