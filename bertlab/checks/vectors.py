"""The checks of lesson 3, Contextual vectors."""

from collections.abc import Callable, Sequence

import numpy as np
import torch
from scipy.spatial.distance import cdist
from torch import Tensor

from bertlab.bert.loading import Bert
from bertlab.checks.inputs import generator, other_bert, sentences
from bertlab.checks.outcome import Outcome
from bertlab.checks.runner import judge, once
from bertlab.vectors.words import word_tokens

Labelled = tuple[Tensor, list[str]]
"""Vectors of one word, (sentences, layers + 1, hidden), and the sense in each sentence."""

# Sentence, word and where it begins: a word of several pieces, one that was there before, one that hides in an earlier
# one, one that comes first, one that signs touch on both sides. In each of the first four stands a character that
# hardly any vocabulary has.
PLACES = (
    ("The \u265e saw the unquestionableness of it.", "unquestionableness", 14),
    ("The bank \u265e and the other bank are old.", "bank", 25),
    ("An embankment \u265e is not a bank of money.", "bank", 25),
    ("Horseshoeing a \u265e is hard.", "Horseshoeing", 0),
    ("The old (bank), a house, saw a river.", "bank", 9),
)


def second_layer(bert: Bert, answer: Callable) -> Outcome:
    """Check exercise 3.1, the output of the second encoder layer, against what that layer itself returns."""

    @once
    def layer_by_layer(bert: Bert, sentence: str) -> list[Tensor]:
        """Return what leaves the embedding layer and each layer, (1, tokens, hidden) each."""
        inputs = bert.tokenizer(sentence, return_tensors="pt").to(bert.model.device)
        states = [bert.model.bert.embeddings(input_ids=inputs["input_ids"])]
        for layer in bert.model.bert.encoder.layer:
            output = layer(states[-1])
            states.append(output[0] if isinstance(output, tuple) else output)  # as the version of transformers has it
        return states

    def after(layer: int, token: slice | int = slice(None)) -> Callable[[Bert, str], Tensor]:
        def output(bert: Bert, sentence: str) -> Tensor:
            states = layer_by_layer(bert, sentence)
            return states[min(layer, len(states) - 1)][0, token]  # a model of two layers has no third one

        return output

    wrong = {
        "this is the output of the first layer: hidden_states[0] is the embedding layer's, so the second layer's has "
        "number 2.": after(1),
        "this is the output of the embedding layer, before any encoder layer.": after(0),
        "this is the output of the last layer; the second one's is hidden_states[2].": after(-1),
        "this is the output of the third layer: hidden_states[0] is already one of them.": after(3),
        "this is one token: [0] was taken once too often. The batch axis comes first, then the tokens.": after(2, 0),
    }
    cases = list(zip((bert, other_bert(bert)), sentences(2), strict=True))
    praise = "your tensor equals what the second layer returns, for two sentences and two models."
    return judge(answer, cases, after(2), wrong, praise)


def vector_at(bert: Bert, answer: Callable) -> Outcome:
    """Check exercise 3.2, the vector of a word at a place, against the tokenizer's own map from letters to tokens."""
    read = once(Bert.read)

    def tokens(bert: Bert, sentence: str, word: str, start: int) -> list[int]:
        encoding = bert.tokenizer(sentence)
        letters = [encoding.char_to_token(letter) for letter in range(start, start + len(word))]
        return sorted({token for token in letters if token is not None})

    def mean(which: Callable[..., Sequence[int]], layer: int = -1) -> Callable[..., Tensor]:
        """Return a way to the vector that averages the tokens that a function picks."""
        return lambda bert, *place: read(bert, place[0]).hidden[layer, which(bert, *place)].mean(dim=0)

    def with_id(bert: Bert, sentence: str, word: str, start: int) -> list[int]:
        ids = read(bert, sentence).ids.tolist()
        return [i for i, number in enumerate(ids) if number == bert.tokenizer.convert_tokens_to_ids(word)][:1]

    def touching(before: int, behind: int) -> Callable[..., Tensor]:
        """Average the tokens that have a letter in common with the word or with its neighbours."""

        def overlapping(bert: Bert, sentence: str, word: str, start: int) -> list[int]:
            offsets, end = read(bert, sentence).offsets, start + len(word)
            return [i for i, (first, last) in enumerate(offsets) if first < end + behind and last > start - before]

        return mean(overlapping)

    wrong = {
        "only the first piece of the word is taken: average all of them.": mean(lambda *place: tokens(*place)[:1]),
        "only the last piece of the word is taken: average all of them.": mean(lambda *place: tokens(*place)[-1:]),
        "the pieces are added up: the mean divides by how many there are.": (
            lambda bert, *place: read(bert, place[0]).hidden[-1, tokens(bert, *place)].sum(dim=0)
        ),
        "the word was looked up by its id: a word that is no piece has the id of [UNK].": mean(with_id),
        "this is the first place where these letters stand: the exercise gives you the place, in start.": mean(
            lambda bert, sentence, word, start: tokens(bert, sentence, word, sentence.find(word))
        ),
        "this is the first time that the word occurs: the exercise gives you the place, in start.": mean(
            lambda bert, sentence, word, start: word_tokens(read(bert, sentence), word)
        ),
        "every token is one too early: [CLS] stands at place 0.": mean(
            lambda *place: [token - 1 for token in tokens(*place)]
        ),
        "these are vectors of the embedding layer's output; the last layer's are hidden[-1].": mean(tokens, layer=0),
    }
    for where, before, behind in (
        ("begins where the word ends", 0, 1),
        ("ends where the word begins", 1, 0),
        ("begins where the word ends, or ends where it begins,", 1, 1),
    ):
        wrong[
            f"a token that only touches the word is taken too: one that {where} shares no letter with it. Compare with "
            "< and >, not with <= and >=."
        ] = touching(before, behind)
    cases = [(model, *place) for model in (bert, other_bert(bert)) for place in PLACES]
    praise = f"your vector equals the mean over the tokenizer's own tokens, in {len(PLACES)} sentences made to mislead."
    return judge(answer, cases, mean(tokens), wrong, praise)


