"""A student's own file: read whole, or refused with what to do; and the cells that make a classifier of it."""

import re

import pytest
import torch

import bertlab
from bertlab.course import notebooks as lessons
from bertlab.finetuning import Classifier, load_classifier, predict, read_texts, save

LESSON = next(path for path in lessons.paths() if path.stem == "08_finetuning")


@pytest.fixture(scope="module")
def tiny(tiny_folder):
    return bertlab.load(tiny_folder)


@pytest.fixture
def written(tmp_path):
    def write(content, encoding="utf-8"):
        path = tmp_path / "mine.csv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
        return path

    return write


GOOD = "text,label\n" + "".join(
    f'"{kind} {word}, yes.",{kind}\n' for kind in ("old", "red") for word in ("one", "two", "cat", "dog")
)


class TestRead:
    def test_texts_and_labels_in_their_order(self, written):
        found = read_texts(written(GOOD))
        assert found.columns.tolist() == ["text", "label"]
        assert found["text"].iloc[0] == "old one, yes."
        assert found["label"].tolist() == ["old"] * 4 + ["red"] * 4

    @pytest.mark.parametrize(
        "content",
        [
            "\ufeff" + GOOD,
            GOOD.replace("\n", "\r\n"),
            GOOD.replace("text,label", " Text ,LABEL"),
            GOOD + "\n\n",
        ],
        ids=["a mark of Windows", "Windows' line ends", "capitals and spaces", "empty lines at the end"],
    )
    def test_what_programs_make_of_it(self, written, content):
        assert read_texts(written(content)).equals(read_texts(written(GOOD)))

    @pytest.mark.parametrize("sign", ["\u2028", "\x0b", "\x0c", "\x85"])
    def test_a_row_ends_where_the_line_does_and_not_at_other_signs(self, written, sign):
        """Word processors leave such signs where somebody pressed Shift and Enter."""
        found = read_texts(written(GOOD + f"above{sign}below,red\n"))
        assert found["text"].iloc[-1] == f"above{sign}below"

    def test_other_columns_are_left_out_and_words_stay_words(self, written):
        lines = [
            f"{n},{text},{label}"
            for n, (text, label) in enumerate(
                [
                    ("null", "NA"),
                    ("nan", "1"),
                    ("a", "NA"),
                    ("b", "1"),
                    ("c", "NA"),
                    ("d", "1"),
                    ("e", "NA"),
                    ("f", "1"),
                ]
            )
        ]
        found = read_texts(written("number,text,label\n" + "\n".join(lines)))
        assert found.iloc[:2].to_numpy().tolist() == [["null", "NA"], ["nan", "1"]]

    @pytest.mark.parametrize(
        ("content", "says"),
        [
            (GOOD.replace("label", "class", 1), r"mine.csv lacks the column label; it has text, class. .* text,label"),
            ("text;label\nold one;old\n", "separated by semicolons; commas are needed"),
            ("", "lacks the column text and label; it is empty"),
            ("text,label\n", "no row below its header"),
            (GOOD.replace(",red", ",old"), "one label only, 'old'"),
            (GOOD.replace('"red cat, yes."', '" "'), "row 8 has an empty text"),
            (GOOD.replace(',yes.",red', "").replace('yes.",red', 'yes.",'), "has an empty label"),
            (GOOD.replace("red cat", "red two"), "'red' has 3 different texts, and 4 or more"),
            (GOOD.replace("red one", "old one") + "red five,red\n", "'old one, yes.' has two different labels"),
            (GOOD + "no comma\n", "row 10 has 1 cells, and the header 2"),
            (GOOD + 'a "mark,red\n"open', "no sound CSV file"),
            (GOOD.replace("old", "ält").encode("latin-1"), "not UTF-8 at byte 12. Save it with that encoding"),
        ],
    )
    def test_what_is_broken_is_said_so(self, written, content, says):
        with pytest.raises(ValueError, match=says):
            read_texts(written(content))


