"""The small language of lesson 7: its rules, all of its sentences, and the best answer that anybody can give."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

Sentence = tuple[str, ...]

ARTICLES = {"": ("the", "a", "this"), "s": ("the", "some", "these")}  # of one, of several: what a noun ends in
ADJECTIVES = ("small", "big", "young", "tired", "wet")
DOES = {  # who does what; several do the same, without the s
    "dog": ("barks", "sleeps", "chases", "sees", "eats"),
    "cat": ("purrs", "sleeps", "chases", "sees", "eats"),
    "bird": ("sings", "sleeps", "sees", "eats"),
    "girl": ("sings", "laughs", "sleeps", "sees", "eats", "reads"),
    "boy": ("sings", "laughs", "sleeps", "sees", "eats", "reads"),
    "teacher": ("laughs", "sleeps", "sees", "eats", "reads"),
}
# To whom or what; a verb that is not here has a place after it, or nothing.
TO = {"chases": ("cat", "bird"), "sees": tuple(DOES), "eats": ("cake", "nut"), "reads": ("book", "letter")}
WHERE = {"in": ("garden", "house", "street", "school"), "near": ("river", "house", "school")}


def noun_phrases(nouns: Sequence[str]) -> Iterator[tuple[Sentence, float]]:
    """Yield every "the dog", "these wet dogs", ... of some nouns, with its probability."""
    for noun in nouns:
        for end, articles in ARTICLES.items():
            for article in articles:
                p = 1 / len(nouns) / len(ARTICLES) / len(articles)
                yield (article, noun + end), p / 2
                for adjective in ADJECTIVES:
                    yield (article, adjective, noun + end), p / 2 / len(ADJECTIVES)


def objects_and_places(verb: str) -> Iterator[tuple[Sentence, float]]:
    """Yield everything that can follow a verb, given in the singular, with its probability."""
    if verb in TO:
        yield from noun_phrases(TO[verb])
    else:
        yield (), 1 / 2
        for preposition, places in WHERE.items():
            for place in places:
                yield (preposition, "the", place), 1 / 2 / len(WHERE) / len(places)


def all_sentences() -> dict[Sentence, float]:
    """Return every sentence of the language and its probability; the probabilities add up to one."""
    language: dict[Sentence, float] = {}
    for who, p in noun_phrases(tuple(DOES)):
        alone = who[-1] in DOES  # one, or several?
        does = DOES[who[-1] if alone else who[-1].removesuffix("s")]
        for verb in does:
            for rest, q in objects_and_places(verb):
                form = verb if alone else verb.removesuffix("s")
                language[(*who, form, *rest, ".")] = p / len(does) * q
    return language


def words_of(language: Iterable[Sentence]) -> list[str]:
    """Return the words that sentences are made of, in the order of the alphabet."""
    return sorted(set(chain.from_iterable(language)))


def best_answer(
    language: Mapping[Sentence, float], words: Sequence[str], sentence: Sentence, place: int
) -> dict[str, float]:
    """Return how probable each word is at a place (from 0), if all the other words of a sentence are known.

    Nobody can do better than to answer with these probabilities: on average, every other answer has a larger loss.
    """
    others = {word: (*sentence[:place], word, *sentence[place + 1 :]) for word in words}
    fitting = {word: language[other] for word, other in others.items() if other in language}
    total = sum(fitting.values())
    return {word: p / total for word, p in fitting.items()}
