"""The quiz: its answers are right, no rule finds them without knowledge, and what is made of it holds all of it."""

import contextlib
import html
import io
import re
import tomllib
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import pytest

import bertlab
from bertlab.__main__ import main
from bertlab.course import quiz

WRITTEN = tomllib.loads(quiz.SOURCE.read_text(encoding="utf-8"))["question"]
GUIDE = (Path(__file__).parents[2] / "INSTRUCTORS.md").read_text(encoding="utf-8")
FORMS = {form: quiz.questions(form) for form in quiz.FORMS}
SECOND = {
    form: [q._replace(**both[form]["second"]) for q, both in zip(questions, WRITTEN, strict=True)]
    for form, questions in FORMS.items()
}
"""The questions as the second reader marked them."""

EACH = [
    pytest.param(question, id=f"{form}{number}")
    for form, questions in FORMS.items()
    for number, question in enumerate(questions, 1)
]


def plain(text):
    """Return a text as it is read, without the marks of code and emphasis."""
    return text.replace("*", "").replace("`", "")


def of_idea(idea):
    return [question for questions in FORMS.values() for question in questions if question.idea == idea]


def numbers(text):
    """Return the numbers in a text, as they are written."""
    return [float(number.replace(",", "")) for number in re.findall(r"\d[\d,]*(?:\.\d+)?", text)]


class TestForms:
    def test_they_are_parallel(self):
        first, second = FORMS.values()
        assert [(q.idea, q.kind) for q in first] == [(q.idea, q.kind) for q in second]
        assert [q.place.split(",")[0] for q in first] == [q.place.split(",")[0] for q in second]
        for one, other in zip(first, second, strict=True):
            assert (one.asks, one.code) != (other.asks, other.code)
            assert bool(one.code) == bool(other.code) == (one.kind == "code")
            assert (one.modest in one.options) == (other.modest in other.options)
            assert (one.modest == one.right) == (other.modest == other.right)

    def test_kinds(self):
        for questions in FORMS.values():
            kinds = Counter(question.kind for question in questions)
            assert set(kinds) == {"concept", "shape", "code"}
            assert min(kinds["shape"], kinds["code"]) >= 2

    @pytest.mark.parametrize("question", EACH)
    def test_four_options_each_with_its_reason(self, question):
        assert list(question.options) == ["A", "B", "C", "D"]
        assert len({option.text for option in question.options.values()}) == 4
        assert len({option.reason for option in question.options.values()}) == 4
        assert all(len(option.reason.split()) >= 6 for option in question.options.values())
        assert question.right in question.options
        assert {question.modest, question.technical} <= {"", *question.options}


def found_by(question, letters):
    """Return how often somebody is right who takes one of these letters by lot, and any where there is none."""
    return (question.right in letters) / len(letters) if letters else 1 / len(question.options)


def by_length(rank):
    """Return the rule that takes the option of this rank in length; of equal ones, one by lot."""

    def rule(question):
        lengths = {letter: len(plain(option.text)) for letter, option in question.options.items()}
        return [letter for letter, length in lengths.items() if length == sorted(lengths.values())[rank]]

    return rule


def middle_number(question):
    """Return the options whose first number is neither the smallest nor the largest, where three have one at least."""
    first = {
        letter: found[0]
        for letter, option in question.options.items()
        if (found := numbers(re.sub(r"\bzero\b", "0", option.text)))
    }
    return [x for x, number in first.items() if len(first) > 2 and min(first.values()) < number < max(first.values())]


RULES = {f"always {letter}": lambda question, letter=letter: [letter] for letter in "ABCD"}
RULES |= {
    f"always the {name}": by_length(rank)
    for rank, name in enumerate(["shortest", "shortest but one", "longest but one", "longest"])
}
RULES["always a middle number"] = middle_number
RULES |= {
    "always the most modest": lambda question: [letter for letter in question.options if letter == question.modest],
    "never the most modest": lambda question: [
        letter for letter in question.options if question.modest and letter != question.modest
    ],
    "always the most technical": lambda question: [
        letter for letter in question.options if letter == question.technical
    ],
}


