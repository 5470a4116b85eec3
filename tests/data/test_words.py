"""The sentences of the treebanks are whole, each word has its class, and the datasheets count what there is."""

import re
from collections import Counter
from pathlib import Path

import pytest

from bertlab import data

# https://universaldependencies.org/u/pos/
CLASSES = "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X"


@pytest.mark.parametrize("name", ["web_words", "news_words"])
def test_the_words_are_all_of_the_text_each_has_a_class_and_the_datasheet_counts_them(name):
    table = data.read(name)
    assert table["text"].is_unique
    assert table["source"].is_unique
    for sentence in table.itertuples():
        words, classes = sentence.words.split(" "), sentence.classes.split(" ")
        assert 4 <= len(words) == len(classes) <= 40
        assert "".join(words) == re.sub(r"\s", "", sentence.text), "nothing but spaces stands between them"
        assert set(classes) <= set(CLASSES.split())
    sheet = Path(data.__file__).with_name(f"{name}.md").read_text("utf-8")
    classes = " ".join(table["classes"]).split(" ")
    assert f": {len(table):,} sentences of 4 to 40 words, {len(classes):,} words" in " ".join(sheet.split())
    stated = {name: int(n.replace(",", "")) for name, n in re.findall(r"`([A-Z]+)`\s([\d,]*\d)", sheet)}
    assert stated == Counter(classes)
    (before, *gone) = (int(n.replace(",", "")) for n in re.findall(r"\*\*([\d,]+)\*\*", sheet))
    assert before - sum(gone) == len(table), "all that the file had, less what was left out, is what stays"
