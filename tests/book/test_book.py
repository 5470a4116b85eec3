"""The book is for students: all of a lesson is in it, nothing that is for instructors, every link leads somewhere."""

import json
import re
import tomllib
from collections import Counter
from html import unescape
from urllib.parse import urlsplit

import nbformat
import pytest

from bertlab import lessons
from bertlab.attention import views
from bertlab_teaching import quiz, solving
from pages import loaded, words
from pages import page as tree

PATHS = lessons.paths()
LESSONS = [f"{path.stem}.html" for path in PATHS]
NOT_OF_SPHINX = ("slides/", "live")
pytestmark = pytest.mark.slow  # the book takes half a minute to make


@pytest.fixture(scope="module")
def pages(book):
    """Every page of the book by its name, as a tree."""
    return {str(path.relative_to(book)): tree(path.read_text("utf-8")) for path in sorted(book.rglob("*.html"))}


@pytest.fixture(scope="module")
def of_sphinx(pages):
    """The pages that Sphinx made."""
    return {name: read for name, read in pages.items() if not name.startswith((*NOT_OF_SPHINX, "_static"))}


@pytest.fixture(scope="module")
def articles(of_sphinx):
    """What each of these says in its middle, in words."""
    return {name: words(read.article.text) if read.article else "" for name, read in of_sphinx.items()}


def cells(path):
    return [cell for cell in solving.shown(path).cells if not lessons.is_note(cell)]


class TestForStudents:
    def test_no_file_holds_speakers_notes_solutions_or_a_key_to_a_form(self, book):
        notes = [cell.source for path in PATHS for cell in lessons.read(path).cells if lessons.is_note(cell)]
        paragraphs = [paragraph for note in notes for paragraph in note.split("\n\n") if len(paragraph.split()) > 12]
        answers = [answer for path in PATHS for answer in solving.solutions(solving.solutions_of(path)).values()]
        options = [option for form in quiz.FORMS for q in quiz.questions(form) for option in q.options.values()]
        reasons = [option.reason for option in options if len(option.reason.split()) > 6]
        asked = {question.asks for form in quiz.FORMS for question in quiz.questions(form)}
        assert min(len(paragraphs) / 300, len(answers) / 3 / len(PATHS), len(reasons) / 60, len(asked) / 20) >= 1
        secrets = [words(secret) for secret in (*paragraphs, *answers, *reasons, *asked)]
        paths = [path for path in book.rglob("*") if path.suffix in {".html", ".ipynb", ".js", ".txt", ".json", ".py"}]
        assert len(paths) > 60
        for path in (path for path in paths if "live-weights" not in path.parts):
            text = path.read_text("utf-8")
            if path.suffix == ".ipynb":
                text = " ".join("".join(cell["source"]) for cell in json.loads(text)["cells"])
            said = words(unescape(re.sub("<[^>]+>", "", text)))
            assert [secret for secret in secrets if secret in said] == [], path

    def test_nothing_is_there_that_sphinx_keeps_for_itself_nor_a_form_of_the_quiz(self, book):
        hidden = [path.name for path in book.rglob("*") if path.name.startswith(".") or path.name == "_sources"]
        assert hidden == []
        assert not (book / "quiz").exists()

    def test_a_lesson_shows_its_text_its_figures_with_their_words_and_its_views(self, of_sphinx, articles):
        drawn = 0
        for path, name in zip(PATHS, LESSONS, strict=True):
            article = of_sphinx[name].article
            stored = [output for cell in cells(path) for output in cell.get("outputs", [])]
            bundles = [output.data for output in stored if "data" in output]
            figures = [output.metadata["image/png"] for output in stored if "image/png" in output.get("data", {})]
            first, *images = article.find_all("img")
            assert first["alt"] in lessons.read(path).cells[0].source
            assert [image["alt"] for image in images] == [figure["alt"] for figure in figures]
            drawn += len(images)
            framed = [views.MIME in data or "<iframe" in data.get("text/html", "") for data in bundles]
            assert len(article.find_all("iframe")) == sum(framed)
            printed = [words(output.text) for output in stored if output.output_type == "stream"]
            assert [said for said in printed if said not in articles[name]] == []
            assert "not yet:" not in articles[name], "no check speaks where nothing can be typed"
            tables = sum(data.get("text/html", "").count("<table") for data in bundles)
            assert len(article.find_all("table", class_="dataframe")) == tables
            prose = "\n".join(cell.source for cell in cells(path) if cell.cell_type == "markdown")
            shown = [words(heading.text.removesuffix("#")) for heading in article.find_all(re.compile(r"^h\d$"))]
            assert shown == [words(heading) for heading in re.findall(r"^#+ (.+)", prose, re.M)]
        assert drawn > 70

    def test_hints_answers_and_what_goes_further_are_folded_and_nothing_else_of_the_text(self, of_sphinx):
        for path, name in zip(PATHS, LESSONS, strict=True):
            article = of_sphinx[name].article
            assert not [fold for fold in article.find_all("details") if fold.has_attr("open")]
            hints = sum(cell.source.count("<details>") for cell in cells(path) if cell.cell_type == "markdown")
            kinds = Counter((fold.get("class") or ["hint"])[0] for fold in article.find_all("details"))
            marked = list(solving.tagged(lessons.read(path), "further"))
            guesses = sum(cell.source.startswith("guess = None") for cell in cells(path))
            assert (kinds["hint"], kinds["further"], kinds["answer"]) == (hints, len(marked), guesses)
            hidden = sum("jupyter" in cell.metadata for cell in cells(path))
            assert kinds["admonition"] >= hidden > 0
            for fold, cell in zip(article.find_all(class_="further"), marked, strict=True):
                title, *_, last = fold.find_parent("section").find_all(recursive=False)
                assert words(title.text) == words(cell.source.split("\n")[0])
                assert fold == last, "the section ends with its fold"

    def test_every_guess_is_a_form_and_no_page_asks_to_run_a_cell_first(self, of_sphinx, articles):
        asked = [sum(cell.source.startswith("guess = None") for cell in cells(path)) for path in PATHS]
        forms = {name: of_sphinx[name].article.find_all("form", class_="guess") for name in LESSONS}
        assert list(map(len, forms.values())) == asked
        assert sum(asked) > 50
        for name, of_lesson in forms.items():
            assert "Write your guess" not in articles[name]
            for form in of_lesson:
                answer = of_sphinx[name].article.find(id=form["data-reveals"]).text.replace('"', "")
                assert answer.startswith(f"The answerThe answer is {form['data-answer']}: ")
                options = [button.text for button in form.find_all("button", type="button")]
                assert form["data-answer"] in options or form.input

    def test_exercises_are_stubs_and_the_notebook_is_handed_out_as_students_get_it(self, book, of_sphinx):
        for path, name in zip(PATHS, LESSONS, strict=True):
            (link,) = of_sphinx[name].article.find_all("a", download=True)
            assert nbformat.read(book / link["href"], as_version=4) == lessons.handed_out(path)
            shown = [cell.text for cell in of_sphinx[name].article.find_all(class_="tag_exercise")]
            assert len(shown) == 3
            assert all(cell.rstrip().endswith("return None") for cell in shown)


