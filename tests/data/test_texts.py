"""A student's own file of texts and labels: read whole, or refused with what to do."""

import pytest

from bertlab.data.tables import read_texts

GOOD = "text,label\n" + "".join(
    f'"{kind} {word}, yes.",{kind}\n' for kind in ("old", "red") for word in ("one", "two", "cat", "dog")
)


@pytest.fixture
def written(tmp_path):
    def write(content, encoding="utf-8"):
        path = tmp_path / "mine.csv"
        path.write_bytes(content.encode(encoding))
        return path

    return write


def test_texts_and_labels_in_their_order(written):
    found = read_texts(written(GOOD))
    assert found.columns.tolist() == ["text", "label"]
    assert found["text"].iloc[0] == "old one, yes."
    assert found["label"].tolist() == ["old"] * 4 + ["red"] * 4
    numbered = (
        "number,"
        + GOOD.replace("\n", "\n1,").removesuffix("1,")
        + "2,null,NA\n"
        + "".join(f"3,{n},NA\n" for n in "abc")
    )
    assert read_texts(written(numbered)).iloc[8].tolist() == ["null", "NA"], "other columns are left out, words stay"


@pytest.mark.parametrize(
    "content",
    ["\ufeff" + GOOD, GOOD.replace("\n", "\r\n"), GOOD.replace("text,label", " Text ,LABEL"), GOOD + "\n\n"],
    ids=["a mark of Windows", "Windows' line ends", "capitals and spaces", "empty lines at the end"],
)
def test_what_programs_make_of_it(written, content):
    assert read_texts(written(content)).equals(read_texts(written(GOOD)))


@pytest.mark.parametrize("sign", ["\u2028", "\x0b", "\x0c", "\x85"])
def test_a_row_ends_where_the_line_does_and_not_at_other_signs(written, sign):
    """Word processors leave such signs where somebody pressed Shift and Enter."""
    assert read_texts(written(GOOD + f"above{sign}below,red\n"))["text"].iloc[-1] == f"above{sign}below"


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (GOOD.replace("label", "class", 1), "mine.csv lacks the column label; its first line has text, class"),
        ("text;label\nold one;old\n", "has to be text,label, with a comma"),
        (GOOD.replace(",red", ",old"), "two labels or more are needed, .* these are {'old': 8}"),
        (GOOD.replace('"red cat, yes."', '" "'), "line 8 has an empty text"),
        (GOOD + "no label,\n", "line 10 has an empty label"),
        (GOOD.replace("red cat", "red two"), "these are {'old': 4, 'red': 3}"),
        (
            GOOD.replace("red one", "old one") + "red five,red\n",
            "line 2 has a text that stands in the file with another",
        ),
    ],
)
def test_what_is_broken_is_said_so(written, content, says):
    with pytest.raises(ValueError, match=says):
        read_texts(written(content))
