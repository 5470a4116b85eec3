"""Record the runs of lesson 7: a small BERT learns the small language, with ten seeds for each variant.

python making/record.py bertlab/data/small_language_runs.csv --seeds 10     # in about fifty minutes on one slow core
python making/record.py bertlab/data/left_out_runs.csv --seeds 10           # in some minutes
"""

import argparse
import random
from collections.abc import Iterable, Sequence
from copy import deepcopy
from itertools import chain, pairwise
from math import nan
from typing import Any

import pandas as pd
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy
from tqdm import tqdm
from transformers import BertForMaskedLM

from bertlab.masking import corrupt
from bertlab.pretraining import encode, new_model, word_tokenizer
from bertlab.pretraining.language import DOES, WHERE, Sentence, all_sentences, best_answer, words_of
from recording import record

TEST, TEXT = 200, 20_000  # sentences drawn for the test, and then for the text
STEPS, BATCH, RATE, STEP_SIZE = 700, 64, 0.3, 3e-3  # of a run
EVERY = 25  # steps between two snapshots of the model
LANGUAGE = all_sentences()
WORDS = words_of(LANGUAGE)
TOKENIZER = word_tokenizer(WORDS)
SINGULAR = set(chain.from_iterable(DOES.values()))
PLURAL = {verb.removesuffix("s") for verb in SINGULAR}

# How runs differ from the lesson's own: in text, length, shape of the model, or the number of steps over which the
# learning rate rises from zero (otherwise it is constant).
VARIANTS: dict[str, dict[str, Any]] = {
    "lesson": {"steps": 2 * STEPS},
    "300 sentences": {"sentences": 300},
    "3,000 sentences": {"sentences": 3_000},
    "1 layer of 32": {"shape": {"layers": 1, "hidden": 32}},
    "4 layers of 64": {"shape": {"layers": 4}},
    "as here, with a rise": {"rise": 100},
    "4 layers, with a rise": {"shape": {"layers": 4}, "rise": 100},
}


def draw() -> tuple[list[Sentence], list[Sentence]]:
    """Draw the sentences of the test, and a text without any of them."""
    drawn = random.Random(0).choices(list(LANGUAGE), weights=list(LANGUAGE.values()), k=TEST + TEXT)
    test, known = drawn[:TEST], set(drawn[:TEST])
    return test, [sentence for sentence in drawn[TEST:] if sentence not in known]


def set_of(words: set[str]) -> Tensor:
    """Return 1 for the pieces that are among these words, and 0 for all others, (pieces,)."""
    return torch.tensor([float(piece in words) for piece in TOKENIZER.convert_ids_to_tokens(range(len(TOKENIZER)))])


class Gaps:
    """Every word of some sentences, hidden in turn, and what the rules say about it."""

    def __init__(self, sentences: Sequence[Sentence]) -> None:
        self.places: list[tuple[Sentence, int]] = []
        for sentence in sentences:
            self.places += [(sentence, place) for place in range(len(sentence))]
        self.ids = encode(TOKENIZER, [sentence for sentence, _ in self.places])  # (gaps, tokens)
        self.attention_mask = self.ids != TOKENIZER.pad_token_id
        columns = torch.tensor([place + 1 for _, place in self.places])  # [CLS] comes first
        self.at = torch.arange(len(columns)), columns
        self.answers = self.ids[self.at]  # (gaps,)
        self.ids[self.at] = TOKENIZER.mask_token_id
        self.verbs, agreeing, fitting, alone = [], [], [], []
        for gap, (sentence, place) in enumerate(self.places):
            if sentence[place] in SINGULAR | PLURAL:
                subject = sentence[place - 1]
                verbs = set(DOES[subject if subject in DOES else subject.removesuffix("s")])
                self.verbs.append(gap)
                agreeing.append(set_of(SINGULAR if subject in DOES else PLURAL))
                fitting.append(set_of(verbs | {verb.removesuffix("s") for verb in verbs}))
                alone.append(sentence[place + 1] in (".", *WHERE))
        self.alone = torch.tensor(alone)  # (gaps of verbs,): does no object follow, which would give the verb away?
        self.agreeing, self.fitting = torch.stack(agreeing), torch.stack(fitting)  # (gaps of verbs, pieces)

    def shares(self, model: Any) -> Tensor:
        """Return a model's probability of each piece at each gap, (gaps, pieces)."""
        with torch.no_grad():
            return model(self.ids, attention_mask=self.attention_mask).logits[self.at].softmax(dim=-1)

    def losses(self, shares: Tensor) -> Tensor:
        """Return the loss at each gap, (gaps,)."""
        return -shares.gather(1, self.answers[:, None])[:, 0].log()

    def about_verbs(self, shares: Tensor) -> dict[str, float]:
        """Return the shares of the probability of verbs that agree in number, and that fit a subject without object."""
        at_verbs = shares[self.verbs]
        verb = (at_verbs * set_of(SINGULAR | PLURAL)).sum(dim=-1)
        agrees, fits = ((at_verbs * pieces).sum(dim=-1) / verb for pieces in (self.agreeing, self.fitting))
        return {"agrees": float(agrees.mean()), "fits_alone": float(fits[self.alone].mean())}

    def floor(self) -> float:
        """Return the mean loss of the best answers, by the rules."""
        best = [best_answer(LANGUAGE, WORDS, sentence, place)[sentence[place]] for sentence, place in self.places]
        return float(-torch.tensor(best).log().mean())