def score(rule, questions):
    """Return how many of these questions somebody who follows the rule has right on average."""
    return sum(found_by(question, RULES[rule](question)) for question in questions)


class TestRules:
    @pytest.mark.parametrize("readings", [FORMS, SECOND], ids=["first reader", "second reader"])
    @pytest.mark.parametrize("form", FORMS)
    @pytest.mark.parametrize("rule", RULES)
    def test_none_does_much_better_or_worse_than_guessing(self, rule, form, readings):
        right, every = score(rule, readings[form]), len(FORMS[form])
        assert every / 6 <= right <= every / 3, f"form {form}, {rule}: {right:.1f} right"

    def test_the_guide_tells_the_scores(self):
        told = re.findall(r"^\| ((?:always|never) .+?) \| (.+) \|$", GUIDE, re.M)
        computed = {rule: [score(rule, r[form]) for r in (FORMS, SECOND) for form in FORMS] for rule in RULES}
        assert len(told) >= 4
        for rule, scores in told:
            assert scores.split(" | ") == [f"{right:.1f}" for right in computed[rule]], rule
        low, high = min(map(min, computed.values())), max(map(max, computed.values()))
        assert f"All {len(RULES)} rules tried have {low:.1f} to {high:.1f} right" in " ".join(GUIDE.split())

    def test_the_score_of_a_rule(self):
        options = {
            letter: quiz.Option(text, "") for letter, text in zip("ABCD", ["1", "22", "*22*", "333"], strict=True)
        }
        question = quiz.Question("", "", "", "", options, "C", "", "D", "")
        assert [found_by(question, by_length(rank)(question)) for rank in range(4)] == [0, 0.5, 0.5, 0]
        assert found_by(question, RULES["always the most modest"](question)) == 0.25
        assert found_by(question, RULES["never the most modest"](question)) == 0.25
        assert found_by(question, RULES["always the most technical"](question)) == 0
        question = question._replace(modest="A")
        assert found_by(question, RULES["never the most modest"](question)) == pytest.approx(1 / 3)

    @pytest.mark.parametrize("question", [each for each in EACH if each.values[0].kind == "concept"])
    def test_options_are_of_nearly_the_same_length(self, question):
        lengths = [len(plain(option.text)) for option in question.options.values()]
        assert max(lengths) - min(lengths) <= 15


def marks(readings, name):
    """Return for each option of both forms whether a reader marked it."""
    return [getattr(q, name) == letter for questions in readings.values() for q in questions for letter in q.options]


class TestSecondReader:
    def test_the_answers_are_the_same(self):
        assert [q.right for q in SECOND["A"] + SECOND["B"]] == [q.right for q in FORMS["A"] + FORMS["B"]]

    def test_all_was_marked(self):
        for both in WRITTEN:
            for form in FORMS:
                assert set(both[form]["second"]) == {"right", "modest", "technical"}
                assert {both[form]["second"]["modest"], both[form]["second"]["technical"]} <= {"", *"ABCD"}

    @pytest.mark.parametrize("name", ["modest", "technical"])
    def test_the_guide_tells_the_agreement(self, name):
        from sklearn.metrics import cohen_kappa_score

        one, other = marks(FORMS, name), marks(SECOND, name)
        told = re.search(rf"\*most {name}\* in (\d+) of (\d+) options \(kappa ([\d.]+)\)", " ".join(GUIDE.split()))
        kappa = cohen_kappa_score(one, other)
        assert told.groups() == (
            str(sum(a == b for a, b in zip(one, other, strict=True))),
            str(len(one)),
            f"{kappa:.2f}",
        )
        assert kappa > 0.5


