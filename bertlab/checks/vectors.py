"""The checks of lesson 3, Contextual vectors."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from bertlab.bert.loading import Bert
from bertlab.checks.inputs import generator, other_bert, sentences
from bertlab.checks.outcome import Outcome
from bertlab.checks.runner import judge, once
from bertlab.vectors.words import word_tokens

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

    def wrong(bert: Bert, sentence: str) -> dict[str, Any]:
        states = [state[0] for state in layer_by_layer(bert, sentence)]
        third = states[min(3, len(states) - 1)]  # a model of two layers has none
        bare = layer_by_layer(bert, sentence, False)
        return {
            "this is the output of the first layer: hidden_states[0] is the embedding layer's.": states[1],
            "this is the output of the embedding layer, before any encoder layer.": states[0],
            "this is the output of the last layer; the second one's is hidden_states[2].": states[-1],
            "this is the output of the third layer: hidden_states[0] is already one of them.": third,
            "this is one token: you took [0] once too often. The batch axis comes first.": states[2][0],
            "[CLS] and [SEP] are cut off: they are tokens, too, with one row each.": states[2][1:-1],
            "the model was not given [CLS] and [SEP]: leave add_special_tokens as it is.": bare[2][0],
        }

    cases = list(zip((bert, other_bert(bert)), sentences(2), strict=True))
    praise = "your tensor equals what the second layer returns, for two sentences and two models."
    shortcuts = {"bertlab reads the layers for you. Use the tokenizer and bert.model.bert.": reads}
    asked = "the model returns None in place of its layers, unless it is called with output_hidden_states=True."
    options = {"shortcuts": shortcuts, "meanings": {"'NoneType'": asked}}
    return judge(answer, cases, lambda *case: layer_by_layer(*case)[2][0], wrong, praise, **options)


def vector_at(bert: Bert, answer: Callable) -> Outcome:
    """Check exercise 3.2, the vector of a word in a sentence, against the tokenizer's own character offsets."""
    read = once(Bert.read)

    def tokens(bert: Bert, sentence: str, word: str, start: int) -> list[int]:
        encoding = bert.tokenizer(sentence)
        letters = [encoding.char_to_token(letter) for letter in range(start, start + len(word))]
        return sorted({token for token in letters if token is not None})

    def truth(bert: Bert, sentence: str, word: str, start: int) -> Tensor:
        return read(bert, sentence).hidden[-1, tokens(bert, sentence, word, start)].mean(dim=0)

    def wrong(bert: Bert, sentence: str, word: str, start: int) -> dict[str, Any]:
        reading, alone, end = read(bert, sentence), read(bert, word), start + len(word)
        last, own = reading.hidden[-1], tokens(bert, sentence, word, start)
        first_letters = truth(bert, sentence, word, sentence.find(word))
        first_time = last[word_tokens(reading, word)].mean(dim=0)
        word_id: Any = bert.tokenizer.convert_tokens_to_ids(word)
        same_id = reading.ids.eq(word_id).nonzero()[:, 0]
        by_id = last[same_id[:1]].mean(dim=0)
        begins = [i for i, (letter, _) in enumerate(reading.offsets) if letter == start]

        def where(belongs: Callable[[int, int], bool]) -> Tensor:
            """Average the tokens whose first character, and the one after their last, meet a condition."""
            return last[[i for i, span in enumerate(reading.offsets) if belongs(*span)]].mean(dim=0)

        return {
            "only the first piece of the word is taken: average all of them.": last[own[0]],
            "only the last piece of the word is taken: average all of them.": last[own[-1]],
            "the pieces are added up: the mean divides by how many there are.": last[own].sum(dim=0),
            "the word was looked up by its id: a word that is not a piece gets the id of [UNK].": by_id,
            "each token with the word's id is taken: you are given the position, start.": last[same_id].mean(dim=0),
            "only a token that begins at start is taken: a word may have several pieces.": last[begins].mean(dim=0),
            "this is the first position where these letters occur: you are given the position, start.": first_letters,
            "this is the first time that the word occurs: you are given the position, start.": first_time,
            "every token is one too early: [CLS] is at position 0.": last[[i - 1 for i in own]].mean(dim=0),
            "these leave the embedding layer; take the last layer, hidden[-1].": reading.hidden[0, own].mean(dim=0),
            "this is the layer before the last: take hidden[-1].": reading.hidden[-2, own].mean(dim=0),
            "each token that only touches the word is taken too: compare with < and >, not <= and >=.": where(
                lambda a, b: a <= end and b >= start
            ),
            "a token that only touches the word's end is taken too: compare with <, not with <=.": where(
                lambda a, b: a <= end and b > start
            ),
            "a token that only touches the word's beginning is taken too: compare with >, not with >=.": where(
                lambda a, b: a < end and b >= start
            ),
            "all tokens after the word are taken, too: the word ends at start + len(word).": (
                where(lambda a, b: a >= start),
                where(lambda a, b: b > start),
                where(lambda a, b: b > a >= start),
            ),
            "the word ends at start + len(word), and not at len(word).": (
                where(lambda a, b: a < len(word) and b > start),
                where(lambda a, b: a >= start and b <= len(word)),
            ),
            "the word was read alone: read the whole sentence.": alone.hidden[-1, 1:-1].mean(dim=0),
        }

    cases = [(model, *place) for model in (bert, other_bert(bert)) for place in PLACES]
    praise = f"your vector equals the mean over the tokenizer's own tokens, in {len(PLACES)} sentences made to mislead."
    return judge(answer, cases, truth, wrong, praise)


def share_at_chosen_layer(vectors: dict[str, Labelled], answer: Callable) -> Outcome:
    """Check exercise 3.3, choosing the layer on one word and testing on another, against numpy."""
    shares = once(_shares)

    def truth(practice: Labelled, test: Labelled) -> Tensor:
        return shares(test)[shares(practice).argmax()]

    def wrong(practice: Labelled, test: Labelled) -> dict[str, Any]:
        known, asked = shares(practice), shares(test)
        known_inside, asked_inside = (_shares(labelled, leave_out=False) for labelled in (practice, test))
        last_of_best, right = (known == known.max()).nonzero().max(), asked[known.argmax()]
        return {
            "the layer is chosen on the test, where the best is partly the luckiest: choose on practice.": asked.max(),
            "the vector in question is still inside its centroid: leave it out.": asked_inside[known_inside.argmax()],
            "on the test, the vector is still inside its centroid: leave it out.": asked_inside[known.argmax()],
            "this is the share on practice: return the share on the test.": known.max(),
            "practice and test are swapped: choose on practice, and return the share on test.": known[asked.argmax()],
            "of several layers equally good on practice, this is the last: take the first.": asked[last_of_best],
            "this is the test's share at the last layer: choose the layer on practice.": asked[-1],
            "this is the number of the layer: return the test's share there.": known.argmax(),
            "layer 0 is left out: the embedding layer's output is one to choose from.": asked[1:][known[1:].argmax()],
            "layer 0 is left out on practice only: it is one to choose from.": asked[known[1:].argmax()],
            "this is the mean over all layers: choose one.": asked.mean(),
            "this is what choosing on the test would have added: return the share.": asked.max()
            - asked[known.argmax()],
            "this is how many are right: divide by how many there are.": right * len(test[1]),
            "these are the test's shares at all layers: return the one of the chosen layer.": asked,
            "these are the shares on practice: they choose the layer; return the test's share there.": known,
        }

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

    return judge(answer, cases, truth, wrong, praise)


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
