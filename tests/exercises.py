"""Every exercise's check, ready to be called with a model and an answer, and every solution."""

import re
import tomllib
from pathlib import Path

import torch

from bertlab import lessons
from bertlab.checks import attention, circuits, embedding, finetuning, masking, paraphrase, pooler, pretraining, vectors
from bertlab_teaching import solving

LESSONS = Path(__file__).parent.parent / "notebooks"
HANDED_IN = {  # answers that no table has, by their exercise or gap
    name: answers
    for file in sorted((Path(__file__).parent / "checks" / "handed_in").glob("*.toml"))
    for name, answers in tomllib.loads(file.read_text("utf-8")).items()
}

GAPS = [name for path in lessons.paths() for name in solving.gap_lines(solving.solutions_of(path))]

PAIRS = [("It rained all day.", "So we stayed at home."), ("The cat was ill.", "We called the doctor.")] * 2
PAIRS += [("He bought a guitar.", "Then he learned a song.")]
STRANGERS = [("It rained all day.", "A heart is a muscle."), ("The cat was ill.", "White opened with a pawn.")] * 2
STRANGERS += [("He bought a guitar.", "The moon has many craters.")]
SENTENCES = ["The cat sat on the mat.", "It rained all day."]


def words_with_senses():
    """Make vectors of two words, in which the senses lie apart at one layer each."""
    chance = torch.Generator().manual_seed(19)
    made = {}
    for word, clear in (("bank", 1), ("spring", 3)):
        points = torch.randn(20, 5, 8, generator=chance)
        points[:10, clear] += 1
        made[word] = (points, ["a"] * 10 + ["b"] * 10)
    return made


def graded_cosines():
    """Make cosines of practice pairs with their grades, and of test pairs."""
    chance = torch.Generator().manual_seed(4)
    grades = torch.arange(120) % 6
    cosines = 0.8 + 0.02 * grades + 0.03 * torch.randn(120, generator=chance)
    return cosines[:60], grades[:60].float(), cosines[60:]


CHECKS = {
    "1.1": lambda bert, answer: embedding.rms_norm(answer),
    "1.2": embedding.embed_pair,
    "1.3": lambda bert, answer: embedding.neighbour_similarity(bert, bert, answer),
    "2.1": lambda bert, answer: pooler.layer_parameters(answer),
    "2.2": pooler.pool_batch,
    "2.3": lambda bert, answer: pooler.next_sentence_accuracy(bert, PAIRS, STRANGERS, answer),
    "3.1": vectors.second_layer,
    "3.2": vectors.vector_at,
    "3.3": lambda bert, answer: vectors.share_at_chosen_layer(words_with_senses(), answer),
    "4.1": attention.received,
    "4.2": attention.head_of_batch,
    "4.3": lambda bert, answer: attention.more_than_others(bert, SENTENCES, answer),
    "5.1": lambda bert, answer: paraphrase.cosine_of_scaled(answer),
    "5.2": paraphrase.mean_of_batch,
    "5.3": lambda bert, answer: paraphrase.beyond_unrelated(*graded_cosines(), answer),
    "6.1": lambda bert, answer: masking.perplexities(answer),
    "6.2": masking.fill_batch,
    "6.3": masking.weigh,
    "7.1": lambda bert, answer: pretraining.two_losses(answer),
    "7.2": lambda bert, answer: pretraining.share_of_step(answer),
    "7.3": lambda bert, answer: pretraining.compare_rates(answer),
    "8.1": lambda bert, answer: finetuning.share_by_thumb(answer),
    "8.2": lambda bert, answer: finetuning.loss_both_ways(answer),
    "8.3": lambda bert, answer: finetuning.best_of([0.5, 0.6, 0.9, 0.7, 0.55, 0.8], answer),
    "9.1": lambda bert, answer: circuits.swap_vector(answer),
    "9.2": lambda bert, answer: circuits.swap_each_head(answer),
    "9.3": circuits.find_head,
}


def solutions(then=lambda value: value):
    """Return the function that solves each exercise, by its number; `then` is applied to what it returns.

    Both stand in one namespace, as in a notebook: some checks read a function's names and those of its helpers.
    """
    found = {}
    for path in sorted(LESSONS.glob("*.solutions.py")):
        source = path.read_text("utf-8")
        for place, name in enumerate(re.findall(r"^def (\w+)", source, re.MULTILINE), start=1):
            notebook = {"then": then}
            exec(f"{source}\n\ndef changed(*given): return then({name}(*given))", notebook)
            found[f"{int(path.name[:2])}.{place}"] = notebook["changed"]
    return found
