"""The small language's probabilities are those of its rules, multiplied by hand; so are its best answers."""

import pytest

from bertlab import lessons
from bertlab.pretraining import language as rules

LANGUAGE = rules.all_sentences()
WORDS = rules.words_of(LANGUAGE)


@pytest.mark.parametrize(
    ("sentence", "p"),
    [  # who, one or several, article, adjective or none, verb, and what follows
        ("the dog barks .", 1 / 6 / 2 / 3 / 2 / 5 / 2),
        ("these wet birds sleep near the river .", 1 / 6 / 2 / 3 / (2 * 5) / 4 / (2 * 2 * 3)),
        ("a cat chases some young birds .", (1 / 6 / 2 / 3 / 2 / 5) * (1 / 2 / 2 / 3 / (2 * 5))),
    ],
)
def test_probabilities_by_hand(sentence, p):
    assert LANGUAGE[tuple(sentence.split())] == pytest.approx(p)
    assert sum(LANGUAGE.values()) == pytest.approx(1)
    assert len(WORDS) == 56


@pytest.mark.parametrize(
    ("gap", "answer"),
    [
        ("these ? bark .", {"dogs": 1}),
        ("some birds ? .", {"sing": 0.5, "sleep": 0.5}),
        ("? teachers laugh .", {"the": 1 / 3, "some": 1 / 3, "these": 1 / 3}),
        ("the cat ? a bird .", {"chases": 0.5 / 0.5 * 1 / 2 / (1 / 2 + 1 / 6), "sees": 1 / 6 / (1 / 2 + 1 / 6)}),
    ],
)
def test_best_answers_by_hand(gap, answer):
    sentence = tuple(gap.split())
    assert rules.best_answer(LANGUAGE, WORDS, sentence, sentence.index("?")) == pytest.approx(answer)


def test_the_lesson_shows_the_same_rules_and_writes_out_the_best_answer():
    (path,) = [path for path in lessons.paths() if path.stem == "07_pretraining"]
    begins = ("DOES = {", "def best_answer")
    cells = [cell.source for cell in lessons.read(path).cells if cell.source.startswith(begins)]
    assert len(cells) == len(begins)
    shown = {}
    exec("\n\n".join(cells), shown)
    assert (shown["DOES"], shown["TO"], shown["WHERE"]) == (rules.DOES, rules.TO, rules.WHERE)
    gap = ("the", "cat", "?", "a", "bird", ".")
    assert shown["best_answer"](LANGUAGE, WORDS, gap, 2) == rules.best_answer(LANGUAGE, WORDS, gap, 2)


def test_a_language_of_ones_own_has_its_own_sentences_and_a_list_that_breaks_it_is_told():
    own = rules.all_sentences({"cat": ["purrs"]}, {}, {})
    assert own["the", "cats", "purr", "."] == pytest.approx(1 / 2 / 3 / 2)
    with pytest.raises(ValueError, match="do not add up to 1"):
        rules.all_sentences({"cat": ["purrs", "purrs"]}, {}, {})
