"""The recorded runs of lesson 7: a small BERT that learns the small language, with ten seeds of each kind.

python making/record.py bertlab/data/small_language_runs.csv      # in about half an hour on one slow core
python making/record.py bertlab/data/left_out_runs.csv            # in some minutes
"""

import argparse
import random
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pandas as pd
import torch
from torch import Tensor
from tqdm import tqdm

from bertlab.pretraining.language import DOES, Sentence, all_sentences, best_answer, word_group, words_of
from bertlab.pretraining.small import SPECIAL, encode, new_model, pieces, train, word_tokenizer

TEST, TEXT, STEPS = 200, 20_000, 700  # sentences drawn for the test, and after them for the text; steps of a run
LANGUAGE = all_sentences()
WORDS = words_of(LANGUAGE)
TOKENIZER = word_tokenizer(WORDS)

# What a run has otherwise than the lesson's own: its text, its length, the shape of its model.
VARIANTS: dict[str, dict[str, Any]] = {
    "lesson": {"steps": 2 * STEPS},
    "300 sentences": {"sentences": 300},
    "3,000 sentences": {"sentences": 3_000},
    "1 layer of 32": {"shape": {"layers": 1, "hidden": 32}},
    "4 layers of 64": {"shape": {"layers": 4}},
}


def draw(seed: int = 0) -> tuple[list[Sentence], list[Sentence]]:
    """Draw the sentences of the test, and a text that holds none of them."""
    drawn = random.Random(seed).choices(list(LANGUAGE), weights=list(LANGUAGE.values()), k=TEST + TEXT)
    test, known = drawn[:TEST], set(drawn[:TEST])
    return test, [sentence for sentence in drawn[TEST:] if sentence not in known]


class Gaps:
    """Every word of some sentences, hidden in turn, and what a model says there.

    `table` has a row a gap: its sentence, place, word, and the word's kind and number.
    """

    def __init__(self, sentences: Sequence[Sentence]) -> None:
        rows = []
        for number, sentence in enumerate(sentences):
            rows += [(number, sentence, place, word, *word_group(word)) for place, word in enumerate(sentence)]
        self.table = pd.DataFrame(rows, columns=["number", "sentence", "place", "word", "kind", "count"])
        self.ids = encode(TOKENIZER, self.table["sentence"])
        self.attention_mask = self.ids != TOKENIZER.pad_token_id
        self.at = torch.arange(len(rows)), torch.tensor(self.table["place"].tolist()) + 1  # [CLS] stands first
        self.answers = self.ids[self.at]  # (gaps,)
        self.ids[self.at] = TOKENIZER.mask_token_id
        groups = [word_group(piece) for piece in pieces(TOKENIZER)[len(SPECIAL) :]]
        self.same_kind = self.alike([kind for kind, _ in groups], self.table["kind"])
        self.same_group = self.alike(groups, list(zip(self.table["kind"], self.table["count"], strict=True)))
        kinds = self.table["kind"]
        self.verbs = torch.tensor((kinds == "verb").tolist())
        self.crossing = torch.tensor(((kinds == "article") & (kinds.shift(-1) == "adjective")).tolist())
        self.fitting = torch.stack([self.what_it_does(row) for row in self.table[kinds == "verb"].itertuples()])

    @staticmethod
    def alike(groups: Sequence, wanted: Iterable) -> Tensor:
        """Return which pieces are of the wanted group, (gaps, pieces) of 0 and 1; special ones are of none."""
        rows = [[0.0] * len(SPECIAL) + [float(group == one) for group in groups] for one in wanted]
        return torch.tensor(rows)

    @staticmethod
    def what_it_does(row: Any) -> Tensor:
        """Return which pieces are verbs, in either number, of what the noun before a gap does: (pieces,)."""
        who = row.sentence[row.place - 1]
        does = DOES[who if who in DOES else who.removesuffix("s")]
        both = {*does, *(verb.removesuffix("s") for verb in does)}
        return torch.tensor([float(piece in both) for piece in pieces(TOKENIZER)])

    def shares(self, model: Any) -> Tensor:
        """Return how probable a model finds each piece at each gap, (gaps, pieces)."""
        with torch.no_grad():
            return model(self.ids, attention_mask=self.attention_mask).logits[self.at].softmax(dim=-1)

    def parts(self, shares: Tensor) -> pd.DataFrame:
        """Split each gap's loss in three: for the kind of word, for its number, and for the very word."""
        kind, group = (shares * self.same_kind).sum(dim=-1), (shares * self.same_group).sum(dim=-1)
        word = shares.gather(1, self.answers[:, None])[:, 0]
        parts = {"kind": -kind.log(), "number": (kind / group).log(), "word": (group / word).log()}
        return pd.DataFrame({name: losses.tolist() for name, losses in parts.items()})

    def about_verbs(self, shares: Tensor) -> dict[str, float]:
        """Return what is known at the gaps of verbs, from 0 to 1: that it is one, its number, what the subject does."""
        verb = (shares * self.same_kind)[self.verbs].sum(dim=-1)
        agrees = (shares * self.same_group)[self.verbs].sum(dim=-1) / verb
        fits = (shares[self.verbs] * self.fitting).sum(dim=-1) / verb
        return {"a_verb": float(verb.mean()), "agrees": float(agrees.mean()), "fits": float(fits.mean())}

    def clearest_head(self, model: Any, gaps: Tensor, step: int) -> float:
        """Return how much the head that looks most gives from some gaps to the word so far away."""
        with torch.no_grad():
            output = model(self.ids[gaps], attention_mask=self.attention_mask[gaps], output_attentions=True)
        gap = self.at[1][gaps]
        weights = torch.stack(output.attentions, dim=1)[torch.arange(len(gap)), :, :, gap, gap + step]
        return float(weights.mean(dim=0).max())

    def watch(self, model: Any) -> dict[str, float]:
        """Return a row of the record: the loss and its parts, the loss of each kind of word, verbs, and heads."""
        shares = self.shares(model)
        losses = self.parts(shares)
        total = losses.sum(axis=1)
        by_kind = total.groupby(self.table["kind"]).mean()[["article", "noun", "verb", "place"]]
        heads = {"to_subject": self.clearest_head(model, self.verbs, -1)}  # from a verb to the noun before it
        heads["to_noun"] = self.clearest_head(model, self.crossing, 2)  # from an article over an adjective
        row = {"loss": float(total.mean())} | losses.mean().to_dict() | by_kind.to_dict()
        return row | self.about_verbs(shares) | heads


