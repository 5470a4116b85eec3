"""The course as pages for students: nothing that is for instructors, nothing from another host, every way leads on."""

import html
import re
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
from pages import HOSTILE, TABLE, code, loaded, notebook, text, words
from pages import page as tree

PATHS = lessons.paths()
LESSONS = [f"{path.stem}.html" for path in PATHS]
PAGES = ["evidence.html", "python_and_torch.html"]


@pytest.fixture(scope="session")
def pages(site):
    """Every page of the site by its name, as a tree."""
    return {str(path.relative_to(site)): tree(path.read_text("utf-8")) for path in sorted(site.rglob("*.html"))}


@pytest.fixture(scope="session")
def said(pages):
    """What every page says, in words."""
    return {name: words(" ".join(tree.find_all(string=True))) for name, tree in pages.items()}


class TestForStudents:
    def test_every_lesson_its_slides_the_quiz_and_the_pages_beside_them_are_there(self, pages):
        assert {name for name in pages if "/" not in name} == {"index.html", "live.html", *PAGES, *LESSONS}
        assert {name for name in pages if name.startswith("quiz/")} == {"quiz/form-a.html", "quiz/form-b.html"}
        assert len([name for name in pages if name.startswith("slides/")]) > len(LESSONS)

    def test_no_page_holds_speakers_notes_solutions_or_the_quiz_key(self, said):
        notes = [cell.source for path in PATHS for cell in lessons.read(path).cells if lessons.is_note(cell)]
        paragraphs = [paragraph for note in notes for paragraph in note.split("\n\n") if len(paragraph.split()) > 12]
        answers = [answer for path in PATHS for answer in lessons.solutions(lessons.solutions_of(path)).values()]
        options = [option for form in quiz.FORMS for q in quiz.questions(form) for option in q.options.values()]
        reasons = [option.reason for option in options if len(option.reason.split()) > 6]
        assert (len(paragraphs) > 300, len(answers) >= 3 * len(PATHS), len(reasons) > 60) == (True, True, True)
        hidden = [words(secret) for secret in (*paragraphs, *answers, *reasons)]
        for name, spoken in said.items():
            assert not [secret for secret in hidden if secret in spoken], name

    def test_what_a_lesson_shows_is_there_and_answers_to_predictions_are_folded(self, pages, said):
        for path, name in zip(PATHS, LESSONS, strict=True):
            outputs = [output for cell in lessons.read(path).cells for output in cell.get("outputs", [])]
            bundles = [output.get("data", {}) for output in outputs]
            first, *images = pages[name].find_all("img")
            (attached,) = lessons.read(path).cells[0].attachments.values()
            assert first["src"] == f"data:image/png;base64,{attached['image/png']}"
            assert len(images) == sum("image/png" in data for data in bundles) > 5
            assert len(pages[name].find_all("iframe")) == sum(views.MIME in data for data in bundles)
            assert all(words(output.get("text", "")) in said[name] for output in outputs)
            folds = pages[name].find_all("details")
            assert not [fold for fold in folds if fold.has_attr("open")]
            folded = " ".join(words(fold.text) for fold in folds)
            answers = re.findall(r"The answer</summary>(.+?)</details>", " ".join(map(str, bundles)))
            assert answers
            assert all(words(html.unescape(answer)) in folded for answer in answers)


