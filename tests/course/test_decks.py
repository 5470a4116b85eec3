"""Decks: what is on which slide, the notes, no request to the web, and clear words where something is missing."""

import re
from html.parser import HTMLParser
from importlib.metadata import PackageNotFoundError

import nbformat
import pytest

from bertlab.__main__ import main
from bertlab.attention import views
from bertlab.course import decks
from bertlab.course import notebooks as lessons

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
TABLE = "<table><tbody>" + "<tr><td>1</td></tr>" * 5 + "</tbody></table>"


def text(source, kind="-"):
    return nbformat.v4.new_markdown_cell(source, metadata={"slideshow": {"slide_type": kind}})


def code(source, *outputs, kind="-", tags=()):
    made = [nbformat.v4.new_output("display_data", data) for data in outputs]
    metadata = {"slideshow": {"slide_type": kind}, "tags": list(tags)}
    return nbformat.v4.new_code_cell(source, outputs=made, metadata=metadata)


def notebook(*cells):
    return nbformat.v4.new_notebook(cells=[text("# 7 · Tests & decks", "slide"), *cells])


class Slides(HTMLParser):
    """Read a deck's slides, each as its text, without and with the speaker's notes; and what the page loads."""

    def __init__(self, page):
        super().__init__()
        self.depth, self.notes, self.silent = 0, False, False
        self.slides, self.spoken, self.loads, self.tags = [], [], [], []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        named = dict(attributes)
        self.tags.append((tag, named))
        self.loads += [named[name] for name in ("src", "href") if named.get(name)]
        self.notes |= tag == "aside"
        self.silent = tag in ("script", "style")
        if tag == "section":
            self.depth += 1
            if self.depth == 2:
                self.slides.append("")
                self.spoken.append("")

    def handle_endtag(self, tag):
        self.notes &= tag != "aside"
        self.silent = False
        self.depth -= tag == "section"

    def handle_data(self, data):
        if self.depth == 2 and not self.silent:
            (self.spoken if self.notes else self.slides)[-1] += data


def read(*cells):
    return Slides(decks.deck(notebook(*cells)))


class TestDeck:
    def test_slide_types_make_the_slides(self):
        page = read(text("one"), text("two", "subslide"), text("three", "fragment"), text("four", "skip"), code("five"))
        assert [re.findall(r"Tests|one|two|three|four|five", slide) for slide in page.slides] == [
            ["Tests", "one"],
            ["two", "three", "five"],
        ]

    def test_notes_are_the_speakers_alone(self):
        page = read(text("asked", "subslide"), text("Wait for *three* hands.", "notes"))
        assert "hands" not in "".join(page.slides)
        assert page.spoken[1].split() == ["Wait", "for", "three", "hands."]
        assert page.spoken[0] == ""

    def test_nothing_is_asked_of_the_web(self):
        page = decks.deck(notebook(code("1 + 1", {"text/plain": "2"}), text("| a |\n|---|\n| b |")))
        loads = [address for address in Slides(page).loads if not address.startswith("#")]
        assert loads
        assert [address for address in loads if not address.startswith("reveal/")] == []
        outside = re.sub(r"/\*.*?\*/", "", page, flags=re.S)  # what is left of comments in style sheets
        assert not re.findall(r"(?:url\(|import|src=|href=)\s*['\"]?(?:https?:)?//[^'\")\s]+", outside)
        for name in ("mathjax", "require.min", "jquery", "mermaid.initialize", "cdn"):
            assert name not in page.lower().replace("mathjax_ignore", "").replace("tex2jax", "")

    def test_the_page_has_the_lessons_title_size_and_style(self):
        page = decks.deck(notebook())
        assert "<title>7 · Tests &amp; decks slides</title>" in page
        assert "width: 1280, height: 720" in page
        assert 'slideNumber: "c/t"' in page
        assert (lessons.folder() / "rise.css").read_text(encoding="utf-8").strip() in page

    def test_what_a_cell_printed_or_a_table_holds_stays_text(self):
        hostile = "<script>document.title='owned'</script><img src=x onerror=alert(1)>"
        page = read(code("x", {"text/plain": hostile}), code(f"print({hostile!r})"))
        assert hostile in page.slides[0]
        assert ("img", {"src": "x", "onerror": "alert(1)"}) not in page.tags

    def test_the_notebook_is_not_changed(self):
        small = notebook(code("draw_map()", {"image/png": PNG}), text("said", "notes"))
        before = nbformat.writes(small)
        decks.deck(small)
        assert nbformat.writes(small) == before


