"""The words that the proof-reader of lesson 6 watches, in sets, and how sure BERT must be to doubt one."""

from collections.abc import Collection, Iterable, Sequence

from bertlab.bert.loading import Bert
from bertlab.data import read
from bertlab.masking.verbs import verb_sets

# Words that are confused. Those with an apostrophe (its / it's) are no single piece, so they cannot be asked for.
MEASURED = (
    "a/an/the by/buy do/does for/four has/have he/him him/his in/on/at is/are know/no much/many of/off she/her "
    "than/then that/those their/there they/them this/these to/too/two us/our was/were weather/whether were/where "
    "who/which"
)
# Too rare in the texts of `making/record_proofreading.py` to be measured one by one.
RARE = (
    "accept/except advice/advise affect/effect hear/here lose/loose new/knew passed/past peace/piece "
    "principal/principle quiet/quite right/write see/sea sight/site through/threw week/weak whole/hole"
)
# In more than 15 of 100 gaps of web text BERT itself chose another word: mostly because several fit.
LEFT_OUT = "a/an/the in/on/at us/our who/which"
CONFUSED = tuple(tuple(words.split("/")) for words in f"{MEASURED} {RARE}".split() if words not in LEFT_OUT.split())

# The lowest (by steps of 0.01) at which, in web text, a hundred slips are mended for each right word that is marked.
THRESHOLD = 0.97

# What stands before *'t*, which stays where it is.
NEGATED = "don't/doesn't isn't/aren't wasn't/weren't hasn't/haven't"


def kinds_of_sets(vocabulary: Collection[str]) -> dict[str, list[tuple[str, ...]]]:
    """Return the sets that come in kinds, each named after its first set: negated verbs, and `verb_sets`."""
    negated: list[tuple[str, ...]] = [tuple(words.split("/")) for words in NEGATED.split()]
    return {"/".join(negated[0]): negated} | verb_sets(vocabulary)


def learner_sets(vocabulary: Collection[str]) -> dict[str, list[tuple[str, ...]]]:
    """Return the sets for people who learn English that the table `learner_sets` keeps, by name or kind."""
    tried, kinds = read("learner_sets"), kinds_of_sets(vocabulary)
    return {name: kinds.get(name, [tuple(name.split("/"))]) for name in tried.loc[tried["kept"] == "yes", "set"]}


def watched(bert: Bert, sets: Iterable[Sequence[str]] | None) -> dict[str, list[tuple[str, ...]]]:
    """Return for each word, in small letters, what it is weighed against: its confused words and its learner sets."""
    vocabulary = bert.tokenizer.get_vocab()

    def known(words: Iterable[str]) -> list[str]:  # *I* is *i* if the tokenizer turns capitals into small letters
        pieces = [(word, asked_for(word)) for word in words if asked_for(word).isalnum()]
        cut = bert.tokenizer.tokenize
        return [word for word, piece in pieces if piece in vocabulary or cut(piece) == [piece.lower()]]

    joined: dict[str, list[str]] = {}
    for words in CONFUSED if sets is None else sets:
        for word in (here := known(words)):
            joined[word.lower()] = list(dict.fromkeys([*joined.get(word.lower(), ()), *here]))
    weighed = {word: [tuple(words)] for word, words in joined.items()}
    for kind in learner_sets(vocabulary).values() if sets is None else ():
        for words in map(known, kind):
            for word in words:
                weighed.setdefault(word.lower(), []).append(tuple(words))
    weighed = {word: [words for words in choices if len(words) > 1] for word, choices in weighed.items()}
    weighed = {word: choices for word, choices in weighed.items() if choices}
    if not weighed:
        raise ValueError(f"sets must hold two words or more that are pieces of this vocabulary: {sets!r:.60}.")
    return weighed


def asked_for(word: str) -> str:
    """Return the piece that stands for a word: *don* for *don't*, whose rest stays where it is."""
    return word.replace("’", "'").partition("'")[0]
