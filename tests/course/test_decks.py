"""Decks: what is on which slide, what is refused and in which words, no request to the web, and what is chosen."""

import re
from html.parser import HTMLParser
from importlib.metadata import PackageNotFoundError
from textwrap import fill

import nbformat
import pytest

from bertlab.__main__ import main
from bertlab.attention import views
from bertlab.course import decks
from bertlab.course import notebooks as lessons
from bertlab.course.slides import page, plan, stored
from bertlab.course.slides.slide import Cells, Slide
from bertlab.course.slides.slide import read as read_slide

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
HOSTILE = "<script>document.title='owned'</script><img src=x onerror=alert(1)>"
ANSWER = "<p>not yet</p><details><summary>The answer</summary>The answer is 0.5 &lt; 1. So it is!</details>"
TABLE = """<table><thead>
<tr><th></th><th></th><th>long name</th></tr><tr><th>layer</th><th>head</th><th></th></tr></thead>
<tbody><tr><th>1</th><th>3</th><td>0.98</td></tr><tr><th>uniform</th><th></th><td>&lt;b&gt;0.08</td></tr></tbody></table>"""
COUNTED = "<table><tr><th></th><th>word</th></tr><tr><th>0</th><td>cat</td></tr><tr><th>1</th><td>mat</td></tr></table>"


def text(source, name, kind=None):
    return nbformat.v4.new_markdown_cell(source, id=name, metadata={"slideshow": {"slide_type": kind}} if kind else {})


def code(source, name, *outputs, printed="", alt=""):
    made = [
        nbformat.v4.new_output("display_data", data, metadata={"image/png": {"alt": alt}} if alt else {})
        for data in outputs
    ]
    made += [nbformat.v4.new_output("stream", name="stdout", text=printed)] if printed else []
    return nbformat.v4.new_code_cell(source, id=name, outputs=made)


def notebook():
    return nbformat.v4.new_notebook(
        cells=[
            text("# 7 · Tests & decks\n\n**Does <it> hold?**", "first"),
            text("## Look", "look"),
            code("draw()", "drawn", {"image/png": PNG}, alt="Two words. A dot at 0.5 & no more. The end."),
            text("2 min.\n\nASK: “Why <b>?”\n\nUSUALLY SAID: nothing.", "note", "notes"),
            code("table", "table", {"text/html": TABLE, "text/plain": "x"}),
            code("print(1)", "printed", printed=f"one {HOSTILE}\ntwo\n"),
            text("### Step 1: a loop", "step"),
            code('guess = None  # "up", "down" or "<i>"', "guess"),
            code("reveal()", "reveal", {"text/html": ANSWER, "text/plain": "not yet"}),
            code("for i in range(9):\n    x = i  # keep\n    y = x\nprint(y)", "loop"),
            code("mute", "mute"),
            code("draw()", "wordless", {"image/png": PNG}),
            code("two", "two", {"text/html": TABLE}, {"text/html": TABLE}),
            text("## Step 10 is no step 1", "ten"),
        ]
    )


FIGURE = 'part = "Look"\ntitle = "A *dot* & `x < 1`"\nfigure = "drawn"\n'
ASKED = 'part = "Step 1"\ntitle = "Up or down?"\npredict = "guess"\nnotes = "note"\n'
SAID = 'title = "It holds"\nsays = "reveal"\n'


def written(*slides, sitting='name = "7a"\n'):
    """Return the text of a file of slides."""
    return f"[[sitting]]\n{sitting}" + "".join(f"[[sitting.slide]]\n{slide}" for slide in slides)


@pytest.fixture
def read(tmp_path):
    """Return the slides that some entries make, of one sitting, without the first."""

    def made(*slides, **sitting):
        path = tmp_path / "07_tests.toml"
        path.write_text(written(*slides, **sitting), encoding="utf-8")
        (found,) = plan.read(path, notebook())
        return found.slides[1:]

    return made


class Page(HTMLParser):
    """Read a deck: its slides, each as its text, without and with the speaker's notes; its tags; what it loads."""

    def __init__(self, page):
        super().__init__()
        self.slides, self.spoken, self.loads, self.tags = [], [], [], []
        self.notes, self.silent = False, False
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        named = dict(attrs)
        self.tags.append((tag, named))
        self.loads += [named[name] for name in ("src", "href") if named.get(name)]
        self.notes |= tag == "aside"
        self.silent = tag in ("script", "style")
        if tag == "section":
            self.slides.append("")
            self.spoken.append("")

    def handle_endtag(self, tag):
        self.notes &= tag != "aside"
        self.silent = False

    def handle_data(self, data):
        if self.slides and not self.silent:
            (self.spoken if self.notes else self.slides)[-1] += data


