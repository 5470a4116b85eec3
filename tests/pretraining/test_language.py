"""The small language's probabilities are those of a drawing by its rules, and its best answers those of counting."""

import random
from collections import Counter

import pytest

from bertlab.course import notebooks as lessons
from bertlab.evidence import wilson
from bertlab.pretraining import language as rules

LANGUAGE = rules.all_sentences()
WORDS = rules.words_of(LANGUAGE)


def drawn(chance):
    """Draw one sentence as a person would, choice by choice, without a probability anywhere."""

    def phrase(nouns):
        noun, several = chance.choice(nouns), chance.random() < 0.5
        article = chance.choice(["the", "some", "these"] if several else ["the", "a", "this"])
        adjective = [chance.choice(["small", "big", "young", "tired", "wet"])] if chance.random() < 0.5 else []
        return [article, *adjective, noun + "s" * several], noun, several

    who, noun, several = phrase(["dog", "cat", "bird", "girl", "boy", "teacher"])
    verb = chance.choice(rules.DOES[noun])
    said = verb[:-1] if several else verb
    if verb in rules.TO:
        return (*who, said, *phrase(rules.TO[verb])[0], ".")
    if chance.random() < 0.5:
        return (*who, said, ".")
    preposition = chance.choice(["in", "near"])
    return (*who, said, preposition, "the", chance.choice(rules.WHERE[preposition]), ".")


@pytest.fixture(scope="module")
def many():
    chance = random.Random(1)
    return [drawn(chance) for _ in range(100_000)]


def test_probabilities_add_up_and_every_drawn_sentence_is_there(many):
    assert sum(LANGUAGE.values()) == pytest.approx(1)
    assert set(many) <= set(LANGUAGE)
    assert len(WORDS) == 56


@pytest.mark.parametrize(
    ("gap", "place"), [("the ? sleep .", 1), ("the cat ? .", 2), ("? dog barks .", 0), ("the dogs bark ?", 3)]
)
def test_the_best_answer_is_what_counting_finds(many, gap, place):
    sentence = tuple(gap.split())
    fitting = [
        s for s in many if len(s) == len(sentence) and all(s[i] == w for i, w in enumerate(sentence) if i != place)
    ]
    counted, best = Counter(s[place] for s in fitting), rules.best_answer(LANGUAGE, WORDS, sentence, place)
    assert sum(best.values()) == pytest.approx(1)
    assert set(counted) <= set(best)
    for word, p in best.items():
        share = wilson(counted[word], len(fitting))
        half = (share.high - share.low) / 2
        assert abs(share.value - p) <= 2 * half + 1e-9, word  # four standard errors


@pytest.mark.parametrize(
    ("gap", "answer"),
    [
        ("these ? bark .", {"dogs": 1}),
        ("this ? purrs .", {"cat": 1}),
        ("some birds ? .", {"sing": 0.5, "sleep": 0.5}),
        ("? teachers laugh .", {"the": 1 / 3, "some": 1 / 3, "these": 1 / 3}),
        ("the cat ? a bird .", {"chases": 0.5 / 0.5 * 1 / 2 / (1 / 2 + 1 / 6), "sees": 1 / 6 / (1 / 2 + 1 / 6)}),
    ],
)
def test_best_answers_by_hand(gap, answer):
    sentence = tuple(gap.split())
    assert rules.best_answer(LANGUAGE, WORDS, sentence, sentence.index("?")) == pytest.approx(answer)


def test_every_word_has_a_group():
    kinds = Counter(rules.word_group(word)[0] for word in WORDS)
    assert kinds == {
        "noun": 20,
        "verb": 18,
        "adjective": 5,
        "article": 5,
        "place": 5,
        "preposition": 2,
        "sign": 1,
    }


def test_the_lesson_writes_out_the_same_language():
    (path,) = [path for path in lessons.paths() if path.stem == "07_pretraining"]
    begins = ("DOES = {", "ARTICLES = ", "def objects_and_places", "def all_sentences", "def best_answer")
    cells = [cell.source for cell in lessons.read(path).cells if cell.source.startswith(begins)]
    assert len(cells) == len(begins)
    written = {}
    exec("\n\n".join(cells), written)
    assert written["all_sentences"]() == LANGUAGE
    gap = ("the", "cat", "?", "a", "bird", ".")
    assert written["best_answer"](LANGUAGE, WORDS, gap, 2) == rules.best_answer(LANGUAGE, WORDS, gap, 2)