def share_at_chosen_layer(vectors: dict[str, Labelled], answer: Callable) -> Outcome:
    """Check exercise 3.3, choosing the layer on one word and testing on another, against numpy."""
    shares = once(_shares)
    shares_inside = once(lambda labelled: _shares(labelled, leave_out=False))

    def of(what: Callable[[Tensor, Tensor], Tensor]) -> Callable[[Labelled, Labelled], Tensor]:
        """Return a function of the shares in practice and on the test, at each layer."""
        return lambda practice, test: what(shares(practice), shares(test))

    wrong = {
        "the layer is chosen on the test itself, where the best is partly the luckiest.": of(
            lambda practice, test: test.max()
        ),
        "the vector to be tested is still inside its centroid and pulls it near: leave it out.": (
            lambda practice, test: shares_inside(test)[shares_inside(practice).argmax()]
        ),
        "on the test, the vector in question is still inside its centroid: leave it out.": (
            lambda practice, test: shares_inside(test)[shares(practice).argmax()]
        ),
        "this is the share in practice; the test's is asked for.": of(lambda practice, test: practice.max()),
        "practice and test have changed places.": of(lambda practice, test: practice[test.argmax()]),
        "several layers are equally good in practice, and this is the last of them: take the first.": of(
            lambda practice, test: test[(practice == practice.max()).nonzero().max()]
        ),
        "this is the test's share at the last layer, chosen or not.": of(lambda practice, test: test[-1]),
        "this is the number of the layer: what share does the test have there?": of(
            lambda practice, test: practice.argmax()
        ),
        "layer 0 is left out: the embedding layer's output is one of those to choose from.": of(
            lambda practice, test: test[1:][practice[1:].argmax()]
        ),
        "layer 0 is left out in practice alone: the embedding layer's output is one of those to choose from.": of(
            lambda practice, test: test[practice[1:].argmax()]
        ),
        "this is the mean over all layers: choose one.": of(lambda practice, test: test.mean()),
    }
    truth = of(lambda practice, test: test[practice.argmax()])
    first, second = vectors
    cases = [
        (vectors[second], vectors[first]),
        (vectors[first], vectors[second]),
        (_labelled(14, [1], apart=0.8, seed=1), _labelled(26, [2], apart=0.8, seed=2)),
        (_labelled(16, [0]), _labelled(24, [0])),
        (_labelled(16, [1, 3]), _labelled(24, [3])),
    ]

    def praise() -> str:
        chosen, best = float(truth(*cases[0])), float(shares(vectors[first]).max())
        return f"{first!r} has {chosen:.2f} at the layer chosen on {second!r}; at its own best layer it has {best:.2f}."

    return judge(answer, cases, truth, wrong, praise)


def _shares(labelled: Labelled, leave_out: bool = True) -> Tensor:
    """Return the share of sentences whose sense is that of the nearest centroid, at each layer."""
    vectors, senses = labelled[0].numpy(), np.array(labelled[1])
    names, numbers = np.unique(senses), np.arange(len(senses))
    shares = []
    for points in vectors.swapaxes(0, 1):
        right = []
        # By hand: scikit-learn's NearestCentroid takes a hundred times as long, most of it to look at its arguments.
        for i in numbers:
            kept = numbers != i if leave_out else numbers >= 0
            centroids = [points[kept & (senses == name)].mean(axis=0) for name in names]
            right.append(names[cdist(points[i : i + 1], centroids).argmin()] == senses[i])
        shares.append(np.mean(right))
    return torch.tensor(np.array(shares))


def _labelled(count: int, layers: list[int], apart: float = 4, seed: int | None = None) -> Labelled:
    """Return vectors at random of two senses, which lie apart at some layers; without a seed they are made anew."""
    chance = generator() if seed is None else torch.Generator().manual_seed(seed)
    vectors = torch.randn(count, 4, 6, generator=chance)
    vectors[: count // 2, layers] += apart
    return vectors, ["one"] * (count // 2) + ["two"] * (count - count // 2)