@pytest.fixture
def deck(read):
    def made(*slides):
        first = Slide("Does it hold?", "")
        return Page(page.deck(plan.Sitting("7a", "7 · Tests & decks", [first, *read(*slides)])))

    return made


class TestStored:
    def cell(self, name):
        return next(cell for cell in notebook().cells if cell.id == name)

    def test_a_picture_has_its_whole_caption_and_its_shape(self):
        assert stored.shown(self.cell("drawn")) == stored.Picture(PNG, "Two words. A dot at 0.5 & no more. The end.", 1)

    def test_a_table_has_one_line_of_names(self):
        rows = [["1", "3", "0.98"], ["uniform", "", "<b>0.08"]]
        assert stored.shown(self.cell("table")) == stored.Table(["layer", "head", "long name"], rows, 2)

    def test_a_name_of_several_columns_is_left_out(self):
        over = '<table><tr><th></th><th colspan="2" halign="left">both</th></tr>'
        table = f"{over}<tr><th></th><th>n</th><th>m</th></tr><tr><th>a</th><td>1</td><td>2</td></tr></table>"
        assert stored.shown(code("t", "t", {"text/html": table})) == stored.Table(["", "n", "m"], [["a", "1", "2"]], 1)

    def test_numbers_of_rows_that_have_no_name_are_left_out(self):
        assert stored.shown(code("t", "t", {"text/html": COUNTED})) == stored.Table(["word"], [["cat"], ["mat"]], 0)

    def test_a_label_of_more_rows_is_there_in_each(self):
        spans = "<tr><th rowspan='2'>a</th><th>0</th><td>x</td></tr><tr><th>1</th><td>y</td></tr>"
        table = f"<table><tr><th></th><th></th><th>n</th></tr>{spans}<tr><th>b</th><th>0</th><td>z</td></tr></table>"
        shown = stored.shown(code("t", "t", {"text/html": table}))
        assert shown == stored.Table(["", "", "n"], [["a", "0", "x"], ["a", "1", "y"], ["b", "0", "z"]], 2)

    def test_what_is_said_is_an_answer_a_caption_or_a_printed_line(self):
        assert stored.words(self.cell("reveal")) == ["The answer is 0.5 < 1.", "So it is!"]
        assert stored.words(self.cell("drawn")) == ["Two words.", "A dot at 0.5 & no more.", "The end."]
        assert stored.words(self.cell("printed")) == [f"one {HOSTILE}", "two"]

    def test_a_line_that_was_broken_for_its_length_is_whole_again(self):
        verdict, listed = "It is right in 0.73 of 60 searches: more often than all others. " * 4, "  Spearman 0.3"
        printed = [fill(verdict, stored.WIDTH, subsequent_indent="  "), "Among these:", listed, "The end."]
        whole = [verdict.strip(), *printed[1:]]
        assert stored.words(code("f", "f", printed="\n".join(printed))) == whole

    def test_a_view_has_its_page_again(self, bert):
        view = views.head_view(bert.read("The cat sat."))
        assert stored.shown(code("v", "v", {"text/plain": views.INSTEAD, views.MIME: view.stored})).page == view.data

    def test_options_are_those_of_the_guess(self):
        assert stored.options(self.cell("guess")) == ["up", "down", "<i>"]
        assert stored.options(code("guess = None  # a whole number", "g")) == ["a whole number"]
        mixed = code('guess = None  # 1, 3 or "an error, or two"', "g")
        assert stored.options(mixed) == ["1", "3", "an error, or two"]


