"""The counts and leads of ways that were judged on the same items."""

from bertlab.evidence import beside_controls, lead, verdict

ITEMS = 40


def compared(right, of=ITEMS, name="this BERT", **controls):
    """Compare a method with controls; each is right on its first so many items."""
    ways = {name: right} | {control.replace("_", " "): count for control, count in controls.items()}
    return beside_controls({way: [i < count for i in range(of)] for way, count in ways.items()})


def said():
    yield "one control", verdict(compared(30, twin=10), "searches", right="finds the partner in")
    by_words = beside_controls({"BERT": [1, 1, 1, 0], "twin": [0, 0, 1, 1], "rows": [1, 0, 1, 0]}, list("aabb"))
    yield "controls, in groups", verdict(by_words, "sentences", "words")
    yield "ahead, behind and not decided", lead(compared(20, twin=5, rows=40, words=21), "sentences")
    yield "not decided", lead(beside_controls({"BERT": [1, 0] * 9, "twin": [1, 1, 0] * 6}), "sentences")
    yield "level", lead(compared(300, 600, twin=299), "sentences")
    yield "too few", lead(by_words, "sentences")
