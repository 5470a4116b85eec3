"""The checks of lesson 3, Contextual vectors."""

from collections.abc import Callable

import numpy as np
import torch
from scipy.spatial.distance import cdist
from torch import Tensor

from bertlab.bert.loading import Bert
from bertlab.bert.reading import Reading
from bertlab.checks.inputs import generator, other_bert, sentences
from bertlab.checks.outcome import Outcome
from bertlab.checks.runner import Slip, judge, once
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


def second_layer(bert: Bert, answer: Callable[[Bert, str], Tensor | None]) -> Outcome:
    """Check exercise 3.1, the output of the second encoder layer, against what that layer itself returns.

    Parameters
    ----------
    bert
    answer
        Takes bert and a sentence; returns (tokens, hidden).

    Returns
    -------
    Outcome
    """

    @once
    def hidden(bert: Bert, sentence: str) -> Tensor:
        """Collect what goes into the first layer and what comes out of each, (layers + 1, tokens, hidden)."""
        caught: list[Tensor] = []
        handles = [bert.model.bert.embeddings.register_forward_hook(lambda *given: caught.append(_tensor(given[-1])))]
        for layer in bert.model.bert.encoder.layer:
            handles.append(layer.register_forward_hook(lambda *given: caught.append(_tensor(given[-1]))))
        try:
            bert.model.bert(**bert.tokenizer(sentence, return_tensors="pt").to(bert.model.device))
        finally:
            for handle in handles:
                handle.remove()
        return torch.cat(caught)

    return judge(
        answer,
        list(zip((bert, other_bert(bert)), sentences(2), strict=True)),
        lambda b, sentence: hidden(b, sentence)[2],
        [
            Slip(
                "this is the output of the first layer: hidden_states[0] is the embedding layer's, so the second "
                "layer's has number 2.",
                lambda b, sentence: hidden(b, sentence)[1],
            ),
            Slip(
                "this is the output of the embedding layer, before any encoder layer.",
                lambda b, sentence: hidden(b, sentence)[0],
            ),
            Slip(
                "this is the output of the last layer; the second one's is hidden_states[2].",
                lambda b, sentence: hidden(b, sentence)[-1],
            ),
            Slip(
                "this is the output of the third layer: hidden_states[0] is already one of them.",
                lambda b, sentence: hidden(b, sentence)[min(3, b.model.config.num_hidden_layers)],
            ),
            Slip(
                "this is one token: [0] was taken once too often. The batch axis comes first, then the tokens.",
                lambda b, sentence: hidden(b, sentence)[2, 0],
            ),
        ],
        "your tensor equals what the second layer returns, for two sentences and two models.",
    )


def vector_at(bert: Bert, answer: Callable[[Bert, str, str, int], Tensor | None]) -> Outcome:
    """Check exercise 3.2, the vector of a word at a place, against the tokenizer's own map from letters to tokens.

    Parameters
    ----------
    bert
    answer
        Takes bert, a sentence, a word and the letter at which it begins; returns (hidden,).

    Returns
    -------
    Outcome
    """

    @once
    def read(bert: Bert, sentence: str) -> Reading:
        return bert.read(sentence)

    def last(bert: Bert, sentence: str) -> Tensor:
        return read(bert, sentence).hidden[-1]

    def tokens(bert: Bert, sentence: str, word: str, start: int) -> list[int]:
        encoding = bert.tokenizer(sentence)
        letters = [encoding.char_to_token(letter) for letter in range(start, start + len(word))]
        return sorted({token for token in letters if token is not None})

    def touching(before: int, behind: int) -> Callable[[Bert, str, str, int], Tensor]:
        """Average the tokens that have a letter in common with the word or with its neighbours."""

        def mean(bert: Bert, sentence: str, word: str, start: int) -> Tensor:
            offsets, end = read(bert, sentence).offsets, start + len(word)
            places = [i for i, (a, b) in enumerate(offsets) if a < end + behind and b > start - before]
            return last(bert, sentence)[places].mean(dim=0)

        return mean

    def by_id(bert: Bert, sentence: str, word: str, start: int) -> Tensor:
        reading = read(bert, sentence)
        wanted = bert.tokenizer.convert_tokens_to_ids([word.lower() if reading.lower_cased else word])
        found = reading.ids.eq(torch.tensor(wanted)).nonzero().flatten()
        return reading.hidden[-1, found[0]] if len(found) else torch.zeros(reading.hidden.shape[-1])

    return judge(
        answer,
        [(model, *place) for model in (bert, other_bert(bert)) for place in PLACES],
        lambda b, *place: last(b, place[0])[tokens(b, *place)].mean(dim=0),
        [
            Slip(
                "only the first piece of the word is taken: average all of them.",
                lambda b, *place: last(b, place[0])[tokens(b, *place)[0]],
            ),
            Slip(
                "only the last piece of the word is taken: average all of them.",
                lambda b, *place: last(b, place[0])[tokens(b, *place)[-1]],
            ),
            Slip(
                "the pieces are added up: the mean divides by how many there are.",
                lambda b, *place: last(b, place[0])[tokens(b, *place)].sum(dim=0),
            ),
            Slip("the word was looked up by its id: a word that is no piece has the id of [UNK].", by_id),
            Slip(
                "this is the first place where these letters stand: the exercise gives you the place, in start.",
                lambda b, sentence, word, start: last(b, sentence)[tokens(b, sentence, word, sentence.find(word))].mean(
                    dim=0
                ),
            ),
            Slip(
                "this is the first time that the word occurs: the exercise gives you the place, in start.",
                lambda b, sentence, word, start: last(b, sentence)[word_tokens(b.read(sentence), word)].mean(dim=0),
            ),
            Slip(
                "every token is one too early: [CLS] stands at place 0.",
                lambda b, *place: last(b, place[0])[[token - 1 for token in tokens(b, *place)]].mean(dim=0),
            ),
            *(
                Slip(
                    "a token that only touches the word is taken too: one that begins where the word ends, or ends "
                    "where it begins, shares no letter with it. Compare with < and >, not with <= and >=.",
                    touching(before, behind),
                )
                for before, behind in ((0, 1), (1, 0), (1, 1))
            ),
            Slip(
                "these are vectors of the embedding layer's output; the last layer's are hidden[-1].",
                lambda b, *place: read(b, place[0]).hidden[0, tokens(b, *place)].mean(dim=0),
            ),
        ],
        f"your vector equals the mean over the tokenizer's own tokens, in {len(PLACES)} sentences made to mislead.",
    )


