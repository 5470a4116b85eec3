"""Graded pairs are read from every shape of file that is in use, and nothing that is not whole is let through."""

import sys
from types import ModuleType, SimpleNamespace

import pandas as pd
import pytest

from bertlab import data, pairs
from bertlab.pairs import from_hub, from_table, read_pairs

WHOLE = [("A man, it seems, plays.", 'He said "NA".', 4.75), ("It rains.", "null", 0.0)]
PLAIN = '"A man, it seems, plays.","He said ""NA"".",4.75\nIt rains.,null,0.0\n'
TABS = (
    'main\tMSR\t2012\t0001\t4.75\tA man, it seems, plays.\tHe said "NA".\tsource\n'
    "main\tMSR\t2012\t0002\t0.0\tIt rains.\tnull\n"
)
GLUE = (
    "index\tgenre\tfilename\tyear\told_index\tsource1\tsource2\tsentence1\tsentence2\tscore\n"
    '0\tmain\tf\t2012\t1\tn\tn\tA man, it seems, plays.\tHe said "NA".\t4.75\n'
    "1\tmain\tf\t2012\t2\tn\tn\tIt rains.\tnull\t0.0\n"
)


@pytest.fixture
def write(tmp_path):
    def written(text, encoding="utf-8"):
        path = tmp_path / "pairs.csv"
        path.write_bytes(text.encode(encoding))
        return path

    return written


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        "\ufeff" + PLAIN,
        PLAIN.replace("\n", "\r\n"),
        PLAIN.replace("\n", "\n\n"),
        "first,second,score\n" + PLAIN,
        "sentence1,sentence2,similarity_score\n" + PLAIN,
        "Sentence1,Sentence2,label\n" + PLAIN,
        "sentence_1, sentence_2, score\n" + PLAIN,
        "text1,text2,score\n" + PLAIN,
        TABS,
        GLUE,
    ],
    ids=["three", "mark", "windows", "blank", "ours", "hub", "label", "spaces", "text", "sts", "glue"],
)
def test_every_shape_of_file_is_read(write, text):
    table = read_pairs(write(text))
    assert table.columns.tolist() == ["first", "second", "score"]
    assert list(table.itertuples(index=False, name=None)) == WHOLE


def test_between_tabs_a_quotation_mark_is_a_letter(write):
    table = read_pairs(write('"Yes," he said.\tHe agreed.\t4\n"No, he said.\tHe "refused"\t3\n'))
    assert table["first"].tolist() == ['"Yes," he said.', '"No, he said.']
    assert table["second"].tolist() == ["He agreed.", 'He "refused"']


def test_the_first_line_says_what_separates(write):
    assert read_pairs(write("It rains.,It pours.,4\nA\tb.,C.,1\n"))["first"].tolist() == ["It rains.", "A\tb."]


def test_a_column_score_is_taken_alone(write):
    rows = "first,second,label,score,grade_a\na,b,0,4,2\n"
    assert read_pairs(write(rows))["score"].tolist() == [4]


def test_the_lessons_own_pairs_come_with_the_mean_of_their_grades():
    ours, raw = read_pairs(), data.read("graded_pairs")
    assert ours["score"].tolist() == ((raw["grade_a"] + raw["grade_b"]) / 2).tolist()
    assert ours[["first", "second"]].equals(raw[["first", "second"]])


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "has no rows"),
        ("\n \n", "has no rows"),
        ("first,second,score\n", "no rows below its header"),
        ("a,b\n", "has 2 columns"),
        ("a,b,c,d\n", "has 4 columns"),
        ("a,b,c,d,e,f\n", "has 6 columns and no header"),
        ("first,second\na,b\n", "lacks the column score; it has first, second"),
        ("sentence1,score\na,1\n", "lacks the column second"),
        ("a,b,1\nc,d,high\n", "line 2 has the score 'high'"),
        ("a,b,1\nc,d,\n", "line 2 has the score ''"),
        ("a,b,1\nc,d,nan\n", "line 2 has the score nan, and the scale"),
        ("a,b,1\nc,d,5.1\n", "line 2 has the score 5.1, and the scale goes from 0"),
        ("a,b,1\nc,d,-1\n", "line 2 has the score -1"),
        ("a,b,1\n,d,2\n", "line 2 has an empty first sentence"),
        ('first,second,score\na,b,1\nc," ",2\n', "line 3 has an empty second sentence"),
        ('"a\nb",c,1\nd,,1\n', "line 3 has an empty second"),
        ("a,b,1\nc,d\n", "line 2 has 2 columns, fewer"),
    ],
)
def test_what_is_not_whole_is_refused_by_its_line(write, text, says):
    with pytest.raises(ValueError, match=says):
        read_pairs(write(text))


