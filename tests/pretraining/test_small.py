"""The small BERT of lesson 7: its loop is transformers' own, its gaps are split without loss, and training shows."""

import re
from collections import Counter
from itertools import combinations

import pandas as pd
import pytest
import torch
from bertlab.pretraining.__main__ import main
from bertlab.pretraining.gaps import KINDS, Gaps
from torch.nn.functional import cross_entropy
from transformers import DataCollatorForLanguageModeling, get_linear_schedule_with_warmup

import bertlab
from bertlab.evidence import interval, ratio, wilson
from bertlab.pretraining import small_runs
from bertlab.pretraining.language import DOES, PARTS, all_sentences, best_answer, word_group, words_of
from bertlab.pretraining.small import corrupt, encode, new_model, train, word_tokenizer
from rounding import assert_rounded_equal

TOKENIZER = word_tokenizer(words_of(all_sentences()))
TEST, TEXT = small_runs.draw()
IDS = encode(TOKENIZER, TEXT[:3000])


@pytest.fixture(scope="module")
def gaps():
    return Gaps(TOKENIZER, TEST[:60])


@pytest.fixture(scope="module")
def trained():
    return train(new_model(len(TOKENIZER), seed=1), TOKENIZER, IDS, steps=150)


def test_a_sentence_is_read_word_by_word():
    assert TOKENIZER.convert_ids_to_tokens(encode(TOKENIZER, [("the", "wet", "dogs", "bark", ".")])[0]) == [
        *("[CLS]", "the", "wet", "dogs", "bark", ".", "[SEP]")
    ]


def test_the_test_and_the_text_share_no_sentence_and_both_are_always_the_same():
    assert not set(TEST) & set(TEXT)
    assert (len(TEST), small_runs.draw()[0]) == (200, TEST)


def test_what_is_chosen_and_what_becomes_of_it_is_as_in_transformers_collator():
    torch.manual_seed(0)
    given, chosen = corrupt(IDS, 0.3, TOKENIZER)
    collated = DataCollatorForLanguageModeling(TOKENIZER, mlm_probability=0.3)([{"input_ids": row} for row in IDS])
    ordinary = ~torch.isin(IDS, torch.tensor(TOKENIZER.all_special_ids))
    assert not (chosen & ~ordinary).any()
    assert given[~chosen].equal(IDS[~chosen])
    for mine, theirs, of in (
        (chosen, collated["labels"] != -100, ordinary),
        (given == TOKENIZER.mask_token_id, collated["input_ids"] == TOKENIZER.mask_token_id, chosen),
        (given != IDS, collated["input_ids"] != IDS, chosen),
    ):
        here = wilson(int((mine & of).sum()), int(of.sum()))
        there = int(theirs.sum()) / int((ordinary if of is ordinary else collated["labels"] != -100).sum())
        assert abs(here.value - there) < 4 * (here.high - here.low) / 2


def test_a_step_is_that_of_transformers_loss_and_torchs_optimizer():
    mine, theirs = new_model(len(TOKENIZER), seed=3), new_model(len(TOKENIZER), seed=3)
    train(mine, TOKENIZER, IDS, steps=2, seed=5)
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


def test_a_schedule_multiplies_the_step_size():
    shape = get_linear_schedule_with_warmup(torch.optim.SGD([torch.zeros(1)], lr=1.0), 2, 4).lr_lambdas[0]
    still, moved = new_model(len(TOKENIZER)), new_model(len(TOKENIZER))
    before = still.state_dict()["cls.predictions.bias"].clone()
    train(still, TOKENIZER, IDS, steps=1, schedule=shape)  # 0 at step 0
    train(moved, TOKENIZER, IDS, steps=2, schedule=shape)
    assert still.state_dict()["cls.predictions.bias"].equal(before)
    largest = (moved.state_dict()["cls.predictions.bias"] - before).abs().max()
    assert float(largest) == pytest.approx(3e-3 / 2, rel=0.05), "half the step size, in AdamW's first real step"


def test_copies_are_kept_and_do_not_change(trained):
    assert list(trained) == [*range(0, 150, 25), 150]
    assert trained[0].state_dict()["cls.predictions.bias"].abs().max() == 0
    assert_rounded_equal(
        trained[0].bert.embeddings.word_embeddings.weight,
        new_model(len(TOKENIZER), seed=1).bert.embeddings.word_embeddings.weight,
    )


