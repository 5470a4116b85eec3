"""The runs of lesson 7 that ship as tables, with ten seeds each: ``python -m bertlab.pretraining small FILE``."""

import random
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import pandas as pd
import torch
from torch import Tensor
from transformers import BertTokenizer

from bertlab.pretraining.gaps import Gaps
from bertlab.pretraining.language import Sentence, all_sentences, best_answer, words_of
from bertlab.pretraining.small import STEPS, encode, new_model, pieces, train, word_tokenizer

TEST, TEXT = 200, 20_000
"""How many sentences are drawn for the test, and after them for the text to learn from."""

LOOKS = 100
"""Steps between two rows of the table, of a run that is not the lesson's own."""


@dataclass(frozen=True)
class Variant:
    """What a run has otherwise than the lesson's own: the shape of the model, its text, its length."""

    size: dict[str, int] = field(default_factory=dict)
    sentences: int = TEXT
    steps: int = STEPS


VARIANTS = {
    "lesson": Variant(steps=2 * STEPS),
    "300 sentences": Variant(sentences=300),
    "3,000 sentences": Variant(sentences=3_000),
    "1 layer of 32": Variant(size={"layers": 1, "hidden": 32}),
    "4 layers of 64": Variant(size={"layers": 4}),
}


def draw(seed: int = 0) -> tuple[list[Sentence], list[Sentence]]:
    """Draw the sentences of the test, and a text that holds none of them."""
    language = all_sentences()
    drawn = random.Random(seed).choices(list(language), weights=list(language.values()), k=TEST + TEXT)
    test = drawn[:TEST]
    known = set(test)
    return test, [sentence for sentence in drawn[TEST:] if sentence not in known]


def best_shares(tokenizer: BertTokenizer, test: list[Sentence]) -> Tensor:
    """Return the best answers at every word of the test's sentences, (gaps, pieces)."""
    language = all_sentences()
    words = words_of(language)
    rows = []
    for sentence in test:
        for place in range(len(sentence)):
            found = best_answer(language, words, sentence, place)
            rows.append([found.get(piece, 0.0) for piece in pieces(tokenizer)])
    return torch.tensor(rows)


def by_frequency(tokenizer: BertTokenizer, text: Tensor) -> Tensor:
    """Return the share that each word has in a text, (pieces,): what somebody says who knows no more than that."""
    counts = torch.bincount(text.flatten(), minlength=len(tokenizer)).double()
    counts[torch.tensor(tokenizer.all_special_ids)] = 0
    return counts / counts.sum()


def known_beforehand(tokenizer: BertTokenizer, text: Tensor, gaps: Gaps, best: Tensor) -> dict[str, float]:
    """Return what a row of the record is set beside: the floor, and what word frequencies alone would give.

    Parameters
    ----------
    tokenizer
    text : (sentences, tokens)
        Where words are counted.
    gaps
        Of the test.
    best : (gaps, pieces)
        The answers by the rules.

    Returns
    -------
    dict of str to float
        ``floor`` and ``frequencies`` are mean losses; ``agrees_frequencies`` and ``fits_frequencies`` are what
        `Gaps.about_verbs` says of the frequencies.
    """
    shares = by_frequency(tokenizer, text)
    verbs = gaps.about_verbs(shares.float().expand(len(gaps.answers), -1))
    return {
        "floor": float(gaps.parts(best).sum(axis=1).mean()),
        "frequencies": float(-shares[gaps.answers].log().mean()),
        "agrees_frequencies": verbs["agrees"],
        "fits_frequencies": verbs["fits"],
    }


def record(seeds: Iterable[int] = range(10), variants: Iterable[str] = tuple(VARIANTS)) -> pd.DataFrame:
    """Train every variant with every seed, and return a row a look, as `Gaps.watch` sees it.

    All runs have the same test and the same text; a seed is that of the first weights and of what is drawn from it.
    """
    test, text = draw()
    tokenizer = word_tokenizer(words_of(all_sentences()))
    gaps, read = Gaps(tokenizer, test), Gaps(tokenizer, text[:TEST])
    ids = encode(tokenizer, text)
    known = known_beforehand(tokenizer, ids, gaps, best_shares(tokenizer, test))
    rows = []
    for seed in seeds:
        for name in variants:
            variant = VARIANTS[name]
            model = new_model(len(tokenizer), seed, **variant.size)
            kept = train(model, tokenizer, ids[: variant.sentences], steps=variant.steps, seed=seed)
            for step, copy in kept.items():
                if step % LOOKS == 0 or (name == "lesson" and step <= STEPS):
                    seen = gaps.watch(copy) | {"read": float(read.parts(read.shares(copy)).sum(axis=1).mean())}
                    rows.append({"run": name, "seed": seed, "step": step} | seen | known)
    table = pd.DataFrame(rows).round(4)
    order = {name: place for place, name in enumerate(VARIANTS)}
    return table.sort_values(["run", "seed", "step"], key=lambda c: c.map(order) if c.name == "run" else c)


YOUNG_CATS = ("this ? cat sleeps .", "the ? cats purr .", "a ? cat sees the dog .", "these ? cats sleep .")
WHO_IS_SEEN = ("the boy sees a ? .", "this dog sees the ? .", "the girls see this ? .", "a cat sees a ? .")
ASKED = {
    "young_cat": (YOUNG_CATS, "young"),
    "seen_teacher": (WHO_IS_SEEN, "teacher"),
    "seen_girl": (WHO_IS_SEEN, "girl"),
}
"""Gaps, and the word that is asked for there; the last one stays in every text."""


def left_out(sentence: Sentence) -> bool:
    """Return whether a cat is young in a sentence, or a teacher is seen."""
    young_cat = bool(set(pairwise(sentence)) & {("young", "cat"), ("young", "cats")})
    return young_cat or bool({"teacher", "teachers"} & set(sentence[4:]))


def beside_the_rules(model: Any, tokenizer: BertTokenizer, gaps: Iterable[str], word: str) -> float:
    """Return how probable a word is at some gaps, as a share of what the rules give it; the mean over the gaps."""
    language = all_sentences()
    found = []
    for gap in gaps:
        sentence = tuple(gap.split())
        place = sentence.index("?")
        ids = encode(tokenizer, [(*sentence[:place], tokenizer.mask_token, *sentence[place + 1 :])])
        with torch.no_grad():
            shares = model(ids).logits[0, place + 1].softmax(dim=-1)
        rule = best_answer(language, words_of(language), sentence, place)[word]
        found.append(float(shares[tokenizer.convert_tokens_to_ids(word)]) / rule)
    return sum(found) / len(found)


def record_left_out(seeds: Iterable[int] = range(10), steps: int = STEPS) -> pd.DataFrame:
    """Train on the whole text and on one without some sentences, and return what is expected in their place.

    Returns
    -------
    pandas.DataFrame
        A row a text and seed: ``text``, ``seed``, and for each of `ASKED` its share of what the rules give.
    """
    _, text = draw()
    tokenizer = word_tokenizer(words_of(all_sentences()))
    texts = {"whole": text, "without them": [sentence for sentence in text if not left_out(sentence)]}
    ids = {name: encode(tokenizer, sentences) for name, sentences in texts.items()}
    rows = []
    for seed in seeds:
        for name in texts:
            model = train(new_model(len(tokenizer), seed), tokenizer, ids[name], steps=steps, seed=seed)[steps]
            asked = {column: beside_the_rules(model, tokenizer, *gaps) for column, gaps in ASKED.items()}
            rows.append({"text": name, "seed": seed} | asked)
    return pd.DataFrame(rows).round(4).sort_values("text", kind="stable")
