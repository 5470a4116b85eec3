"""The proof-reader's sets for people who learn English: how they are derived and weighed, and what they find."""

from pathlib import Path

import numpy as np
import pytest

import bertlab
from bertlab.masking import most_probable, probabilities, proofread
from bertlab.masking.confused import CONFUSED, THRESHOLD, kinds_of_sets, learner_sets, watched
from bertlab.masking.proofreading import gaps_at, places_of
from bertlab.masking.verbs import verb_sets

TRIED = bertlab.data.read("learner_sets")
KEPT = TRIED[TRIED["kept"] == "yes"].set_index("set")
SETS_HERE = [("than", "then"), ("their", "there")]
RIGHT = Path(__file__).with_name("right_english.txt").read_text("utf-8").splitlines()
# As learners write, and what they mean.
SLIPS = {
    "We have lived here since three years, and I have saw this film.": (
        "We have lived here for three years, and I have seen this film."
    ),
    "That was an good idea.": "That was a good idea.",
    "She go home.": "She went home.",  # or "goes": a single sentence leaves the tense open
    "Everybody know that he is right.": "Everybody knows that he is right.",
    "She don't knows my name.": "She don't know my name.",
    "I did not went to the party.": "I did not go to the party.",
    "The letter was wrote by my uncle.": "The letter was written by my uncle.",
    "He has work here for ten years.": "He has worked here for ten years.",
    "Yesterday me went to the cinema.": "Yesterday I went to the cinema.",
    "She gave I a present.": "She gave me a present.",
    "We house is near the river.": "Our house is near the river.",
    "The book what I read was very long.": "The book that I read was very long.",
    "I bought other book for my sister.": "I bought another book for my sister.",
}


def mended(text, found):
    for row in found[::-1].itertuples():
        text = text[: row.start] + row.suggestion + text[row.end :]
    return text


def suggestions(bert, text, **how):
    return proofread(bert, text, **how)["suggestion"].tolist()


def test_the_forms_of_a_verb_are_spelt_by_rule_and_all_are_pieces():
    spelt = "use uses used using us stop stops stopped stopping cry cries cried crying play plays played playing"
    spelt += " watch watches watched watching book books booked go goes went gone going ##goes"
    kinds = verb_sets(spelt.split())
    regular = [("cry", "cries"), ("play", "plays"), ("stop", "stops"), ("use", "uses"), ("watch", "watches")]
    assert kinds["go/goes"] == [("go", "goes"), *regular]  # not book, which lacks a form, nor us
    assert kinds["work/worked"][0] == ("cry", "cried")
    assert kinds["go/going"][-2:] == [("use", "using"), ("watch", "watching")]
    assert (kinds["go/went"], kinds["go/went/gone"]) == ([("go", "went")], [("go", "went", "gone")])
    assert verb_sets(["come", "came"])["go/went/gone"] == []  # come is base and participle


def test_every_form_is_a_single_piece_in_another_vocabulary_too_and_kinds_are_as_large_as_recorded(bert, tiny):
    kinds, weighed = kinds_of_sets(bert.tokenizer.get_vocab()), watched(tiny, None)
    assert 50 < len(weighed) < 1200
    for kind, sets in kinds.items():
        assert len(set(sets)) == len(sets) == TRIED.set_index("set").loc[kind, "sets"]
    for reader, choices in ((bert, kinds), (tiny, weighed)):
        for words in (words for sets in choices.values() for words in sets):
            assert len(words) > 1
            assert all(word.removesuffix("'t") in reader.tokenizer.get_vocab() for word in words), words


def test_each_learner_set_competes_by_itself_beside_the_confused_words(bert):
    weighed, kept = watched(bert, None), learner_sets(bert.tokenizer.get_vocab())
    assert [*kept] == KEPT.index.tolist()
    for words in (words for kind in kept.values() for words in kind):
        assert all(words in weighed[word.lower()] for word in words), words
    for words in CONFUSED:
        for word in words:
            assert {*words} <= {*weighed[word][0]}
    assert len(weighed["peace"]) == 1
    assert watched(bert, SETS_HERE)["than"] == [("than", "then")]


def test_of_several_sets_that_doubt_a_word_the_surest_suggestion_counts(bert, expecting):
    for i, my, surest in ((0.8, 0.4, "I"), (0.4, 0.8, "my")):
        expecting(bert, i=i, my=my, me=0.01)
        (row,) = proofread(bert, "It saw me.").itertuples()
        assert (row.suggestion, row.probability) == (surest, pytest.approx(0.8 / 0.81))


