"""What a person gives by mistake is refused by every function that lessons call, and called by its name.

The kind of an argument follows from its name, so a new function is asked here too; it needs a line in `MEANT`.
"""

import inspect
from dataclasses import replace
from importlib import import_module

import numpy as np
import pandas as pd
import pytest
import torch

from bertlab import circuits
from bertlab.bert import Bert, MissingPartError
from bertlab.finetuning import Classifier, WordClassifier

TEXTS, MASKED, PAIRS = ["The cat sat.", "It rained."], ["The [MASK] sat.", "It [MASK]."], [("The cat", "sat.")]
NUMBERS = np.arange(10.0)
COUNT = (0, -1, 2.5, "5")
PLACE = (99, -99, 1.5, "1")  # a layer, counted from either end
FROM_0 = (*PLACE, -1)
LIST = ("cat", {"cat", "dog"}, {"cat": 1, "dog": 2}, pd.DataFrame({"sentence": TEXTS}), 7)
SHARE = (-0.1, 80)
AXES = (torch.zeros(3), torch.zeros(1, 1, 1, 3), [torch.zeros(3)] * 4)
NOT_FINITE = (torch.tensor([[0.0], [1.0], [2.0], [torch.inf]]), torch.full((4, 1), torch.nan))
KINDS = {  # by the name of a parameter; by room, function and parameter where the name stands for another kind
    **dict.fromkeys(("batch_size", "epochs", "group_size", "top_k", "least", "steps", "count"), COUNT),
    **dict.fromkeys(("finetuning.Classifier.labels", "finetuning.WordClassifier.labels"), COUNT),
    **dict.fromkeys(("pretraining.new_model.layers", "pretraining.new_model.hidden"), COUNT),
    **dict.fromkeys(
        ("layer", "attention.model_view.layers", "attention.head_view.heads", "attention.model_view.heads"), PLACE
    ),
    "head": FROM_0,
    **dict.fromkeys(("texts", "words", "candidates", "sentences", "partners", "measures", "sets", "labels"), LIST),
    **dict.fromkeys(("groups", "finetuning.save.names"), LIST),
    **dict.fromkeys(("heads", "pooler.next_sentence.pairs"), (*LIST, [(0, 1, 2)], ["ab"])),
    "threshold": (*SHARE, np.nan),
    "evidence.holm.p": SHARE,
    "hidden": AXES,
    "vectors": (*AXES, *NOT_FINITE),
    **dict.fromkeys(("paraphrase.mean_of_tokens.hidden", "evidence.verdict.groups", "evidence.finding.groups"), ()),
    "paraphrase.compare_systems.scores": ([*NUMBERS[:9], np.nan],),
}


def meant(bert):
    """Return what each function is meant to be given, beside the BERT, a reading and a classifier."""
    vectors, ways = torch.eye(4), {"a": [1, 0], "b": [0, 0]}
    small = {"texts": TEXTS, "labels": [0, 1], "epochs": 1, "batch_size": 2, "group_size": 1}
    return {
        "bert.read_all": {"texts": TEXTS, "batch_size": 2},
        "evidence.beside_controls": {"ways": ways, "groups": ["x", "y"]},
        "evidence.holm": {"p": [0.1, 1]},
        "pooler.next_sentence": {"pairs": PAIRS},
        "vectors.word_vector": {"word": "cat", "layer": -2},
        "vectors.leave_one_out": {"vectors": vectors, "labels": ["a", "a", "b", "b"]},
        "attention.without_heads": {"heads": [(0, 1)]},
        "attention.change_of_loss": {"texts": TEXTS, "heads": [(0, 1)]},
        "attention.measure_heads": {"texts": TEXTS, "measures": ["next"]},
        "attention.head_view": {"layer": -1, "heads": [0, 1]},
        "attention.model_view": {"layers": [0, -1], "heads": 1},
        "paraphrase.sentence_vectors": {"texts": TEXTS, "layer": -3, "batch_size": 1},
        "paraphrase.static_vectors": {"texts": TEXTS},
        "paraphrase.similarities": {"pairs": pd.DataFrame({"first": TEXTS, "second": TEXTS}), "layer": 0},
        "paraphrase.compare_systems": {"systems": {"word overlap": NUMBERS}, "scores": NUMBERS},
        "masking.probabilities": {"texts": MASKED},
        "masking.fill_mask": {"text": MASKED[0], "top_k": 1, "candidates": ["cat"]},
        "masking.word_probabilities": {"texts": MASKED, "words": ["cat", "rained"]},
        "masking.sentence_scores": {"texts": TEXTS},
        "masking.most_probable": {"shares": torch.ones(len(bert.tokenizer)), "words": ["cat", "dog"]},
        "masking.proofread": {"text": "The cat sat.", "threshold": 1, "sets": [("cat", "dog")]},
        "finetuning.Classifier": {"labels": 2},
        "finetuning.WordClassifier": {"labels": 2},
        "finetuning.train": small,
        "finetuning.predict": {"texts": TEXTS, "batch_size": 1},
        "finetuning.train_vectors": {"sentences": TEXTS, "partners": TEXTS, "epochs": 1, "batch_size": 2},
        "finetuning.role_pairs": {"count": 2},
        "finetuning.save": {"folder": None, "names": None},
        "pretraining.word_tokenizer": {"words": ["cat", "dog"]},
        "pretraining.encode": {"tokenizer": bert.tokenizer, "sentences": [("the", "cat"), ("cat",)]},
        "pretraining.new_model": {"vocabulary": 9, "layers": 1, "hidden": 8},
        "circuits.patch_positions": {"pairs": [(MASKED[0], "The [MASK] ran.")], "words": [["cat"], ["dog"]]},
        "circuits.share_lost": {"pairs": [(MASKED[0], "The [MASK] ran.")], "words": [["cat"], ["dog"]]},
    }


