"""The recorded runs of lessons 7 and 8: what is measured is counted by hand; tables that ship are in step with it."""

import re
from collections import Counter
from itertools import chain

import pytest
import torch
from torch.nn.functional import cross_entropy

import bertlab
import record
from bertlab.pretraining import encode, new_model
from bertlab.pretraining.language import DOES, all_sentences, best_answer
from record import LANGUAGE, PLURAL, SINGULAR, TOKENIZER, WORDS, Gaps
from record_words import window
from rounding import assert_rounded_equal

TEST, TEXT = record.draw()


@pytest.fixture(scope="module")
def gaps():
    return Gaps(TEST)


@pytest.fixture(scope="module")
def runs():
    return bertlab.data.read("small_language_runs")


def test_the_test_and_the_text_share_no_sentence_and_both_are_always_the_same():
    assert not set(TEST) & set(TEXT)
    assert (len(TEST), record.draw()[0]) == (200, TEST)


def test_the_loss_is_that_of_torch(gaps):
    model = new_model(len(TOKENIZER), seed=1)
    with torch.no_grad():
        logits = model(gaps.ids, attention_mask=gaps.attention_mask).logits[gaps.at]
    assert_rounded_equal(gaps.losses(gaps.shares(model)), cross_entropy(logits, gaps.answers, reduction="none"))


def test_the_best_answers_have_the_floor_as_loss_and_know_all_of_verbs(gaps):
    pieces, rows = TOKENIZER.convert_ids_to_tokens(range(len(TOKENIZER))), []
    for sentence, place in gaps.places:
        best = best_answer(LANGUAGE, WORDS, sentence, place)
        rows.append([best.get(piece, 0.0) for piece in pieces])
    assert gaps.about_verbs(torch.tensor(rows)) == pytest.approx({"agrees": 1, "fits_object": 1, "fits_alone": 1})
    assert_rounded_equal(gaps.floor(), gaps.losses(torch.tensor(rows)).mean())


def test_what_is_left_out_is_young_cats_and_seen_teachers():
    expected = re.compile(r"young cats? |(chases|chase|sees|see|eats|eat|reads|read) .*teachers? ")
    for sentence in all_sentences():
        assert record.left_out(sentence) == bool(expected.search(" ".join(sentence)))


def test_a_model_of_random_numbers_is_set_beside_the_rules():
    model, shares = new_model(len(TOKENIZER), seed=1), []
    for gap in record.CATS:
        ids = encode(TOKENIZER, [gap.replace("?", "[MASK]").split()])
        logits = model(ids).logits[ids == TOKENIZER.mask_token_id][0]
        shares.append(logits.softmax(0)[TOKENIZER.convert_tokens_to_ids("young")].item() / 0.2)  # one of five
    assert record.beside_the_rules(model, record.CATS, "young") == pytest.approx(sum(shares) / 4, rel=1e-4)


def test_the_recorded_runs_have_ten_seeds_of_each_and_none_below_the_floor(gaps, runs):
    left_out = bertlab.data.read("left_out_runs").rename(columns={"text": "run"})
    assert set(record.ASKED) == set(left_out.columns) - {"run", "seed"}
    for table, names in ((runs, set(record.VARIANTS)), (left_out, {"whole", "without them"})):
        seeds = table.groupby("run")["seed"].agg(lambda column: sorted(set(column))).to_dict()
        assert seeds == {name: [*range(10)] for name in names}
    assert_rounded_equal(runs["floor"].unique(), [gaps.floor()], decimals=4)
    assert (runs["loss"] > runs["floor"]).all()


def test_frequencies_alone_are_those_of_the_text_counted_by_hand(gaps, runs):
    counts = Counter(chain.from_iterable(TEXT))
    pieces, shares = TOKENIZER.convert_ids_to_tokens(range(len(TOKENIZER))), record.frequencies(encode(TOKENIZER, TEXT))
    assert_rounded_equal(shares, [counts[piece] / counts.total() for piece in pieces])
    known = gaps.about_verbs(shares.expand(len(gaps.places), -1))
    for name in ("agrees", "fits_object", "fits_alone"):
        assert runs[f"{name}_frequencies"].unique() == pytest.approx([known[name]], abs=1e-4)
    verbs = {verb: counts[verb] for verb in SINGULAR | PLURAL}
    singular = sum(verbs[verb] for verb in SINGULAR) / sum(verbs.values())
    subjects = [sentence[1] if sentence[2] in verbs else sentence[2] for sentence in TEST]
    by_hand = [singular if subject in DOES else 1 - singular for subject in subjects]
    assert known["agrees"] == pytest.approx(sum(by_hand) / len(by_hand))


@pytest.mark.slow
def test_recorded_again_it_is_alike(runs):
    again = record.small_language_runs([0], ["1 layer of 32"]).set_index("step")
    before = runs[(runs["run"] == "1 layer of 32") & (runs["seed"] == 0)].set_index("step")
    assert again.columns.tolist() == before.columns.tolist()
    assert again["loss"][0] == pytest.approx(before["loss"][0], abs=1e-3)
    assert (again["loss"] - before["loss"]).abs().max() < 0.15


def test_the_rule_sees_a_word_its_endings_and_neighbours_and_capitals_only_where_asked():
    one, other, _ = window("The Books sold")
    assert (other["word"], other["before"], other["after"], other["ending 2"]) == ("books", "the", "sold", "ks")
    assert (one["before"], one["first"], other["capital"]) == ("", True, True)
    assert window("The Books sold", capitals=False) == window("the books sold", capitals=False)
