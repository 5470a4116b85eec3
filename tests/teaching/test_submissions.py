"""What is handed in: whose notebook is whose, which lesson it is, and what stands in an exercise's cell."""

import json

import nbformat
import pytest

from bertlab import lessons
from bertlab_teaching import solving
from bertlab_teaching.marking.submissions import answers, exercises, find
from bertlab_teaching.marking.usual import unusual

RIGHT = "def double(x):\n    return 2 * x"


def found(tmp_path):
    return find(tmp_path / "in", {path: exercises(lessons.read(path)) for path in lessons.paths()})


class TestWhose:
    @pytest.mark.parametrize(
        ("name", "student", "number"),
        [
            ("Anna Ö_1234_assignsubmission_file_/01_first.ipynb", "Anna Ö", "1234"),
            ("Anna Ö_1234_assignsubmission_file_01_first.ipynb", "Anna Ö", "1234"),
            ("anna/01_first/01_first.ipynb", "anna", ""),
            ("anna/lesson1_final_v2.IPYNB", "anna", ""),
            ("anna_01_first-Copy1.ipynb", "anna", ""),
            ("anna.ipynb", "anna", ""),
            ("group 1/anna/01_first.ipynb", "group 1/anna", ""),
            ("01_first.ipynb", "in", ""),
        ],
    )
    def test_cells_tell_the_lesson_and_folders_or_the_names_beginning_the_student(
        self, hand_in, tmp_path, name, student, number
    ):
        path = hand_in(name)
        hand_in("anna/.ipynb_checkpoints/01_first.ipynb")
        (one,) = found(tmp_path)
        assert (one.student, one.number, one.path, one.lesson) == (student, number, path, lessons.paths()[0])

    def test_cells_tell_more_than_a_name_and_a_name_more_than_nothing(self, lesson, hand_in, tmp_path):
        text = lesson.read_text("utf-8").replace("double", "triple").replace("half", "third").replace('"1.', '"2.')
        lesson.with_name("02_second.ipynb").write_text(text, "utf-8")
        hand_in("anna/02_second.ipynb", RIGHT)
        hand_in("ben/02_second.ipynb", None, None)
        assert [one.lesson.name for one in found(tmp_path)] == ["01_first.ipynb", "02_second.ipynb"]


