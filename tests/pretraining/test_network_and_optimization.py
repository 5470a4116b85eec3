from dataclasses import replace

import numpy as np
import pytest
import torch

from bertlab.pretraining.corpus import Corpus
from bertlab.pretraining.instances import IGNORE, InstanceMaker
from bertlab.pretraining.network import PretrainingLoss, new_bert, tensors
from bertlab.pretraining.optimization import Schedule, make_optimizers, split_parameters
from bertlab.pretraining.recipe import BatchKind, Recipe
from rounding import assert_rounded_equal


@pytest.fixture(scope="module")
def batch(prepared, tiny):
    maker = InstanceMaker(Corpus.load(prepared / "train"), tiny, 200)
    return maker.draw(BatchKind(True, 32, 1.0), np.random.default_rng(0), 8)


def test_the_loss_is_that_of_transformers(batch, tiny):
    bert = new_bert(tiny, 200)
    words, pairs = PretrainingLoss(bert)(**tensors(batch))
    labels = np.full_like(batch.ids, IGNORE)
    np.put_along_axis(labels, batch.positions, batch.labels, axis=1)
    inputs = tensors(batch)
    output = bert(
        input_ids=inputs["ids"],
        token_type_ids=inputs["segments"],
        attention_mask=inputs["attention"],
        labels=torch.from_numpy(labels),
        next_sentence_label=inputs["next_labels"],
    )
    assert_rounded_equal(words / batch.masked + pairs / len(batch.ids), output.loss)


def test_a_new_bert_depends_on_the_seed_alone(tiny):
    one, two = new_bert(tiny, 200), new_bert(tiny, 200)
    for a, b in zip(one.parameters(), two.parameters(), strict=True):
        assert torch.equal(a, b)
    spread = one.bert.encoder.layer[0].intermediate.dense.weight.std().item()  # of a sample
    assert spread == pytest.approx(tiny.initial_spread, rel=0.1)


def test_every_parameter_has_one_optimizer_and_muon_has_the_layers_matrices(tiny):
    bert = new_bert(tiny, 200)
    layers, tables, vectors = split_parameters(bert)
    assert sorted(map(id, [*layers, *tables, *vectors])) == sorted(map(id, bert.parameters()))
    assert len(layers) == 6 * tiny.layers  # query, key, value, output, and two of the feed-forward block
    muon, adamw = make_optimizers(bert, tiny)
    assert [p.shape for p in muon.param_groups[0]["params"]] == [p.shape for p in layers]
    assert [group["weight_decay"] for group in adamw.param_groups] == [tiny.weight_decay, 0.0]


def test_the_optimizers_have_the_numbers_of_the_recipe(tiny):
    recipe = replace(tiny, momentum=0.8, betas=(0.7, 0.75))
    muon, adamw = make_optimizers(new_bert(recipe, 200), recipe)
    assert [group["momentum"] for group in muon.param_groups] == [0.8]
    assert [group["betas"] for group in adamw.param_groups] == [(0.7, 0.75)] * 2


def test_a_short_run_warms_up_over_its_share():
    assert Schedule.plan(20, Recipe(warmup=10)).warmup == 5
    assert Schedule.plan(20, Recipe(warmup=10, warmup_share=0.1)).warmup == 2
    assert Schedule.plan(20, Recipe(warmup=10, warmup_share=1.0)).warmup == 10


def test_the_step_size_rises_stays_and_falls_to_zero():
    plan = Schedule.plan(100, Recipe(warmup=10, decay_share=0.4))
    shares = [plan.share(step) for step in (0, 4, 9, 10, 59, 60, 80, 100)]
    assert_rounded_equal(shares, [0.1, 0.5, 1, 1, 1, 1, 0.5, 0], dtype="float64")


def test_a_shortened_run_falls_from_where_it_is():
    recipe = Recipe(warmup=10, decay_share=0.4)
    assert Schedule.plan(50, recipe, now=45) == Schedule(50, 10, 45)
    assert Schedule.plan(1000, recipe, now=45).decay_from == 600
    assert Schedule.plan(50, recipe, now=45).share(45) == 1
    with pytest.raises(ValueError, match="is at step 60 already"):
        Schedule.plan(50, recipe, now=60)


def test_the_schedule_sets_each_group_in_proportion(tiny):
    optimizers = make_optimizers(new_bert(tiny, 200), tiny)
    Schedule(100, 10, 60).apply(optimizers, 80)
    rates = [group["lr"] for o in optimizers for group in o.param_groups]
    assert_rounded_equal(rates, [1.5e-3, 2.5e-3, 2.5e-3], dtype="float64")


@pytest.mark.parametrize(("doubled_from", "small", "steps"), [(None, 30, 30), (10, 7.6, 8), (10, 10, 10), (10, 30, 20)])
def test_a_budget_counts_doubled_batches_twice(doubled_from, small, steps):
    recipe = Recipe(doubled_from=doubled_from)
    assert recipe.steps_in(small) == steps
    pieces = sum(recipe.pieces_at(step) for step in range(steps))
    assert pieces == pytest.approx(small * recipe.pieces_per_step, abs=recipe.pieces_per_step)  # whole steps


def test_a_recipe_survives_its_file_and_refuses_nonsense(tiny):
    assert Recipe.from_json(tiny.to_json()) == tiny
    assert Recipe.from_json("{}") == Recipe()
    assert Recipe.from_json(Recipe(betas=(0.8, 0.9)).to_json()).betas == (0.8, 0.9)
    with pytest.raises(ValueError, match="unknown in a recipe: learning_rate"):
        Recipe.from_json('{"learning_rate": 1}')
    for wrong, says in (
        ({"heads": 3}, "no multiple"),
        ({"masking_rate": 1.5}, "share"),
        ({"positions": 16}, "do not fit"),
        ({"mask_share": 0.95}, "add up to 1"),
        ({"not_next_share": 1.5}, "not_next_share is a share"),
    ):
        with pytest.raises(ValueError, match=says):
            Recipe(**wrong)
