"""The checks of lesson 3, Contextual vectors."""

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from bertlab.bert.loading import Bert
from bertlab.checks.inputs import generator, other_bert, sentences
from bertlab.checks.known import known
from bertlab.checks.outcome import Outcome
from bertlab.checks.runner import judge, once

# Vectors of one word, (sentences, layers + 1, hidden), and the sense in each sentence.
Labelled = tuple[Tensor, list[str]]

# Sentence, word and where it begins: a word of several pieces, one that was there before, one that hides in an earlier
# one, one that comes first, one that punctuation marks touch on both sides. Each of the first four has a character
# that hardly any vocabulary has.
PLACES = (
    ("The \u265e saw the unquestionableness of it.", "unquestionableness", 14),
    ("The bank \u265e and the other bank are old.", "bank", 25),
    ("An embankment \u265e is not a bank of money.", "bank", 25),
    ("Horseshoeing a \u265e is hard.", "Horseshoeing", 0),
    ("The old (bank), a house, saw a river.", "bank", 9),
)


def second_layer(bert: Bert, answer: Callable) -> Outcome:
    """Check exercise 3.1, the output of the second encoder layer, against that of the layer itself."""

    @once
    def layer_by_layer(bert: Bert, sentence: str, special: bool = True) -> list[Tensor]:
        """Return the output of the embedding layer and of each layer, (1, tokens, hidden) each."""
        inputs = bert.tokenizer(sentence, return_tensors="pt", add_special_tokens=special).to(bert.model.device)
        states = [bert.model.bert.embeddings(input_ids=inputs["input_ids"])]
        for layer in bert.model.bert.encoder.layer:
            output = layer(states[-1])
            states.append(output[0] if isinstance(output, tuple) else output)  # as the version of transformers has it
        return states

    def reads(words: set[str]) -> bool:
        return bool(words & {"read", "read_all", "layer_output"})

    cases = list(zip((bert, other_bert(bert)), sentences(2), strict=True))
    praise = "your tensor equals what the second layer returns, for two sentences and two models."
    shortcuts = {"bertlab reads the layers for you. Use the tokenizer and bert.model.bert.": reads}
    return judge(known("3.1"), answer, cases, lambda *case: layer_by_layer(*case)[2][0], praise, shortcuts=shortcuts)


def vector_at(bert: Bert, answer: Callable) -> Outcome:
    """Check exercise 3.2, the vector of a word in a sentence, against the tokenizer's own character offsets."""
    read = once(Bert.read)

    def tokens(bert: Bert, sentence: str, word: str, start: int) -> list[int]:
        encoding = bert.tokenizer(sentence)
        letters = [encoding.char_to_token(letter) for letter in range(start, start + len(word))]
        return sorted({token for token in letters if token is not None})

    def truth(bert: Bert, sentence: str, word: str, start: int) -> Tensor:
        return read(bert, sentence).hidden[-1, tokens(bert, sentence, word, start)].mean(dim=0)

    cases = [(model, *place) for model in (bert, other_bert(bert)) for place in PLACES]
    praise = f"your vector equals the mean over the tokenizer's own tokens, in {len(PLACES)} sentences made to mislead."
    return judge(known("3.2"), answer, cases, truth, praise)


def share_at_chosen_layer(vectors: dict[str, Labelled], answer: Callable) -> Outcome:
    """Check exercise 3.3, choosing the layer on one word and testing on another, against numpy."""
    shares = once(_shares)

    def truth(practice: Labelled, test: Labelled) -> Tensor:
        return shares(test)[shares(practice).argmax()]

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
        return f"{first!r} gets {chosen:.2f} at the layer chosen on {second!r}, and {best:.2f} at its own best layer."

    return judge(known("3.3"), answer, cases, truth, praise)


def _shares(labelled: Labelled, leave_out: bool = True) -> Tensor:
    """Return the share of sentences whose nearest centroid has their sense, at each layer."""
    vectors, senses = labelled[0].double().numpy(), np.array(labelled[1])
    names, numbers = np.unique(senses), np.arange(len(senses))
    right = []
    for i in numbers:
        kept = numbers != i if leave_out else numbers >= 0
        centroids = np.stack([vectors[kept & (senses == name)].mean(axis=0) for name in names])
        nearest = np.linalg.norm(centroids - vectors[i], axis=-1).argmin(axis=0)  # at each layer
        right.append(names[nearest] == senses[i])
    return torch.tensor(np.mean(right, axis=0))


def _labelled(count: int, layers: list[int], apart: float = 4, seed: int | None = None) -> Labelled:
    """Return random vectors of two senses, which are apart at some layers; new ones each time without a seed."""
    chance = generator() if seed is None else torch.Generator().manual_seed(seed)
    vectors = torch.randn(count, 4, 6, generator=chance)
    vectors[: count // 2, layers] += apart
    return vectors, ["one"] * (count // 2) + ["two"] * (count - count // 2)