class TestRefused:
    @pytest.mark.parametrize(
        ("entry", "says"),
        [
            ('part = "Look"\nfigure = "drawn"', "it lacks a title"),
            ('title = "A"\nfigure = "drawn"', "it lacks a part of the lesson"),
            ('part = "Looks"\ntitle = "A"', "0 headings of the lesson begin with 'Looks'"),
            ('part = "Look"\ntitle = "A"', "it lacks something to look at"),
            ('part = "Look"\ntitle = "A"\ncode = {cell = "loop"}', "it lacks something to look at"),
            ('part = "Look"\ntitle = "A"\nfigure = "drwn"', "the lesson has no cell 'drwn'"),
            ('part = "Look"\ntitle = "A"\nfigure = "mute"', "cell 'mute' has stored no output; run the notebook"),
            ('part = "Look"\ntitle = "A"\nfigure = "wordless"', "shows a picture without alternative text"),
            ('part = "Look"\ntitle = "A"\nfigure = "two"', "shows 2 outputs of the kind text/html"),
            ('part = "Look"\ntitle = "A"\nfigure = {cell = "drawn", rows = "1"}', "cell 'drawn' shows no table"),
            ('part = "Look"\ntitle = "A"\nfigure = {cell = "table", rows = "3"}', "there are 2"),
            ('part = "Look"\ntitle = "A"\nfigure = {cell = "table", columns = ["hd"]}', "has no column hd"),
            ('part = "Look"\ntitle = "A"\nsays = "mute"', "cell 'mute' says nothing"),
            ('part = "Look"\ntitle = "A"\nsays = {cell = "drawn", sentences = "4"}', "there are 3"),
            ('part = "Look"\ntitle = "A"\nsays = {cell = "drawn", sentences = "3-1"}', "there are 3"),
            (FIGURE + 'code = {cell = "loop", lines = ["z ="]}', "0 lines of cell 'loop' begin with 'z ='"),
            (FIGURE + 'code = {cell = "loop", lines = ["y =", "x ="]}', "in another order"),
            (FIGURE + 'code = {cell = "loop", lines = ["x ="], highlight = ["y ="]}', "one that it leaves out"),
            (FIGURE + 'code = {cell = "first"}\nfigur = "drawn"', "a slide has no figur"),
            (FIGURE + f'caption = "{"x" * 131}"', "a caption has at most 130 letters, and this one 131"),
            (FIGURE + 'points = ["1", "2", "3", "4", "5", "6"]', "it has 6 points"),
            ('part = "Look"\ntitle = "A"\npredict = "drawn"\nnotes = "note"', "cell 'drawn' holds no guess"),
            ('part = "Look"\ntitle = "A"\npredict = "guess"', "it lacks notes, since it asks for a prediction"),
            (FIGURE + 'notes = "drawn"', "cell 'drawn' holds no speaker's notes"),
            (FIGURE + 'notes = "nte"', "the lesson has no cell 'nte'"),
        ],
    )
    def test_a_slide_is_named_with_what_is_wrong(self, read, entry, says):
        with pytest.raises(ValueError, match=r"^07_tests.toml, sitting 7a, slide '.*': [^\n]+\.$") as refused:
            read(entry + "\n")
        assert says in str(refused.value)

    def test_too_many_lines_of_code(self, tmp_path):
        long = notebook()
        long.cells[9].source = "\n".join(f"x{i} = 1" for i in range(9))
        path = tmp_path / "long.toml"
        path.write_text(written(FIGURE + 'code = {cell = "loop"}'), encoding="utf-8")
        with pytest.raises(ValueError, match="it shows 9 lines of code, and a slide has room for 1 to 8"):
            plan.read(path, long)

    def test_a_prediction_without_its_answer_on_the_next_slide(self, read):
        for after in ([], [ASKED, SAID], [SAID + "short = false\n"], [SAID + 'part = "Look"\n']):
            with pytest.raises(
                ValueError, match=r"slide 'Up or down\?': the answer to a prediction stands on the next"
            ):
                read(ASKED, *after)
        assert len(read(ASKED, SAID)) == 2

    def test_a_file_that_holds_no_slides(self, tmp_path):
        for content in ("", "[[sitting", "[[sitting]]\n", "sitting = 1", "more = 1\n" + written(FIGURE)):
            (tmp_path / "x.toml").write_text(content, encoding="utf-8")
            with pytest.raises(ValueError, match=r"^x.toml holds no slides"):
                plan.names(tmp_path / "x.toml")

    def test_what_is_too_large_for_a_slide(self):
        rows = [["a long word"] * 12] * 3
        for figure in (
            stored.Table(["n"] * 12, rows, 0),
            stored.Table(["n"], [["1"]] * 30, 0),
            stored.Printed(["x" * 99]),
        ):
            with pytest.raises(ValueError, match=r"The slide 'A' has too much on it: its \w+ would need letters of"):
                page.deck(plan.Sitting("7a", "7", [Slide("A", "Look", figure=figure)]))


