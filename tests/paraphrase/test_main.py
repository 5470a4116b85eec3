"""The benchmark's command line: a table on the screen and in a file, and one line and status 1 where there is none."""

import pandas as pd
import pytest
from scipy import stats

import bertlab
from bertlab.paraphrase.__main__ import main
from bertlab.paraphrase.pooling import POOLINGS
from rounding import assert_rounded_equal


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "pairs.csv"
    bertlab.paraphrase.read_pairs().iloc[::12].to_csv(path, index=False)
    return path


def test_prints_a_table_writes_it_and_shows_progress(tiny_folder, file, tmp_path, capsys):
    glove = tmp_path / "glove.txt"
    glove.write_text("the 1 0.5\na 0.5 2\nis -1 1\n", encoding="utf-8")
    options = [tiny_folder, file, "--layers", "--glove", glove, "--cut", 3, "--csv", tmp_path / "t.csv"]
    assert main(list(map(str, options))) == 0
    printed = capsys.readouterr()
    table = pd.read_csv(tmp_path / "t.csv", index_col="system")
    poolings = ["[CLS]" if pooling == "cls" else pooling for pooling in POOLINGS]
    expected = [*poolings, "mean, layer 0", "mean, layer 1", "static rows"]
    expected += [f"untrained twin, {name}" for name in (*poolings, "static rows")]
    assert table.index.tolist() == [*expected, "word overlap", "TF-IDF", "GloVe"]
    assert all(name in printed.out for name in table.index)
    assert "batch" in printed.err
    pairs = bertlab.paraphrase.read_pairs(file)
    share = (pairs["score"] >= 3).mean()
    assert f"28 pairs; one answer for all would have an accuracy of {max(share, 1 - share):.3f}." in printed.out
    values = bertlab.paraphrase.similarities(bertlab.load(tiny_folder), pairs)
    expected = stats.spearmanr(values, pairs["score"]).statistic
    assert_rounded_equal(table.loc["mean", "Spearman"], expected, dtype="float64")


@pytest.mark.parametrize(
    ("text", "says"),
    [("a,b,1\nc,d,2\n", "Of 2 pairs 0 have"), ("a,b,7\n", "line 1 has a score"), (None, "No such file")],
)
def test_bad_files_are_one_line_and_status_one_before_a_checkpoint_is_loaded(file, tmp_path, capsys, text, says):
    assert main([str(tmp_path / "none"), str(file), "--glove", str(tmp_path / "glove.txt")]) == 1
    assert "glove.txt" in capsys.readouterr().err
    path = tmp_path / "mine.csv"
    if text:
        path.write_text(text, encoding="utf-8")
    assert main([str(tmp_path / "none"), str(path)]) == 1
    printed = capsys.readouterr()
    assert says in printed.err
    assert printed.out == ""


def test_a_file_in_the_place_of_the_bert_is_told_with_the_order(tiny_folder, file, capsys):
    with pytest.raises(SystemExit, match="2"):
        main([str(file), str(tiny_folder)])
    assert "pairs.csv' is a file: name the BERT first, then the file of pairs\n" in capsys.readouterr().err
