"""Decks: what is on which slide, what is refused and in which words, and what is taken of a notebook's outputs."""

from textwrap import fill

import pytest

from bertlab.finetuning import ColouredWords
from bertlab_teaching import decks
from bertlab_teaching.slides import outline, plan, stored
from pages import ASKED, FIGURE, FOUND, HOSTILE, PNG, SAID, TABLE, code, loaded, notebook, page, slides


@pytest.fixture
def sitting(tmp_path):
    """Return the sitting that some entries make."""

    def made(*entries):
        path = tmp_path / "07_tests.slides.toml"
        path.write_text(slides(*entries), encoding="utf-8")
        (found,) = plan.read(path, notebook())
        return found

    return made


@pytest.fixture
def deck(sitting):
    """Return the slides of the deck that some entries make, but for the first."""
    return lambda *entries: page(decks.deck(sitting(*entries))).select("section")[1:]


def on(slide):
    return " ".join(slide.select_one(".slide").text.split())


LOOK = 'part = "Look"\ntitle = "A"\n'


class TestRefused:
    @pytest.mark.parametrize(
        ("entry", "says"),
        [
            ('part = "Look"\nfigure = "drawn"', "it lacks a title, or a part"),
            ('part = "Looks"\ntitle = "A"', "0 headings of the lesson begin with 'Looks'"),
            (LOOK + 'code = {cell = "loop"}', "it lacks something to look at"),
            (LOOK + 'figure = "drwn"', "the lesson has no cell 'drwn'"),
            (LOOK + 'figure = "wordless"', "cell 'wordless' shows a picture without alternative text"),
            (LOOK + 'figure = "two"', "cell 'two' shows 2 outputs of the kind text/html"),
            (LOOK + 'figure = {cell = "table", rows = "3"}', "there are 2"),
            (LOOK + 'figure = {cell = "table", columns = ["hd"]}', "shows no table with a column hd"),
            (FIGURE + 'code = {cell = "loop", lines = ["y =", "x ="]}', "in another order"),
            (FIGURE + 'figur = "drawn"', "a slide has no figur"),
            (LOOK + 'points = ["B"]\nnotes = "drawn"', "cell 'drawn' holds no speaker's notes"),
            (LOOK + 'points = ["B"]\nnotes = {cell = "note", paragraphs = "4"}', "there are 3"),
            (LOOK + 'predict = "drawn"', "cell 'drawn' holds no guess"),
            (LOOK + 'predict = "letters"\npoints = ["a: up"]', "the guess offers a, b, and its points say what a mean"),
        ],
    )
    def test_a_slide_is_named_with_what_is_wrong(self, sitting, entry, says):
        with pytest.raises(ValueError, match=r"^07_tests.slides.toml, sitting 7a, slide '.*': [^\n]+\.$") as refused:
            sitting(entry + "\n")
        assert says in str(refused.value)

    @pytest.mark.parametrize("content", ["", "[[sitting", "[[sitting]]\n", "sitting = 1", "[[sitting]]\nname = 1"])
    def test_a_file_that_holds_no_slides(self, tmp_path, content):
        (tmp_path / "x.slides.toml").write_text(content, encoding="utf-8")
        with pytest.raises(ValueError, match=r"^x.slides.toml holds no slides"):
            outline.sittings(tmp_path / "x.slides.toml")