class TestAnswers:
    def test_a_cell_is_found_by_its_tag_and_by_its_function(self, lesson, hand_in):
        def no_tags(notebook):
            notebook.cells[3].metadata.pop("tags")

        def added(first, last):
            def change(notebook):
                notebook.cells[3].source = first
                notebook.cells.append(nbformat.v4.new_code_cell(last))

            return change

        stub = next(solving.tagged(lessons.read(lesson), "exercise", "1.1")).source
        moved, below = added("# see below", RIGHT), added(stub, RIGHT)
        another_too = added(RIGHT, "def double(x):\n    return 'tried'")
        asked = exercises(lessons.read(lesson))
        for change in (lambda notebook: None, no_tags, moved, another_too, below):
            path = hand_in("a/01_first.ipynb", RIGHT, change=change)
            assert answers(path, {lesson: asked})[lesson]["1.1"] == RIGHT
        for answer in ("def double(x)\n    return 2 * x", None):  # no Python, and no cell
            assert answers(hand_in("a/01_first.ipynb", answer), {lesson: asked})[lesson]["1.1"] == answer

    @pytest.mark.parametrize(
        ("typed", "python"),
        [
            (f"%matplotlib inline\n!ls\n{RIGHT}", f"None\nNone\n{RIGHT}"),
            (f"%%time\n{RIGHT}\n%time x = double(3)\n", f"None\n{RIGHT}\nx = double(3)\n"),
            ("if x:\n    %timeit x\n\t!pip install y\n", "if x:\n    None\n\tNone\n"),
            ("files = !ls\nx = %time f(2)\n", "files = None\nx = f(2)\n"),
            ("np.mean?\n?np.mean\nx??", "None\nNone\nNone"),
            ("x = (7\n  %y\n  != 8)", "x = (7\n  %y\n  != 8)"),  # which is Python
            ("!ls\nx = (7\n  % y\n  != 8)", "None\nx = (7\n  % y\n  != 8)"),
            *[(line, line) for line in ("def f(x)", " " * 190_000 + "(", "a" * 190_000 + "(", "x." * 90_000 + "(")],
        ],
    )
    def test_what_jupyter_runs_and_python_does_not_is_taken_out(self, lesson, hand_in, typed, python):
        asked = {lesson: exercises(lessons.read(lesson))}
        assert answers(hand_in("a/01_first.ipynb", typed), asked)[lesson]["1.1"] == python

    def test_what_takes_long_to_read_is_refused(self, lesson, hand_in, tmp_path):
        asked = {lesson: exercises(lessons.read(lesson))}
        many = "def double(x): 0\n" * 10_000  # their sources, which nobody asks for, would take a minute
        assert answers(hand_in("a/01_first.ipynb", many), asked)[lesson]["1.1"] == many
        for sources in ([many, many], ["x"] * 3000):
            book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])
            with pytest.raises(ValueError, match="more than 200,000 letters of code, or are more than 2,000"):
                answers(lessons.write(book, tmp_path / "a.ipynb"), asked)

    def test_what_a_notebook_shows_is_not_looked_at_and_its_first_letter_may_be_a_mark(
        self, lesson, hand_in, monkeypatch
    ):
        path = hand_in("a/01_first.ipynb", RIGHT)
        notebook = json.loads(path.read_text("utf-8"))
        for cell in notebook["cells"]:  # each would take time to be called invalid
            cell["outputs"] = cell["attachments"] = [{"output_type": "none"}]
        path.write_text(json.dumps(notebook), "utf-8-sig")
        asked = exercises(lessons.read(lesson))
        monkeypatch.setattr(nbformat, "validate", lambda *_, **__: 1 / 0)
        assert answers(path, {lesson: asked})[lesson]["1.1"] == RIGHT

    @pytest.mark.parametrize(
        ("source", "odd"),
        [
            ("bertlab.checks.masking.judge = 1", ["judge = ...", "masking", "checks"]),
            ("from bertlab.checks.outcome import Outcome as O", ["import bertlab.checks.outcome.Outcome"]),
            ("import inspect", ["import inspect"]),
            ("torch.isclose = lambda *_: True", ["isclose = ..."]),
            ("def f(x): return torch.sys.modules", ["modules", "sys"]),
            ("def f(x): return f.__globals__", ["__globals__"]),
            ("def f(x): return getattr(bertlab, 'che' + 'cks')", ["getattr"]),
            ("Formatter().get_field('0.__globals__', (f,), {})", ["'0.__globals__'", "get_field"]),
            ("pandas.read_pickle('x')", ["read_pickle"]),
            ("functools.update_wrapper(torch, F, assigned=['isclose'], updated=())", ["update_wrapper"]),
            ("np.load('a.npy', allow_pickle=True)", ["load"]),
            ("pd.eval('f.' + u)", ["eval"]),
            ("table.query('@' + u)", ["query"]),
            ("a = layer.attention.self\ndef f(a): a.query(u)", ["query"]),
            ("a = layer.self\nfor a in tables: a.query(u)", ["query"]),
            ("P.mro()[1]", ["mro"]),
            ("match f:\n    case object(__globals__=found): pass", ["__globals__"]),
            ("class Mine(torch.Tensor): pass", ["class Mine"]),
            ("type('Mine', (torch.Tensor,), {})", ["type"]),
            ("from bertlab_teaching.marking import sandbox", ["import bertlab_teaching.marking.sandbox"]),
            ("hooks.register_module_forward_hook(f)", ["register_module_forward_hook"]),
        ],
    )
    def test_what_is_in_no_honest_answer(self, source, odd):
        assert sorted(unusual(source)) == sorted(odd)

    @pytest.mark.parametrize(
        "source",
        [
            "bert.model.eval()\nlayer.attention.self.query(x)\nattention.query(hidden)\ntype(x)",
            "def f(layer, h):\n    att = layer.attention.self\n    return att.query(h) @ att.query.weight.T",
            "F.normalize(torch.einsum('ij,kj->ik', x, y).float(), dim=-1)",
            "np.random.default_rng(0).permutation(5)\nnp.where(np.isin(a, b), np.nan, a)[np.newaxis]",
            "from scipy.stats import pearsonr\nfrom sklearn.metrics.pairwise import cosine_similarity",
            "functools.reduce(f, x)\nmath.fsum(x)\nstatistics.fmean(x)\nitertools.chain(x)\nrandom.shuffle(x)",
            "collections.Counter(text.lower().split()).most_common(3)\nre.sub(r'\\W', '', text)",
            "pd.Series(x).rolling(3).mean()\npd.DataFrame(x).groupby('a').agg('sum').nlargest(3, 'b')",
            "reading = bert.read(text)\nreading.hidden[-1][1:-1].mean(0)\nbertlab.vectors.word_vector(reading, 'bank')",
            "bert.tokenizer(text).char_to_token(3)\nbert.model.bert.embeddings.LayerNorm.weight",
        ],
    )
    def test_what_only_computes_is_in_honest_ones(self, source):
        assert unusual(source) == []
