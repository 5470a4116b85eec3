"""The quiz: its answers are right, no rule finds them without knowledge, and what is made of it holds all of it."""

import contextlib
import io
import re
from collections import defaultdict

import pytest
import torch
from transformers import BertConfig, BertModel

from bertlab import lessons
from bertlab.__main__ import main
from bertlab_teaching import quiz
from pages import HOSTILE, loaded
from pages import page as tree

FORMS = {form: quiz.questions(form) for form in quiz.FORMS}
ALL = FORMS | {quiz.PRACTICE: quiz.questions(quiz.PRACTICE)}
EACH = [
    pytest.param(question, id=f"{form}{number}")
    for form, questions in ALL.items()
    for number, question in enumerate(questions, 1)
]
ABSOLUTE = r"\b(nothing|nobody|none|no one|not at all|never|always|cannot|can't|all|every|only|any|must)\b"


def plain(text):
    """Return a text as it is read, without the marks of code and emphasis."""
    return text.replace("*", "").replace("`", "")


def numbers(text):
    """Return the numbers in a text, as they are written."""
    return [float(number.replace(",", "")) for number in re.findall(r"\d[\d,]*(?:\.\d+)?", text)]


def rules(question):
    """Return the letters that each rule of thumb allows; one is taken by lot, or one of all if it allows none."""
    texts = {letter: plain(option.text) for letter, option in question.options.items()}
    first = {letter: numbers(re.sub(r"\bzero\b", "0", text))[:1] for letter, text in texts.items()}
    in_order = sorted(number for found in first.values() for number in found)
    allowed = {f"always {letter}": [letter] for letter in texts}
    for rank, wanted in enumerate(sorted(map(len, texts.values()))):
        allowed[f"rank {rank} in length"] = [letter for letter, text in texts.items() if len(text) == wanted]
    between = [letter for letter in texts if first[letter] and in_order[0] < first[letter][0] < in_order[-1]]
    allowed["a middle number"] = between if len(in_order) > 2 else []
    allowed["the most modest"] = [*question.modest]
    allowed["not the most modest"] = [letter for letter in texts if question.modest not in ("", letter)]
    allowed["the most technical"] = [*question.technical]
    modest = [letter for letter, text in texts.items() if not re.search(ABSOLUTE, text)]
    allowed["none that is absolute, then what is tried out"] = [*set(modest).intersection(question.tried)] or modest
    return {rule: letters or [*texts] for rule, letters in allowed.items()}


class TestForms:
    def test_each_lesson_is_asked_about_and_no_two_questions_ask_the_same(self):
        for questions in ALL.values():
            assert {question.lesson for question in questions} == {int(path.stem[:2]) for path in lessons.paths()}
        asked = [question.asks + question.code for questions in ALL.values() for question in questions]
        assert len(set(asked)) == len(asked)

    def test_they_are_parallel_and_follow_the_lessons(self):
        first, second = FORMS.values()
        for one, other in zip(first, second, strict=True):
            assert (one.lesson, one.idea, one.kind, one.aims) == (other.lesson, other.idea, other.kind, other.aims)
            assert (one.asks, one.code) != (other.asks, other.code)
            assert bool(one.code) == bool(other.code) == (one.kind == "code")
            assert (one.modest in one.options) == (other.modest in other.options)
            assert (one.modest == one.right) == (other.modest == other.right)
        assert [question.lesson for question in first] == sorted(question.lesson for question in first)

    def test_a_class_is_asked_about_the_aims_of_what_it_takes(self):
        for chosen, asked in ((["1", "3"], [1, 1, 3]), (["4a", "4b"], [4]), (["4"], [4, 4]), (["one", "6a"], [6])):
            for form in FORMS:
                assert [question.lesson for question in quiz.questions(form, chosen)] == asked
        with pytest.raises(ValueError, match="There are no slides for sitting '12'"):
            quiz.questions("A", ["12"])

    @pytest.mark.parametrize("question", EACH)
    def test_four_options_each_with_its_reason_nearly_of_one_length(self, question):
        assert list(question.options) == ["A", "B", "C", "D"]
        texts, reasons = zip(*question.options.values(), strict=True)
        assert len(set(texts)) == len(set(reasons)) == 4
        assert question.right in question.options
        assert {question.modest, question.technical} <= {"", *question.options}
        lengths = [len(plain(text)) for text in texts]
        assert question.kind != "concept" or max(lengths) - min(lengths) <= 15

    @pytest.mark.parametrize("form", ALL)
    def test_no_rule_of_thumb_does_much_better_or_worse_than_guessing(self, form):
        found = defaultdict(dict)  # rule -> question -> how often the rule finds its answer
        for number, question in enumerate(ALL[form], start=1):
            for rule, letters in rules(question).items():
                found[rule][f"{form}{number}"] = (question.right in letters) / len(letters)
        guessed = len(ALL[form]) / 4
        for rule, shares in found.items():
            shown = f"{rule!r} is right in {[name for name, share in shares.items() if share > 0.25]}"
            assert abs(sum(shares.values()) - guessed) <= 1, f"{shown}: change the words of an option there"


