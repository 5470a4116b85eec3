"""The small language of lesson 7: its rules, all of its sentences, and the best answer that anybody can give.

A sentence is *who* and *does*, and then *what* or *where*: "these wet dogs chase a cat .", "the girl laughs near the
school .". An article, a noun and a verb have a number, and they agree, whether or not an adjective stands between. A
verb fits its subject (dogs bark, cats purr), an object its verb, a place its preposition. Each choice is made by
chance, alike among what fits, so that every sentence has a probability, and so does every word at a gap.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

Sentence = tuple[str, ...]

ARTICLES = {"": ("the", "a", "this"), "s": ("the", "some", "these")}
"""The articles of one and of several; the key is what a noun ends in."""

ADJECTIVES = ("small", "big", "young", "tired", "wet")

DOES = {
    "dog": ("barks", "sleeps", "chases", "sees", "eats"),
    "cat": ("purrs", "sleeps", "chases", "sees", "eats"),
    "bird": ("sings", "sleeps", "sees", "eats"),
    "girl": ("sings", "laughs", "sleeps", "sees", "eats", "reads"),
    "boy": ("sings", "laughs", "sleeps", "sees", "eats", "reads"),
    "teacher": ("laughs", "sleeps", "sees", "eats", "reads"),
}
"""Who does what, in the singular; several do the same without the s."""

TO = {"chases": ("cat", "bird"), "sees": tuple(DOES), "eats": ("cake", "nut"), "reads": ("book", "letter")}
"""What it is done to; a verb that is not here has a place after it, or nothing."""

WHERE = {"in": ("garden", "house", "street", "school"), "near": ("river", "house", "school")}

PARTS = ("kind", "number", "word")
"""What is asked of whoever fills a gap: the kind of word, of these the right number, of these the very word."""


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
    """Return every sentence of the language and its probability; the probabilities add up to one.

    Examples
    --------
    >>> language = all_sentences()
    >>> len(language), round(sum(language.values()), 6)
    (79200, 1.0)
    >>> "these wet dogs bark .".split() in map(list, language)
    True
    """
    language: dict[Sentence, float] = {}
    for who, p in noun_phrases(tuple(DOES)):
        alone = who[-1] in DOES  # one, or several?
        does = DOES[who[-1] if alone else who[-1].removesuffix("s")]
        for verb in does:
            for rest, q in objects_and_places(verb):
                said = verb if alone else verb.removesuffix("s")
                language[(*who, said, *rest, ".")] = p / len(does) * q
    return language


def words_of(language: Iterable[Sentence]) -> list[str]:
    """Return the words that sentences are made of, in the order of the alphabet."""
    return sorted({word for sentence in language for word in sentence})


def best_answer(
    language: Mapping[Sentence, float], words: Sequence[str], sentence: Sentence, place: int
) -> dict[str, float]:
    """Return how probable each word is at a place, if all the other words of a sentence are known.

    Nobody can do better than to answer with these probabilities: on average, every other answer has a larger loss.

    Parameters
    ----------
    language
        Sentences and their probabilities.
    words
        Those of the language.
    sentence
        The word at `place` does not count.
    place
        From 0.

    Examples
    --------
    >>> language = all_sentences()
    >>> best_answer(language, words_of(language), ("the", "?", "bark", "."), 1)
    {'dogs': 1.0}
    """
    others = {word: (*sentence[:place], word, *sentence[place + 1 :]) for word in words}
    fitting = {word: language[other] for word, other in others.items() if other in language}
    total = sum(fitting.values())
    return {word: p / total for word, p in fitting.items()}


def word_group(word: str) -> tuple[str, str]:
    """Return what kind of word one is, and its number: "one", "several", or "" where it has none.

    Examples
    --------
    >>> word_group("dogs"), word_group("barks"), word_group("the"), word_group("near")
    (('noun', 'several'), ('verb', 'one'), ('article', ''), ('preposition', ''))
    """
    verbs = {verb for does in DOES.values() for verb in does}
    nouns = {noun for things in (DOES, *TO.values()) for noun in things}
    one, several = (set(articles) for articles in ARTICLES.values())
    for kind, of_one, of_several in (
        ("article", one - several, several - one),
        ("noun", nouns, {noun + "s" for noun in nouns}),
        ("verb", verbs, {verb.removesuffix("s") for verb in verbs}),
    ):
        if word in of_one | of_several:
            return kind, "one" if word in of_one else "several"
    if word in one & several:
        return "article", ""
    places = {place for places in WHERE.values() for place in places}
    kinds = {"adjective": ADJECTIVES, "preposition": WHERE, "place": places, "sign": (".",)}
    for kind, members in kinds.items():
        if word in members:
            return kind, ""
    raise ValueError(f"{word!r} is no word of the small language.")
