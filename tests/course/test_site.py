"""The course as pages for students: nothing that is for instructors, nothing from another host, every way leads on."""

import html
import re
import tomllib
from functools import cached_property
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urlsplit

import nbformat
import pytest
from pygments.styles import get_style_by_name

from bertlab.__main__ import main
from bertlab.attention import views
from bertlab.course import notebooks as lessons
from bertlab.course import quiz, slides
from bertlab.course.web import markdown, page
from bertlab.course.web import site as web

PATHS = lessons.paths()
LESSONS = [f"{path.stem}.html" for path in PATHS]
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


class Page(HTMLParser):
    """A page's tags, headings, ids, and what it says: outside of folded parts, and in all."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.headings, self.open, self.folded = [], [], "", ""
        self.inside = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag in ("title", "h1", "h2", "h3", "h4", "h5", "h6"):
            self.headings.append([tag, ""])
        if tag in ("title", "h1", "h2", "h3", "h4", "h5", "h6", "details", "summary", "script", "style"):
            self.inside.append(tag)

    def handle_endtag(self, tag):
        if tag in self.inside:
            del self.inside[len(self.inside) - 1 - self.inside[::-1].index(tag) :]

    def handle_data(self, data):
        if {"script", "style"} & set(self.inside):
            return
        if self.inside and self.inside[-1][0] in "th":
            self.headings[-1][1] += data
        if "details" in self.inside and "summary" not in self.inside:
            self.folded += data
        else:
            self.open += data

    def named(self, tag):
        return [attributes for name, attributes in self.tags if name == tag]

    @property
    def ids(self):
        return [attributes["id"] for _, attributes in self.tags if attributes.get("id")]

    @cached_property
    def said(self):
        return plain(self.open + " " + self.folded)


def plain(text):
    """A text's words and numbers alone, so that markup and line ends make no difference."""
    return " ".join(re.findall(r"\w+", html.unescape(text)))


def sentences(note):
    """The sentences of a speaker's note that are long enough to be nobody else's."""
    said = (plain(sentence) for sentence in re.split(r"[.?!:]\s|\n", note))
    return [sentence for sentence in said if len(sentence.split()) > 6]


def cells(of_notes):
    """The sources of all lessons' cells that are notes, or of all that are not."""
    found = [cell for path in PATHS for cell in lessons.read(path).cells]
    return [cell.source for cell in found if lessons.is_note(cell) == of_notes]


def on_slides():
    """What is typed for the slides to show: a slide may ask what a note says to ask."""
    files = [tomllib.loads(path.read_text("utf-8")) for path in Path(slides.__file__).parent.glob("*.toml")]
    shown = [slide for file in files for sitting in file["sitting"] for slide in sitting["slide"]]
    return [text for slide in shown for text in (slide["title"], *slide.get("points", []), slide.get("caption", ""))]


def own(pages):
    """The pages but for the slides, whose tests are in test_decks.py."""
    return {name: read for name, read in pages.items() if not name.startswith("slides/")}


@pytest.fixture(scope="session")
def pages(site):
    """Every page of the site by its name, read."""
    found = sorted(site.rglob("*.html"))
    return {str(path.relative_to(site)): Page(path.read_text("utf-8")) for path in found}