def test_of_two_words_that_spoil_each_other_the_surer_is_mended_and_the_other_asked_for_again(bert, expecting):
    first, second, again = "[MASK] than it is.", "There [MASK] it is.", "[MASK] then it is."
    spoilt = {first: {"their": 0.98, "there": 0.02}, second: {"then": 0.99, "than": 0.01}}
    for answer, found in (({"there": 0.9}, ["then"]), ({"their": 0.98, "there": 0.02}, ["Their", "then"])):
        asked = expecting(bert, spoilt | {again: answer})
        assert suggestions(bert, "There than it is.", sets=SETS_HERE) == found
        assert asked == [first, second, again]
    asked = expecting(bert, {first: {"there": 1}, second: spoilt[second], again: spoilt[first]})
    assert suggestions(bert, "There than it is.", sets=SETS_HERE) == ["Their", "then"]  # seen once the other is mended


def test_marks_of_other_lengths_leave_the_places_of_the_others_right(bert):
    text = "She have a car. “Me saw they,” she said, “and I gave they an big apple.”"
    found = proofread(bert, text)
    assert [text[row.start : row.end] for row in found.itertuples()] == found["word"].tolist()
    assert mended(text, found).startswith("She has a car. “I saw them,”")
    assert "a big apple" in mended(text, found)


def test_capitals_and_apostrophes_are_those_of_the_word_and_i_is_large(bert, expecting):
    expecting(bert, i=1)
    assert suggestions(bert, "Me saw it. It saw me.") == ["I", "I"]
    expecting(bert, me=1)
    assert suggestions(bert, "I saw it. “I saw it.” It saw I. It saw I again.") == ["Me", "Me", "me", "me"]
    asked = expecting(bert, doesn=1)
    found = proofread(bert, "Dogs don't. Dogs don’t. DON'T. Don saw it.")
    assert found["suggestion"].tolist() == ["doesn't", "doesn’t", "DOESN'T"]
    assert found["word"].tolist() == ["don't", "don’t", "DON'T"]
    assert asked[:3] == ["Dogs [MASK]'t.", "Dogs [MASK]’t.", "[MASK]'T."]


@pytest.mark.parametrize("written", SLIPS)
def test_what_learners_write_is_mended_and_what_they_mean_is_left_alone(bert, written):
    assert mended(written, proofread(bert, written)) == SLIPS[written]
    assert proofread(bert, SLIPS[written]).empty


@pytest.mark.parametrize("written", RIGHT)
def test_right_english_that_was_written_before_the_threshold_was_chosen_has_no_mark(bert, written):
    assert proofread(bert, written).empty


def test_a_word_in_ing_is_not_looked_at_right_after_to(bert):
    places = places_of("I object to paying. To be paying, paying to-paying; to\nbring, I pay.", watched(bert, None))
    assert [place.start for place in places if place.word in ("paying", "bring", "pay")] == [26, 34, 64]


def test_an_untrained_twin_mends_next_to_none_of_it(twin):
    assert sum(mended(written, proofread(twin, written)) == meant for written, meant in SLIPS.items()) <= 2


def test_a_set_is_kept_if_web_text_says_so():
    gaps, found, alarms = (TRIED[f"web_{counted}"] for counted in ("gaps", "found", "alarms"))
    reasons = {"no: too few gaps": gaps < 20, "no: finds less than half": 2 * found < gaps}
    reasons |= {"no: marks too many right words": found < 50 * alarms}
    assert TRIED["kept"].tolist() == np.select(list(reasons.values()), list(reasons), "yes").tolist()


def test_counts_of_a_set_come_out_again(bert):
    counts, places, gaps = {"gaps": 0, "right": 0, "alarms": 0, "found": 0}, [], []
    for text in bertlab.data.read("web_words")["text"]:
        places += (here := places_of(text, ["your", "you"]))
        gaps += gaps_at(bert, text, here)
    for place, (shares,) in zip(places, probabilities(bert, gaps), strict=True):
        best, sure = most_probable(bert, shares, ["your", "you"])
        right = best == place.word.lower()
        counts["gaps"] += 1
        counts["right"] += right
        counts["found" if right else "alarms"] += sure > THRESHOLD
    assert counts["alarms"] > 0
    assert counts == {name: KEPT.loc["your/you", f"web_{name}"] for name in counts}


def test_the_sheet_says_what_the_tables_hold():
    sheet = (bertlab.data.Path(bertlab.data.__file__).with_name("learner_sets.md")).read_text("utf-8")
    kept = (TRIED["kept"] == "yes").sum()
    assert f"{len(TRIED)} sets and kinds were tried, and {kept} kept" in " ".join(sheet.split())
    for reason, count in TRIED["kept"].value_counts().items():
        assert f"| `{reason}` | {count} |" in sheet
