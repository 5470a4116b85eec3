"""The checks of lesson 3, Contextual vectors."""

from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor

from bertlab.bert.loading import Bert
from bertlab.checks.inputs import generator, other_bert, sentences
from bertlab.checks.known import known
from bertlab.checks.outcome import Outcome
from bertlab.checks.runner import judge
from bertlab.checks.student import reads

# Vectors of one word, (sentences, layers + 1, hidden), and the sense in each sentence.
Labelled = tuple[Tensor, list[str]]

SHORT_NOUNS = ("cat", "dog", "river", "house", "child", "friend")  # of one piece each, and in none of the sentences


def second_layer(bert: Bert, answer: Callable) -> Outcome:
    """Check exercise 3.1, the output of the second encoder layer, against that of the layer itself."""

    def truth(bert: Bert, sentence: str) -> Tensor:
        inputs = bert.tokenizer(sentence, return_tensors="pt").to(bert.model.device)
        states = bert.model.bert.embeddings(input_ids=inputs["input_ids"])
        for layer in bert.model.bert.encoder.layer[:2]:
            output = layer(states)
            states = output[0] if isinstance(output, tuple) else output  # as the version of transformers has it
        return states[0]

    cases = list(zip((bert, other_bert(bert)), sentences(2), strict=True))
    praise = "your tensor equals what the second layer returns, for two sentences and two models."
    shortcuts = {"bertlab reads the layers for you. Use the tokenizer and bert.model.bert.": reads}
    return judge(known("3.1"), answer, cases, truth, praise, shortcuts=shortcuts)


def vector_at(bert: Bert, answer: Callable) -> Outcome:
    """Check exercise 3.2, the vector of a word in a sentence, against the tokenizer's own character offsets."""

    def truth(bert: Bert, sentence: str, word: str, start: int) -> Tensor:
        encoding = bert.tokenizer(sentence)
        tokens = {encoding.char_to_token(place) for place in range(start, start + len(word))} - {None}
        return bert.read(sentence).hidden[-1, sorted(tokens)].mean(dim=0)

    places = _places()
    cases = [(model, *place) for model in (bert, other_bert(bert)) for place in places]
    praise = f"your vector equals the mean over the tokenizer's own tokens, in {len(places)} sentences made to mislead."
    return judge(known("3.2"), answer, cases, truth, praise)


def _places() -> list[tuple[str, str, int]]:
    """Return sentences, each with a word and where it begins: the last time that its characters occur."""
    noun, other = (SHORT_NOUNS[i] for i in torch.randperm(len(SHORT_NOUNS), generator=generator())[:2])
    texts = {
        f"The {noun} \u265e saw the unquestionableness of it. {sentences(2)[1]}": "unquestionableness",  # many pieces
        f"The {noun} \u265e and the other {noun} are old.": noun,  # was there before
        f"An embankment \u265e of the {other} is not a bank of money.": "bank",  # hides in an earlier word
        f"Horseshoeing a {other} \u265e is hard.": "Horseshoeing",  # comes first, where [CLS] and [SEP] begin too
        f"The old ({noun}), a {other}, saw it.": noun,  # is touched by punctuation marks on both sides
    }
    return [(text, word, text.rindex(word)) for text, word in texts.items()]


def share_at_chosen_layer(vectors: dict[str, Labelled], answer: Callable) -> Outcome:
    """Check exercise 3.3, choosing the layer on one word and testing on another, against numpy."""

    def truth(practice: Labelled, test: Labelled) -> Tensor:
        return _shares(test)[_shares(practice).argmax()]

    first, second = vectors
    cases = [
        (_labelled(30, [0]), _unlike(41)),
        (_labelled(30, [1, 3]), _unlike(41, [3])),
        (_labelled(30, [3]), _unlike(41)),
        (_labelled(30), _unlike(43)),
        (vectors[second], vectors[first]),
        (vectors[first], vectors[second]),
    ]

    def praise() -> str:
        chosen, best = float(truth(vectors[second], vectors[first])), float(_shares(vectors[first]).max())
        return f"{first!r} gets {chosen:.2f} at the layer chosen on {second!r}, and {best:.2f} at its own best layer."

    return judge(known("3.3"), answer, cases, truth, praise)


def _shares(labelled: Labelled) -> Tensor:
    """Return the share of sentences whose nearest centroid has their sense, at each layer."""
    vectors, senses = labelled[0].double().numpy(), np.array(labelled[1])
    names, numbers = np.unique(senses), np.arange(len(senses))
    right = []
    for i in numbers:
        centroids = np.stack([vectors[(numbers != i) & (senses == name)].mean(axis=0) for name in names])
        nearest = np.linalg.norm(centroids - vectors[i], axis=-1).argmin(axis=0)  # at each layer
        right.append(names[nearest] == senses[i])
    return torch.tensor(np.mean(right, axis=0))


def _labelled(count: int, clear: Sequence[int] = ()) -> Labelled:
    """Return new random vectors of two senses, a little apart at each layer and far apart at the clear ones."""
    vectors, first = torch.randn(count, 4, 16, generator=generator()), count // 2
    vectors[:first] += 0.5
    vectors[:first, list(clear)] += 4
    return vectors, ["one"] * first + ["two"] * (count - first)


def _unlike(count: int, clear: Sequence[int] = ()) -> Labelled:
    """Return such vectors with another share at each layer, so that the share tells which layer was taken."""
    while len(_shares(labelled := _labelled(count, clear)).unique()) < 4:
        pass
    return labelled
