"""Sets of forms of a verb that are single pieces of a vocabulary, for the proof-reader; from lesson 6."""

from collections.abc import Collection

# Base, past and participle. The forms of *be*, *have* and *do* are sets of their own, or among the confused words.
IRREGULAR = (
    "become/became/become begin/began/begun blow/blew/blown break/broke/broken bring/brought/brought build/built/built "
    "buy/bought/bought catch/caught/caught choose/chose/chosen come/came/come draw/drew/drawn drink/drank/drunk "
    "drive/drove/driven eat/ate/eaten fall/fell/fallen feed/fed/fed feel/felt/felt fight/fought/fought "
    "find/found/found fly/flew/flown forget/forgot/forgotten freeze/froze/frozen get/got/got give/gave/given "
    "go/went/gone grow/grew/grown hear/heard/heard hide/hid/hidden hold/held/held keep/kept/kept know/knew/known "
    "lead/led/led leave/left/left lend/lent/lent lose/lost/lost make/made/made mean/meant/meant meet/met/met "
    "pay/paid/paid ride/rode/ridden ring/rang/rung rise/rose/risen run/ran/run say/said/said see/saw/seen "
    "seek/sought/sought sell/sold/sold send/sent/sent shake/shook/shaken shrink/shrank/shrunk sing/sang/sung "
    "sink/sank/sunk sit/sat/sat sleep/slept/slept speak/spoke/spoken spend/spent/spent spring/sprang/sprung "
    "stand/stood/stood steal/stole/stolen strike/struck/struck swim/swam/swum take/took/taken teach/taught/taught "
    "tear/tore/torn tell/told/told think/thought/thought throw/threw/thrown understand/understood/understood "
    "wake/woke/woken wear/wore/worn win/won/won write/wrote/written"
)
SHORTEST = 3  # letters of a base; a shorter piece, such as "de", is the beginning of other words rather than a verb


def verb_sets(vocabulary: Collection[str]) -> dict[str, list[tuple[str, ...]]]:
    """Return, by kind, the forms of irregular and regular verbs in a vocabulary that compete for one [MASK]."""
    known = set(vocabulary)
    irregular = [tuple(forms.split("/")) for forms in IRREGULAR.split()]
    bases = [forms[0] for forms in irregular]
    regular = [word for word in sorted(known.difference(bases)) if is_regular(word, known)]
    bases += regular
    kinds = {
        "go/goes": [(base, in_s(base)) for base in bases],
        "work/worked": [(base, in_ed_and_ing(base, known)[0]) for base in regular],
        "go/going": [(base, in_ed_and_ing(base, known)[1]) for base in bases],
        "go/went": [forms[:2] for forms in irregular],
        "go/went/gone": irregular,
    }
    return {
        kind: [words for words in sets if known >= {*words} and len({*words}) == len(words)]
        for kind, sets in kinds.items()
    }


def is_regular(base: str, known: set[str]) -> bool:
    """Return whether a word is the base of a regular verb with all its forms known, as *use* is and *us* is not."""
    if len(base) < SHORTEST or not (base.isalpha() and base.isascii()) or f"{base}e" in known:
        return False
    return known >= {in_s(base), *in_ed_and_ing(base, known)}


def in_s(base: str) -> str:
    """Return the form of a verb in -s, by the rules of spelling."""
    if base.endswith(("s", "x", "z", "ch", "sh", "o")):
        return f"{base}es"
    return f"{base[:-1]}ies" if _y_changes(base) else f"{base}s"


def in_ed_and_ing(base: str, known: set[str]) -> tuple[str, str]:
    """Return the forms in -ed and -ing, by the rules of spelling; a last letter is doubled if that is known."""
    if base.endswith("e") and not base.endswith("ee"):
        return f"{base}d", f"{base[:-1]}ing"
    if _y_changes(base):
        return f"{base[:-1]}ied", f"{base}ing"
    stem = base + base[-1] if f"{base}{base[-1]}ing" in known else base
    return f"{stem}ed", f"{stem}ing"


def _y_changes(base: str) -> bool:
    return base.endswith("y") and base[-2:-1] not in "aeiou"
