"""What somebody has right in the quiz who knows nothing and follows a rule, and how two readers marked its options."""

import re
from collections.abc import Callable

from bertlab.course import quiz
from bertlab.course.quiz import Question

Rule = Callable[[Question], list[str]]
"""Return the letters of the options that it allows; one of them is taken by lot, or one of all if there is none."""


def read(second: bool = False) -> dict[str, list[Question]]:
    """Return the questions of each form, marked as by the author, or as by the second reader."""
    forms = {form: quiz.questions(form) for form in quiz.FORMS}
    if second:
        return {form: [asked._replace(**asked.second) for asked in questions] for form, questions in forms.items()}
    return forms


def plain(text: str) -> str:
    """Return a text as it is read, without the marks of code and emphasis."""
    return text.replace("*", "").replace("`", "")


def always(letter: str) -> Rule:
    """Return the rule that takes a letter."""
    return lambda question: [letter]


def by_length(rank: int) -> Rule:
    """Return the rule that takes the option of this rank in length, the shortest being 0."""

    def rule(question: Question) -> list[str]:
        lengths = {letter: len(plain(option.text)) for letter, option in question.options.items()}
        wanted = sorted(lengths.values())[rank]
        return [letter for letter, length in lengths.items() if length == wanted]

    return rule


def middle_number(question: Question) -> list[str]:
    """Return the options whose first number is neither the smallest nor the largest, where three have one at least."""
    first = {}
    for letter, option in question.options.items():
        number = re.search(r"\d[\d,]*(?:\.\d+)?", re.sub(r"\bzero\b", "0", option.text))
        if number:
            first[letter] = float(number[0].replace(",", ""))
    ends = {min(first.values(), default=0), max(first.values(), default=0)}
    return [letter for letter, number in first.items() if len(first) > 2 and number not in ends]


def modest(question: Question) -> list[str]:
    """Return the option that claims least."""
    return [letter for letter in question.options if letter == question.modest]


def not_modest(question: Question) -> list[str]:
    """Return the others, where one claims least."""
    return [letter for letter in question.options if question.modest and letter != question.modest]


def technical(question: Question) -> list[str]:
    """Return the option that sounds most learned."""
    return [letter for letter in question.options if letter == question.technical]


RULES: dict[str, Rule] = {
    "always the most modest": modest,
    "never the most modest": not_modest,
    "always the most technical": technical,
    "always the longest": by_length(3),
    "always a middle number": middle_number,
    "always the longest but one": by_length(2),
    "always the shortest but one": by_length(1),
    "always the shortest": by_length(0),
    **{f"always {letter}": always(letter) for letter in "ABCD"},
}


def chance(rule: Rule, question: Question) -> float:
    """Return how often somebody is right who follows a rule."""
    letters = rule(question) or list(question.options)
    return (question.right in letters) / len(letters)


def score(rule: Rule, questions: list[Question]) -> float:
    """Return how many questions somebody has right on average who follows a rule."""
    return sum(chance(rule, question) for question in questions)


def marks(forms: dict[str, list[Question]], name: str) -> list[bool]:
    """Return for each option of both forms whether a reader marked it ``modest``, or ``technical``."""
    questions = [question for form in forms.values() for question in form]
    return [getattr(question, name) == letter for question in questions for letter in question.options]