def frequencies(text: Tensor) -> Tensor:
    """Return the share of each piece among the words of a text, (pieces,)."""
    counts = torch.bincount(text.flatten(), minlength=len(TOKENIZER)).float()
    counts[torch.tensor(TOKENIZER.all_special_ids)] = 0
    return counts / counts.sum()


def train(
    model: BertForMaskedLM, text: Tensor, *, steps: int = STEPS, seed: int = 0, rise: int = 0
) -> dict[int, BertForMaskedLM]:
    """Train a model in place, by batches of 64 sentences; return copies of it by step, every 25 steps and at the end.

    The learning rate rises from zero over some steps, if asked, and stays as it is.
    """
    torch.manual_seed(seed)
    optimizer = torch.optim.AdamW(model.parameters(), lr=STEP_SIZE, fused=True)
    snapshots = {}
    for step in range(steps):
        if step % EVERY == 0:
            snapshots[step] = deepcopy(model)
        optimizer.param_groups[0]["lr"] = STEP_SIZE * (min(1.0, step / rise) if rise else 1.0)
        batch = text[torch.randint(len(text), (BATCH,))]
        given, chosen = corrupt(batch, RATE, TOKENIZER)
        logits = model(given, attention_mask=batch != TOKENIZER.pad_token_id).logits
        cross_entropy(logits[chosen], batch[chosen]).backward()
        optimizer.step()
        optimizer.zero_grad()
    return snapshots | {steps: model}


def small_language_runs(options: argparse.Namespace, variants: Iterable[str] = VARIANTS) -> pd.DataFrame:
    """Train every variant with every seed on the same text, and return one row per measurement on the same test."""
    test, text = draw()
    gaps, ids = Gaps(test), encode(TOKENIZER, text)
    by_frequency = gaps.about_verbs(frequencies(ids).expand(len(gaps.places), -1))
    known = {"floor": gaps.floor()} | {f"{name}_frequencies": share for name, share in by_frequency.items()}
    rows = []
    for name in variants:
        variant = VARIANTS[name]
        practice = ids[: variant.get("sentences", TEXT)]
        for seed in tqdm(range(options.seeds)):
            model = new_model(len(TOKENIZER), seed, **variant.get("shape", {}))
            how = {"steps": variant.get("steps", STEPS), "rise": variant.get("rise", 0)}
            for step, copy in train(model, practice, seed=seed, **how).items():
                if step % 100 == 0 or (name == "lesson" and step <= STEPS):
                    shares = gaps.shares(copy)
                    row = {"run": name, "seed": seed, "step": step, "loss": float(gaps.losses(shares).mean())}
                    about_verbs = gaps.about_verbs(shares) if name == "lesson" else dict.fromkeys(by_frequency, nan)
                    rows.append(row | about_verbs | known)
    return pd.DataFrame(rows).round(4)


CATS = ("this ? cat sleeps .", "the ? cats purr .", "a ? cat sees the dog .", "these ? cats sleep .")
SEEN = ("the boy sees a ? .", "this dog sees the ? .", "the girls see this ? .", "a cat sees a ? .")
ASKED = {"young_cat": (CATS, "young"), "seen_teacher": (SEEN, "teacher"), "seen_girl": (SEEN, "girl")}


def left_out(sentence: Sentence) -> bool:
    """Return whether a sentence has a young cat, or a teacher as its object."""
    young_cat = bool(set(pairwise(sentence)) & {("young", "cat"), ("young", "cats")})
    return young_cat or bool({"teacher", "teachers"} & set(sentence[4:]))


def beside_the_rules(model: Any, gaps: Sequence[str], word: str) -> float:
    """Return a word's probability as a share of what the rules give it, the mean over some gaps."""
    total = 0.0
    for gap in gaps:
        sentence = tuple(gap.split())
        place = sentence.index("?")
        ids = encode(TOKENIZER, [(*sentence[:place], TOKENIZER.mask_token, *sentence[place + 1 :])])
        with torch.no_grad():
            shares = model(ids).logits[0, place + 1].softmax(dim=-1)
        rule = best_answer(LANGUAGE, WORDS, sentence, place)[word]
        total += float(shares[TOKENIZER.convert_tokens_to_ids(word)]) / rule
    return total / len(gaps)


def left_out_runs(options: argparse.Namespace) -> pd.DataFrame:
    """Train on the whole text and on one without some sentences, and return the probabilities of what is missing."""
    _, text = draw()
    texts = {"whole": text, "without them": [sentence for sentence in text if not left_out(sentence)]}
    rows = []
    for name, sentences in texts.items():
        for seed in tqdm(range(options.seeds)):
            model = train(new_model(len(TOKENIZER), seed), encode(TOKENIZER, sentences), seed=seed)[STEPS]
            asked = {column: beside_the_rules(model, *gaps) for column, gaps in ASKED.items()}
            rows.append({"text": name, "seed": seed} | asked)
    return pd.DataFrame(rows).round(4)


if __name__ == "__main__":
    record(__doc__, small_language_runs, left_out_runs)