class TestAnswers:
    @pytest.mark.parametrize("question", [each for each in EACH if each.values[0].kind == "code"])
    def test_code_prints_what_the_right_option_says(self, question):
        import torch

        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(question.code, {"torch": torch})
        assert printed.getvalue().strip() == question.options[question.right].text

    @pytest.mark.parametrize("question", of_idea("axes"))
    def test_axes(self, question):
        import torch

        texts, tokens, features = map(int, numbers(question.asks)[:3])
        last = torch.arange(texts * tokens * features).view(texts, tokens, features)
        taken = eval(re.search(r"What is `(.+)`\?", question.asks)[1], {"last": last})
        names = {
            "all tokens of the first text": last[0],
            "the first token of every text": torch.stack([text[0] for text in last]),
            "the first feature of every token": torch.stack([text[:, 0] for text in last]),
            "the first token of the first text": last[0][0],
        }
        for letter, option in question.options.items():
            shape, name = re.fullmatch(r"shape (\(.+?\)), (.+)", option.text).groups()
            assert eval(shape) == tuple(names[name].shape)
            assert torch.equal(taken, names[name]) == (letter == question.right)

    @pytest.mark.parametrize("question", of_idea("attention"))
    def test_attention(self, question):
        import torch
        from transformers import BertConfig, BertModel

        texts, tokens, layers, heads, features = map(int, numbers(question.asks))
        model = BertModel(
            BertConfig(
                vocab_size=10,
                hidden_size=features,
                num_hidden_layers=layers,
                num_attention_heads=heads,
                intermediate_size=8,
                attn_implementation="eager",
            )
        )
        returned = model(torch.ones(texts, tokens, dtype=torch.long), output_attentions=True).attentions
        shapes = {letter: eval(option.text) for letter, option in question.options.items()}
        assert [letter for letter, shape in shapes.items() if shape == tuple(returned[0].shape)] == [question.right]

    @pytest.mark.parametrize("question", of_idea("padding"))
    def test_padding(self, question, bert):
        short, long = "a cat", "the cat sat on the mat ."
        read = bert.tokenizer([short, long], padding=True, return_tensors="pt")
        last = bert.model.bert(**read).last_hidden_state[0]
        real = int(read["attention_mask"][0].sum())
        assert (real, len(last)) == (4, 9), "the numbers of form B"
        assert last[real:].abs().sum(dim=-1).min() > 1
        assert (last[real:] - last[real - 1]).abs().max(dim=-1).values.min() > 0.1
        assert "computed" in question.options[question.right].text

    @pytest.mark.parametrize("question", of_idea("chosen"))
    def test_chosen(self, question):
        chosen, pieces, *kinds = [number for number in numbers(question.asks) if number != 2019]
        assert sum(kinds) == chosen == 0.15 * pieces
        assert kinds[0] / chosen == 0.8
        assert numbers(question.options[question.right].text) == [chosen]

    @pytest.mark.parametrize("question", of_idea("accuracy"))
    def test_accuracy_is_that_of_a_constant_answer(self, question):
        of_a_kind, every, right = numbers(question.asks)
        assert right == max(of_a_kind, every - of_a_kind)
        assert "as often as a" in question.options[question.right].text

    def test_floor(self):
        rest, perfect = of_idea("floor")
        best, reached = numbers(rest.asks)
        assert numbers(rest.options[rest.right].text) == [pytest.approx(reached - best)]
        assert numbers(perfect.options[perfect.right].text) == [numbers(perfect.asks)[0]]


MEANT = {"\\:": ":", "\\#": "#", "\\=": "=", "\\{": "{", "\\}": "}", "\\~": "~", "\\n": "\n"}


def moodle(text):
    """Read GIFT's multiple choice as Moodle does: blank lines end a question, then what is escaped is put aside."""
    found, category = [], None
    for block in re.split(r"\n\s*\n", text.strip()):
        aside = {chr(0xE000 + i): pair for i, pair in enumerate(MEANT.items())}
        for mark, (escaped, _) in aside.items():
            block = block.replace(escaped, mark)

        def back(part, aside=aside):
            for mark, (_, meant) in aside.items():
                part = part.replace(mark, meant)
            return part.strip()

        if block.startswith("$CATEGORY:"):
            category = block.removeprefix("$CATEGORY:").strip()
            continue
        name, rest = re.fullmatch(r"::(.*?)::(.*)", block, re.S).groups()
        begin, end = rest.index("{"), rest.index("}")
        assert end == len(rest) - 1, "else Moodle would put a gap into the question"
        answers, general = rest[begin + 1 : end].rsplit("####", 1)
        options = []
        for answer in answers.replace("=", "~=").split("~")[1:]:
            option, reason = answer.strip().split("#", 1)
            options.append((back(option.removeprefix("=")), back(reason), option.startswith("=")))
        asked = back(rest[:begin])
        assert asked.startswith("[html]")
        found.append((category, back(name), asked.removeprefix("[html]"), options, back(general)))
    return found