class TestSave:
    def test_what_comes_back_answers_as_before(self, tiny, tmp_path):
        classifier = Classifier(tiny, labels=3, seed=4)
        folder = save(classifier, tmp_path / "mine", ["a", "b", "c"])
        back, names = load_classifier(folder)
        texts = ["The cat sat.", "It rained all day."]
        with torch.no_grad():
            assert torch.equal(back(texts), classifier(texts))
        assert names == ["a", "b", "c"]
        assert bertlab.load(folder).model.config.num_hidden_layers == 2, "its body is a BERT like any other"
        assert [path.name for path in tmp_path.iterdir()] == ["mine"]

    def test_nothing_is_overwritten(self, tiny, tmp_path):
        (tmp_path / "mine").mkdir()
        with pytest.raises(FileExistsError, match="Name a new folder"):
            save(Classifier(tiny), tmp_path / "mine", ["a", "b"])

    def test_a_full_disk_leaves_nothing_behind(self, tiny, tmp_path, full_disk):
        with full_disk(), pytest.raises(Exception, match=r"(?i)file too large|error"):
            save(Classifier(tiny), tmp_path / "mine", ["a", "b"])
        assert list(tmp_path.iterdir()) == []

    def test_where_nothing_can_be_saved_it_is_said_so(self, tiny, tmp_path, unwritable):
        with pytest.raises(OSError, match="Nothing can be written"):
            save(Classifier(tiny), unwritable / "mine", ["a", "b"])
        with pytest.raises(FileNotFoundError, match="Make it first"):
            save(Classifier(tiny), tmp_path / "no" / "mine", ["a", "b"])
        with pytest.raises(ValueError, match="2 labels, and here are 1 names"):
            save(Classifier(tiny), tmp_path / "mine", ["a"])

    def test_a_bert_without_a_head_is_said_so(self, tiny_folder):
        with pytest.raises(FileNotFoundError, match=r"no head of bertlab\.finetuning\.save"):
            load_classifier(tiny_folder)


class TestCells:
    """The last page's own cells, with a file named in them."""

    @pytest.fixture
    def run(self, tiny, displayed):
        cells = {cell.id: cell.source for cell in lessons.read(LESSON).cells}

        def run(file, folder):
            names = {"bertlab": bertlab, "bert": tiny}
            for id_ in ("l08-14", "l08-35"):
                exec("\n".join(re.findall(r"^from sklearn.*", cells[id_], re.M)), names)
            exec("import sys\nimport numpy as np\nfrom tqdm import tqdm\nbar = lambda steps: steps", names)
            exec("from IPython.display import display", names)
            exec(cells["l08-111"], names)
            names |= {"my_file": file, "folder": folder}
            return displayed(lambda: [exec(cells[id_], names) for id_ in ("l08-112", "l08-113")]), names

        return run

    def test_a_file_in_a_table_and_a_model_out(self, run, written, tmp_path):
        rows = "".join(
            f"the {noun} is {kind},{kind}\n" for kind in ("old", "red") for noun in ("cat", "dog", "river", "house") * 3
        )
        path = written(
            "text,label\n" + "".join(dict.fromkeys(rows.splitlines(keepends=True))) + "so old,old\nso red,red\n"
        )
        outputs, names = run(str(path), str(tmp_path / "model"))
        table = outputs[0].data["text/plain"]
        assert all(way in table for way in ("fine-tuned", "TF-IDF", "most frequent label"))
        back, labels = load_classifier(tmp_path / "model")
        assert labels == ["old", "red"]
        texts = names["new"]["text"].tolist()
        assert predict(back, texts).tolist() == names["said"]["fine-tuned"].tolist()
        assert not set(texts) & set(names["known"]["text"])

    def test_without_a_file_nothing_happens(self, run):
        _, names = run(None, None)
        assert "mine" not in names
