"""A student's own file of texts and labels: read whole, or refused with what to do."""

import pytest

from bertlab.data.tables import read_labelled_words, read_texts

GOOD = "text,label\n" + "".join(
    f'"{kind} {word}, yes.",{kind}\n' for kind in ("old", "red") for word in ("one", "two", "cat", "dog")
)


def test_texts_and_labels_in_their_order(written):
    found = read_texts(written(GOOD))
    assert found.columns.tolist() == ["text", "label"]
    assert found["text"].iloc[0] == "old one, yes."
    assert found["label"].tolist() == ["old"] * 4 + ["red"] * 4
    numbered = "number," + GOOD.replace("\n", "\n1,") + "null,NA\n1,a,NA\n1,b,NA\n1,c,NA\n"
    assert read_texts(written(numbered)).iloc[8].tolist() == ["null", "NA"], "other columns are left out, words stay"


def test_an_accent_is_the_same_however_it_is_written(written):
    cafe = "".join(f"{word},caf{accent}\n" for word in ("a", "b") for accent in ("\u00e9", "e\u0301"))
    assert read_texts(written(GOOD + cafe.replace("a,", "c,") + "d,cafe\u0301\n" + cafe))["label"].nunique() == 3
    lines = LINES.replace("NOUN", "NOM\u00c9").replace("dog\tNOM\u00c9", "dog\tNOME\u0301")
    found = read_labelled_words(written(lines.replace("cat", "une\u0301xpected")))
    assert set(" ".join(found["classes"]).split()) == {"DET", "NOM\u00c9", "VERB"}
    assert found["words"][0] == "The un\u00e9xpected sat"


def test_what_programs_make_of_it(written):
    changed = "\ufeff" + GOOD.replace("text,label", " Text ,LABEL").replace("\n", "\r\n") + "\n\n"
    assert read_texts(written(changed)).equals(read_texts(written(GOOD)))


def test_a_row_ends_where_the_line_does_and_not_at_other_signs(written):
    """Word processors leave such signs where somebody pressed Shift and Enter."""
    text = "above\u2028below\x0b\x0c\x85"
    assert read_texts(written(GOOD + f"{text}end,red\n"))["text"].iloc[-1] == f"{text}end"


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (GOOD.replace("label", "class", 1), "mine.csv needs one column label; its first line has text, class"),
        (GOOD.replace(",red", ",old"), "two labels or more are needed, .* these are {'old': 8}"),
        (GOOD.replace('"red cat, yes."', '" "'), "line 8 has an empty text"),
        (
            "text," + GOOD.replace("\n", "\nx,").removesuffix("x,"),
            "needs one column text; its first line has text, text",
        ),
        (GOOD + "no label,\n", "line 10 has an empty label"),
        (GOOD.replace("red one", "old one") + "red five,red\n", "line 2 has a text that stands .* with another"),
    ],
)
def test_what_is_broken_is_said_so(written, content, says):
    with pytest.raises(ValueError, match=says):
        read_texts(written(content))


LINES = "".join(f"The DET\n{noun}\tNOUN\nsat VERB\n\n" for noun in ("cat", "dog", "owl", "cow") * 2)


def test_words_a_line_each_or_in_conllu_come_as_sentences(written):
    found = read_labelled_words(written(LINES))
    assert found.iloc[1].tolist() == ["The dog sat", "DET NOUN VERB"]
    assert len(found) == 8
    row = "{}\t{}\t_\t{}\t_\t_\t_\t_\t_\t_\n"
    words = "".join(row.format(i, *each) for i, each in enumerate([("The", "DET"), ("#", "SYM"), ("10 000", "NUM")], 1))
    conllu = ("# text = The # 10 000\n1-2\tThe#" + 8 * "\t_" + "\n" + words + "\n") * 8
    assert read_labelled_words(written(conllu)).iloc[7].tolist() == ["The # 10000", "DET SYM NUM"]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (LINES.replace("dog\tNOUN", "dog"), "mine.csv: line 6 has 1 cells, and a word and its class are due"),
        (
            "The DET\ncat NOUN\nsat VERB\n\n" * 2,
            "8 sentences or more and two classes or more are needed, .* these are 2 and 3",
        ),
        ("The X\ncat X\n\n" * 9, "these are 9 and 1"),
        ("", "these are 0 and 0"),
    ],
)
def test_words_that_are_not_whole_are_refused_with_what_to_do(written, content, says):
    with pytest.raises(ValueError, match=says):
        read_labelled_words(written(content))