def read_as(markup):
    """Return what a browser shows of HTML in one line."""
    return html.unescape(re.sub(r"<[^>]+>", "", markup)).strip()


class TestGift:
    @pytest.mark.parametrize("form", FORMS)
    def test_moodle_reads_what_was_written(self, form):
        read = moodle(quiz.gift(form))
        assert len(read) == len(FORMS[form])
        assert len({name for _, name, *_ in read}) == len(read)
        for question, (category, name, asked, options, general) in zip(FORMS[form], read, strict=True):
            assert category == f"bertlab/form {form}"
            assert name.startswith(form)
            assert name.endswith(question.idea)
            assert read_as(asked) == "\n".join(filter(None, [plain(question.asks), question.code]))
            assert read_as(general) == question.place
            expected = [
                (plain(option.text), plain(option.reason), letter == question.right)
                for letter, option in question.options.items()
            ]
            assert [(read_as(text), read_as(reason), right) for text, reason, right in options] == expected

    def test_signs_that_mean_something_to_gift(self, monkeypatch):
        signs = "a ~b =c #d {e} f: g\\h %50% <i> & -> //"
        options = {letter: quiz.Option(f"{letter} {signs}", f"since {letter} {signs}") for letter in "ABCD"}
        question = quiz.Question("x::y", "code", signs, "if a:\n\n    b = {}", options, "B", "", "", signs)
        monkeypatch.setattr(quiz, "questions", lambda form: [question])
        text = quiz.gift("A").replace("\\\\", "\ue0ff")  # a backslash is put aside before all others
        ((_, name, asked, options, general),) = moodle(text)
        assert name == "A01 x::y"
        assert read_as(asked).replace("\ue0ff", "\\") == f"{signs}\nif a:\n\n    b = {{}}"
        assert [read_as(option).replace("\ue0ff", "\\") for option, _, _ in options] == [f"{x} {signs}" for x in "ABCD"]
        assert [right for *_, right in options] == [False, True, False, False]
        assert read_as(general).replace("\ue0ff", "\\") == signs


class Page(HTMLParser):
    """Read a page: the text of its sections, their options, and what it loads."""

    def __init__(self, page):
        super().__init__()
        self.sections, self.options, self.loads, self.text = [], [], [], ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.loads += [value for name, value in attributes if name in ("src", "href", "data", "action", "srcset")]
        if tag == "section":
            self.sections.append("")
            self.options.append([])
        if tag == "li":
            self.options[-1].append("")

    def handle_data(self, data):
        self.text += data
        if self.sections:
            self.sections[-1] += data
        if self.options and self.options[-1]:
            self.options[-1][-1] += data


class TestPages:
    @pytest.mark.parametrize("form", FORMS)
    def test_the_sheet_has_the_questions_and_no_answer(self, form):
        page = Page(quiz.sheet(form))
        for question, section, options in zip(FORMS[form], page.sections, page.options, strict=True):
            assert plain(question.asks) in section
            assert question.code in section
            assert [option.strip() for option in options] == [plain(o.text) for o in question.options.values()]
            assert question.place not in page.text
            assert not any(plain(option.reason) in page.text for option in question.options.values())
        assert f"{quiz.minutes()} minutes" in " ".join(page.text.split())

    @pytest.mark.parametrize("form", FORMS)
    def test_the_key_has_answers_reasons_and_places(self, form):
        page = Page(quiz.key(form))
        for question, section, options in zip(FORMS[form], page.sections, page.options, strict=True):
            assert f": {question.right}" in section
            assert question.place in section
            for (letter, option), shown in zip(question.options.items(), options, strict=True):
                assert plain(option.text) in shown
                assert plain(option.reason) in shown
                assert ("Right." in shown) == (letter == question.right)

    @pytest.mark.parametrize("form", FORMS)
    @pytest.mark.parametrize("page", [quiz.sheet, quiz.key])
    def test_a_page_loads_nothing(self, form, page):
        made = page(form)
        assert Page(made).loads == []
        assert not re.search(r"url\(|@import|<script|https?:", made)


