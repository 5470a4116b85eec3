"""What a small BERT knows at each gap of some sentences, and where its heads look (lesson 7)."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
import torch
from torch import Tensor
from transformers import BertTokenizer

from bertlab.pretraining.language import DOES, PARTS, Sentence, word_group
from bertlab.pretraining.small import SPECIAL, encode, pieces

KINDS = ("article", "noun", "verb", "place")
"""The kinds of words that are told apart in a record."""


class Gaps:
    """Every word of some sentences, hidden in turn, and what a model says there.

    Parameters
    ----------
    tokenizer
    sentences
        Of the small language.

    Attributes
    ----------
    table
        A row a gap: ``sentence`` (its number), ``place``, ``word``, ``kind`` and ``number`` of it.
    """

    def __init__(self, tokenizer: BertTokenizer, sentences: Sequence[Sentence]) -> None:
        rows = [(i, place, word) for i, sentence in enumerate(sentences) for place, word in enumerate(sentence)]
        self.table = pd.DataFrame(rows, columns=["sentence", "place", "word"])
        self.table[["kind", "number"]] = [word_group(word) for word in self.table["word"]]
        self.ids = encode(tokenizer, [sentences[i] for i in self.table["sentence"]])
        self.attention_mask = self.ids != tokenizer.pad_token_id
        self.at = torch.arange(len(rows)), torch.tensor(self.table["place"].tolist()) + 1  # [CLS] stands first
        self.answers = self.ids[self.at]  # (gaps,)
        self.ids[self.at] = tokenizer.mask_token_id
        groups = [word_group(piece) for piece in pieces(tokenizer)[len(SPECIAL) :]]
        self.same_kind = _equal([None] * len(SPECIAL) + [kind for kind, _ in groups])
        self.same_group = _equal([None] * len(SPECIAL) + groups)
        self.verbs = torch.tensor((self.table["kind"] == "verb").tolist())
        self.fitting = torch.zeros(int(self.verbs.sum()), len(tokenizer))
        found = self.table[self.verbs.numpy()]
        for row, (i, place) in enumerate(zip(found["sentence"], found["place"], strict=True)):
            who = sentences[i][place - 1]
            does = DOES[who if who in DOES else who.removesuffix("s")]
            both = [*does, *(verb.removesuffix("s") for verb in does)]
            self.fitting[row, tokenizer.convert_tokens_to_ids(both)] = 1
        kinds = self.table["kind"]
        crossing = (kinds == "article") & (kinds.shift(-1) == "adjective")  # an article, an adjective, and its noun
        self.crossing = torch.tensor(crossing.tolist())

    def shares(self, model: Any) -> Tensor:
        """Return how probable a model finds each piece at each gap, (gaps, pieces)."""
        with torch.no_grad():
            logits = model(self.ids, attention_mask=self.attention_mask).logits  # (gaps, tokens, pieces)
        return logits[self.at].softmax(dim=-1)

    def about_verbs(self, shares: Tensor) -> dict[str, float]:
        """Return what a model knows at the gaps of verbs, from 0 to 1; the rules allow for 1 in all three.

        Returns
        -------
        dict of str to float
            ``a_verb``: the share that verbs have; ``agrees``: of that, the share of the right number; ``fits``: of the
            share of verbs, that of those which the subject does, in either number.
        """
        here, answers = shares[self.verbs], self.answers[self.verbs]
        verb = (here * self.same_kind[answers]).sum(dim=-1)
        agrees = (here * self.same_group[answers]).sum(dim=-1)
        fits = (here * self.fitting).sum(dim=-1)
        means = (verb.mean(), (agrees / verb).mean(), (fits / verb).mean())
        return dict(zip(("a_verb", "agrees", "fits"), map(float, means), strict=True))

    def heads(self, model: Any) -> dict[str, float]:
        """Return how much of its attention the clearest head gives to the word that decides.

        Returns
        -------
        dict of str to float
            ``to_subject``: from the gap of a verb to the noun before it; ``to_noun``: from the gap of an article to its
            noun, with an adjective between.
        """
        found = {}
        for name, gaps, step in (("to_subject", self.verbs, -1), ("to_noun", self.crossing, 2)):
            with torch.no_grad():
                attention = model(
                    self.ids[gaps], attention_mask=self.attention_mask[gaps], output_attentions=True
                ).attentions
            weights = torch.stack(attention, dim=1)  # (gaps, layers, heads, tokens, tokens)
            gap = self.at[1][gaps]
            rows = torch.arange(len(gap))
            found[name] = float(weights[rows, :, :, gap, gap + step].mean(dim=0).max())
        return found

    def watch(self, model: Any) -> dict[str, float]:
        """Return a row for the record: the loss and its parts, the loss of each of `KINDS`, verbs, and heads."""
        shares = self.shares(model)
        losses = self.parts(shares)
        total = losses.sum(axis=1)
        by_kind = total.groupby(self.table["kind"]).mean()
        row = {"loss": float(total.mean()), **losses.mean().to_dict(), **by_kind[list(KINDS)].to_dict()}
        return row | self.about_verbs(shares) | self.heads(model)

    def parts(self, shares: Tensor) -> pd.DataFrame:
        """Split each gap's loss in three: for the kind of word, for its number, and for the very word.

        Parameters
        ----------
        shares : (gaps, pieces)

        Returns
        -------
        pandas.DataFrame
            A row a gap with the columns `PARTS`, in nats; a row adds up to the loss.
        """
        kind = (shares * self.same_kind[self.answers]).sum(dim=-1)
        group = (shares * self.same_group[self.answers]).sum(dim=-1)
        word = shares.gather(1, self.answers[:, None])[:, 0]
        losses = (-kind.log(), (kind / group).log(), (group / word).log())
        return pd.DataFrame(dict(zip(PARTS, (loss.tolist() for loss in losses), strict=True)))


def _equal(names: Sequence[object]) -> Tensor:
    """Return where two names are the same, as 0 and 1, (names, names); None is like nothing."""
    numbers = {name: i for i, name in enumerate(dict.fromkeys(names))}
    number = torch.tensor([numbers[name] for name in names])
    known = torch.tensor([name is not None for name in names])
    return ((number[:, None] == number) & known[:, None] & known).float()