class TestViews:
    @pytest.fixture
    def view(self, bert):
        return views.model_view(bert.read("The cat sat."), layers=[0, 2])

    def test_a_stored_view_has_its_page_again(self, view):
        stored = code("views.model_view(reading)", {"text/plain": views.INSTEAD, views.MIME: view.stored})
        page = read(stored)
        (frame,) = [attributes for tag, attributes in page.tags if tag == "iframe"]
        assert ("iframe", frame) in Slides(view.data).tags
        assert views.INSTEAD not in page.slides[0]
        assert "text/html" not in stored.outputs[0].data, "the notebook is not changed"

    def test_a_view_that_was_stored_with_its_page_is_there_once(self, view):
        whole = code("views.model_view(reading)", view._repr_mimebundle_())
        assert [tag for tag, _ in read(whole).tags].count("iframe") == 1

    def test_a_damaged_view_is_refused(self):
        with pytest.raises(ValueError, match="no stored view, or a damaged one"):
            read(code("views.model_view(reading)", {views.MIME: "{}"}))


class TestSpread:
    def shown(self, *cells):
        """Return (slide type, source, number of outputs) of the cells after spreading, without the title."""
        spread = decks.spread(notebook(*cells)).cells[1:]
        return [(lessons.slide_type(cell), cell.source, len(cell.get("outputs", []))) for cell in spread]

    def test_a_figure_stands_with_its_caption_on_a_slide_of_its_own(self):
        figure = code("draw_map()", {"image/png": PNG}, {"text/html": "<p>A caption</p>"}, kind="-")
        assert self.shown(figure) == [("-", "draw_map()", 0), ("subslide", "draw_map()", 2)]
        page = read(figure)
        assert ["draw" in slide for slide in page.slides] == [True, False]
        assert ["A caption" in slide for slide in page.slides] == [False, True]

    @pytest.mark.parametrize("kind", ["slide", "subslide", "fragment"])
    def test_the_source_keeps_its_place(self, kind):
        assert [cell[0] for cell in self.shown(code("draw_map()", {"image/png": PNG}, kind=kind))] == [kind, "subslide"]

    def test_short_code_and_little_output_stay_together(self):
        for output in ({"text/plain": "2"}, {"text/html": TABLE}, {"text/html": "<iframe></iframe>"}):
            assert len(self.shown(code("1 + 1", output))) == 1

    def test_long_code_with_a_table_or_a_view_does_not(self):
        twelve = "\n".join("abcdefghijkl")
        for output in (
            {"text/html": TABLE},
            {"text/plain": "1\n2\n3\n4\n5\n6\n7\n8"},
            {"text/html": "<iframe></iframe>"},
        ):
            assert len(self.shown(code(twelve, output))) == 2
        assert len(self.shown(code(twelve, {"text/plain": "2"}))) == 1

    def test_what_is_printed_counts_too(self):
        cell = code("for i in range(30):\n    print(i)")
        cell.outputs = [nbformat.v4.new_output("stream", name="stdout", text="\n" * 30)]
        assert len(self.shown(cell)) == 2

    def test_notes_are_on_both_slides(self):
        figure = code("draw_map()", {"image/png": PNG}, kind="subslide")
        page = read(figure, text("Say this.", "notes"), text("after", "subslide"))
        assert [spoken.strip() for spoken in page.spoken] == ["", "Say this.", "Say this.", ""]

    def test_ids_stay_unique(self):
        spread = decks.spread(notebook(code("draw_map()", {"image/png": PNG}), text("note", "notes")))
        ids = [cell.id for cell in spread.cells]
        assert len(set(ids)) == len(ids)


@pytest.fixture
def course(tmp_path, monkeypatch):
    """Two short lessons in place of the real ones, with outputs that no run would give; and nothing can be run."""
    folder = tmp_path / "course"
    folder.mkdir()
    for number in (1, 2):
        small = notebook(code(f"print({number})", {"text/plain": f"stored, lesson {number}"}))
        small.cells[1].execution_count = 1
        nbformat.write(small, folder / f"0{number}_small.ipynb")
    (folder / "rise.css").write_text("/* style */", encoding="utf-8")
    monkeypatch.setattr(lessons, "folder", lambda: folder)
    monkeypatch.setattr("nbclient.NotebookClient", lambda *_, **__: pytest.fail("a notebook was run"))
    return folder