class TestAround:
    def test_the_contents_lead_everywhere_and_lessons_to_each_other_their_slides_and_questions(
        self, pages, of_sphinx, book
    ):
        decks = sorted(f"slides/{path.name}" for path in (book / "slides").iterdir() if path.name != "index.html")
        beside = ["live.html", "practice.html", "python_and_torch.html", "evidence.html"]
        for name in LESSONS:
            contents = [link["href"] for link in of_sphinx[name].find("nav", class_="bd-links").find_all("a")]
            assert set(contents) >= {"index.html", *LESSONS, *beside, "reference.html", "slides.html"} - {name}
            stem = name.partition("_")[2]
            near = [link["href"] for link in of_sphinx[name].find("nav", class_="beside").find_all("a")]
            assert near[1:] == [*(deck for deck in decks if deck.endswith(f"_{stem}")), "practice.html"]
            assert len(near) > 2
        assert pages["live.html"].find(id="progress")  # and not what Sphinx made in its place
        assert pages["slides/4a_attention.html"].find(class_="slides")
        for name, expected in (("index.html", {*LESSONS, "live.html"}), ("slides.html", set(decks))):
            assert {link["href"] for link in of_sphinx[name].article.find_all("a")} >= expected

    def test_links_lead_somewhere_in_the_folder_and_nothing_is_loaded_from_elsewhere(self, book, of_sphinx):
        count = 0
        for name, read in of_sphinx.items():
            links = [link["href"] for link in read.find_all("a", href=True)]
            assert [address for address in loaded(read) if urlsplit(address).netloc] == [], name
            for address in loaded(read) + links:
                parts = urlsplit(address)
                if parts.scheme or parts.netloc:
                    assert parts.scheme == "https", (name, address)
                    continue
                count += 1
                path = ((book / name).parent / parts.path if parts.path else book / name).resolve()
                assert path.is_file(), (name, address)
                assert path.is_relative_to(book.resolve()), (name, address)
                target = of_sphinx.get(str(path.relative_to(book.resolve())))
                assert not (target and parts.fragment) or target.find(id=parts.fragment), (name, address)
        assert count > 1000