def test_the_parts_add_up_to_torchs_loss(gaps, trained):
    with torch.no_grad():
        logits = trained[150](gaps.ids, attention_mask=gaps.attention_mask).logits[gaps.at]
    expected = cross_entropy(logits, gaps.answers, reduction="none")
    assert_rounded_equal(gaps.parts(gaps.shares(trained[150]))[list(PARTS)].sum(axis=1), expected)


def test_every_word_is_hidden_once(gaps):
    assert len(gaps.table) == sum(map(len, TEST[:60]))
    assert (gaps.ids == TOKENIZER.mask_token_id).sum(dim=-1).eq(1).all()
    assert TOKENIZER.convert_ids_to_tokens(gaps.answers) == gaps.table["word"].tolist()


def test_the_best_answers_know_all_that_the_rules_say_of_a_verb(gaps):
    best = small_runs.best_shares(TOKENIZER, TEST[:60])
    assert gaps.about_verbs(best) == pytest.approx({"a_verb": 1, "agrees": 1, "fits": 1})
    alike = torch.full_like(best, 1 / best.shape[1])
    guessed = gaps.about_verbs(alike)
    assert guessed["agrees"] == pytest.approx(1 / 2)
    assert guessed["fits"] < 0.75


def test_a_head_that_looks_at_the_subject_is_found(gaps):
    rows = torch.arange(len(gaps.ids))[gaps.verbs]

    class Looking:
        """Stands in for a model: its second head looks to the left, from everywhere."""

        def __call__(self, ids, **_):
            length = ids.shape[1]
            one = torch.eye(length).roll(-1, dims=1)[None].expand(len(ids), -1, -1)
            heads = torch.stack([torch.full_like(one, 1 / length), one], dim=1)
            return type("Output", (), {"attentions": (heads,)})

    found = gaps.heads(Looking())
    assert len(rows)
    assert found == pytest.approx({"to_subject": 1.0, "to_noun": 1 / gaps.ids.shape[1]})


def test_no_model_is_below_the_floor_and_training_comes_nearer(gaps, trained):
    floor = gaps.parts(small_runs.best_shares(TOKENIZER, TEST[:60])).sum(axis=1)
    left = {}
    for step in (0, 150):
        over = (gaps.parts(gaps.shares(trained[step])).sum(axis=1) - floor).groupby(gaps.table["sentence"])
        left[step] = interval(over.sum(), over.count(), statistic=ratio)
    assert left[150].low > 0
    assert left[150].high < left[0].low / 2


def test_a_row_of_the_record_has_all_columns_of_the_table_that_ships(gaps, trained):
    shipped = bertlab.data.read("small_language_runs")
    row = gaps.watch(trained[150])
    known = small_runs.known_beforehand(TOKENIZER, IDS, gaps, small_runs.best_shares(TOKENIZER, TEST[:60]))
    assert set(row) | {"run", "seed", "step", "read"} | set(known) == set(shipped.columns)
    assert row["loss"] == pytest.approx(sum(row[part] for part in PARTS))
    assert set(KINDS) <= set(row)


def test_the_command_writes_a_table_of_so_many_seeds(tmp_path, monkeypatch):
    monkeypatch.setattr("bertlab.pretraining.__main__.record", lambda seeds: pd.DataFrame({"seed": list(seeds)}))
    monkeypatch.setattr(
        "bertlab.pretraining.__main__.record_left_out", lambda seeds: pd.DataFrame({"one": list(seeds)})
    )
    main(["small", str(tmp_path / "runs.csv"), "--seeds", "3"])
    assert pd.read_csv(tmp_path / "runs.csv")["seed"].tolist() == [0, 1, 2]
    main(["small", str(tmp_path / "left.csv"), "--left-out"])
    assert pd.read_csv(tmp_path / "left.csv")["one"].tolist() == list(range(10))


def test_no_run_begins_for_a_table_that_cannot_be_written(tmp_path, monkeypatch):
    for runs in ("record", "record_left_out"):
        monkeypatch.setattr(f"bertlab.pretraining.__main__.{runs}", lambda *_: pytest.fail("it runs"))
    (tmp_path / "file").touch()
    for path in ("missing/runs.csv", "file/runs.csv", "."):
        for further in ([], ["--left-out"]):
            with pytest.raises(OSError, match=r"There is no folder|is a folder|Not a directory"):
                main(["small", str(tmp_path / path), *further])


def test_what_is_left_out_is_young_cats_and_seen_teachers():
    left = [" ".join(sentence) for sentence in all_sentences() if small_runs.left_out(sentence)]
    expected = re.compile(r"young cats? |(chases|chase|sees|see|eats|eat|reads|read) .*teachers? ")
    assert left == [s for s in map(" ".join, all_sentences()) if expected.search(s)]