class TestBuild:
    def test_every_lesson_is_linked_and_reveal_is_beside_it(self, course, tmp_path, capsys):
        folder = tmp_path / "a" / "new folder"
        assert main(["decks", str(folder)]) == 0
        assert str(folder / "index.html") in capsys.readouterr().out
        assert sorted(path.name for path in folder.iterdir()) == [
            "01_small.html",
            "02_small.html",
            "index.html",
            "reveal",
        ]
        index = (folder / "index.html").read_text(encoding="utf-8")
        assert '<a href="02_small.html">7 · Tests &amp; decks</a>' in index
        for number in (1, 2):
            page = Slides((folder / f"0{number}_small.html").read_text(encoding="utf-8"))
            assert f"stored, lesson {number}" in page.slides[0]
            for address in page.loads:
                assert address.startswith("#") or (folder / address).is_file(), address
        assert "Permission is hereby granted" in (folder / "reveal" / "LICENSE").read_text(encoding="utf-8")

    def test_notebooks_of_ones_own(self, course, tmp_path):
        mine = (course / "01_small.ipynb").rename(tmp_path / "mine.ipynb")
        folder = tmp_path / "decks"
        assert main(["decks", str(folder), str(mine)]) == 0
        assert sorted(path.name for path in folder.iterdir()) == ["index.html", "mine.html", "reveal"]
        assert '<a href="mine.html">' in (folder / "index.html").read_text(encoding="utf-8")

    @pytest.mark.parametrize("broken", ["damaged", "never run"])
    def test_a_notebook_that_makes_no_deck_is_named_and_the_others_are_there(self, course, tmp_path, capsys, broken):
        if broken == "damaged":
            (course / "01_small.ipynb").write_text("{", encoding="utf-8")
        else:
            nbformat.write(notebook(code("1"), code("  "), code("2")), course / "01_small.ipynb")
        says = {"damaged": "is no notebook, or a damaged one", "never run": "2 of its 2 cells with code were not run"}
        folder = tmp_path / "decks"
        assert main(["decks", str(folder)]) == 1
        said = capsys.readouterr().err
        assert re.search(rf"^01_small.ipynb: .*{says[broken]}", said)
        assert "Finished: 02_small.html." in said
        index = Slides((folder / "index.html").read_text(encoding="utf-8"))
        assert index.loads == ["02_small.html"]
        assert not (folder / "01_small.html").exists()

    def test_an_interrupt_leaves_the_decks_that_were_made_and_a_page_that_links_them(
        self, course, tmp_path, monkeypatch, capsys
    ):
        made = decks.deck

        def interrupted(lesson):
            if "lesson 2" in str(lesson):
                raise KeyboardInterrupt
            return made(lesson)

        monkeypatch.setattr(decks, "deck", interrupted)
        assert main(["decks", str(tmp_path / "decks")]) == 130
        assert "Interrupted" in capsys.readouterr().err
        assert (tmp_path / "decks" / "01_small.html").is_file()
        assert Slides((tmp_path / "decks" / "index.html").read_text(encoding="utf-8")).loads == ["01_small.html"]

    def test_a_full_disk_is_said_so(self, course, tmp_path, full_disk, capsys):
        with full_disk():
            assert main(["decks", str(tmp_path / "decks")]) == 1
        said = capsys.readouterr().err
        assert re.fullmatch(
            r"reveal.js could not be copied into '.+decks': [^\n]+\. See to that and try again.\n", said
        )

    def test_a_full_disk_leaves_the_old_deck(self, course, tmp_path, full_disk, monkeypatch):
        path = decks.write(course / "01_small.ipynb", tmp_path / "decks")
        before = path.read_bytes()
        monkeypatch.setattr(decks, "_copy_reveal", lambda folder: None)  # it would be the first to stop
        with full_disk(), pytest.raises(OSError, match=r"01_small.html' could not be written"):
            decks.write(course / "01_small.ipynb", tmp_path / "decks")
        assert path.read_bytes() == before

    def test_a_folder_that_cannot_be_written_or_a_link_to_nothing_is_said_so(
        self, course, unwritable, tmp_path, capsys
    ):
        (tmp_path / "link").symlink_to(tmp_path / "gone")
        for folder, says in [(unwritable, "Nothing can be written"), (tmp_path / "link", "which does not exist")]:
            assert main(["decks", str(folder)]) == 1
            assert says in capsys.readouterr().err

    def test_decks_are_written_anew(self, course, tmp_path):
        (tmp_path / "01_small.html").write_text("old", encoding="utf-8")
        (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
        decks.write(course / "01_small.ipynb", tmp_path)
        assert "stored, lesson 1" in (tmp_path / "01_small.html").read_text(encoding="utf-8")
        assert (tmp_path / "mine.txt").read_text(encoding="utf-8") == "mine"

    def test_a_file_in_the_way_is_said_so(self, tmp_path, capsys):
        (tmp_path / "decks").write_text("", encoding="utf-8")
        assert main(["decks", str(tmp_path / "decks")]) == 1
        assert "is a file" in capsys.readouterr().err

    @pytest.mark.parametrize("package", decks.PACKAGES)
    def test_a_missing_package_is_named_with_what_to_do(self, tmp_path, monkeypatch, capsys, package):
        installed = decks.distribution

        def distribution(name):
            if name == package:
                raise PackageNotFoundError(name)
            return installed(name)

        monkeypatch.setattr(decks, "distribution", distribution)
        assert main(["decks", str(tmp_path / "decks")]) == 1
        said = capsys.readouterr().err
        assert f"the package {package}," in said
        assert "bertlab[lab,decks]" in said
        assert not (tmp_path / "decks").exists()
