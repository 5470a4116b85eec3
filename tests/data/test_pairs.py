"""Graded pairs are read from every shape of file that is in use, and nothing that is not whole is let through."""

import pytest

from bertlab import data
from bertlab.data.tables import read_pairs

WHOLE = [("A man, it seems, plays.", 'He said "NA".', 4.75), ("It rains.", "null", 0.0)]
PLAIN = '"A man, it seems, plays.","He said ""NA"".",4.75\nIt rains.,null,0.0\n'
TABS = 'main\tMSR\t2012\t1\t4.75\tA man, it seems, plays.\tHe said "NA".\tsource\nm\tM\t2\t2\t0.0\tIt rains.\tnull\n'
GLUE = (
    "index\tgenre\tfilename\tyear\told_index\tsource1\tsource2\tsentence1\tsentence2\tscore\n"
    '0\tmain\tf\t2012\t1\tn\tn\tA man, it seems, plays.\tHe said "NA".\t4.75\n'
    "1\tmain\tf\t2012\t2\tn\tn\tIt rains.\tnull\t0.0\n"
)


@pytest.mark.parametrize(
    "text",
    [
        "\ufeff" + PLAIN.replace("\n", "\r\n"),
        PLAIN.replace("\n", "\n\n") + ",,\n",
        "Sentence1,Sentence2,label\n" + PLAIN,
        "sentence_1, sentence_2, similarity_score\n" + PLAIN,
        TABS,
        GLUE,
    ],
    ids=["windows", "blank", "hub", "spaces", "sts", "glue"],
)
def test_every_shape_of_file_is_read(written, text):
    table = read_pairs(written(text))
    assert table.columns.tolist() == ["first", "second", "score"]
    assert list(table.itertuples(index=False, name=None)) == WHOLE


def test_between_tabs_and_inside_of_a_sentence_a_quotation_mark_is_a_letter(written):
    table = read_pairs(written('"Yes," he said.\tHe agreed.\t4\n"No, he said.\tHe "refused"\t3\n'))
    assert table["first"].tolist() == ['"Yes," he said.', '"No, he said.']
    assert table["second"].tolist() == ["He agreed.", 'He "refused"']
    assert read_pairs(written('He said "no".,b,1\na\tb,c,2\n'))["first"].tolist() == ['He said "no".', "a\tb"]


def test_a_column_score_is_taken_alone_and_grades_are_averaged(written):
    assert read_pairs(written("first,second,label,score,grade_a\na,b,0,4,2\n"))["score"].tolist() == [4]
    ours, raw = read_pairs(), data.read("graded_pairs")
    assert ours["score"].tolist() == ((raw["grade_a"] + raw["grade_b"]) / 2).tolist()
    assert ours[["first", "second"]].equals(raw[["first", "second"]])


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("\n \n", "lacks the column .* its first line has none"),
        ("first,second,score\n", "no rows below its header"),
        ("a;b;4,75\nc;d;2,5\n", "between commas or tabs and with points in decimal numbers"),
        ("a,b,1\nc,d,high\n", "line 2 has a score that is no number from 0"),
        ("a,b,1\n\nc,d,5.1\n", "line 3 has a score that is no number from 0"),
        ("a,b,-1\nc,d,5\n", "line 1 has a score that is no number from 0"),  # the STS Benchmark's "missing"
        ('first,second,score\na,b,1\nc," ",2\n', "line 3 has an empty second sentence"),
        ("a,b,1\nYes, it is.,b,2\n", "line 2 has 4 cells where 3 are due.*Quote a text"),
        ('a,b,1\n"Yes" he said,c,2\nd,e,3\n', "after line 1 a quotation mark is out of place"),
        # A mark that opens here and one that closes there: three lines would be one pair, and look whole.
        ('a,b,1\n"Hello,c,2\nd,e,3\nan inch is 1",f,4\n', "line 4 ends a sentence that goes over several lines"),
    ],
)
def test_what_is_not_whole_is_refused_by_its_line(written, text, says):
    with pytest.raises(ValueError, match=rf"mine\.csv.* {says}"):
        read_pairs(written(text))


def test_another_encoding_is_refused(written):
    with pytest.raises(ValueError, match=r"mine\.csv is not UTF-8 at byte 7\. Save it as text with that"):
        read_pairs(written("Ein Café.,Zwei Cafés.,3\n", "latin-1"))
