"""Lesson 7's checks tell blank, right and wrong answers apart, and name the misconception."""

import math
import time

import numpy as np
import pandas as pd
import pytest
import torch
from scipy.stats import entropy
from torch.nn.functional import cross_entropy

from bertlab.checks import pretraining as checks


def blank(*_):
    return None


def shares(text, words):
    return np.bincount(text.numpy(), minlength=words) / len(text)


def losses(text, answers, words):
    return [math.log(words), float(np.mean(-np.log(shares(text, words)[answers.numpy()])))]


def scored(scores, answers):
    """Take cross-entropy as if these were scores."""
    return cross_entropy(torch.as_tensor(scores).double().expand(len(answers), -1), answers).item()


class TestTwoLosses:
    def test_blank(self):
        assert checks.two_losses(blank).status == "not yet"

    @pytest.mark.parametrize("kind", [tuple, torch.tensor, np.array, pd.Series])
    def test_right(self, kind):
        assert checks.two_losses(lambda *given: kind(losses(*given))).status == "right"

    def test_right_word_by_word(self):
        def answer(text, answers, words):
            rare = [-math.log(text.tolist().count(word) / len(text)) for word in answers.tolist()]
            return sum(-math.log(1 / words) for _ in answers) / len(answers), sum(rare) / len(rare)

        assert checks.two_losses(answer).status == "right"

    @pytest.mark.parametrize(
        ("wrong", "named"),
        [
            (lambda *g: losses(*g)[::-1], "wrong order"),
            (lambda *g: [-loss for loss in losses(*g)], "the sign"),
            (lambda *g: [loss / math.log(2) for loss in losses(*g)], "the base 2"),
            (lambda *g: [loss / math.log(10) for loss in losses(*g)], "the base 10"),
            (lambda t, a, w: losses(a, a, w), "those of the test's own words"),
            (lambda t, a, w: [math.log(w), entropy(shares(t, w))], "its entropy"),
            (lambda t, a, w: [math.log(w), -math.log(shares(t, w)[a].mean())], "the logarithm of a mean"),
            (lambda t, a, w: [len(a) * loss for loss in losses(t, a, w)], "the losses are added up"),
            (lambda t, a, w: [math.log(w), len(a) * losses(t, a, w)[1]], "the second is added up"),
            (lambda t, a, w: [1 / w, shares(t, w)[a].mean()], "these are probabilities"),
            (lambda t, a, w: [math.log(len(set(a.tolist()))), losses(t, a, w)[1]], "not only those that occur"),
            (lambda t, a, w: [-math.log(w), losses(t, a, w)[1]], "the sign of the first"),
            (lambda t, a, w: [math.log(w), -losses(t, a, w)[1]], "the sign of the second"),
            (lambda *g: np.exp(losses(*g)), "perplexities"),
            (lambda t, a, w: [math.log(len(t)), losses(t, a, w)[1]], "the length of the text"),
            (lambda t, a, w: [math.log(len(a)), losses(t, a, w)[1]], "the number of answers"),
            (lambda t, a, w: [1 / w, losses(t, a, w)[1]], "this is a probability"),
            (lambda t, a, w: [math.log(w), -np.log(np.bincount(t)[a]).mean()], "counts are no shares yet"),
            (lambda t, a, w: [math.log(w), -np.log(np.bincount(t)[a] / w).mean()], "counts are no shares yet"),
            (lambda t, a, w: [math.log(w), -np.log(shares(t, w)).mean()], "over all words, each once"),
            (lambda t, a, w: [math.log(w), scored(shares(t, w), a)], "these need no softmax"),
            (lambda t, a, w: [math.log(w), scored(np.bincount(t), a)], "these need no softmax"),
            (lambda t, a, w: losses(torch.cat([t, torch.arange(w)]), a, w), "one was added to each count"),
            (lambda t, a, w: [math.log(w), -np.log(shares(t, w)[a])], "with the shapes a number, (20,)"),
            (lambda *g: dict(enumerate(losses(*g))), "returns dict, and a tensor of shape (2,), or a list"),
            (lambda *g: [4.0, 3.5], "gives the same result whatever it is given"),
            (lambda *g: losses(*g)[1], "shape"),
        ],
    )
    def test_wrong(self, wrong, named):
        outcome = checks.two_losses(wrong)
        assert outcome.status == "not quite"
        assert named in outcome.message


def test_every_word_is_in_the_text_and_some_are_never_asked_for():
    text, answers, words = checks._words(9, 60, 20)
    assert set(text.tolist()) == set(range(words))
    assert set(answers.tolist()) <= set(range(words - 2))


def schedule(step, steps, warmup):
    return float(np.interp(step, [0, warmup, steps], [0, 1, 0]))


