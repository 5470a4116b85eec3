"""The small language of lesson 7: its rules, all of its sentences, and the best possible prediction."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from bertlab.arguments import guarded

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


@guarded
def all_sentences(
    does: Mapping[str, Sequence[str]] = DOES,
    to: Mapping[str, Sequence[str]] = TO,
    where: Mapping[str, Sequence[str]] = WHERE,
) -> dict[Sentence, float]:
    """Return every sentence of a language and its probability.

    Parameters
    ----------
    does, to, where : dict
        The verbs of each subject, in the singular; the objects of verbs that have one; the places after each
        preposition, with which other sentences may end.

    Returns
    -------
    dict
        The probability of each sentence, a tuple of words.

    Raises
    ------
    ValueError
        If the probabilities do not add up to one, because a list has a word twice, or none.

    Examples
    --------
    >>> language = all_sentences({"cat": ["purrs"]}, {}, {})
    >>> round(language["the", "cats", "purr", "."], 3)  # one of two numbers, of three articles; no adjective in half
    0.083
    """

    def after(verb: str) -> Iterator[tuple[Sentence, float]]:
        if verb in to:
            yield from noun_phrases(to[verb])
        else:
            yield (), 1 / 2 if where else 1
            for preposition, places in where.items():
                for place in places:
                    yield (preposition, "the", place), 1 / 2 / len(where) / len(places)

    language: dict[Sentence, float] = {}
    for subject, p in noun_phrases(tuple(does)):
        singular = subject[-1] in does
        verbs = does[subject[-1] if singular else subject[-1].removesuffix("s")]
        for verb in verbs:
            for rest, q in after(verb):
                form = verb if singular else verb.removesuffix("s")
                language[(*subject, form, *rest, ".")] = p / len(verbs) * q
    if abs(sum(language.values()) - 1) > 1e-6:
        raise ValueError("The probabilities of the sentences do not add up to 1: a list has a word twice, or none.")
    return language


def words_of(language: Iterable[Sentence]) -> list[str]:
    """Return the distinct words of sentences, sorted."""
    return sorted(set().union(*language))


def best_answer(
    language: Mapping[Sentence, float], words: Sequence[str], sentence: Sentence, place: int
) -> dict[str, float]:
    """Return the probability of each word at a place (from 0), given all other words of a sentence."""
    filled = {word: (*sentence[:place], word, *sentence[place + 1 :]) for word in words}
    fitting = {word: language[candidate] for word, candidate in filled.items() if candidate in language}
    total = sum(fitting.values())
    return {word: p / total for word, p in fitting.items()}