def best_shares(gaps: Gaps) -> Tensor:
    """Return the best answers at every gap, (gaps, pieces)."""
    rows = []
    for row in gaps.table.itertuples():
        best = best_answer(LANGUAGE, WORDS, row.sentence, row.place)
        rows.append([best.get(piece, 0.0) for piece in pieces(TOKENIZER)])
    return torch.tensor(rows)


def known_beforehand(text: Tensor, gaps: Gaps) -> dict[str, float]:
    """Return what a row is set beside: the floor, and what the frequencies of words alone would give."""
    counts = torch.bincount(text.flatten(), minlength=len(TOKENIZER)).double()
    counts[torch.tensor(TOKENIZER.all_special_ids)] = 0
    shares = counts / counts.sum()
    verbs = gaps.about_verbs(shares.float().expand(len(gaps.answers), -1))
    return {
        "floor": float(gaps.parts(best_shares(gaps)).sum(axis=1).mean()),
        "frequencies": float(-shares[gaps.answers].log().mean()),
        "agrees_frequencies": verbs["agrees"],
        "fits_frequencies": verbs["fits"],
    }


def small_language_runs(seeds: Iterable[int], variants: Mapping[str, dict[str, Any]] = VARIANTS) -> pd.DataFrame:
    """Train every variant with every seed, and return a row a look; all have the same test and the same text."""
    test, text = draw()
    gaps, own = Gaps(test), Gaps(text[:TEST])
    ids = encode(TOKENIZER, text)
    known = known_beforehand(ids, gaps)
    rows = []
    for seed in seeds:
        for name, variant in variants.items():
            model = new_model(len(TOKENIZER), seed, **variant.get("shape", {}))
            some = ids[: variant.get("sentences", TEXT)]
            for step, copy in train(model, TOKENIZER, some, steps=variant.get("steps", STEPS), seed=seed).items():
                if step % 100 == 0 or (name == "lesson" and step <= STEPS):
                    read = {"read": float(own.parts(own.shares(copy)).sum(axis=1).mean())}
                    rows.append({"run": name, "seed": seed, "step": step} | gaps.watch(copy) | read | known)
    table = pd.DataFrame(rows).round(4)
    order = {name: place for place, name in enumerate(variants)}
    return table.sort_values(["run", "seed", "step"], key=lambda c: c.map(order) if c.name == "run" else c)


CATS = ("this ? cat sleeps .", "the ? cats purr .", "a ? cat sees the dog .", "these ? cats sleep .")
SEEN = ("the boy sees a ? .", "this dog sees the ? .", "the girls see this ? .", "a cat sees a ? .")
ASKED = {"young_cat": (CATS, "young"), "seen_teacher": (SEEN, "teacher"), "seen_girl": (SEEN, "girl")}


def left_out(sentence: Sentence) -> bool:
    """Return whether a cat is young in a sentence, or a teacher is seen."""
    young_cat = bool(set(pairwise(sentence)) & {("young", "cat"), ("young", "cats")})
    return young_cat or bool({"teacher", "teachers"} & set(sentence[4:]))


def beside_the_rules(model: Any, gaps: Sequence[str], word: str) -> float:
    """Return how probable a word is at some gaps, as a share of what the rules give it; the mean over the gaps."""
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


def left_out_runs(seeds: Iterable[int], steps: int = STEPS) -> pd.DataFrame:
    """Train on the whole text and on one without some sentences, and return what is expected in their place."""
    _, text = draw()
    texts = {"whole": text, "without them": [sentence for sentence in text if not left_out(sentence)]}
    ids = {name: encode(TOKENIZER, sentences) for name, sentences in texts.items()}
    rows = []
    for seed in seeds:
        for name in texts:
            model = train(new_model(len(TOKENIZER), seed), TOKENIZER, ids[name], steps=steps, seed=seed)[steps]
            asked = {column: beside_the_rules(model, *gaps) for column, gaps in ASKED.items()}
            rows.append({"text": name, "seed": seed} | asked)
    return pd.DataFrame(rows).round(4).sort_values("text", kind="stable")


if __name__ == "__main__":
    recorded = {"small_language_runs": small_language_runs, "left_out_runs": left_out_runs}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, help="small_language_runs.csv or left_out_runs.csv, in any folder")
    parser.add_argument("--seeds", type=int, default=10, help="how many of each")
    arguments = parser.parse_args()
    table = recorded[arguments.file.stem](tqdm(range(arguments.seeds)))
    table.to_csv(arguments.file, index=False)
