"""The lessons' tables are whole, balanced, and described."""

import re

import pytest

from bertlab import data

FOLDER = data.Path(data.__file__).parent
TABLES = sorted(path.stem for path in FOLDER.glob("*.csv"))
FILES = sorted(path.name for path in FOLDER.iterdir() if path.is_file() and path.suffix not in (".py", ".md"))
CONLLU = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")


@pytest.mark.parametrize("name", FILES)
def test_a_file_has_a_datasheet_that_names_its_columns_author_and_licence(name):
    sheet = (FOLDER / name).with_suffix(".md").read_text("utf-8")
    assert sheet.startswith(f"# {name}\n")
    if name.endswith(".csv"):
        columns = data.read(name.removesuffix(".csv")).columns
    else:
        words = [line.split("\t") for line in (FOLDER / name).read_text("utf-8").splitlines() if line[:1].isdigit()]
        columns = [column for column, cells in zip(CONLLU, zip(*words, strict=True), strict=True) if {*cells} != {"_"}]
    for column in columns:
        assert f"| `{column}` |" in sheet
    if "treebank" in sheet:  # what others wrote stands under their licence
        assert re.search(r"^Sentences by: ", sheet, flags=re.MULTILINE)
        assert re.search(r"^Changed: ", sheet, flags=re.MULTILINE)
        assert re.search(r"Licence: CC BY-SA [34]\.0 \(https://creativecommons.org/licenses/by-sa/", sheet)
    else:
        assert "Written by: the bertlab authors" in sheet
        assert "CC BY 4.0" in sheet


@pytest.mark.parametrize("name", TABLES)
def test_no_cell_is_empty_and_no_row_stands_twice(name):
    table = data.read(name)
    sheet = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    blank = [column for column in table if re.search(rf"\| `{column}` \|.* only", sheet)]  # as the sheet says
    filled = table.drop(columns=blank)
    assert not filled.isna().any().any()
    assert not (filled.astype(str).apply(lambda column: column.str.strip()) == "").any().any()
    assert not table.duplicated().any()


def test_short_texts_are_twenty_of_five_sentences_whose_lengths_do_not_tell_the_place():
    table = data.read("short_texts")
    assert table.groupby("topic")["place"].apply(list).tolist() == [[0, 1, 2, 3, 4]] * 20
    assert table["sentence"].is_unique
    assert table["sentence"].str.fullmatch(r"[A-Z][^.!?]*\.").all()
    lengths = table["sentence"].str.split().str.len().groupby(table["place"]).mean()
    assert lengths.max() - lengths.min() < 3


def test_no_word_is_of_two_kinds():
    words = data.read("word_kinds")["words"].str.split().explode()
    assert (words.is_unique, len(words), words.index.nunique()) == (True, 223, 30), "as its sheet says"