class TestDeck:
    def test_a_figure_its_words_and_no_code(self, deck):
        made = deck(
            FIGURE + 'caption = "Short."\nsays = {cell = "drawn", sentences = "2"}\nnotes = ["note", "Go *on*."]\n'
        )
        _, slide = made.slides
        assert "A dot & x < 1" in slide
        assert "Short." in slide
        assert "A dot at 0.5 & no more." in slide
        assert "Two words" not in slide, "the whole caption is the speaker's"
        assert "draw" not in slide
        assert ("em", {}) in made.tags
        (picture,) = [named for tag, named in made.tags if tag == "img"]
        assert picture == {"src": f"data:image/png;base64,{PNG}", "alt": "Two words. A dot at 0.5 & no more. The end."}
        spoken = " ".join(made.spoken[1].split())
        assert spoken.startswith("2 min. ASK: “Why <b>?” USUALLY SAID: nothing. Go *on*. CAPTION Two words.")
        assert [named for tag, named in made.tags if tag == "strong"] == [{}] * 3, "ASK, USUALLY SAID, CAPTION"

    def test_a_prediction_and_its_answer_are_two_slides_and_the_notes_are_on_the_first(self, deck):
        made = deck(ASKED, SAID)
        assert [word in made.slides[1] for word in ("Predict", "up", "down", "<i>")] == [True] * 4
        assert "answer" not in made.slides[1]
        assert "The answer is 0.5 < 1." in made.slides[2]
        assert ["ASK" in spoken for spoken in made.spoken] == [False, True, False]

    def test_of_a_table_some_rows_and_columns(self, read):
        (slide,) = read(
            'part = "Look"\ntitle = "A"\nfigure = {cell = "table", rows = "2", columns = ["long name", "layer"]}\n'
        )
        assert slide.figure == stored.Table(["layer", "long name"], [["uniform", "<b>0.08"]], 1)

    def test_of_a_table_no_labels_and_of_what_was_printed_some_lines(self, read):
        (slide,) = read('part = "Look"\ntitle = "A"\nfigure = {cell = "printed", rows = "2"}\n')
        assert slide.figure == stored.Printed(["two"])
        cells = Cells(notebook())
        spans = "<tr><th>a</th><th>0</th><td>x</td></tr><tr><th>a</th><th>1</th><td>y</td></tr>"
        table = f"<table><tr><th></th><th></th><th>n</th></tr>{spans}</table>"
        cells.by_id["labelled"] = code("t", "labelled", {"text/html": table})
        entry = {"part": "Look", "title": "A", "figure": {"cell": "labelled", "labels": False}}
        assert read_slide(entry, cells, "").figure == stored.Table(["n"], [["x"], ["y"]], 0)

    def test_what_is_said_stands_where_the_entry_names_it(self, deck):
        says, points = 'says = "reveal"\n', 'points = ["A point."]\n'
        for entry, first in ((says + points, "The answer"), (points + says, "A point")):
            text = deck('part = "Step 1"\ntitle = "It holds"\n' + entry).slides[1]
            assert min(("The answer", "A point"), key=text.index) == first

    def test_code_is_cut_to_the_lines_that_matter(self, deck):
        made = deck(SAID + 'part = "Look"\ncode = {cell = "loop", lines = ["x =", "print"], highlight = ["x ="]}\n')
        assert re.findall(r"x = i  # keep|y = x|\.\.\.|print\(y\)", made.slides[1]) == [
            "x = i  # keep",
            "...",
            "print(y)",
        ]
        marks = [named["class"] for tag, named in made.tags if tag == "span" and named.get("class") in ("hot", "cool")]
        assert marks == ["hot", "cool", "cool"]
        bare = deck(SAID + 'part = "Look"\ncode = {cell = "loop", lines = ["x ="], comments = false}\n')
        assert "keep" not in bare.slides[1]

    def test_all_text_stays_text(self, deck):
        typed = f'part = "Look"\ntitle = "{HOSTILE}"\nfigure = "printed"\npoints = ["{HOSTILE}"]\nnotes = "{HOSTILE}"\n'
        made = deck(typed, 'title = "B"\nfigure = "table"\n')
        assert made.slides[1].count(HOSTILE) == 3
        assert HOSTILE in made.spoken[1]
        assert "<b>0.08" in made.slides[2]
        assert "img" not in [tag for tag, _ in made.tags]
        assert ("b", {}) not in made.tags

    def test_everything_is_in_the_file(self, deck):
        made = deck(FIGURE)
        assert [address for address in made.loads if not address.startswith("data:")] == []
        whole = page.deck(plan.Sitting("7a", "7", [Slide("A", "")]))
        outside = re.sub(r"/\*.*?\*/", "", whole, flags=re.S)
        assert not re.findall(r"(?:url\(|@import|src=|href=)\s*['\"]?(?:https?:)?//[^'\")\s]+", outside)

    def test_the_first_slide_asks_the_lessons_question(self, tmp_path):
        path = tmp_path / "x.toml"
        path.write_text(written(FIGURE), encoding="utf-8")
        assert plan.read(path, notebook())[0].slides[0].title == "Does <it> hold?"
        path.write_text(written(FIGURE, sitting='name = "7b"\ntitle = "Or not?"\n'), encoding="utf-8")
        assert plan.read(path, notebook())[0].slides[0].title == "Or not?"


