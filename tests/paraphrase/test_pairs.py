"""Graded pairs are read from every shape of file that is in use, and nothing that is not whole is let through."""

import pytest

from bertlab import data
from bertlab.paraphrase.pairs import read_pairs

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
        ("a,b,1\n\nd,,1\n", "line 3 has an empty second"),
        ("a,b,1\nc,d\n", "line 2 has 2 cells where 3 are due"),
        ("a,b,1\nYes, it is.,b,2\n", "line 2 has 4 cells where 3 are due.*Quote a sentence"),
        ("first,second,score\na,b,1\nc,d,2,\n", "line 3 has 4 cells where 3 are due"),
        ("first\tsecond\tscore\na\tb\t1\nc\td\te\t2\n", "line 3 has 4 cells where 3 are due"),
        ("x\tx\tx\tx\t4\ta\tb\nx\tx\tx\tx\t4\ta\n", "line 2 has 6 cells where 7 are due"),
        ("x,x,x,x,4,a,b\nx,x,x,x,4,Yes, it is.,b\n", "line 2 has 8 cells where 7 are due"),
        ("a;b;4,75\nc;d;2,5\n", "separated by semicolons"),
        ("first;second;score\na;b;4,75\n", "separated by semicolons"),
        ("a;b;4\nc;d;2\n", "separated by semicolons, and commas or tabs are needed.*points in decimal"),
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


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('a,b,1\n"Yes" he said,c,2\nd,e,3\n', "from line 2 to 2 "),
        ('a,b,1\n"Hello,c,2\nd,e,3\n"Bye",f,4\n', "from line 2 to 4 "),
        # A mark that opens here and one that closes there: three lines would be one pair, and look whole.
        ('a,b,1\n"Hello,c,2\nd,e,3\nan inch is 1",f,4\n', "from line 2 to 4 .*a line break"),
        ('a,b,1\nc,d,2\n"Hello,c,3\n', "from line 3 to .*end of data"),
        ('a,b,1\n"Hello,c,2\n' + "some words,more words,3\n" * 10_000, "from line 2 to .*field larger"),
    ],
    ids=["within a line", "over lines", "over lines and whole", "never closed", "never closed in a large file"],
)
def test_no_line_is_lost_to_a_quotation_mark(write, text, says):
    with pytest.raises(ValueError, match=rf"pairs\.csv: {says}.*its own doubled"):
        read_pairs(write(text))


def test_a_mark_inside_of_a_sentence_is_a_letter(write):
    assert read_pairs(write('He said "no".,b,1\n'))["first"].item() == 'He said "no".'


def test_sources_at_the_end_of_a_line_of_sts_count_for_nothing(write):
    rows = "g\tf\ty\t1\t4\ta\tb\ng\tf\ty\t2\t3\tc\td\tsource\tanother\n"
    assert read_pairs(write(rows))["second"].tolist() == ["b", "d"]


def test_what_is_no_text_says_what_to_do(tmp_path):
    for name, content in {"p.xlsx": b"PK\x03\x04\x14\x00\xe3\xd2", "p.csv.gz": b"\x1f\x8b\x08\x00"}.items():
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises(ValueError, match="unpack a file that is packed, and export a spreadsheet as CSV UTF-8"):
            read_pairs(path)