class TestForStudents:
    def test_every_lesson_its_slides_the_quiz_and_the_page_of_python_are_there(self, pages):
        assert {"index.html", "python_and_torch.html", *LESSONS} == {name for name in pages if "/" not in name}
        assert {name for name in pages if name.startswith("quiz/")} == {"quiz/form-a.html", "quiz/form-b.html"}
        assert "slides/index.html" in pages
        assert len([name for name in pages if name.startswith("slides/")]) > 1

    def test_no_page_holds_a_word_of_the_speakers_notes(self, pages):
        lesson = plain(" ".join([*cells(of_notes=False), *on_slides()]))  # a note may quote it
        asked = [said for note in cells(of_notes=True) for said in sentences(note) if said not in lesson]
        assert len(asked) > 500
        for name, read in pages.items():
            assert [sentence for sentence in asked if sentence in read.said] == [], name

    def test_no_page_promises_notes(self, pages):
        assert "Esc shows all slides" in pages["slides/index.html"].open
        assert not [name for name, read in pages.items() if "speaker's view" in read.open]

    def test_the_search_for_notes_would_find_them(self):
        for note in cells(of_notes=True):
            said = Page(markdown.to_html(note)).said
            assert [sentence for sentence in sentences(note) if sentence not in said] == []

    @pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
    def test_no_page_holds_a_solution(self, pages, path):
        source = lessons.solutions_of(path)
        stubs = lessons.tagged(lessons.read(path), "exercise")
        answers = [plain(lessons.solutions(source)[name]) for cell in stubs for name in lessons.solutions(cell.source)]
        assert len(answers) == 3
        for name, read in pages.items():
            assert not [answer for answer in answers if answer in read.said], name

    def test_no_page_holds_the_quiz_key(self, pages):
        reasons = [option.reason for form in quiz.FORMS for q in quiz.questions(form) for option in q.options.values()]
        long = [plain(reason) for reason in reasons if len(reason.split()) > 6]
        assert len(long) > 40
        keys = Page(quiz.key("A")).said
        assert sum(reason in keys for reason in long) > 20, "so that a reason would be found"
        for name, read in pages.items():
            assert [reason for reason in long if reason in read.said] == [], name

    def test_what_a_lesson_shows_is_there_and_answers_to_predictions_are_folded(self, pages):
        answers = 0
        for path, name in zip(PATHS, LESSONS, strict=True):
            outputs = [output for cell in lessons.read(path).cells for output in cell.get("outputs", [])]
            pictures = sum("image/png" in output.get("data", {}) for output in outputs)
            assert len(pages[name].named("img")) == pictures > 5
            drawn = sum(views.MIME in output.get("data", {}) for output in outputs)
            assert len(pages[name].named("iframe")) == drawn
            for output in outputs:
                assert plain(output.get("text", "")) in pages[name].said
                for answer in re.findall(r"The answer</summary>(.+?)</details>", str(output.get("data"))):
                    assert plain(answer) in plain(pages[name].folded)
                    assert plain(answer) not in plain(pages[name].open)
                    answers += 1
            assert not [attributes for attributes in pages[name].named("details") if "open" in attributes]
        assert answers > 20


