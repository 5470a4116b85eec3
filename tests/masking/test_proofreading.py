"""The proof-reader hides each word that may be confused, and says which other one of its set BERT expects there."""

import re

import pandas as pd
import pytest
import torch

import bertlab
from bertlab.masking import marked, most_probable, proofread, proofreading
from bertlab.masking.confused import CONFUSED, LEFT_OUT, MEASURED, RARE, THRESHOLD
from bertlab.masking.proofreading import gaps_at, places_of

SETS_HERE = [("than", "then"), ("their", "there")]
SLIPS = "There house is larger then ours."


def test_a_row_a_doubtful_word_in_its_place_with_its_capitals(bert):
    found = proofread(bert, SLIPS + " THEIR dog is bigger than that.", sets=SETS_HERE)
    assert found.columns.tolist() == ["start", "end", "word", "suggestion", "probability"]
    assert found.drop(columns="probability").to_numpy().tolist() == [[0, 5, "There", "Their"], [22, 26, "then", "than"]]
    assert found["probability"].between(THRESHOLD, 1).all()
    assert proofread(bert, "THERE house is old.", sets=SETS_HERE)["suggestion"].tolist() == ["THEIR"]


def test_the_probability_is_among_the_words_of_the_set_and_above_the_threshold(bert, expecting):
    expecting(bert, than=0.03, then=0.01, their=0.5)
    (row,) = proofread(bert, "It is older then that.", threshold=0.7, sets=SETS_HERE).itertuples()
    assert row.probability == pytest.approx(0.75)
    assert proofread(bert, "It is older then that.", threshold=0.75, sets=SETS_HERE).empty
    assert proofread(bert, "It is older than that.", threshold=0, sets=SETS_HERE).empty
    equal = most_probable(bert, torch.ones(len(bert.tokenizer)), ["then", "than", "there"])
    assert equal == ("then", pytest.approx(1 / 3))


def test_beside_a_mended_word_three_on_each_side_are_asked_for_again(bert, expecting):
    def gap(place, *mended):
        return " ".join("[MASK]" if i == place else "than" if i in mended else "then" for i in range(9))

    asked = expecting(bert, {gap(4): {"than": 0.99, "then": 0.01}}, than=0.1, then=0.9)
    assert proofread(bert, " ".join(["then"] * 9), sets=SETS_HERE)["start"].tolist() == [20]
    assert asked[9:] == [gap(place, 4) for place in (1, 2, 3, 5, 6, 7)]


def test_each_word_is_hidden_in_its_own_sentence_and_the_rest_stays_as_it_is(bert):
    text = "Then  (then) we “went”.  Strengthen us, then! \n\nThen-and-now isn't then's; THEN"
    places = places_of(text, ["then"])
    found = zip(places, gaps_at(bert, text, places), strict=True)
    assert [(place.start, place.word, gap) for place, gap in found] == [
        (0, "Then", "[MASK]  (then) we “went”."),
        (7, "then", "Then  ([MASK]) we “went”."),
        (40, "then", "Strengthen us, [MASK]!"),
        (75, "THEN", "Then-and-now isn't then's; [MASK]"),
    ]


def test_a_sentence_longer_than_bert_reads_is_read_around_the_word(model):
    room = model.model.config.max_position_embeddings
    cats, dogs, letters = "cat " * 300, "dog " * 300, "x" * 999
    for text, least in (
        (f"{cats}and then, {dogs}", room - 12),
        (f"{cats}then", room - 12),
        (f"{letters},then,{letters}", 0),
    ):
        (gap,) = gaps_at(model, text, places_of(text, ["then"]))
        assert least <= len(model.tokenizer(gap)["input_ids"]) <= room
        assert min(gap.count("cat"), gap.count("dog")) > 30 or "dog" not in text
    assert isinstance(proofread(model, f"{cats}and then, {dogs}"), pd.DataFrame)


def test_many_words_are_asked_in_batches_and_each_once(bert, expecting, monkeypatch):
    asked, sizes, ask = expecting(bert, than=1), [], proofreading.probabilities
    monkeypatch.setattr(proofreading, "probabilities", lambda *of: sizes.append(len(of[1])) or ask(*of))
    found = proofread(bert, "Now then. " * 600, sets=SETS_HERE)
    assert (sizes, len(asked)) == ([256, 256, 88], 600)
    assert found["start"].tolist() == [10 * i + 4 for i in range(600)]


def test_a_typed_mask_is_refused(bert):
    with pytest.raises(ValueError, match=r"holds a \[MASK\]"):
        proofread(bert, "It is [MASK] then.")


def test_of_a_set_two_words_are_known(bert):
    for other in ("xyzzyx", "?", "(", "$", ".", "'", "[MASK]"):
        with pytest.raises(ValueError, match=r"^sets must hold two words or more that are pieces .*'then'"):
            proofread(bert, SLIPS, sets=[("then", other)])
    assert proofread(bert, SLIPS, sets=[("(", "then", "than")])["suggestion"].tolist() == ["than"]


@pytest.mark.parametrize("text", ["", " \n\n ", "No such word.", "İs ıt waſ?"])
def test_a_text_without_such_a_word_has_no_doubtful_one(bert, text):
    found = proofread(bert, text, sets=[*SETS_HERE, ("is", "it", "was")])
    assert found.empty
    assert "suggestion" in found
    assert marked(text, found) == "\n".join(line.strip() for line in text.split("\n"))


def test_marks_stand_in_the_text_as_plain_text():
    marks = [(3, 7, "then", "than", 0.987), (13, 14, "a", "an", 0.9951)]  # never as sure as 1.00
    found = pd.DataFrame(marks, columns=["start", "end", "word", "suggestion", "probability"])
    assert marked("<b>then</b>\n\na end.", found) == "<b>[then → than 0.99]</b>\n\n[a → an >0.99] end."


def test_the_sets_are_words_in_one_piece_and_none_is_in_both_lists(bert):
    for words in f"{MEASURED} {RARE}".split():
        assert all(word in bert.tokenizer.get_vocab() for word in words.split("/")), words
    assert not set(MEASURED.split()) & set(RARE.split())
    assert set(LEFT_OUT.split()) <= set(MEASURED.split())
    assert len(CONFUSED) == len(MEASURED.split()) + len(RARE.split()) - len(LEFT_OUT.split())


def test_the_threshold_is_the_one_that_the_web_text_chose():
    costs = bertlab.data.read("proofreader_costs")
    web = costs[costs["text"] == "web"]
    cheap = web[web["mended"] >= 100 * web["alarms"]]
    assert cheap["threshold"].min() == THRESHOLD


def test_the_confused_words_stood_in_the_news_and_the_answers_are_words_of_the_set():
    gaps = bertlab.data.read("confused_words")
    texts = dict(bertlab.data.read("news_words")[["source", "text"]].to_numpy())
    assert gaps.groupby("set").size().max() <= 60
    assert sorted(gaps["set"].unique()) == sorted(MEASURED.split())
    for row in gaps.itertuples():
        before, after = map(re.escape, row.text.split("[MASK]"))
        assert re.fullmatch(f"{before}(.*){after}", texts[row.source], re.DOTALL)[1].lower() == row.word
        assert {row.word, *row[5:]} <= set(row.set.split("/"))
