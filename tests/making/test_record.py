"""Lesson 7's recorded runs: what is measured is counted by hand, the loop is torch's, and so are the tables."""

import re
from argparse import Namespace

import pytest
import torch
from torch.nn.functional import cross_entropy

import bertlab
import record
from bertlab.masking import corrupt
from bertlab.pretraining import encode, new_model
from bertlab.pretraining.language import all_sentences, best_answer
from record import LANGUAGE, TOKENIZER, WORDS, Gaps, train
from rounding import assert_rounded_equal

TEST, TEXT = record.draw()
IDS = encode(TOKENIZER, TEXT[::26])
GAPS, RUNS = Gaps(TEST), bertlab.data.read("small_language_runs")


def test_a_step_is_that_of_transformers_loss_and_torchs_optimizer():
    mine, theirs = new_model(len(TOKENIZER), seed=3), new_model(len(TOKENIZER), seed=3)
    train(mine, IDS, steps=2, seed=5)
    torch.manual_seed(5)
    optimizer = torch.optim.AdamW(theirs.parameters(), lr=3e-3)
    for _ in range(2):
        batch = IDS[torch.randint(len(IDS), (64,))]
        given, chosen = corrupt(batch, 0.3, TOKENIZER)
        labels = batch.masked_fill(~chosen, -100)
        optimizer.zero_grad()
        theirs(given, attention_mask=(batch != 0).long(), labels=labels).loss.backward()
        optimizer.step()
    found, expected = (torch.cat([w.detach().flatten() for w in m.parameters()]) for m in (mine, theirs))
    # AdamW divides a gradient by its size, so that a rounded zero may move a weight by a step: nearly all are equal.
    assert ((found - expected).abs() < 1e-5).float().mean() > 0.99


def test_copies_are_kept_of_what_is_learned():
    kept = train(new_model(len(TOKENIZER), seed=1), IDS, steps=30)
    assert list(kept) == [0, 25, 30]
    first, later, last = (copy.cls.predictions.bias.abs().max() for copy in kept.values())
    assert 0 == first < later < last


def test_the_best_answers_have_the_floor_as_loss_and_know_all_of_verbs():
    pieces, rows = TOKENIZER.convert_ids_to_tokens(range(len(TOKENIZER))), []
    for sentence, place in GAPS.places:
        best = best_answer(LANGUAGE, WORDS, sentence, place)
        rows.append([best.get(piece, 0.0) for piece in pieces])
    assert GAPS.about_verbs(torch.tensor(rows)) == pytest.approx({"agrees": 1, "fits_alone": 1})
    assert_rounded_equal(GAPS.floor(), GAPS.losses(torch.tensor(rows)).mean())
    model = new_model(len(TOKENIZER), seed=1)
    with torch.no_grad():
        logits = model(GAPS.ids, attention_mask=GAPS.attention_mask).logits[GAPS.at]
    assert_rounded_equal(GAPS.losses(GAPS.shares(model)), cross_entropy(logits, GAPS.answers, reduction="none"))


def test_what_is_left_out_is_young_cats_and_seen_teachers():
    expected = re.compile(r"young cats? |(chases|chase|sees|see|eats|eat|reads|read) .*teachers? ")
    for sentence in all_sentences():
        assert record.left_out(sentence) == bool(expected.search(" ".join(sentence)))


def test_the_recorded_runs_have_ten_seeds_of_each_and_none_below_the_floor():
    assert not set(TEST) & set(TEXT)
    left_out = bertlab.data.read("left_out_runs").rename(columns={"text": "run"})
    assert set(record.ASKED) == set(left_out.columns) - {"run", "seed"}
    for table, names in ((RUNS, set(record.VARIANTS)), (left_out, {"whole", "without them"})):
        seeds = table.groupby("run")["seed"].agg(lambda column: sorted(set(column))).to_dict()
        assert seeds == {name: [*range(10)] for name in names}
    assert_rounded_equal(RUNS["floor"].unique(), [GAPS.floor()], decimals=4)
    assert (RUNS["loss"] > RUNS["floor"]).all()
    by_frequency = GAPS.about_verbs(record.frequencies(encode(TOKENIZER, TEXT)).expand(len(GAPS.places), -1))
    for name, share in by_frequency.items():
        assert RUNS[f"{name}_frequencies"].unique() == pytest.approx([share], abs=1e-4)


@pytest.mark.slow
def test_recorded_again_it_is_alike():
    again = record.small_language_runs(Namespace(seeds=1), ["1 layer of 32"]).set_index("step")
    before = RUNS[(RUNS["run"] == "1 layer of 32") & (RUNS["seed"] == 0)].set_index("step")
    assert again.columns.tolist() == before.columns.tolist()
    assert again["loss"][0] == pytest.approx(before["loss"][0], abs=1e-3)
    assert (again["loss"] - before["loss"]).abs().max() < 0.15
