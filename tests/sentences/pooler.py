"""Lesson 2: the captions of its figures, and what the checks of its exercises say."""

import torch

import bertlab
from bertlab.checks import pooler as checks
from bertlab.evidence import beside_controls
from bertlab.pooler import figures

ITEMS = 40
SECONDS = ["She looked for them everywhere.", "The moon has many craters."]


def compared(first, **controls):
    ways = {"bertlab-mini": first, **{name.replace("_", " "): count for name, count in controls.items()}}
    return beside_controls({name: [i < count for i in range(ITEMS)] for name, count in ways.items()})


def said():
    yield "which comes next", figures.does_it_follow("She lost her keys.", SECONDS, torch.tensor([0.9, 0.2])).caption
    alone = figures.does_it_follow("She lost her keys.", SECONDS[:1], torch.tensor([0.9])).caption
    yield "which comes next, of one", alone
    pooled = torch.linspace(-0.5, 0.75, 60)
    yield "tokens and pooled", figures.tokens_and_pooled(["[CLS]", "cat"], torch.ones(2, 60) * 5, pooled).caption
    yield "tanh", figures.before_and_after_tanh(pooled * 4, torch.tanh(pooled * 4)).caption
    kinds = {"follow": torch.linspace(0.4, 1, 80), "unrelated": torch.linspace(0, 1, 80)}
    yield "two kinds of pairs", figures.followers_and_others(kinds, 0.5).caption
    three = kinds | {"reversed": kinds["follow"]}
    yield "three kinds, all above", figures.followers_and_others(three, 0).caption
    yield "three kinds, none above", figures.followers_and_others(three, 1).caption
    for branch, count in (("ahead", 38), ("not ahead", 24), ("behind", 4), ("always right", ITEMS), ("never", 0)):
        rules = compared(count, word_rows=22, shared_words=21)
        yield f"chosen, {branch}", figures.followers_chosen(rules).caption
        yield f"nearest, {branch}", figures.nearest_of_the_same_text(compared(count, word_rows=22), 0.04).caption
    yield from of_checks()


def of_checks():
    """Yield what the checks answer to right functions, and to one that the runner cannot name."""
    bert = bertlab.load("bertlab-mini")

    def layer(hidden, intermediate):
        return 4 * hidden**2 + 2 * hidden * intermediate + 9 * hidden + intermediate

    def batch(bert, texts, **options):
        inputs = bert.tokenizer(texts, **options)
        return torch.tanh(bert.model.bert.pooler.dense(bert.model.bert(**inputs).last_hidden_state[:, 0]))

    def padded(bert, texts):
        return batch(bert, texts, padding=True, return_tensors="pt")

    def share(bert, following, other):
        yes, no = bertlab.pooler.next_sentence(bert, following), bertlab.pooler.next_sentence(bert, other)
        return ((yes > 0.5).sum() + (no <= 0.5).sum()) / (len(yes) + len(no))

    pairs = [("It rained all day.", "So we stayed at home."), ("The cat was ill.", "We called the doctor.")]
    foreign = [(first, "A heart is a muscle.") for first, _ in pairs]
    yield "2.1, right", checks.layer_parameters(layer).message
    yield "2.2, right", checks.pool_batch(bert, padded).message
    yield "2.3, right", checks.next_sentence_accuracy(bert, pairs * 4, foreign * 4, share).message
