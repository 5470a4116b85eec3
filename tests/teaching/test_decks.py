"""Decks: what is on which slide, what is refused and in which words, and what a plan brings."""

import pytest

from bertlab_teaching import decks
from bertlab_teaching.slides import outline, plan, stored
from pages import ASKED, FIGURE, FOUND, HOSTILE, PNG, SAID, code, loaded, notebook, page, slides, text

HINT = "<details><summary>Hint 1</summary>{} <i>b</i>: <code>{}</code></details>"


@pytest.fixture
def sitting(tmp_path):
    """Return the sitting that some entries make."""

    def made(*entries, **opening):
        path = tmp_path / "07_tests.slides.toml"
        path.write_text(slides(*entries, **opening), encoding="utf-8")
        (found,) = plan.read(path, notebook())
        return found

    return made


@pytest.fixture
def deck(sitting):
    """Return the deck that some entries make, and its slides but for the first."""

    def made(*entries):
        tree = page(decks.deck(sitting(*entries)))
        return tree.select("section")[1:]

    return made


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
            (LOOK + 'figure = {cell = "table", bars = ["n"]}', "shows no table with a column n to draw as bars"),
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

    def test_the_picture_of_a_lesson_is_the_one_that_its_file_names(self, tmp_path):
        def picture(line):
            (tmp_path / "x.slides.toml").write_text(f"{line}\n{slides(FIGURE)}", encoding="utf-8")
            return plan.picture(tmp_path / "x.ipynb", notebook())

        assert picture('picture = "drawn"').png == PNG
        assert picture("") is None
        for name, says in (("table", "cell 'table' shows no picture"), ("dawn", "the lesson has no cell 'dawn'")):
            with pytest.raises(ValueError, match=rf"^x.slides.toml, picture: {says}\.$"):
                picture(f'picture = "{name}"')


class TestDeck:
    def test_a_figure_its_words_and_no_code(self, deck):
        says = 'caption = "Short."\nsays = {cell = "drawn", sentences = "2"}\nnotes = ["note", "Go *on*."]\n'
        (slide,) = deck(FIGURE + says)
        assert slide.select_one("h2 em").text == "dot"
        assert on(slide) == "A dot & x < 1 Short. computedA dot at 0.5 & no more. 7 · Tests & decks | Look7a | 2 / 2"
        alt = "Two words. A dot at 0.5 & no more. The end."
        assert slide.img.attrs == {"src": f"data:image/png;base64,{PNG}", "alt": alt}
        heard = f"2 min. ASK: “Why <b>?” EXPECT: nothing. Go *on*. CAPTION {alt}"
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


class TestPlanned:
    """What a sitting's plan brings: the agenda, its exercises where they are done, with the minutes of the path."""

    PLAN = """
plan = [["Look", 5, 8, ""], ["Exercise 7.1", 0, 12, ""], ["Exercise 7.2", 7, 0, ""], ["Step 1", 0, 5, ""]]
notes = {cell = "note", paragraphs = "1, 3"}
agenda = "SAY: the *aims*,\\nsoon."
homework = {points = ["Exercise 7.1."], notes = "SAY: half an hour<!-- fixed -->."}
"""

    @pytest.fixture
    def read(self, tmp_path):
        lesson = notebook()
        lesson.cells += [
            text("## You will be able to\n\n1. **see** it,\n2. **say** it.", "aims"),
            text("### 7.1 Two * two · recall · ★ · 12 minutes\n\nAdd.\n\n" + HINT.format("&lt;", "a * b"), "ex1"),
            code('def add(a, b):\n    """Return a * 2 + b * 2."""\n    return None', "stub1"),
            text("12 min.\n\nLIKELY WRITTEN: *a*.", "noted1", "notes"),
            text("### 7.2 Less · recall\n\n" + HINT.format("i", "c"), "ex2"),
            code('def less(a):\n    """Return less."""', "stub2"),
            text("7 min.", "noted2", "notes"),
        ]
        for stub, number in (("stub1", "7.1"), ("stub2", "7.2")):
            next(each for each in lesson.cells if each.id == stub).metadata["tags"] = ["exercise", number]
        path = tmp_path / "07_tests.slides.toml"
        opening = f'[[sitting]]\nname = "7"\n{self.PLAN}'
        rest = slides(FIGURE, ASKED, SAID).partition("\n")[2].partition("\n")[2]

        def read(short=False, more=""):
            path.write_text(opening + more + rest, encoding="utf-8")
            (sitting,) = plan.read(path, lesson, short)
            return sitting.slides

        return read

    def test_where_they_stand(self, read):
        titles = [slide.title for slide in read()]
        assert titles[1] == "The plan of 25 minutes, and what you will be able to do after them"
        assert titles[2:] == ["A *dot* & `x < 1`", "Two * two", "Up or down?", "It holds", "To do at home"]
        assert [slide.title for slide in read(short=True)][3] == "Less"
        assert [slide.kind for slide in read()] == ["opening", "agenda", "", "exercise", "", "", "homework"]

    def test_the_agenda_has_what_takes_time(self, read):
        agenda, short = read()[1], read(short=True)[1]
        assert agenda.figure.rows == [["Look", "8"], ["Exercise 7.1", "12"], ["Step 1: a loop", "5"]]
        assert short.figure.rows == [["Look", "5"], ["Exercise 7.2", "7"]]
        assert agenda.text == [("points", ["*see* it", "*say* it"])]
        assert read(more='aims = "2"\n')[1].text == [("points", ["*say* it"])]

    def test_the_foot_says_which_slides_the_plan_has_no_minutes_for(self, read):
        every = read(short=True)  # of 12 minutes, five in Look and seven in an exercise
        beyond = [slide.part for slide in every if slide.beyond == "beyond the 12 minutes"]
        assert beyond == [slide.part for slide in every if slide.part not in ("", "Look", "Exercise 7.2")] != []
        feet = [foot.text for foot in page(decks.deck(plan.Sitting("7", "7 · Tests", every))).select("footer")]
        assert [slide.beyond != "" for slide in every] == ["beyond the 12 minutes" in foot for foot in feet]

    def test_a_part_begins_with_its_minutes_on_the_path(self, read):
        said = {short: [slide.notes for slide in read(short=short)[2:-1]] for short in (False, True)}
        assert said[False][1] == ["Exercise 7.1: 12 minutes.", "LIKELY WRITTEN: *a*."]
        first = [notes[0] for notes in said[False] if notes]
        assert first == ["Look: 8 minutes.", "Exercise 7.1: 12 minutes.", "Step 1: 5 minutes."]
        assert said[True][:2] == [["Look: 5 minutes."], ["Exercise 7.2: 7 minutes."]]

    def test_an_exercise_has_its_task_its_minutes_and_its_first_hint(self, read):
        slide = page(decks.deck(plan.Sitting("7", "7 · Tests", read()))).select("section")[3]
        assert on(slide).startswith(
            "Exercise 7.1, 12 minutes Two * two Return a * 2 + b * 2. def add(a, b): First hint. <"
        )
        assert [code.text for code in slide.select(".text code")] == ["a * b"]
        assert "LIKELY WRITTEN: *a*." in slide.select_one("aside").text

    def test_notes_are_some_paragraphs_of_a_cell_or_typed(self, read):
        opening, agenda, *_, homework = read()
        assert opening.notes == ["EXPECT: nothing."]
        assert (agenda.notes, homework.notes) == (["SAY: the *aims*, soon."], ["SAY: half an hour."])
