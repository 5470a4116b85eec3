"""The course as pages for students: nothing that is for instructors, nothing from another host, every way leads on."""

import html
import re
import tomllib
from itertools import pairwise
from urllib.parse import urlsplit

import nbformat
import pytest
from pygments.styles import get_style_by_name

from bertlab.__main__ import main
from bertlab.attention import views
from bertlab.course import notebooks as lessons
from bertlab.course import quiz
from bertlab.course.web import markdown, markup, page
from bertlab.course.web import site as web
from pages import HOSTILE, code, loaded, notebook, text, words
from pages import page as tree

PATHS = lessons.paths()
LESSONS = [f"{path.stem}.html" for path in PATHS]


def sentences(note):
    """The sentences of a speaker's note that are long enough to be nobody else's."""
    said = (words(sentence) for sentence in re.split(r"[.?!:]\s|\n", note))
    return [sentence for sentence in said if len(sentence.split()) > 6]


def cells(of_notes):
    """The sources of all lessons' cells that are notes, or of all that are not."""
    every = [cell for path in PATHS for cell in lessons.read(path).cells]
    return [cell.source for cell in every if lessons.is_note(cell) == of_notes]


def on_slides():
    """What is typed for the slides to show: a slide may ask what a note says to ask."""
    files = [tomllib.loads(path.read_text("utf-8")) for path in lessons.folder().glob("*.slides.toml")]
    shown = [slide for file in files for sitting in file["sitting"] for slide in sitting["slide"]]
    return [text for slide in shown for text in (slide["title"], *slide.get("points", []), slide.get("caption", ""))]


@pytest.fixture(scope="session")
def pages(site):
    """Every page of the site by its name, as a tree."""
    return {str(path.relative_to(site)): tree(path.read_text("utf-8")) for path in sorted(site.rglob("*.html"))}


@pytest.fixture(scope="session")
def said(pages):
    """What every page says, in words."""
    return {name: words(" ".join(tree.find_all(string=True))) for name, tree in pages.items()}


class TestForStudents:
    def test_every_lesson_its_slides_the_quiz_and_the_page_of_python_are_there(self, pages):
        assert {"index.html", "python_and_torch.html", *LESSONS} == {name for name in pages if "/" not in name}
        assert {name for name in pages if name.startswith("quiz/")} == {"quiz/form-a.html", "quiz/form-b.html"}
        assert len([name for name in pages if name.startswith("slides/")]) > len(LESSONS)

    def test_no_page_holds_a_word_of_the_speakers_notes(self, pages, said):
        lesson = words(" ".join([*cells(of_notes=False), *on_slides()]))  # a note may quote it
        notes = [sentence for note in cells(of_notes=True) for sentence in sentences(note) if sentence not in lesson]
        assert len(notes) > 500
        for name, spoken in said.items():
            assert [sentence for sentence in notes if sentence in spoken] == [], name
            assert "speaker's view" not in pages[name].text

    def test_no_page_holds_a_solution_or_the_quiz_key(self, said):
        hidden = []
        for path in PATHS:
            answers = lessons.solutions(lessons.solutions_of(path))
            stubs = lessons.tagged(lessons.read(path), "exercise")
            hidden += [answers[name] for cell in stubs for name in lessons.solutions(cell.source)]
        assert len(hidden) == 3 * len(PATHS)
        reasons = [option.reason for form in quiz.FORMS for q in quiz.questions(form) for option in q.options.values()]
        hidden += [reason for reason in reasons if len(reason.split()) > 6]
        assert len(hidden) > 60
        for name, spoken in said.items():
            assert not [secret for secret in map(words, hidden) if secret in spoken], name

    def test_what_a_lesson_shows_is_there_and_answers_to_predictions_are_folded(self, pages, said):
        count = 0
        for path, name in zip(PATHS, LESSONS, strict=True):
            outputs = [output for cell in lessons.read(path).cells for output in cell.get("outputs", [])]
            bundles = [output.get("data", {}) for output in outputs]
            assert len(pages[name].find_all("img")) == sum("image/png" in data for data in bundles) > 5
            assert len(pages[name].find_all("iframe")) == sum(views.MIME in data for data in bundles)
            assert all(words(output.get("text", "")) in said[name] for output in outputs)
            folds = pages[name].find_all("details")
            assert not [fold for fold in folds if fold.has_attr("open")]
            folded = " ".join(words(fold.text) for fold in folds)
            answers = re.findall(r"The answer</summary>(.+?)</details>", " ".join(map(str, bundles)))
            assert all(words(html.unescape(answer)) in folded for answer in answers)
            count += len(answers)
        assert count > 20


