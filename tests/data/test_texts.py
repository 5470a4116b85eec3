"""A student's own file of texts and labels: read whole, or refused with what to do."""

import pytest

from bertlab.data.tables import read_texts

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


def test_an_accent_is_the_same_however_it_is_written_and_so_is_what_programs_make_of_a_file(written):
    cafe = "".join(f"{word},caf{accent}\n" for word in ("a", "b") for accent in ("\u00e9", "e\u0301"))
    assert read_texts(written(GOOD + cafe.replace("a,", "c,") + "d,cafe\u0301\n" + cafe))["label"].nunique() == 3
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