class TestPages:
    def test_nothing_is_loaded_from_another_host(self, site, pages):
        for name, read in pages.items():
            loaded = [attributes.get("src") for _, attributes in read.tags if "src" in attributes]
            loaded += [attributes.get("href") for attributes in read.named("link")]
            loaded += [attributes.get("data") for attributes in read.named("object")]
            for address in loaded:
                assert address.startswith("data:") or (site / name).parent.joinpath(address).is_file(), (name, address)
            source = re.sub(r"/\*.*?\*/", "", (site / name).read_text("utf-8"), flags=re.S)
            assert not re.findall(r"(?:url\(|import |srcset=)\s*['\"]?(?:https?:)?//[^'\")\s]+", source), name
            if not name.startswith("slides/"):
                assert read.named("script") == [], "a page needs no script but those in its views"

    def test_links_lead_somewhere(self, site, pages):
        count = 0
        for name, read in pages.items():
            for address in (attributes["href"] for attributes in read.named("a")):
                parts = urlsplit(address)
                if parts.scheme or (name.startswith("slides/") and address.startswith("#")):
                    continue
                count += 1
                path = (site / name).parent / parts.path if parts.path else site / name
                assert path.is_file(), (name, address)
                target = str(path.resolve().relative_to(site.resolve()))
                assert not parts.fragment or parts.fragment in pages[target].ids, (name, address)
        assert count > 150

    def test_the_lessons_are_a_chain_and_the_first_page_leads_to_all(self, pages):
        def ways(name, relation):
            return {attributes["href"] for attributes in pages[name].named("a") if attributes.get("rel") == relation}

        assert [ways(name, "next") for name in LESSONS] == [*({name} for name in LESSONS[1:]), set()]
        assert [ways(name, "prev") for name in LESSONS] == [set(), *({name} for name in LESSONS[:-1])]
        linked = {attributes["href"] for attributes in pages["index.html"].named("a")}
        assert linked >= {*LESSONS, "python_and_torch.html", "slides/index.html", "quiz/form-a.html"}
        for name in LESSONS:
            assert "index.html" in {attributes["href"] for attributes in pages[name].named("a")}

    def test_titles_headings_and_language(self, pages):
        titles = set()
        for name, read in own(pages).items():
            (title_tag, title), (first, heading), *rest = read.headings
            assert (title_tag, first) == ("title", "h1")
            assert heading.strip() in title
            titles.add(title)
            level = 1
            for tag, _ in rest:
                assert 2 <= int(tag[1]) <= level + 1, (name, tag)
                level = int(tag[1])
            assert read.named("html")[0]["lang"] == "en", name
            assert len(set(read.ids)) == len(read.ids), name
            assert "width=device-width" in str(read.named("meta")), name
        assert len(titles) == len(own(pages)), "no two pages have one title"

    def test_every_picture_and_view_has_words(self, pages):
        for name, read in pages.items():
            for image in read.named("img"):
                assert len(image["alt"].split()) > 5, name
                assert "No description" not in image["alt"]
            assert all(frame["title"] for frame in read.named("iframe"))

    def test_pages_are_light(self, site):
        assert max((site / name).stat().st_size for name in LESSONS) < 2_000_000

    def test_code_can_be_read_on_its_ground(self):
        def luminance(colour):
            parts = [int(colour[i : i + 2], 16) / 255 for i in (0, 2, 4)]
            red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
            return 0.2126 * red + 0.7152 * green + 0.0722 * blue

        style = page.STYLE.read_text("utf-8")
        (ground,) = set(re.findall(r"background: #(\w{6})", style))
        colours = {token["color"] for _, token in get_style_by_name(page.CODE_STYLE) if token["color"]}
        colours |= set(re.findall(r" color: #(\w{6})", style))
        assert len(colours) > 5
        for colour in colours:  # WCAG 2.2, 1.4.3
            assert (luminance(ground) + 0.05) / (luminance(colour) + 0.05) >= 4.5, colour


class TestMarkdown:
    def test_formulas_are_mathml(self):
        made = markdown.to_html(r"So $\frac{a}{b} < 1$, and" "\n\n" r"$$\sqrt{d}$$" "\n")
        inline, block = re.findall(r"<math.*?</math>", made, re.S)
        assert re.search(r"<mfrac>\s*<mi>a</mi>\s*<mi>b</mi>\s*</mfrac>", inline)
        assert "&lt;" in inline
        assert 'display="block"' not in inline
        assert "<msqrt>" in block
        assert 'display="block"' in block
        assert "$" not in made

    def test_rows_of_formulas(self):
        made = markdown.to_html("\\begin{align*}a &= b \\\\ c &= d\\end{align*}\n")
        assert made.count("<mtr>") == 2

    def test_dollars_in_code_stay(self):
        assert markdown.to_html("`$x$`") == "<p><code>$x$</code></p>\n"

    def test_a_formula_that_cannot_be_written_is_named(self):
        with pytest.raises(ValueError, match=r"formula '\\\\nosuch' cannot be written as MathML: .*nosuch"):
            markdown.to_html(r"See $\nosuch$.")

    @pytest.mark.parametrize(
        ("link", "leads"),
        [
            ("02_pooler.ipynb", "02_pooler.html"),
            ("python_and_torch.md#shape", "python_and_torch.html#shape"),
            ("https://example.org/a.ipynb", "https://example.org/a.ipynb"),
            ("table.csv", "table.csv"),
        ],
    )
    def test_links_to_lessons_lead_to_pages(self, link, leads):
        assert f'href="{leads}"' in markdown.to_html(f"[there]({link})")


def notebook(*cells, title="# 7 · Tests & pages\n\n**Do they work?**\n\n5 + 5 minutes · builds on nothing"):
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(title), *cells])


def code(source, data, **metadata):
    outputs = [nbformat.v4.new_output("display_data", data, metadata=metadata)]
    return nbformat.v4.new_code_cell(source, outputs=outputs, execution_count=1)