class TestAnswers:
    @pytest.mark.parametrize("question", [each for each in EACH if each.values[0].kind == "code"])
    def test_code_prints_what_the_right_option_says(self, question):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(question.code, {"torch": torch})
        assert printed.getvalue().strip() == question.options[question.right].text

    @pytest.mark.parametrize("question", [each for each in EACH if each.values[0].idea == "attention"])
    def test_attention(self, question):
        texts, tokens, layers, heads, features = map(int, numbers(question.asks))
        config = {"num_hidden_layers": layers, "num_attention_heads": heads, "hidden_size": features}
        model = BertModel(BertConfig(vocab_size=10, intermediate_size=8, attn_implementation="eager", **config))
        returned = model(torch.ones(texts, tokens, dtype=torch.long), output_attentions=True).attentions
        assert eval(question.options[question.right].text) == tuple(returned[0].shape)

    @pytest.mark.parametrize("question", [each for each in EACH if each.values[0].idea == "axes"])
    def test_axes(self, question):
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

    @pytest.mark.parametrize("form", FORMS)
    def test_numbers_follow_by_hand(self, form):
        asked = {
            question.idea: (numbers(question.asks), question.options[question.right].text) for question in FORMS[form]
        }
        chosen, pieces, *kinds = [number for number in asked["chosen"][0] if number != 2019]
        assert numbers(asked["chosen"][1]) == [chosen] == [0.15 * pieces] == [sum(kinds)]
        of_a_kind, every, right = asked["accuracy"][0]
        assert right == max(of_a_kind, every - of_a_kind)
        assert "as often as a" in asked["accuracy"][1]
        (best, *reached), answer = asked["floor"]
        assert numbers(answer) == [pytest.approx(reached[0] - best if form == "A" else best)]


GIFT = r"""$CATEGORY: bertlab/form A

::A01 x::[html]<p>a \~b \=c \#d f\: g\\h <em>it</em> &lt;i&gt; &amp;</p>\n<pre>if a\:\n\n    b \= \{\}  &lt;i&gt;</pre>{
~A \~1#since A \=2
=B \~1#since B \=2
~C \~1#since C \=2
~D \~1#since D \=2
####Lesson 1, Look\: \{x\}
}
"""


def asked_instead(monkeypatch, **texts):
    """Let one question be asked, with these texts."""
    options = {letter: quiz.Option(f"{letter} ~1", f"since {letter} =2") for letter in "ABCD"}
    question = FORMS["A"][0]._replace(**{"idea": "x", "options": options, "right": "B"} | texts)
    monkeypatch.setattr(quiz, "questions", lambda form, chosen=(): [question])


class TestPages:
    @pytest.mark.parametrize("form", ALL)
    def test_the_sheet_has_the_questions_and_the_key_has_answers_reasons_and_places(self, form):
        sheet, key = tree(quiz.sheet(form)), tree(quiz.key(form))
        for question, asked, answered in zip(ALL[form], sheet("section"), key("section"), strict=True):
            for page in (asked, answered):
                assert plain(question.asks) in page.text
                assert question.code in page.text
            assert [option.text for option in asked("li")] == [plain(o.text) for o in question.options.values()]
            assert f": {question.right}" in answered.h2.text
            assert question.place in answered.text
            for (letter, option), shown in zip(question.options.items(), answered("li"), strict=True):
                right = "Right. " if letter == question.right else ""
                assert shown.text == plain(option.text) + right + plain(option.reason)

    def test_signs_that_mean_something_to_moodle_are_escaped(self, monkeypatch):
        asks, code = "a ~b =c #d f: g\\h *it* <i> &", "if a:\n\n    b = {}  <i>"
        asked_instead(monkeypatch, asks=asks, code=code, place="Lesson 1, Look: {x}")
        assert quiz.gift("A") == GIFT
        assert quiz.gift("practice").startswith("$CATEGORY: bertlab/practice questions\n\n::P01 x::")

    def test_a_page_loads_nothing_and_all_text_stays_text(self, monkeypatch):
        options = {letter: quiz.Option(f"{letter} {HOSTILE}", f"since {HOSTILE}") for letter in "ABCD"}
        asked_instead(monkeypatch, asks=HOSTILE, code=HOSTILE, place=HOSTILE, options=options)
        for page in (tree(quiz.sheet("A")), tree(quiz.key("A"))):
            assert loaded(page) == []
            assert not page.find_all(["script", "img"])
            assert page.text.count(HOSTILE) >= 5


@pytest.mark.browser
@pytest.mark.parametrize("form", FORMS)
def test_a_form_is_two_printed_pages_and_no_line_of_code_is_broken(page, form):
    page.set_viewport_size({"width": 672, "height": 1000})  # A4 less its margins
    page.emulate_media(media="print")
    page.set_content(quiz.sheet(form))
    assert len(re.findall(rb"/Type */Page\b", page.pdf(prefer_css_page_size=True))) == 2
    for question, code in zip([q for q in FORMS[form] if q.code], page.locator("pre").all(), strict=True):
        high = code.evaluate("pre => pre.clientHeight / parseFloat(getComputedStyle(pre).lineHeight)")
        assert round(high) == len(question.code.splitlines())


@pytest.mark.parametrize("chosen", [[], ["1", "4a"]])
def test_the_command_writes_sheet_key_and_gift_of_each_form(tmp_path, capsys, chosen):
    assert main(["quiz", str(tmp_path / "where"), *["--lessons", "1,4a"] * bool(chosen)]) == 0
    expected = {f"form-{form.lower()}.html": quiz.sheet(form, chosen) for form in quiz.FORMS}
    for name, form in {"form-a": "A", "form-b": "B", "practice": "practice"}.items():
        expected |= {f"{name}-key.html": quiz.key(form, chosen), f"{name}-moodle.txt": quiz.gift(form, chosen)}
    assert {path.name: path.read_text("utf-8") for path in (tmp_path / "where").glob("[!.]*")} == expected
    said = capsys.readouterr().out
    assert all(str(tmp_path / "where" / name) in said for name in expected)
