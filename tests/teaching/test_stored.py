"""What a slide takes of a notebook's stored outputs: tables, coloured words, what is said, what a guess offers."""

from textwrap import fill

import pytest

from bertlab.finetuning import ColouredWords
from bertlab_teaching.slides import stored
from pages import HOSTILE, TABLE, code, notebook

COUNTED = "<table><tr><th></th><th>word</th></tr><tr><th>0</th><td>a&nbsp;b</td></tr></table>"
SPANS = "<tr><th rowspan='2'>a</th><th>0</th><td>x</td></tr><tr><th>1</th><td>y</td></tr>"
SPANNED = f"<table><tr><th></th><th></th><th>n</th></tr>{SPANS}<tr><th>b</th><th>0</th><td>z</td></tr></table>"


def cell(name):
    return next(cell for cell in notebook().cells if cell.id == name)


@pytest.mark.parametrize(
    ("page", "table"),
    [
        (TABLE, stored.Table(["layer", "head", "long name"], [["1", "3", "0.98"], ["uniform", "", "<b>0.08"]], 2)),
        (COUNTED, stored.Table(["word"], [["a\xa0b"]], 0)),
        (SPANNED, stored.Table(["", "", "n"], [["a", "0", "x"], ["a", "1", "y"], ["b", "0", "z"]], 2)),
    ],
    ids=["one line of names, and labels", "without pandas' count of rows", "a label of two rows in each"],
)
def test_a_table(page, table):
    assert stored.shown(code("t", "t", {"text/html": page})) == table


def test_coloured_words_have_their_labels_and_colours():
    words = ColouredWords(["I", "<b>", "is"], ["PRON", "NOUN", "AUX"])
    shown = stored.shown(code("words", "words", {"text/html": words._repr_html_()}))
    assert [each[:2] for each in shown.labelled] == [("I", "PRON"), ("<b>", "NOUN"), ("is", "AUX")]
    colours = [colour for *_, colour in shown.labelled]
    assert colours[0] == colours[1] != colours[2], "pronouns and nouns have one colour"


def test_what_is_said_is_an_answer_a_caption_or_a_printed_line():
    assert stored.words(cell("reveal")) == ["The answer is 0.5 < 1.", "So it is!"]
    assert stored.words(cell("drawn")) == ["Two words.", "A dot at 0.5 & no more.", "The end."]
    assert stored.words(cell("printed")) == [f"one {HOSTILE}", "two"]


def test_a_line_that_was_broken_for_its_length_is_whole_again():
    verdict, listed = "It is right in 0.73 of 60 searches: more often than all others. " * 4, "  Spearman 0.3"
    for indent in ("", "  "):
        printed = [fill(verdict, 100, subsequent_indent=indent), "Among these:", listed]
        printed += [("word " * 19).strip(), "Then it ends."]  # with "Then", the line before would have 99 letters
        assert stored.words(code("f", "f", printed="\n".join(printed))) == [verdict.strip(), *printed[1:]]


def test_options_are_those_of_the_guess():
    assert stored.options(cell("guess")) == ["up", "down", "<i>"]
    assert stored.options(code("guess = None  # a whole number")) == ["a whole number"]
    assert stored.options(code('guess = None  # a tag, such as "order"')) == ['a tag, such as "order"']
    assert stored.options(code('guess = None  # 1, 3 or "an error, or two"')) == ["1", "3", "an error, or two"]