class TestPages:
    def test_nothing_is_loaded_from_another_host(self, pages):
        for name, read in pages.items():
            assert loaded(read) == [], name
            if not name.startswith(("slides/", "live")):
                assert not read.find_all("script"), "only views have scripts, of their own"

    def test_links_lead_somewhere_inside_the_folder(self, site, pages):
        count = 0
        for name, read in pages.items():
            for address in (link["href"] for link in read.find_all("a")):
                parts = urlsplit(address)
                if parts.scheme or (name.startswith("slides/") and address.startswith("#")):
                    continue
                count += 1
                path = (site / name).parent / parts.path if parts.path else site / name
                assert path.is_file(), (name, address)
                assert path.resolve().is_relative_to(site.resolve()), (name, address)
                if path.suffix == ".ipynb":
                    continue
                target = pages[str(path.resolve().relative_to(site.resolve()))]
                assert not parts.fragment or target.find(id=parts.fragment), (name, address)
        assert count > 150

    def test_the_lessons_are_a_chain_and_the_first_page_leads_to_all(self, pages):
        def ways(name, relation):
            return {link["href"] for link in pages[name].find_all("a", rel=relation)}

        assert [ways(name, "next") for name in LESSONS] == [*({name} for name in LESSONS[1:]), set()]
        assert [ways(name, "prev") for name in LESSONS] == [set(), *({name} for name in LESSONS[:-1])]
        linked = {link["href"] for link in pages["index.html"].find_all("a")}
        assert linked >= {*LESSONS, *PAGES, "live.html", "slides/index.html", "quiz/form-a.html"}
        assert pages["slides/index.html"].find("a", href="../live.html")
        assert all(pages[name].find("a", href="index.html") for name in LESSONS)
        assert all(pages[name].find("a", href="../index.html") for name in ("slides/index.html", "quiz/form-b.html"))

    def test_a_lesson_leads_to_its_parts_its_notebook_as_students_get_it_its_slides_and_the_quiz(self, site, pages):
        for path, name in zip(PATHS, LESSONS, strict=True):
            read = pages[name]
            ways = [link["href"] for link in read.find("nav", attrs={"aria-label": "Beside this lesson"}).find_all("a")]
            assert ways[0] == f"notebooks/{path.name}"
            assert nbformat.read(site / ways[0], as_version=4) == lessons.handed_out(path)
            decks = [
                way for way in ways if re.fullmatch(rf"slides/{int(path.name[:2])}[ab]?_{path.stem[3:]}.html", way)
            ]
            assert len(decks) in (1, 2)
            assert ways[1:] == [*decks, "quiz/form-a.html", "quiz/form-b.html"]
            parts = [f"#{heading['id']}" for heading in read.main.find_all(["h2", "h3"])]
            lists = [read.find(class_=kind).find_all("a") for kind in ("contents", "parts")]
            assert [[link["href"] for link in links] for links in lists] == [parts, parts]

    def test_the_first_page_says_for_whom_how_to_start_and_has_a_picture_for_each_lesson(self, pages):
        index = pages["index.html"]
        assert "They are for students" in words(index.main.p.text)
        assert "make lab" in index.pre.text
        pictures = [lesson.img for lesson in index.find(class_="lessons").find_all("li")]
        assert len({picture["src"] for picture in [index.find("img"), *pictures]}) == 1 + len(LESSONS)
        for picture, name in zip(pictures, LESSONS, strict=True):
            assert pages[name].find("img", alt=picture["alt"]), name

    def test_titles_headings_language_and_words_for_every_picture_and_view(self, pages):
        for name, read in pages.items():
            assert all(len(image["alt"].split()) > 5 for image in read.find_all("img")), name
            assert all(frame["title"] for frame in read.find_all("iframe")), name
            if name.startswith("slides/"):
                continue
            first, *rest = read.find_all(re.compile(r"^h\d$"))
            assert first.text.strip() in read.title.text
            levels = [1, *(int(heading.name[1]) for heading in rest)]
            assert all(2 <= after <= before + 1 for before, after in pairwise(levels)), name
            assert (first.name, read.html["lang"]) == ("h1", "en")
            ids = [tag["id"] for tag in read.find_all(id=True)]
            assert len(set(ids)) == len(ids), name

    @pytest.mark.parametrize("scheme", page.CODE_STYLES)
    def test_text_and_code_can_be_read_on_light_and_on_dark_ground(self, scheme):
        def luminance(colour):
            parts = [int(colour[i : i + 2], 16) / 255 for i in (0, 2, 4)]
            red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
            return 0.2126 * red + 0.7152 * green + 0.0722 * blue

        style = (markup.TEMPLATES / "page.css").read_text("utf-8")
        roots = [dict(re.findall(r"--(\w+): #(\w{6});", root)) for root in re.findall(r":root \{(.+?)\}", style, re.S)]
        named = dict(zip(("light", "dark"), roots, strict=True))[scheme]
        code = {token["color"] for _, token in get_style_by_name(page.CODE_STYLES[scheme]) if token["color"]}
        for ground in (named["ground"], named["code"]):
            for colour in {named["ink"], named["quiet"], named["link"], *code}:  # WCAG 2.2, 1.4.3
                low, high = sorted((luminance(ground), luminance(colour)))
                assert (high + 0.05) / (low + 0.05) >= 4.5, (ground, colour)