def share_at_chosen_layer(
    vectors: dict[str, Labelled], answer: Callable[[Labelled, Labelled], Tensor | float | None]
) -> Outcome:
    """Check exercise 3.3, choosing the layer on one word and testing on another, against numpy.

    Parameters
    ----------
    vectors
        Two words.
    answer
        Takes what belongs to the word for practice and to the word for the test; returns one number.

    Returns
    -------
    Outcome
    """

    @once
    def shares(given: Labelled, leave_out: bool = True) -> Tensor:
        """Return the share of sentences whose sense is found, at each layer."""
        senses, every = np.array(given[1]), np.arange(len(given[1]))
        found = []
        for points in given[0].numpy().swapaxes(0, 1):
            near = [_nearest(points, senses, every != i if leave_out else every >= 0, i) for i in range(len(every))]
            found.append(np.mean(near == senses))
        return torch.tensor(np.array(found))

    def right(practice: Labelled, test: Labelled) -> Tensor:
        return shares(test)[shares(practice).argmax()]

    first, second = vectors
    cases = [
        (vectors[second], vectors[first]),
        (vectors[first], vectors[second]),
        (_made_up(seed=1, clear=1, sentences=14), _made_up(seed=2, clear=2, sentences=26)),
        _clear(practice=[0], test=[0]),
        _clear(practice=[1, 3], test=[3]),
    ]

    def praise() -> str:
        chosen, best = float(right(*cases[0])), float(shares(vectors[first]).max())
        return f"{first!r} has {chosen:.2f} at the layer chosen on {second!r}; at its own best layer it has {best:.2f}."

    return judge(
        answer,
        cases,
        right,
        [
            Slip(
                "the layer is chosen on the test itself, where the best is partly the luckiest.",
                lambda practice, test: shares(test).max(),
            ),
            Slip(
                "the vector to be tested is still inside its centroid and pulls it near: leave it out.",
                lambda practice, test: shares(test, False)[shares(practice, False).argmax()],
            ),
            Slip(
                "on the test, the vector in question is still inside its centroid: leave it out.",
                lambda practice, test: shares(test, False)[shares(practice).argmax()],
            ),
            Slip(
                "this is the share in practice; the test's is asked for.", lambda practice, test: shares(practice).max()
            ),
            Slip(
                "practice and test have changed places.",
                lambda practice, test: shares(practice)[shares(test).argmax()],
            ),
            Slip(
                "several layers are equally good in practice, and this is the last of them: take the first.",
                lambda practice, test: shares(test)[np.flatnonzero(shares(practice) == shares(practice).max())[-1]],
            ),
            Slip("this is the test's share at the last layer, chosen or not.", lambda practice, test: shares(test)[-1]),
            Slip(
                "this is the number of the layer: what share does the test have there?",
                lambda practice, test: shares(practice).argmax(),
            ),
            *(
                Slip(
                    "layer 0 is left out: the embedding layer's output is one of those to choose from.",
                    lambda practice, test, first=first: shares(test)[first:][shares(practice)[1:].argmax()],
                )
                for first in (1, 0)
            ),
            Slip(
                "this is the mean over all layers: choose one.",
                lambda practice, test: shares(test).mean(),
            ),
        ],
        praise,
    )


def _nearest(points: np.ndarray, senses: np.ndarray, kept: np.ndarray, i: int) -> str:
    """Return the sense whose centroid of the kept points is the nearest to point i."""
    # By hand: scikit-learn's NearestCentroid takes a hundred times as long, most of it to look at its arguments.
    names = np.unique(senses)
    centroids = [points[kept & (senses == name)].mean(axis=0) for name in names]
    return names[cdist(points[i : i + 1], centroids).argmin()]


def _made_up(seed: int, clear: int, sentences: int, layers: int = 4, features: int = 6) -> Labelled:
    """Return vectors at random, in which two senses lie somewhat apart at one layer."""
    generator = torch.Generator().manual_seed(seed)
    vectors = torch.randn(sentences, layers, features, generator=generator)
    vectors[: sentences // 2, clear] += 0.8
    return vectors, ["one"] * (sentences // 2) + ["two"] * (sentences - sentences // 2)


def _clear(practice: list[int], test: list[int]) -> tuple[Labelled, Labelled]:
    """Return vectors, made anew, in which the senses lie far apart at some layers and nowhere else."""
    chance = generator()

    def made(sentences: int, layers: list[int]) -> Labelled:
        vectors = torch.randn(sentences, 4, 6, generator=chance)
        vectors[: sentences // 2, layers] += 4
        return vectors, ["one"] * (sentences // 2) + ["two"] * (sentences - sentences // 2)

    return made(16, practice), made(24, test)


def _tensor(given: object) -> Tensor:
    """Return a layer's output, which some versions of transformers wrap in a tuple."""
    return given[0] if isinstance(given, tuple) else given  # pyrefly: ignore[bad-return]