class TestShareOfStep:
    def test_blank(self):
        assert checks.share_of_step(blank).status == "not yet"

    def test_right(self):
        assert checks.share_of_step(schedule).status == "right"
        assert checks.share_of_step(lambda s, n, w: min(s / w, (n - s) / (n - w))).status == "right"
        assert checks.share_of_step(lambda s, n, w: s / w if s <= w else 1 - (s - w) / (n - w)).status == "right"
        assert checks.share_of_step(lambda s, n, w: torch.tensor(schedule(s, n, w))).status == "right"

    @pytest.mark.parametrize(
        ("wrong", "named"),
        [
            (lambda s, n, w: min(1, (n - s) / (n - w)), "the warm-up is missing: it begins"),
            (lambda s, n, w: 1 - s / n, "the fall begins at the first step"),
            (lambda s, n, w: min(1, s / w), "the fall is missing"),
            (lambda s, n, w: s / w if s < w else 1 - s / n, "jumps where the warm-up ends"),
            (lambda s, n, w: s // w if s < w else (n - s) // (n - w), "divides whole numbers"),
            (lambda s, n, w: schedule(s + 1, n, w) if s < n else -1 / (n - w), "one step too early"),
            (lambda s, n, w: s / w if s < w else (s - w) / (n - w), "it rises where it should fall"),
            (lambda s, n, w: s / w if s < w else (n - s) / w, "what was left when it ended"),
            (lambda s, n, w: 3e-3 * schedule(s, n, w), "the step size itself"),
            (lambda s, n, w: schedule(s, 700, 50), "right at the start, and wrong in the rise"),
            (lambda s, n, w: max(s / w, (n - s) / (n - w)), "take the lower one"),
            (lambda s, n, w: s / w * (n - s) / (n - w), "the two lines are multiplied"),
            (lambda s, n, w: s / w if s < w else (n - 1 - s) / (n - 1 - w), "it falls too soon"),
            (lambda s, n, w: s / w if s < w else (n + 1 - s) / (n + 1 - w), "it falls too late"),
            (lambda s, n, w: s / n if s < w else (n - s) / n, "both lines are divided by all steps"),
            (lambda s, n, w: s / w if s < w else 1 - (s - w) / n, "the fall does not reach zero"),
            (lambda s, n, w: s / w if s < w else n - s, "these are the steps that are left"),
            (lambda s, n, w: s / w if s < w else (1 + math.cos(math.pi * (s - w) / (n - w))) / 2, "half a wave"),
            (lambda s, n, w: (s + 1) / w if s < w else (n - s) / (n - w), "wrong at the start and in the rise. There"),
            (lambda s, n, w: s / w if s < w else w / s, "right at the start, in the rise and at the top, and wrong in"),
            (lambda s, n, w: 0.3, "the same result whatever it is given"),
        ],
    )
    def test_wrong(self, wrong, named):
        outcome = checks.share_of_step(wrong)
        assert outcome.status == "not quite"
        assert named in outcome.message


def table(train_once, rates, seeds):
    found = np.array([[train_once(rate=rate, seed=seed) for seed in seeds] for rate in rates])
    return np.stack([found.mean(1), found.min(1), found.max(1)], axis=1)


def all_of(train_once, rates, seeds):
    return np.array([[train_once(rate=rate, seed=seed) for seed in seeds] for rate in rates])


def with_deviation(losses):
    middle, spread = losses.mean(1), losses.std(1)
    return np.stack([middle, middle - spread, middle + spread], axis=1)


def piled_up(train_once, rates, seeds):
    """Forget to begin a new list for each rate."""
    rows, losses = [], []
    for rate in rates:
        for seed in seeds:
            losses.append(train_once(rate, seed))
        rows.append([sum(losses) / len(losses), min(losses), max(losses)])
    return rows


class TestCompareRates:
    def test_blank(self):
        assert checks.compare_rates(blank).status == "not yet"

    @pytest.mark.parametrize("kind", [lambda x: x, torch.tensor, lambda x: x.tolist(), pd.DataFrame])
    def test_right(self, kind):
        assert checks.compare_rates(lambda *given: kind(table(*given))).status == "right"

    @pytest.mark.parametrize(
        ("wrong", "named"),
        [
            (lambda t, r, s: table(t, r, s[:1]), "only the first seed"),
            (lambda t, r, s: np.array([[t(rate=x, seed=s[i % len(s)])] * 3 for i, x in enumerate(r)]), "of its own"),
            (lambda *g: table(*g)[:, [0, 2, 1]], "exchanged"),
            (lambda *g: table(*g)[:, [1, 1, 2]], "the best seed"),
            (lambda *g: np.stack([np.median(all_of(*g), 1), *table(*g).T[1:]], 1), "the median"),
            (lambda *g: np.stack([all_of(*g).sum(1), *table(*g).T[1:]], 1), "the sum"),
            (lambda *g: np.stack([f(all_of(*g), axis=0) for f in (np.mean, np.min, np.max)], 1), "the rows are seeds"),
            (lambda *g: table(*g).T, "the columns are rates"),
            (all_of, "the losses of all seeds"),
            (lambda *g: table(*g)[:, 0], "only the means"),
            (lambda *g: table(*g)[:, [1, 0, 2]], "the mean comes first"),
            (lambda *g: table(*g)[:, [1, 2, 0]], "the mean comes first"),
            (lambda *g: with_deviation(all_of(*g)), "with a standard deviation below and above"),
            (lambda *g: piled_up(*g), "begin a new list for each rate"),
            (lambda *g: table(*g)[:1], "does return stand inside the loop"),
            (lambda *g: table(*g)[-1], "does return stand inside the loop"),
            (lambda t, r, s: np.c_[r, table(t, r, s)], "each row begins with its rate"),
            (lambda t, r, s: table(t, [r[0] for _ in r], s), "the rate stays the same in all rows"),
            (lambda t, r, s: table(lambda rate, seed: t(seed, rate), r, s), "have changed places"),
            (lambda t, r, s: table(t, r, range(len(s))), "the seeds are counted anew"),
            (lambda t, r, s: table(t, r, [0, 1, 2]), "given t = a function train_once, r = [0.1, 0.4], s = [3, 5"),
        ],
    )
    def test_wrong(self, wrong, named):
        outcome = checks.compare_rates(wrong)
        assert outcome.status == "not quite"
        assert named in outcome.message


def test_a_wrong_answer_is_told_at_once():
    began = time.process_time()
    for check in (checks.two_losses, checks.share_of_step, checks.compare_rates):
        assert check(lambda *_: 7.0).status == "not quite"
    assert time.process_time() - began < 5