class TestBody:
    def test_notes_are_left_out_and_the_notebook_is_not_changed(self):
        note = nbformat.v4.new_markdown_cell("Wait for hands.", metadata={"slideshow": {"slide_type": "notes"}})
        small = notebook(note, nbformat.v4.new_markdown_cell("## Look"))
        before = nbformat.writes(small)
        body = page.body(small)
        assert "hands" not in body
        assert '<a href="#look">Look</a>' in body
        assert nbformat.writes(small) == before

    def test_what_was_printed_stays_text_and_scripts_are_left_out(self):
        hostile = "<script>document.title='owned'</script>"
        body = page.body(
            notebook(
                code(f"print({hostile!r})", {"text/plain": hostile}),
                code("x", {"application/javascript": "alert(1)", "text/plain": "x"}),
            )
        )
        assert body.count("&lt;script&gt;") == 2
        assert "<script" not in body
        assert "alert" not in body

    def test_a_picture_has_its_words(self):
        body = page.body(notebook(code("draw()", {"image/png": PNG}, **{"image/png": {"alt": "A < B, as drawn"}})))
        assert Page(body).named("img")[0]["alt"] == "A < B, as drawn"

    def test_a_stored_view_has_its_page_and_a_damaged_one_is_refused(self, bert):
        view = views.head_view(bert.read("The cat sat."))
        body = page.body(notebook(code("view", {"text/plain": views.INSTEAD, views.MIME: view.stored})))
        assert Page(body).named("iframe") == Page(view.data).named("iframe")
        with pytest.raises(ValueError, match="no stored view, or a damaged one"):
            page.body(notebook(code("view", {views.MIME: "{}"})))

    def test_a_notebook_that_was_not_run_is_refused(self):
        with pytest.raises(ValueError, match="1 of its 1 cells with code were not run"):
            page.body(notebook(nbformat.v4.new_code_cell("1 + 1"), nbformat.v4.new_code_cell(" ")))

    def test_a_title_is_text(self):
        read = Page(page.write("<b> & co", "<h1>x</h1>", after=page.Place("2.html", "<i>"), top="index.html"))
        assert read.headings[0] == ["title", "<b> & co | bertlab"]
        assert read.named("i") == []


@pytest.fixture
def course(tmp_path, monkeypatch):
    """Two short lessons in place of the real ones."""
    folder = tmp_path / "course"
    folder.mkdir()
    for number in (1, 2):
        small = notebook(code(f"print({number})", {"text/plain": f"stored, lesson {number}"}))
        nbformat.write(small, folder / f"0{number}_small.ipynb")
    monkeypatch.setattr(lessons, "folder", lambda: folder)
    monkeypatch.setattr(web, "_write_slides", lambda destination: destination / "index.html")
    return folder


class TestCommand:
    def test_it_says_what_to_open(self, course, tmp_path, capsys):
        folder = tmp_path / "new" / "site"
        assert main(["site", str(folder)]) == 0
        assert f"2 lessons, their slides and the quiz. Open {folder / 'index.html'}" in capsys.readouterr().out
        index = (folder / "index.html").read_text("utf-8")
        assert '<a href="02_small.html">7 · Tests &amp; pages</a>' in index
        assert "Do they work?" in index
        assert "5 + 5 minutes" in index

    def test_a_lesson_that_makes_no_page_is_named_and_the_others_are_there(self, course, tmp_path, capsys):
        nbformat.write(notebook(nbformat.v4.new_markdown_cell(r"$\nosuch$")), course / "01_small.ipynb")
        assert main(["site", str(tmp_path / "site")]) == 1
        said = capsys.readouterr().err
        assert re.search(r"^01_small.ipynb: The formula .*nosuch.*\nFinished: 02_small.html.$", said, re.M)
        assert not (tmp_path / "site" / "01_small.html").exists()

    def test_a_file_in_the_way_is_said_so(self, course, tmp_path, capsys):
        (tmp_path / "site").write_text("", encoding="utf-8")
        assert main(["site", str(tmp_path / "site")]) == 1
        assert "is a file" in capsys.readouterr().err
