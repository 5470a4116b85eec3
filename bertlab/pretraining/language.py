"""The small language of lesson 7: its rules, all of its sentences, and the best possible prediction."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

Sentence = tuple[str, ...]

ARTICLES = {"": ("the", "a", "this"), "s": ("the", "some", "these")}  # by the ending of the noun
ADJECTIVES = ("small", "big", "young", "tired", "wet")
DOES = {  # who does what; plural verbs lack the s
    "dog": ("barks", "sleeps", "chases", "sees", "eats"),
    "cat": ("purrs", "sleeps", "chases", "sees", "eats"),
    "bird": ("sings", "sleeps", "sees", "eats"),
    "girl": ("sings", "laughs", "sleeps", "sees", "eats", "reads"),
    "boy": ("sings", "laughs", "sleeps", "sees", "eats", "reads"),
    "teacher": ("laughs", "sleeps", "sees", "eats", "reads"),
}
# The objects of verbs; any other verb is followed by a place, or by nothing.
TO = {"chases": ("cat", "bird"), "sees": tuple(DOES), "eats": ("cake", "nut"), "reads": ("book", "letter")}
WHERE = {"in": ("garden", "house", "street", "school"), "near": ("river", "house", "school")}


def noun_phrases(nouns: Sequence[str]) -> Iterator[tuple[Sentence, float]]:
    """Yield every phrase of these nouns, such as "the dog" and "these wet dogs", with its probability."""
    for noun in nouns:
        for end, articles in ARTICLES.items():
            for article in articles:
                p = 1 / len(nouns) / len(ARTICLES) / len(articles)
                yield (article, noun + end), p / 2
                for adjective in ADJECTIVES:
                    yield (article, adjective, noun + end), p / 2 / len(ADJECTIVES)


def objects_and_places(verb: str) -> Iterator[tuple[Sentence, float]]:
    """Yield each continuation of a verb, which is given in the singular, with its probability."""
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
    for subject, p in noun_phrases(tuple(DOES)):
        singular = subject[-1] in DOES
        verbs = DOES[subject[-1] if singular else subject[-1].removesuffix("s")]
        for verb in verbs:
            for rest, q in objects_and_places(verb):
                form = verb if singular else verb.removesuffix("s")
                language[(*subject, form, *rest, ".")] = p / len(verbs) * q
    return language


def words_of(language: Iterable[Sentence]) -> list[str]:
    """Return the distinct words of sentences, sorted."""
    return sorted(set(chain.from_iterable(language)))


def best_answer(
    language: Mapping[Sentence, float], words: Sequence[str], sentence: Sentence, place: int
) -> dict[str, float]:
    """Return the probability of each word at a place (from 0), given all other words of a sentence."""
    filled = {word: (*sentence[:place], word, *sentence[place + 1 :]) for word in words}
    fitting = {word: language[candidate] for word, candidate in filled.items() if candidate in language}
    total = sum(fitting.values())
    return {word: p / total for word, p in fitting.items()}
