"""The sentences of the treebanks are read as they stand, and the datasheets count what there is."""

import re
from collections import Counter
from pathlib import Path

import pytest

from bertlab import data
from bertlab.data.words import read_words, spans_of

TABLES = ("web_words", "news_words")
# https://universaldependencies.org/u/pos/
CLASSES = "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X"


@pytest.mark.parametrize("name", TABLES)
def test_every_word_stands_in_the_text_and_has_a_class(name):
    sentences = read_words(name)
    assert len({sentence.text for sentence in sentences}) == len({s.source for s in sentences}) == len(sentences)
    for sentence in sentences:
        assert 4 <= len(sentence.words) == len(sentence.classes) == len(sentence.spans) <= 40
        assert tuple(sentence.text[start:end] for start, end in sentence.spans) == sentence.words
        assert "".join(sentence.words) == re.sub(r"\s", "", sentence.text), "nothing but spaces stands between them"
        assert set(sentence.classes) <= set(CLASSES.split())


@pytest.mark.parametrize("name", TABLES)
def test_the_datasheet_counts_what_there_is(name):
    sentences = read_words(name)
    sheet = Path(data.__file__).with_name(f"{name}.md").read_text("utf-8")
    words = [word for sentence in sentences for word in sentence.words]
    assert f": {len(sentences):,} sentences of 4 to 40 words, {len(words):,} words" in " ".join(sheet.split())
    stated = {name: int(n.replace(",", "")) for name, n in re.findall(r"`([A-Z]+)`\s([\d,]*\d)", sheet)}
    assert stated == Counter(class_ for sentence in sentences for class_ in sentence.classes)
    (before, *gone) = (int(n.replace(",", "")) for n in re.findall(r"\*\*([\d,]+)\*\*", sheet))
    assert before - sum(gone) == len(sentences), "all that the file had, less what was left out, is what stays"


def test_the_two_have_no_sentence_in_common():
    web, news = ({sentence.text.lower() for sentence in read_words(name)} for name in TABLES)
    assert not web & news


def test_a_repeated_word_has_its_own_place_and_a_word_that_is_not_there_is_refused():
    assert spans_of(("the", "cat", "the"), "the cat, the") == ((0, 3), (4, 7), (9, 12))
    with pytest.raises(ValueError, match="substring not found"):
        spans_of(("cat", "the"), "the cat")
