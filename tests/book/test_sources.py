"""What the book is made of: a small lesson's cells, and what Sphinx is not let pass."""

from pkgutil import resolve_name

import nbformat
import pytest
from numpydoc.validate import validate

from bertlab import lessons
from bertlab.__main__ import main
from bertlab.attention import views
from bertlab_teaching import live, quiz
from bertlab_teaching.book import build, lesson, reference, sources
from pages import HOSTILE, TABLE, code, text
from pages import page as tree

FIRST = text("# 7 · Tests\n\n**Why?**\n\n![A dot and no more.](attachment:picture.png)")


def shown(*cells):
    """Return a lesson's cells for the book, after the first."""
    return lesson.for_book(nbformat.v4.new_notebook(cells=[FIRST, *cells]), "07_tests", "<nav></nav>").cells[1:]


def test_a_lesson_that_was_not_run_is_refused_and_named(tmp_path, monkeypatch):
    with pytest.raises(ValueError, match="1 of its 1 code cells were not run"):
        shown(nbformat.v4.new_code_cell("print(1)"))
    read = lessons.read
    monkeypatch.setattr(lessons, "read", lambda path: lessons.without_outputs(read(path)))
    with pytest.raises(RuntimeError, match=r"^01_embedding_layer.ipynb: \d+ of its .* were not run"):
        sources.write(tmp_path / "source", [], [], [], "")


def test_comments_go_and_what_goes_further_is_marked():
    cell = text("### More\n\n*Further: go on.*\n\n0.5<!-- l07-1 -->", "more")
    cell.metadata["tags"] = ["further"]
    more, inside, after = shown(cell, text("- a", "inside"), text("## After", "after"))
    html = '````{raw} html\n<details class="further"><summary>Further: go on.</summary>\n````'
    assert more.source == f"### More\n\n{html}\n\n0.5"
    assert inside.source == "- a"
    assert after.source == "````{raw} html\n</details>\n````\n\n## After"


def test_tables_say_what_their_labels_label_and_lines_in_columns_are_marked():
    table, columns, sentence = shown(
        code("t", "t", {"text/html": TABLE}), code("x", "x", printed="one  2\n"), code("y", "y", printed="one two\n")
    )
    read = tree(table.outputs[0].data["text/html"])
    assert {label["scope"] for label in read.thead.find_all("th")} == {"col"}
    assert {label["scope"] for label in read.tbody.find_all("th")} == {"row"}
    assert all(label.text for label in read.find_all("th"))
    assert [cell.metadata.get("tags") for cell in (columns, sentence)] == [["columns"], None]


def test_a_stored_view_has_its_page_and_a_damaged_one_is_refused(bert):
    view = views.head_view(bert.read("The cat sat."))
    (cell,) = shown(code("view", "v", {"text/plain": views.INSTEAD, views.MIME: view.stored}))
    assert cell.outputs[0].data == {"text/html": view.data}
    with pytest.raises(ValueError, match="no stored view, or a damaged one"):
        shown(code("view", "v", {views.MIME: "{}"}))


def form(hint, answer):
    """Return the form of a guess in the book, for an answer that the next cell keeps folded."""
    folded = f"<details><summary>The answer</summary>The answer is {answer}: so it is.</details>"
    asking, revealing = shown(
        code(f"guess = None  # {hint}", "asks"), code("reveal()", "reveals", {"text/html": f"<p>not yet</p>{folded}"})
    )
    assert "hide-input" in revealing.metadata.tags
    assert "not yet" not in revealing.outputs[0].data["text/html"]
    read = tree(asking.source)
    assert read.form["data-reveals"] == tree(revealing.outputs[0].data["text/html"]).details["id"]
    return read.form


@pytest.mark.parametrize("hint", ['"a", "b" or "c"', '"the paraphrase" or "the denial"', "1, 2 or 3"])
def test_options_of_a_guess_are_buttons_in_their_order(hint):
    options = [option.strip('"') for option in hint.replace(" or ", ", ").split(", ")]
    assert [button.text for button in form(hint, options[0]).find_all("button")] == options