class TestCommand:
    def test_it_writes_sheet_key_and_gift_of_each_form(self, tmp_path, capsys):
        folder = tmp_path / "some" / "where"
        folder.mkdir(parents=True)
        (folder / "form-a.html").write_text("an older one")
        assert main(["quiz", str(folder)]) == 0
        written = {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}
        said = capsys.readouterr().out
        assert all(str(folder / name) in said for name in written)
        for form in quiz.FORMS:
            assert written.pop(f"form-{form.lower()}.html") == quiz.sheet(form)
            assert written.pop(f"form-{form.lower()}-key.html") == quiz.key(form)
            assert written.pop(f"form-{form.lower()}-moodle.txt") == quiz.gift(form)
        assert written == {}

    def test_a_folder_that_cannot_be_made_is_named(self, tmp_path, capsys):
        (tmp_path / "file").write_text("")
        assert main(["quiz", str(tmp_path / "file")]) == 1
        assert capsys.readouterr().err == f"{str(tmp_path / 'file')!r} is a file. Give a folder's name, or a new one.\n"


class TestGuide:
    """What the guide says of the quiz, computed anew."""

    said = " ".join(GUIDE[GUIDE.index("## A quiz") : GUIDE.index("## Slides\n")].split())

    def number(self, pattern):
        return float(re.search(pattern, self.said)[1])

    def test_sizes(self):
        words = {12: "twelve"}
        assert f"Two forms of {words[len(FORMS['A'])]} questions" in self.said
        assert f"{quiz.minutes()} minutes each" in self.said
        for questions in FORMS.values():
            kinds = Counter(question.kind for question in questions)
            assert kinds["shape"] == kinds["code"] == 2
            assert "two questions are about shapes and two about what a few lines of code print" in self.said
        planned = re.findall(r"^\| .*quiz.*, form ([AB]) \| (\d+) \|", GUIDE, re.M)
        assert planned == [(form, str(quiz.minutes())) for form in quiz.FORMS]

    def test_what_a_difference_means(self):
        from scipy import stats

        students = int(self.number(r"In a class of (\d+),"))
        reach = stats.t.ppf(0.975, students - 1) / students**0.5
        luck = (2 * stats.binom(len(FORMS["A"]), 0.5).var()) ** 0.5  # of the difference of two scores
        assert self.number(r"reaches ([\d.]+) times") == round(reach, 2)
        assert self.number(r"deviation is ([\d.]+) if") == round(luck, 1)
        assert self.number(r"interval is then ([\d.]+) questions") == round(reach * luck, 1)
        assert self.number(r"alone up to ([\d.]+) questions") == round(stats.norm.ppf(0.975) * luck, 1)

    def test_how_many_students_are_more_than_luck(self):
        from scipy import stats

        p = {students: stats.binomtest(students, students).pvalue for students in range(1, 21)}
        of_one = int(self.number(r"on one question, (\d+) students"))
        assert of_one == min(students for students in p if p[students] < 0.05)
        assert self.number(r"\(p = ([\d.]+), sign test\)") == round(p[of_one], 2)
        of_all = int(self.number(r"there it takes (\d+)"))
        assert of_all == min(students for students in p if len(FORMS["A"]) * p[students] < 0.05)

    def test_the_interval_of_a_class(self):
        (line,) = re.findall(r'python -c "import bertlab; print\((.+)\)"', GUIDE)
        found = eval(line, {"bertlab": bertlab})
        assert found.low < found.value == 2.5 < found.high