class TestDeck:
    def test_a_figure_its_words_and_no_code(self, deck):
        says = 'caption = "Short."\nsays = {cell = "drawn", sentences = "2"}\nnotes = ["note", "Go *on*."]\n'
        (slide,) = deck(FIGURE + says)
        assert slide.select_one("h2 em").text == "dot"
        assert on(slide) == "A dot & x < 1 Short. computedA dot at 0.5 & no more. 7 · Tests & decks | Look7a | 2 / 2"
        alt = "Two words. A dot at 0.5 & no more. The end."
        assert slide.img.attrs == {"src": f"data:image/png;base64,{PNG}", "alt": alt}
        heard = f"2 min. ASK: “Why <b>?” EXPECT: nothing. Go on. CAPTION {alt}"
        assert " ".join(slide.select_one("aside").text.split()) == heard

    def test_of_what_is_said_the_test_the_p_and_the_interval_are_for_the_notes(self, deck):
        (slide,) = deck(LOOK + 'says = ["found", {cell = "drawn", sentences = "2"}]\n')
        said = [sentence.text for sentence in slide.select(".says p")]
        assert said == ["It is ahead by 0.2.", "Shape (2, 3), of [6, 7, 8].", "A dot at 0.5 & no more."]
        assert " ".join(slide.select_one("aside").text.split()) == f"EXACTLY: {FOUND}"

    def test_a_prediction_and_its_answer_are_two_slides_and_the_notes_are_on_the_first(self, deck):
        asked, answered = deck(ASKED, SAID)
        assert [word in on(asked) for word in ("Predict", "up", "down", "<i>", "answer")] == [1, 1, 1, 1, 0]
        assert "The answer is 0.5 < 1." in on(answered)
        assert ["ASK" in slide.select_one("aside").text for slide in (asked, answered)] == [True, False]

    def test_the_letters_of_a_guess_are_shown_with_what_they_mean(self, deck):
        (slide,) = deck(LOOK + 'predict = "letters"\npoints = ["Look.", "a: *up*", "b: <i>"]\n')
        assert [option.text for option in slide.select(".options li")] == ["up", "<i>"]
        assert slide.select_one(".point").text == "Look."

    def test_of_a_table_some_rows_and_columns_and_of_printed_lines_some(self, sitting):
        entry = LOOK + 'figure = {cell = "table", rows = "2", columns = ["long name", "layer"]}\n'
        first, table, printed = sitting(entry, 'title = "B"\nfigure = {cell = "printed", rows = "2"}\n').slides
        assert first.title == "Does <it> hold?", "the lesson's question"
        assert table.figure == stored.Table(["layer", "long name"], [["uniform", "<b>0.08"]], 1)
        assert printed.figure == stored.Printed(["two"])

    def test_numbers_of_a_table_are_drawn_as_bars(self, deck):
        (slide,) = deck(LOOK + 'figure = {cell = "table", rows = "1", bars = ["long name"], full = 2, line = 1}\n')
        (bar,) = slide.select("td.bar")
        assert [bar.i["style"], bar.u["style"], bar.span.text] == ["width: 49.0%", "left: 50.0%", "0.98"]
        assert [name["class"] for name in slide.select("thead th[class]")] == [["number"], ["number"], ["drawn"]]

    def test_code_is_cut_to_the_lines_that_matter(self, deck):
        lines = 'code = {cell = "loop", lines = ["x =", "print"], highlight = ["x ="]}\n'
        (slide,) = deck(SAID + 'part = "Look"\n' + lines)
        shown = [(line.text, line["class"]) for line in slide.select(".code > span")]
        assert shown == [("    x = i  # keep", ["hot"]), ("...", ["cool"]), ("print(y)", ["cool"])]
        assert [part["class"] for part in slide.select(".text > *")] == [["says"], ["code"]], "as the entry has them"

    def test_all_text_stays_text_and_everything_is_in_the_file(self, sitting):
        typed = f'part = "Look"\ntitle = "{HOSTILE}"\nfigure = "printed"\npoints = ["{HOSTILE}"]\nnotes = "{HOSTILE}"\n'
        whole = page(decks.deck(sitting(typed, 'title = "B"\nfigure = "table"\n', ASKED)))
        _, first, second, third = whole.select("section")
        assert first.select_one(".slide").text.count(HOSTILE) == 3
        assert HOSTILE in first.select_one("aside").text
        assert "<b>0.08" in on(second)
        assert not [tag for slide in (first, second, third) for tag in slide.select("img, b, i, script")]
        assert loaded(whole) == []


COUNTED = "<table><tr><th></th><th>word</th></tr><tr><th>0</th><td>a&nbsp;b</td></tr></table>"
SPANS = "<tr><th rowspan='2'>a</th><th>0</th><td>x</td></tr><tr><th>1</th><td>y</td></tr>"
SPANNED = f"<table><tr><th></th><th></th><th>n</th></tr>{SPANS}<tr><th>b</th><th>0</th><td>z</td></tr></table>"


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


def test_a_line_that_was_broken_for_its_length_is_whole_again():
    verdict, listed = "It is right in 0.73 of 60 searches: more often than all others. " * 4, "  Spearman 0.3"
    for indent in ("", "  "):
        printed = [fill(verdict, 100, subsequent_indent=indent), "Among these:", listed]
        printed += [("word " * 19).strip(), "Then it ends."]  # with "Then", the line before would have 99 letters
        assert stored.words(code("f", "f", printed="\n".join(printed))) == [verdict.strip(), *printed[1:]]


@pytest.mark.parametrize(
    ("typed", "options"),
    [
        ("a whole number", ["a whole number"]),
        ('a tag, such as "order"', ['a tag, such as "order"']),
        ('1, 3 or "an error, or two"', ["1", "3", "an error, or two"]),
    ],
)
def test_options_are_those_of_the_guess(typed, options):
    assert stored.options(code(f"guess = None  # {typed}")) == options