def test_a_guess_without_options_is_a_field_of_its_kind_with_a_label_and_all_text_stays_text():
    for hint, answer, kind in (("a share, such as 0.5", "0.88", "number"), (HOSTILE, "[CLS]", "text")):
        field = form(hint, answer)
        assert (field["data-answer"], field.input["type"]) == (answer, kind)
        assert hint in field.label.text
    assert form("a token", "&quot;&gt;&lt;img src=x&gt;")["data-answer"] == '"><img src=x>'


def test_a_guess_that_nothing_answers_is_refused_and_named():
    with pytest.raises(ValueError, match=r"Cell asks asks for a guess, and the next, other, shows no folded answer"):
        shown(code('guess = None  # "a" or "b"', "asks"), code("x", "other"))


def test_a_repository_gives_links_to_binder_and_colab_and_one_that_is_no_name_is_refused(tmp_path, monkeypatch):
    sources.write(tmp_path / "source", ["4a_attention"], ["4a"], [], "someone/bertlab")
    first = tree(lessons.read(tmp_path / "source" / "04_attention.ipynb").cells[0].source)
    links = {link.text: link["href"] for link in first.find_all("a")}
    at = "notebooks/04_attention.ipynb"
    assert links["Open in Binder"] == f"https://mybinder.org/v2/gh/someone/bertlab/HEAD?urlpath=lab/tree/{at}"
    assert links["Open in Colab"] == f"https://colab.research.google.com/github/someone/bertlab/blob/main/{at}"
    monkeypatch.setenv("BERTLAB_REPOSITORY", "https://github.com/someone/bertlab")
    with pytest.raises(ValueError, match=r"BERTLAB_REPOSITORY is 'https://.* as owner/name"):
        build.build(tmp_path / "book")
    assert not (tmp_path / "book").exists()


def test_the_book_of_a_class_has_its_lessons_and_no_link_to_another(tmp_path, monkeypatch):
    sources.write(tmp_path / "source", [], ["3", "4a"], [], "")
    assert {path.stem[:2] for path in (tmp_path / "source").glob("[0-9]*")} == {"03", "04"}
    monkeypatch.setattr(live, "scripts", lambda: [])
    lacking = {path.stem for path in lessons.paths()} - {"03_contextual_vectors", "04_attention"}
    live.write(tmp_path / "source", lacking)
    for path in (path for path in (tmp_path / "source").rglob("*.*") if path.suffix != ".png"):
        text = path.read_text("utf-8")
        assert [name for name in lacking if f"{name}." in text or f"/{name}" in text] == [], path
    assert '<a href="04_attention.html">' in (tmp_path / "source" / "live.html").read_text("utf-8")
    asked = tree((tmp_path / "source" / "practice.md").read_text("utf-8")).find_all(class_="asks")
    assert len(asked) == len(quiz.questions(quiz.PRACTICE, ["3", "4a"])) > 4


def test_a_warning_of_sphinx_is_an_error(tmp_path):
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "index.md").write_text("# Title\n\n[nowhere](nowhere.md)\n", "utf-8")
    with pytest.raises(RuntimeError, match=r"(?s)Sphinx warns:.*index.md.*nowhere.md"):
        build.run_sphinx(tmp_path / "source", tmp_path / "book")


@pytest.mark.parametrize(
    ("options", "asked"), [([], ([], [])), (["--form", "B", "--lessons", "1,4a"], (["1", "4a"], ["B"]))]
)
def test_the_command_says_what_to_open_and_takes_a_form_only_when_asked(tmp_path, monkeypatch, capsys, options, asked):
    monkeypatch.setattr(build, "build", lambda folder, *given: folder / f"{given}.html")
    assert main(["site", str(tmp_path), *options]) == 0
    assert f"Open {tmp_path / f'{asked}.html'} in a browser" in capsys.readouterr().out


def test_what_lessons_call_has_a_docstring_that_is_true_of_its_parameters_and_has_an_example():
    called = map(resolve_name, reference.calls(lessons.paths()))
    names = {f"{function.__module__}.{function.__name__}" for function in called} - {
        "bertlab.finetuning.roles.is_right"
    }
    names |= {f"bertlab.bert.loading.Bert.{name}" for name in ("read", "read_all", "having")}
    assert len(names) > 45
    lacking = {"SS01", "PR02", "PR03", "EX01"}  # summary; parameters that are not there, or in another order; example
    assert [(name, code) for name in sorted(names) for code, _ in validate(name)["errors"] if code in lacking] == []