class TestPages:
    def test_nothing_is_loaded_from_another_host(self, pages):
        for name, read in pages.items():
            assert loaded(read) == [], name
            assert name.startswith("slides/") or not read.find_all("script"), "only views have scripts, of their own"

    def test_links_lead_somewhere(self, site, pages):
        count = 0
        for name, read in pages.items():
            for address in (link["href"] for link in read.find_all("a")):
                parts = urlsplit(address)
                if parts.scheme or (name.startswith("slides/") and address.startswith("#")):
                    continue
                count += 1
                path = (site / name).parent / parts.path if parts.path else site / name
                assert path.is_file(), (name, address)
                target = pages[str(path.resolve().relative_to(site.resolve()))]
                assert not parts.fragment or target.find(id=parts.fragment), (name, address)
        assert count > 150

    def test_the_lessons_are_a_chain_and_the_first_page_leads_to_all(self, pages):
        def ways(name, relation):
            return {link["href"] for link in pages[name].find_all("a", rel=relation)}

        assert [ways(name, "next") for name in LESSONS] == [*({name} for name in LESSONS[1:]), set()]
        assert [ways(name, "prev") for name in LESSONS] == [set(), *({name} for name in LESSONS[:-1])]
        linked = {link["href"] for link in pages["index.html"].find_all("a")}
        assert linked >= {*LESSONS, "python_and_torch.html", "slides/index.html", "quiz/form-a.html"}
        assert all(pages[name].find("a", href="index.html") for name in LESSONS)

    def test_titles_headings_and_language(self, pages):
        own = {name: page for name, read in pages.items() if not name.startswith("slides/")}
        for name, read in own.items():
            first, *rest = [(int(heading.name[1]), heading.text) for heading in read.find_all(re.compile(r"^h\d$"))]
            assert first[0] == 1
            assert first[1].strip() in read.title.text
            levels = [1, *(level for level, _ in rest)]
            assert all(2 <= after <= before + 1 for before, after in pairwise(levels)), name
            assert read.html["lang"] == "en"
            ids = [tag["id"] for tag in read.find_all(id=True)]
            assert len(set(ids)) == len(ids), name
        assert len({read.title.text for read in own.values()}) == len(own), "no two pages have one title"

    def test_every_picture_and_view_has_words(self, pages):
        for name, read in pages.items():
            assert all(len(image["alt"].split()) > 5 for image in read.find_all("img")), name
            assert all(frame["title"] for frame in read.find_all("iframe")), name

    def test_code_can_be_read_on_its_ground(self):
        def luminance(colour):
            parts = [int(colour[i : i + 2], 16) / 255 for i in (0, 2, 4)]
            red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
            return 0.2126 * red + 0.7152 * green + 0.0722 * blue

        style = (markup.TEMPLATES / "page.css").read_text("utf-8")
        (ground,) = set(re.findall(r"background: #(\w{6})", style))
        colours = {token["color"] for _, token in get_style_by_name(page.CODE_STYLE) if token["color"]}
        colours |= set(re.findall(r" color: #(\w{6})", style))
        for colour in colours:  # WCAG 2.2, 1.4.3
            assert (luminance(ground) + 0.05) / (luminance(colour) + 0.05) >= 4.5, colour