class TestBody:
    def body(self, *cells):
        return page.body(nbformat.v4.new_notebook(cells=[text("# 7 · Tests"), *cells]))

    def test_notes_are_left_out_and_the_notebook_is_not_changed(self):
        small = nbformat.v4.new_notebook(cells=notebook().cells[:4])
        before = nbformat.writes(small)
        assert "ASK" not in page.body(small)
        assert nbformat.writes(small) == before

    def test_what_was_printed_stays_text_and_scripts_are_left_out(self):
        script = {"application/javascript": "alert(1)", "text/plain": "x"}
        body = self.body(code(f"print({HOSTILE!r})", "a", {"text/plain": HOSTILE}), code("x", "b", script))
        assert tree(body).text.count(HOSTILE) == 2
        assert not tree(body).find_all(["script", "img"])

    def test_tables_say_what_their_labels_label_and_lines_in_columns_are_marked(self):
        body = tree(self.body(code("table", "t", {"text/html": TABLE}), code("x", "p", printed="one  2\n")))
        assert {label["scope"] for label in body.thead.find_all("th")} == {"col"}
        assert {label["scope"] for label in body.tbody.find_all("th")} == {"row"}
        assert body.find(class_="columns").text.strip() == "one  2"
        assert not tree(self.body(code("x", "p", printed="one two\n"))).find(class_="columns")

    def test_a_stored_view_has_its_page_and_a_damaged_one_is_refused(self, bert):
        view = views.head_view(bert.read("The cat sat."))
        body = self.body(code("view", "v", {"text/plain": views.INSTEAD, views.MIME: view.stored}))
        assert tree(body).iframe == tree(view.data).iframe
        with pytest.raises(ValueError, match="no stored view, or a damaged one"):
            self.body(code("view", "v", {views.MIME: "{}"}))

    def test_a_title_is_text_and_links_to_other_places_stay(self):
        read = tree(page.write("<b> & co", "<h1>x</h1>", [page.Link("2.html", "<i>", "next")]))
        assert (read.title.text, read.nav.a.text) == ("<b> & co | bertlab", "Next: <i>")
        paper = tree(markdown.to_html("A *Paper.* arXiv:1301.3781; another"))
        assert (paper.a["href"], paper.a.text) == ("https://arxiv.org/abs/1301.3781", "arXiv:1301.3781")
        assert 'href="https://example.org/a.ipynb"' in markdown.to_html("[there](https://example.org/a.ipynb)")


def test_the_command_says_what_to_open_and_names_a_lesson_that_was_not_run(tmp_path, monkeypatch, capsys):
    course, folder = tmp_path / "course", tmp_path / "new" / "site"
    course.mkdir()
    small = nbformat.v4.new_notebook(cells=[notebook().cells[0], code("print(1)")])
    for number in (1, 2):
        nbformat.write(small, course / f"0{number}_small.ipynb")
    monkeypatch.setattr(lessons, "folder", lambda: course)
    monkeypatch.setattr(web.live, "write", lambda folder: folder / "live.html")
    monkeypatch.setattr(web.decks, "build", lambda folder, **_: [folder / "index.html"])
    assert main(["site", str(folder)]) == 0
    assert f"2 lessons, their slides and the quiz. Open {folder / 'index.html'}" in capsys.readouterr().out
    index = tree((folder / "index.html").read_text("utf-8"))
    assert index.find("a", href="02_small.html").text == "7 · Tests & decks"

    nbformat.write(lessons.without_outputs(small), course / "01_small.ipynb")
    assert main(["site", str(tmp_path / "again")]) == 1
    said = capsys.readouterr().err
    assert re.search(r"^01_small.ipynb: 1 of its 1 cells .* were not run.*\nFinished: 02_small.html.$", said, re.M)
    assert not (tmp_path / "again" / "01_small.html").exists()