class TestChoose:
    def test_parts_and_the_short_path(self, read):
        slides = read(FIGURE + "short = false\n", ASKED, SAID, SAID.replace("It", "Ten") + 'part = "Step 10"\n')
        sitting = plan.Sitting("7a", "7", [Slide("Opening", ""), *slides])

        def titles(parts, short=False):
            return [slide.title.split()[0] for slide in plan.choose(sitting, parts, short).slides]

        assert titles([]) == ["Opening", "A", "Up", "It", "Ten"]
        assert titles([], short=True) == ["Opening", "Up", "It", "Ten"]
        assert titles(["step 1"]) == ["Up", "It"], "and not step 10"
        assert titles(["Look", "Step 10"]) == ["A", "Ten"]
        assert titles(["Look"], short=True) == []


@pytest.fixture
def course(tmp_path, monkeypatch):
    """Two short lessons in place of the real ones, each with its slides beside it; and nothing can be run."""
    folder = tmp_path / "course"
    folder.mkdir()
    for number in (7, 8):
        nbformat.write(notebook(), folder / f"0{number}_small.ipynb")
        both = written(FIGURE) + written(ASKED, SAID, sitting='name = "8b"\n')
        slides = written(FIGURE, sitting='name = "7"\n') if number == 7 else both.replace("7a", "8a")
        (folder / f"0{number}_small.toml").write_text(slides, encoding="utf-8")
    nbformat.write(notebook(), folder / "09_without.ipynb")
    monkeypatch.setattr(lessons, "folder", lambda: folder)
    monkeypatch.setattr("nbclient.NotebookClient", lambda *_, **__: pytest.fail("a notebook was run"))
    return folder


