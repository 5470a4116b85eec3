"""The lessons' tables are whole, balanced, and described."""

import re

import pytest

from bertlab import data

FOLDER = data.Path(data.__file__).parent
TABLES = sorted(path.stem for path in FOLDER.glob("*.csv"))
FILES = sorted(path.name for path in FOLDER.iterdir() if path.is_file() and path.suffix not in (".py", ".md"))
CONLLU = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")


def columns(name):
    """Return the names of the columns that a file fills."""
    if name.endswith(".csv"):
        return list(data.read(name.removesuffix(".csv")).columns)
    assert name.endswith(".conllu"), f"say here which columns {name} has"
    words = [line.split("\t") for line in (FOLDER / name).read_text("utf-8").splitlines() if line[:1].isdigit()]
    return [column for column, cells in zip(CONLLU, zip(*words, strict=True), strict=True) if {*cells} != {"_"}]


@pytest.mark.parametrize("name", FILES)
def test_a_file_has_a_datasheet_that_names_its_columns_author_and_licence(name):
    sheet = (FOLDER / name).with_suffix(".md").read_text("utf-8")
    assert sheet.startswith(f"# {name}\n")
    for column in columns(name):
        assert f"| `{column}` |" in sheet
    assert "Written by: the bertlab authors" in sheet
    assert "CC BY 4.0" in sheet


@pytest.mark.parametrize("name", TABLES)
def test_no_cell_is_empty_and_no_row_stands_twice(name):
    table = data.read(name)
    assert not table.isna().any().any()
    assert not (table.astype(str).apply(lambda column: column.str.strip()) == "").any().any()
    assert not table.duplicated().any()


class TestShortTexts:
    def test_twenty_texts_of_five_sentences_in_their_order(self):
        table = data.read("short_texts")
        assert table.groupby("topic")["place"].apply(list).tolist() == [[0, 1, 2, 3, 4]] * 20

    def test_no_sentence_stands_twice_and_each_is_one_sentence(self):
        sentences = data.read("short_texts")["sentence"]
        assert sentences.is_unique
        assert all(re.fullmatch(r"[A-Z][^.!?]*\.", sentence) for sentence in sentences)

    def test_common_words_do_not_solve_the_task(self):
        texts = data.read("short_texts").groupby("topic", sort=False)["sentence"].apply(list)

        def share(pairs):
            words = [[set(re.findall(r"[a-z]{4,}", sentence.lower())) for sentence in pair] for pair in pairs]
            return sum(bool(first & second) for first, second in words) / len(pairs)

        following = [(text[i], text[i + 1]) for text in texts for i in range(4)]
        strange = [*texts[7:], *texts[:7]]
        other = [(text[i], far[i + 1]) for text, far in zip(texts, strange, strict=True) for i in range(4)]
        assert abs(share(following) - share(other)) < 0.15

    def test_following_sentences_are_about_as_long_as_others(self):
        # Otherwise a sentence's length would tell its place, and with it which pairs follow.
        table = data.read("short_texts")
        lengths = table["sentence"].str.split().str.len().groupby(table["place"]).mean()
        assert lengths.max() - lengths.min() < 3