ROOMS = ("evidence", "pooler", "vectors", "attention", "paraphrase", "masking", "finetuning", "pretraining")
CALLED = {
    "bert.read_all": Bert.read_all,
    "finetuning.Classifier": Classifier,
    "finetuning.WordClassifier": WordClassifier,
    **{f"circuits.{name}": getattr(circuits, name) for name in ("patch_positions", "share_lost")},
}
for room in ROOMS:
    door = vars(import_module(f"bertlab.{room}"))
    CALLED |= {f"{room}.{name}": each for name, each in door.items() if inspect.isfunction(each)}
CASES = []
for function, called in CALLED.items():
    for name in inspect.signature(called).parameters:
        CASES += [(function, name, bad) for bad in KINDS.get(f"{function}.{name}", KINDS.get(name, ()))]


@pytest.fixture
def call(tiny):
    def call(function, **changed):
        own = {"bert": tiny, "self": tiny}
        if "reading" in (parameters := inspect.signature(CALLED[function]).parameters):
            own["reading"] = tiny.read("The cat sat.")
        own |= {"classifier": Classifier(tiny)} if "classifier" in parameters else {}
        given = {name: value for name, value in own.items() if name in parameters}
        result = CALLED[function](**given | meant(tiny)[function] | changed)
        if hasattr(result, "__enter__"):
            with result:
                pass

    return call


@pytest.mark.parametrize("function", sorted({case[0] for case in CASES} - {"finetuning.save"}))
def test_what_is_meant_is_taken(call, function):
    call(function)


@pytest.mark.parametrize(("function", "name", "bad"), CASES)
def test_what_is_not_meant_is_refused_by_its_name(call, function, name, bad):
    with pytest.raises((TypeError, ValueError, IndexError), match=rf"^{name} (is|must|holds) "):
        call(function, **{name: bad})


HEAD = ("masking.probabilities", "masking.sentence_scores", "attention.change_of_loss")
HEAD += ("circuits.patch_positions", "circuits.share_lost")
NEEDS = {"pooler.next_sentence": "next-sentence head"}


@pytest.mark.parametrize(("function", "part"), [*NEEDS.items(), *((name, "masked-word head") for name in HEAD)])
def test_a_checkpoint_without_the_part_that_is_asked_is_refused(call, tiny, function, part):
    with pytest.raises(MissingPartError, match=f"without its {part}"):
        call(function, bert=replace(tiny, missing_parts=(part,)))


@pytest.mark.parametrize(
    ("function", "changed"),
    [
        ("evidence.beside_controls", {"groups": ["x"]}),
        ("finetuning.train", {"labels": [0]}),
        ("finetuning.train_vectors", {"partners": ["One."]}),
        ("masking.word_probabilities", {"words": ["cat"]}),
        ("vectors.leave_one_out", {"labels": ["a", "a", "b", "b", "b"]}),
    ],
)
def test_what_belongs_together_is_as_many(call, function, changed):
    ((name, values),) = changed.items()
    with pytest.raises(ValueError, match=rf"as many of each, .*\b{name} {len(values)}\b"):
        call(function, **changed)