def test_the_reference_has_what_lessons_call_with_its_docstring_and_where(of_sphinx):
    sources = {path.stem: "\n".join(c.source for c in cells(path) if c.cell_type == "code") for path in PATHS}
    of_rooms = {
        f"bertlab.{room}.{name}": {stem for stem, source in sources.items() if f"bertlab.{room}.{name}(" in source}
        for source in sources.values()
        for room, name in re.findall(r"\bbertlab\.(?!checks\b|figures\b)(\w+)\.(\w+)\(", source)
    }
    entries = {tag["id"]: tag.find_parent("dl") for read in of_sphinx.values() for tag in read.find_all("dt", id=True)}
    assert len(of_rooms) > 45
    assert {name for name in of_rooms if name not in entries} == set()
    for name, stems in of_rooms.items():
        called = {link["href"] for link in entries[name].find_all("a") if "../0" in link.get("href", "")}
        assert called >= {f"../{stem}.html" for stem in stems}, name
        assert len(entries[name].dd.p.text.split()) > 4, name
    assert ">>> bertlab.load" in entries["bertlab.bert.loading.Bert.read"].text, "what load returns, with examples"
    assert not [name for name in entries if ".figures." in name or ".checks." in name]


def test_each_term_leads_to_a_section_that_has_it(of_sphinx):
    terms = of_sphinx["terms.html"].article.find_all("dt")
    assert len(terms) > 80
    for term in terms:
        (link,) = term.find_next_sibling("dd").find_all("a")
        name, _, anchor = link["href"].partition("#")
        section = of_sphinx[name].find("section", id=anchor) if anchor else of_sphinx[name].article
        assert re.search(rf"\b{words(term.text)}", words(section.text), re.I), term.text


def test_the_search_has_every_part_of_every_page(book, of_sphinx):
    script = (book / "found.js").read_text("utf-8")
    sections = json.loads(script.removeprefix("const SECTIONS = ").removesuffix(";\n"))
    at = {(f"{page}.html", anchor): title for page, anchor, title, *_ in sections}
    parts = {(name, part["id"]) for name, read in of_sphinx.items() for part in read.find_all("section", id=True)}
    assert len(at) > 400 > len(parts) > 250
    assert parts - at.keys() == {("search.html", "search")}
    for name, anchor in at:
        assert name not in of_sphinx or of_sphinx[name].find(id=anchor), (name, anchor)
    (bold, text), *_ = [entry[3:5] for entry in sections if entry[1].startswith("step-3-two-scores")]
    assert "Softmax" in bold.split(", ")
    assert "Softmax raises e to the power of each score" in text


def test_the_first_page_has_the_minutes_of_each_lesson_and_what_it_needs(articles):
    for path in PATHS:
        said = re.search(r"Core: ([\d +]+ minutes).* · builds on (.+)", lessons.read(path).cells[0].source)
        assert words(f"{said[1]}, builds on {said[2]}") in articles["index.html"]


def test_practice_has_each_question_its_options_in_order_and_a_reason_for_each(of_sphinx):
    tables = [tomllib.loads(path.with_suffix(".quiz.toml").read_text("utf-8")) for path in PATHS]
    asked = [question for table in tables for question in table["practice"]]
    article = of_sphinx["practice.html"].article
    shown = article.find_all(class_="options")
    assert len(shown) == len(asked) > 20
    assert len({fold["name"] for fold in article.find_all("details")}) == len(asked)
    asks = [words(text.text).partition(" ")[2] for text in article.find_all(class_="asks")]
    assert asks == [words(question["asks"]) for question in asked]
    for question, options in zip(asked, shown, strict=True):
        for (letter, (text, reason)), fold in zip(question["options"].items(), options("details"), strict=True):
            assert words(fold.summary.text) == words(text)
            right = letter == question["right"]
            assert fold["class"] == (["right"] if right else ["wrong"])
            said = words(fold.p.text)
            assert said.startswith(f"{'Right' if right else 'Not so'} {words(reason)}")
            assert (words(question["place"]) in said) == right