@pytest.mark.parametrize(("encoding", "byte"), [("latin-1", 7), ("utf-16", 0)])
def test_another_encoding_is_refused(write, encoding, byte):
    with pytest.raises(ValueError, match=rf"pairs\.csv is not UTF-8 at byte {byte}\."):
        read_pairs(write("Ein Café.,Zwei Cafés.,3\n", encoding))


def test_a_missing_file_is_pythons_own_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_pairs(tmp_path / "none.csv")


class TestTable:
    def test_is_read_as_a_file_is(self):
        table = pd.DataFrame(WHOLE, columns=["sentence1", "sentence2", "similarity_score"]).astype(
            {"similarity_score": "float32"}
        )
        assert list(from_table(table).itertuples(index=False, name=None)) == WHOLE

    @pytest.mark.parametrize(
        ("change", "says"),
        [
            ({"sentence1": None}, "an empty first"),
            ({"score": float("nan")}, "the score ''"),
            ({"score": 7}, "the score 7"),
        ],
    )
    def test_refuses_what_is_not_whole(self, change, says):
        row = {"sentence1": "a", "sentence2": "b", "score": 1.0} | change
        with pytest.raises(ValueError, match=f"The table: line 1 has {says}"):
            from_table(pd.DataFrame([row]))

    def test_refuses_no_rows_and_unknown_columns(self):
        with pytest.raises(ValueError, match="no rows"):
            from_table(pd.DataFrame({"first": [], "second": [], "score": []}))
        with pytest.raises(ValueError, match="lacks the column first and second and score; it has a"):
            from_table(pd.DataFrame({"a": [1]}))


class TestHub:
    def test_reads_what_datasets_gives(self, monkeypatch):
        asked = []

        class Split:
            def to_pandas(self):
                return pd.DataFrame(WHOLE, columns=["sentence1", "sentence2", "similarity_score"])

        library = ModuleType("datasets")
        library.load_dataset = lambda *names, **options: asked.append((names, options)) or Split()
        monkeypatch.setitem(sys.modules, "datasets", library)
        assert list(from_hub().itertuples(index=False, name=None)) == WHOLE
        assert asked == [(("mteb/stsb_multi_mt", "en"), {"split": "dev"})]

    def test_names_the_data_set_whose_scores_are_on_another_scale(self, monkeypatch):
        table = pd.DataFrame({"first": ["a"], "second": ["b"], "score": [100]})
        library = ModuleType("datasets")
        library.load_dataset = lambda *_, **__: SimpleNamespace(to_pandas=lambda: table)
        monkeypatch.setitem(sys.modules, "datasets", library)
        with pytest.raises(ValueError, match="somebody/pairs, train: line 1 has the score 100"):
            from_hub("somebody/pairs", None, "train")

    @pytest.mark.parametrize(
        ("missing", "error", "says"),
        [
            ("datasets", ImportError, "pip install datasets"),
            ("multiprocess", ModuleNotFoundError, "No module named 'multiprocess'"),  # which datasets itself needs
        ],
    )
    def test_says_what_to_install(self, monkeypatch, missing, error, says):
        class Missing:
            def find_spec(self, name, path=None, target=None):
                if name == "datasets":
                    raise ModuleNotFoundError(f"No module named {missing!r}", name=missing)

        monkeypatch.delitem(sys.modules, "datasets", raising=False)
        monkeypatch.setattr(sys, "meta_path", [Missing(), *sys.meta_path])
        with pytest.raises(error, match=says):
            from_hub()


def test_scale_is_that_of_the_guidelines():
    assert (pairs.LOWEST, pairs.HIGHEST) == (0, 5)
