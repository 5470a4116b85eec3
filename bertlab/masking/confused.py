"""The words that the proof-reader of lesson 6 watches, in sets, and how sure BERT must be to doubt a word of each."""

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from bertlab.bert.arguments import require_list
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

# On web text with one word in fifty exchanged: the lowest (by steps of 0.05) at which no more words are marked wrongly
# than mistakes are found.
THRESHOLD = 0.8

# What stands before *'t*, which stays where it is.
NEGATED = "don't/doesn't isn't/aren't wasn't/weren't hasn't/haven't"


class Kept(NamedTuple):
    """Sets with one threshold: a single set, or all of a kind, which is named after its first."""

    name: str
    sets: list[tuple[str, ...]]
    least: float


class Weighed(NamedTuple):
    """Words that compete for a place, and how probable one must be among them to be offered for another."""

    words: tuple[str, ...]
    least: float


def kinds_of_sets(vocabulary: Collection[str]) -> dict[str, list[tuple[str, ...]]]:
    """Return the sets that come in kinds, each named after its first set: negated verbs, and `verb_sets`."""
    negated: list[tuple[str, ...]] = [tuple(words.split("/")) for words in NEGATED.split()]
    return {"/".join(negated[0]): negated} | verb_sets(vocabulary)


def learner_sets(vocabulary: Collection[str]) -> list[Kept]:
    """Return the sets for people who learn English that the table `learner_sets` keeps, with its thresholds."""
    tried, kinds = read("learner_sets"), kinds_of_sets(vocabulary)
    kept = tried.loc[tried["kept"] == "yes", ["set", "threshold"]].itertuples(index=False)
    return [Kept(name, kinds.get(name, [tuple(name.split("/"))]), threshold) for name, threshold in kept]


def watched(bert: Bert, sets: Iterable[Sequence[str]] | None, threshold: float | None) -> dict[str, list[Weighed]]:
    """Return for each word, in small letters, what it is weighed against: its confused words and its learner sets."""
    vocabulary = bert.tokenizer.get_vocab()

    def known(words: Iterable[str]) -> list[str]:  # *I* is *i* if the tokenizer turns capitals into small letters
        pieces = {word: asked_for(word) for word in words}
        return [word for word, piece in pieces.items() if piece in vocabulary or _is_lowered(bert, piece)]

    together: dict[str, list[str]] = {}
    for words in require_list(sets=CONFUSED if sets is None else sets):
        for word in (here := known(require_list(sets=words))):
            together[word.lower()] = list(dict.fromkeys([*together.get(word.lower(), ()), *here]))
    weighed = {word: [Weighed(tuple(words), THRESHOLD)] for word, words in together.items()}
    for kept in learner_sets(vocabulary) if sets is None else ():
        for words in map(known, kept.sets):
            for word in words:
                weighed.setdefault(word.lower(), []).append(Weighed(tuple(words), kept.least))
    weighed = {word: [choice for choice in choices if len(choice.words) > 1] for word, choices in weighed.items()}
    weighed = {word: choices for word, choices in weighed.items() if choices}
    if not weighed:
        raise ValueError(f"sets must hold two words or more that are pieces of this vocabulary: {sets!r:.60}.")
    if threshold is None:
        return weighed
    return {word: [Weighed(words, threshold) for words, _ in choices] for word, choices in weighed.items()}


def asked_for(word: str) -> str:
    """Return the piece that stands for a word: *don* for *don't*, whose rest stays where it is."""
    return word.replace("’", "'").partition("'")[0]


def _is_lowered(bert: Bert, piece: str) -> bool:
    return bert.tokenizer.tokenize(piece) == [piece.lower()]