def test_a_model_that_follows_the_rules_is_at_one_beside_the_rules():
    class Rules:
        """Stands in for a model: says at each gap what the rules say."""

        def __call__(self, ids):
            words = TOKENIZER.convert_ids_to_tokens(ids[0])
            place = words.index("[MASK]")
            best = best_answer(all_sentences(), words_of(all_sentences()), tuple(words[1:-1]), place - 1)
            logits = torch.full((1, len(words), len(TOKENIZER)), -1e9)
            for word, p in best.items():
                logits[0, place, TOKENIZER.convert_tokens_to_ids(word)] = torch.tensor(p).log()
            return type("Output", (), {"logits": logits})

    for gaps, word in small_runs.ASKED.values():
        assert small_runs.beside_the_rules(Rules(), TOKENIZER, gaps, word) == pytest.approx(1, abs=1e-5)


def test_the_left_out_runs_have_ten_seeds_on_each_text():
    found = bertlab.data.read("left_out_runs")
    seeds = found.groupby("text")["seed"].apply(list).to_dict()
    assert seeds == {text: [*range(10)] for text in ("whole", "without them")}
    assert set(small_runs.ASKED) == set(found.columns) - {"text", "seed"}
    without = found[found["text"] == "without them"]
    assert (without["seen_girl"] > 0.5).all(), "the control: nothing of it was left out"


@pytest.fixture(scope="module")
def runs():
    return bertlab.data.read("small_language_runs")


class TestTheTableThatShips:
    """What the lesson says of ten seeds, in every one of them."""

    def test_ten_seeds_of_each_run(self, runs):
        assert runs.groupby("run")["seed"].unique().map(sorted).map(tuple).unique().tolist() == [tuple(range(10))]
        assert set(runs["run"]) == set(small_runs.VARIANTS)

    def test_the_floor_is_that_of_the_rules_and_no_run_is_below(self, runs):
        whole = Gaps(TOKENIZER, TEST)
        floor = whole.parts(small_runs.best_shares(TOKENIZER, TEST)).sum(axis=1).mean()
        assert_rounded_equal(runs["floor"].unique(), [floor], decimals=4)
        assert (runs["loss"] > runs["floor"]).all()

    def test_frequencies_alone_are_those_of_the_text_counted_by_hand(self, runs):
        counts = Counter(word for sentence in TEXT for word in sentence)
        agrees, fits = [], []
        for sentence in TEST:
            (place,) = [i for i, word in enumerate(sentence) if word_group(word)[0] == "verb"]
            verbs = {word: n for word, n in counts.items() if word_group(word)[0] == "verb"}
            who = sentence[place - 1]
            does = DOES[who if who in DOES else who[:-1]]
            alike = [n for verb, n in verbs.items() if word_group(verb) == word_group(sentence[place])]
            agrees.append(sum(alike) / sum(verbs.values()))
            fits.append(sum(n for verb, n in verbs.items() if verb in does or verb + "s" in does) / sum(verbs.values()))
        for column, found in (("agrees_frequencies", agrees), ("fits_frequencies", fits)):
            assert runs[column].unique() == pytest.approx([sum(found) / len(found)], abs=1e-4)

    def test_number_comes_at_once_and_who_does_it_slowly_wherever_the_line_is_drawn(self, runs):
        ten = runs[runs["run"] == "lesson"]

        def reached(what, mark):
            way = (ten[what] - ten[f"{what}_frequencies"]) / (1 - ten[f"{what}_frequencies"])
            return ten["step"].where(way >= mark, float("inf")).groupby(ten["seed"]).min()

        for low, high in combinations((0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75), 2):
            number, fit = (reached(what, high) - reached(what, low) for what in ("agrees", "fits"))
            assert (number <= 100).all(), (low, high)
            if high - low >= 0.3:  # less is too little for copies that are 25 steps apart
                assert (number < fit).all(), (low, high)
        first = {mark: int((reached("agrees", mark) < reached("fits", mark)).sum()) for mark in (0.1, 0.5, 0.75)}
        assert first == {0.1: 0, 0.5: 10, 0.75: 10}, "which is first depends on the line"

    @pytest.mark.slow
    def test_recorded_again_it_is_alike(self, runs):
        again = small_runs.record([0], ["1 layer of 32"]).set_index("step")
        before = runs[(runs["run"] == "1 layer of 32") & (runs["seed"] == 0)].set_index("step")
        assert again["loss"][0] == pytest.approx(before["loss"][0], abs=1e-3)
        assert (again["loss"] - before["loss"]).abs().max() < 0.15