@pytest.mark.parametrize(
    ("link", "leads"),
    [
        ("02_pooler.ipynb", "02_pooler.html"),
        ("python_and_torch.md#shape", "python_and_torch.html#shape"),
        ("https://example.org/a.ipynb", "https://example.org/a.ipynb"),
        ("table.csv", "table.csv"),
    ],
)
def test_links_to_lessons_lead_to_pages(link, leads):
    assert f'href="{leads}"' in markdown.to_html(f"[there]({link})")


class TestBody:
    def body(self, *cells):
        return page.body(nbformat.v4.new_notebook(cells=[text("# 7 · Tests"), *cells]))

    def test_notes_are_left_out_and_the_notebook_is_not_changed(self):
        small = nbformat.v4.new_notebook(cells=notebook().cells[:4])
        before = nbformat.writes(small)
        body = page.body(small)
        assert "ASK" not in body
        assert '<a href="#look">Look</a>' in body
        assert tree(body).img["alt"] == "Two words. A dot at 0.5 & no more. The end."
        assert nbformat.writes(small) == before

    def test_what_was_printed_stays_text_and_scripts_are_left_out(self):
        script = {"application/javascript": "alert(1)", "text/plain": "x"}
        body = self.body(code(f"print({HOSTILE!r})", "a", {"text/plain": HOSTILE}), code("x", "b", script))
        assert tree(body).text.count(HOSTILE) == 2
        assert not tree(body).find_all(["script", "img"])

    def test_a_stored_view_has_its_page_and_a_damaged_one_is_refused(self, bert):
        view = views.head_view(bert.read("The cat sat."))
        body = self.body(code("view", "v", {"text/plain": views.INSTEAD, views.MIME: view.stored}))
        assert tree(body).iframe == tree(view.data).iframe
        with pytest.raises(ValueError, match="no stored view, or a damaged one"):
            self.body(code("view", "v", {views.MIME: "{}"}))

    def test_a_title_is_text(self):
        read = tree(page.write("<b> & co", "<h1>x</h1>", [page.Link("2.html", "<i>", "next")]))
        assert read.title.text == "<b> & co | bertlab"
        assert read.nav.a.text == "Next: <i>"


class TestCommand:
    @pytest.fixture(autouse=True)
    def course(self, tmp_path, monkeypatch):
        """Two short lessons in place of the real ones."""
        folder = tmp_path / "course"
        folder.mkdir()
        for number in (1, 2):
            small = nbformat.v4.new_notebook(cells=[notebook().cells[0], code(f"print({number})")])
            nbformat.write(small, folder / f"0{number}_small.ipynb")
        monkeypatch.setattr(lessons, "folder", lambda: folder)
        monkeypatch.setattr(web.decks, "build", lambda folder, notes: [folder / "index.html"])
        return folder

    def test_it_says_what_to_open(self, tmp_path, capsys):
        folder = tmp_path / "new" / "site"
        assert main(["site", str(folder)]) == 0
        assert f"2 lessons, their slides and the quiz. Open {folder / 'index.html'}" in capsys.readouterr().out
        index = tree((folder / "index.html").read_text("utf-8"))
        assert index.find("a", href="02_small.html").text == "7 · Tests & decks"
        assert "hold?" in index.text
        assert "5 + 5 minutes" in index.text

    def test_a_lesson_that_was_not_run_is_named_and_the_others_are_there(self, course, tmp_path, capsys):
        blank = lessons.without_outputs(lessons.read(course / "01_small.ipynb"))
        nbformat.write(blank, course / "01_small.ipynb")
        assert main(["site", str(tmp_path / "site")]) == 1
        assert re.search(
            r"^01_small.ipynb: 1 of its 1 cells with code were not run.*\nFinished: 02_small.html.$",
            capsys.readouterr().err,
            re.M,
        )
        assert not (tmp_path / "site" / "01_small.html").exists()
