"""The benchmark's command line: a table on the screen and in files, and one line and status 1 where there is none."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bertlab
from bertlab.paraphrase import __main__ as command
from bertlab.paraphrase.__main__ import main
from rounding import assert_rounded_equal


@pytest.fixture
def file(tmp_path):
    pairs = bertlab.paraphrase.read_pairs().iloc[::12]
    path = tmp_path / "pairs.csv"
    pairs.to_csv(path, index=False)
    return path


def test_prints_a_table_writes_csv_and_figure_and_shows_progress(tiny_folder, file, tmp_path, capsys):
    glove = tmp_path / "glove.txt"
    glove.write_text("the 1 0.5\na 0.5 2\nis -1 1\n", encoding="utf-8")
    options = ["--layers", "--glove", glove, "--csv", tmp_path / "t.csv", "--figure", tmp_path / "t.png"]
    assert main([str(part) for part in (tiny_folder, file, *options)]) == 0
    said = capsys.readouterr()
    table = pd.read_csv(tmp_path / "t.csv", index_col="system")
    expected = ["[CLS]", "mean", "max", "static rows", "mean, layer 0", "mean, layer 1"]
    expected += [f"untrained twin, {name}" for name in expected[:4]] + ["word overlap", "TF-IDF", "GloVe"]
    assert table.index.tolist() == expected
    assert all(name in said.out for name in expected)
    assert "28 pairs" in said.out
    assert "batch" in said.err
    assert (tmp_path / "t.png").read_bytes()[:4] == b"\x89PNG"
    pairs = bertlab.paraphrase.read_pairs(file)
    values = bertlab.paraphrase.similarities(bertlab.load(tiny_folder), pairs)
    expected = stats.spearmanr(values, pairs["score"]).statistic
    assert_rounded_equal(table.loc["mean", "Spearman"], expected, dtype="float64")


def test_without_a_file_it_takes_the_lessons_own_pairs_and_the_cut_is_that_of_the_command(
    tiny_folder, monkeypatch, capsys
):
    monkeypatch.setattr("bertlab.evidence.intervals.RESAMPLES", 10)  # this is not about the intervals
    assert main([str(tiny_folder), "--cut", "3"]) == 0
    raw = bertlab.data.read("graded_pairs")
    share = ((raw["grade_a"] + raw["grade_b"]) / 2 >= 3).mean()
    assert f"{len(raw)} pairs; " in (said := capsys.readouterr().out)
    assert f"an accuracy of {max(share, 1 - share):.3f}." in said


def test_pairs_are_refused_before_a_checkpoint_is_loaded(tmp_path, capsys):
    path = tmp_path / "pairs.csv"
    path.write_text("a,b,1\nc,d,2\n", encoding="utf-8")
    assert main([str(tmp_path / "none"), str(path)]) == 1
    assert "Of 2 pairs 0 have a grade of 4 or more" in capsys.readouterr().err


def test_few_pairs_are_refused_before_a_checkpoint_is_loaded(tmp_path, capsys):
    path = tmp_path / "pairs.csv"
    path.write_text("a,b,1\nc,d,2\ne,f,4\ng,h,5\n", encoding="utf-8")
    assert main([str(tmp_path / "none"), str(path)]) == 1
    assert "There are 4 pairs" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "says"),
    [("a,b,7\n", "the score 7"), ("a,b\n", "2 columns"), ("a,b,1\nc,d,1\n", "same grade"), ("", "no rows")],
)
def test_bad_pairs_are_one_line_and_status_one(tiny_folder, tmp_path, capsys, text, says):
    path = tmp_path / "pairs.csv"
    path.write_text(text, encoding="utf-8")
    assert main([str(tiny_folder), str(path)]) == 1
    said = capsys.readouterr()
    assert says in said.err
    assert said.out == ""


@pytest.mark.parametrize("option", ["--csv", "--figure"])
def test_nothing_is_measured_for_a_file_that_cannot_be_written(file, tmp_path, monkeypatch, capsys, option):
    monkeypatch.setattr(command, "_run", lambda options: pytest.fail("it was measured"))
    assert main(["bertlab-mini", str(file), option, str(tmp_path / "none" / "table")]) == 1
    assert f"There is no folder '{tmp_path / 'none'}'" in capsys.readouterr().err
    (tmp_path / "table").mkdir()
    assert main(["bertlab-mini", str(file), option, str(tmp_path / "table")]) == 1
    assert "is a folder" in capsys.readouterr().err


def test_a_full_disk_leaves_the_old_table_and_the_new_one_is_printed(file, tmp_path, monkeypatch, full_disk, capsys):
    values = np.random.default_rng(3).normal(size=120)
    systems = {f"a long name, {i}": values for i in range(9)} | {"word overlap": values}
    table = bertlab.paraphrase.compare_systems(systems, np.arange(120) / 24)
    monkeypatch.setattr(command, "_run", lambda options: table)
    (tmp_path / "t.csv").write_text("old", encoding="utf-8")
    with full_disk():
        assert main(["bertlab-mini", str(file), "--csv", str(tmp_path / "t.csv")]) == 1
    said = capsys.readouterr()
    assert "could not be written" in said.err
    assert "a long name, 8" in said.out
    assert (tmp_path / "t.csv").read_text(encoding="utf-8") == "old"


def test_unknown_checkpoints_and_files_too(file, tmp_path, capsys):
    assert main([str(tmp_path / "none"), str(file)]) == 1
    assert main(["bertlab-mini", str(tmp_path / "none.csv")]) == 1
    assert "Traceback" not in capsys.readouterr().err