class TestBuild:
    def names(self, folder):
        return sorted(path.name for path in folder.iterdir())

    def test_a_deck_for_each_sitting_and_a_page_that_links_them(self, course, tmp_path, capsys, recwarn):
        folder = tmp_path / "a" / "new folder"
        assert main(["decks", str(folder)]) == 0
        said = capsys.readouterr()
        assert said.out == f"3 decks. Open {folder / 'index.html'} in a browser.\n"
        assert said.err == "", "no stray line"
        assert not list(recwarn)
        made = ["7_small.html", "8a_small.html", "8b_small.html"]
        assert self.names(folder) == [*made, "index.html"]
        index = (folder / "index.html").read_text(encoding="utf-8")
        assert Page(index).loads == made
        assert "7 · Tests &amp; decks" in index
        assert "Sitting 8b (3 slides)" in index

    @pytest.mark.parametrize(
        ("options", "made"),
        [
            (["--sitting", "8b"], ["8b_small.html"]),
            (["--sitting", "8"], ["8a_small.html", "8b_small.html"]),
            (["--sitting", "7", "--sitting", "8b"], ["7_small.html", "8b_small.html"]),
            (["--short", "--sitting", "8a"], ["8a_small_short.html"]),
            (["--part", "Step 1"], ["8b_small_step-1.html"]),
        ],
    )
    def test_what_is_chosen_on_the_command_line(self, course, tmp_path, options, made):
        assert main(["decks", str(tmp_path / "decks"), *options]) == 0
        assert self.names(tmp_path / "decks") == [*made, "index.html"]

    def test_what_does_not_exist_is_said_so(self, course, tmp_path, capsys):
        assert main(["decks", str(tmp_path / "decks"), "--sitting", "9"]) == 1
        assert "There are no slides for sitting '9'. There are those for 7, 8a, 8b." in capsys.readouterr().err
        assert main(["decks", str(tmp_path / "decks"), "--part", "Step 5"]) == 1
        assert "No sitting that is chosen has slides of the parts 'Step 5'." in capsys.readouterr().err

    def test_a_notebook_of_ones_own(self, course, tmp_path, capsys):
        (tmp_path / "mine.toml").write_text(written(FIGURE, sitting='name = "1"\n'), encoding="utf-8")
        nbformat.write(notebook(), tmp_path / "mine.ipynb")
        assert main(["decks", str(tmp_path / "decks"), str(tmp_path / "mine.ipynb")]) == 0
        assert self.names(tmp_path / "decks") == ["1_mine.html", "index.html"]
        assert main(["decks", str(tmp_path / "decks"), str(course / "09_without.ipynb")]) == 1
        assert "09_without.ipynb: There are no slides for it." in capsys.readouterr().err

    @pytest.mark.parametrize("broken", ["damaged", "without outputs", "slides"])
    def test_what_makes_no_deck_is_named_and_the_others_are_there(self, course, tmp_path, capsys, broken):
        path = course / "07_small.ipynb"
        if broken == "damaged":
            path.write_text("{", encoding="utf-8")
        elif broken == "without outputs":
            nbformat.write(lessons.without_outputs(notebook()), path)
        else:
            path.with_suffix(".toml").write_text("[[sitting]]\nname = 1", encoding="utf-8")
        says = {
            "damaged": "is no notebook, or a damaged one",
            "without outputs": "slide 'A *dot* & `x < 1`': cell 'drawn' has stored no output; run the notebook",
            "slides": "07_small.toml holds no slides",
        }
        folder = tmp_path / "decks"
        assert main(["decks", str(folder)]) == 1
        said = capsys.readouterr().err
        assert said.startswith("07_small.ipynb: ")
        assert says[broken] in said
        assert "Finished: 08_small.ipynb." in said
        assert Page((folder / "index.html").read_text(encoding="utf-8")).loads == ["8a_small.html", "8b_small.html"]

    def test_an_interrupt_leaves_the_decks_that_were_made_and_a_page_that_links_them(
        self, course, tmp_path, monkeypatch, capsys
    ):
        made = page.deck

        def interrupted(sitting, short):
            if sitting.name == "8b":
                raise KeyboardInterrupt
            return made(sitting, short)

        monkeypatch.setattr(page, "deck", interrupted)
        assert main(["decks", str(tmp_path / "decks")]) == 130
        assert "Interrupted" in capsys.readouterr().err
        assert (tmp_path / "decks" / "8a_small.html").is_file()
        linked = Page((tmp_path / "decks" / "index.html").read_text(encoding="utf-8")).loads
        assert linked == ["7_small.html", "8a_small.html"]

    def test_a_full_disk_leaves_the_old_deck(self, course, tmp_path, full_disk, capsys):
        folder = tmp_path / "decks"
        assert main(["decks", str(folder)]) == 0
        before = (folder / "7_small.html").read_bytes()
        with full_disk():
            assert main(["decks", str(folder)]) == 1
        assert "7_small.html' could not be written" in capsys.readouterr().err
        assert (folder / "7_small.html").read_bytes() == before

    def test_a_folder_that_cannot_be_written_a_link_to_nothing_and_a_file_are_said_so(
        self, course, unwritable, tmp_path, capsys
    ):
        (tmp_path / "link").symlink_to(tmp_path / "gone")
        (tmp_path / "file").touch()
        says = {
            unwritable: "Nothing can be written",
            tmp_path / "link": "does not exist",
            tmp_path / "file": "is a file",
        }
        for folder, words in says.items():
            assert main(["decks", str(folder)]) == 1
            assert words in capsys.readouterr().err

    def test_decks_are_written_anew_and_other_files_stay(self, course, tmp_path):
        (tmp_path / "7_small.html").write_text("old", encoding="utf-8")
        (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
        decks.build(tmp_path)
        assert "A <em>dot</em>" in (tmp_path / "7_small.html").read_text(encoding="utf-8")
        assert (tmp_path / "mine.txt").read_text(encoding="utf-8") == "mine"

    def test_a_missing_package_is_named_with_what_to_do(self, course, tmp_path, monkeypatch, capsys):
        def missing(name):
            raise PackageNotFoundError(name)

        monkeypatch.setattr(page, "distribution", missing)
        assert main(["decks", str(tmp_path / "decks")]) == 1
        said = capsys.readouterr().err
        assert "the package sphinx-revealjs," in said
        assert "bertlab[lab,decks]" in said
        assert not (tmp_path / "decks").exists()
