"""The practice questions as a page: a click on an option shows why it is right or wrong."""

from itertools import groupby

from bertlab_teaching import quiz
from bertlab_teaching.book.lesson import raw_html
from bertlab_teaching.markup import marked

INTRODUCTION = """# Practice questions

Four questions for each lesson, or so. Choose an option to read why it is right or wrong. Nothing is counted or sent.
"""


def page(titles: dict[int, str]) -> str:
    """Return the page in Markdown; `titles` has the title of each lesson by its number."""
    parts = [INTRODUCTION]
    for lesson, questions in groupby(quiz.questions(quiz.PRACTICE), key=lambda question: question.lesson):
        parts.append(f"## {titles[lesson]}")
        for number, question in enumerate(questions, start=1):
            parts.append(raw_html(f'<p class="asks">{number}. {marked(question.asks)}</p>'))
            if question.code:
                parts.append(f"````python\n{question.code}\n````")
            parts.append(raw_html(_options(question, f"practice-{lesson}-{number}")))
    return "\n\n".join(parts) + "\n"


def _options(question: quiz.Question, name: str) -> str:
    """Return a question's options as HTML; of those with the same `name`, one at a time is unfolded."""
    lines = [f'<div class="options" role="group" aria-label="Options of question {name.removeprefix("practice-")}">']
    for letter, option in question.options.items():
        right = letter == question.right
        lines.append(
            f'<details name="{name}" class="{"right" if right else "wrong"}"><summary>{marked(option.text)}</summary>'
            f"<p><b>{'Right.' if right else 'Not so.'}</b> {marked(option.reason)}"
            f"{f' <i>{marked(question.place)}.</i>' if right else ''}</p></details>"
        )
    return "\n".join([*lines, "</div>"])
