"""What lesson 6 says of counts."""

from bertlab.masking import figures


def said():
    counts = {"bertlab-mini": 30, "window rule": 10, "untrained twin": 8}
    yield "right answers", figures.right_answers(counts, 40, "pairs").caption
