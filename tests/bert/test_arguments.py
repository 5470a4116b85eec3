"""Whatever a person gives by mistake is refused in our own words by every function that lessons call, or has a result.

What lessons call is read from their cells, so a new function is asked here too; it needs a line in `meant`.
"""

import inspect
import traceback
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from pkgutil import resolve_name

import numpy as np
import pandas as pd
import pytest
import torch

import bertlab
from bertlab import lessons
from bertlab.bert import MissingPartError
from bertlab.finetuning import Classifier
from bertlab_teaching.book import reference

ROOT = Path(bertlab.__file__).parent
TEXTS, MASKED, PAIRS = ["The cat sat.", "It rained."], ["The [MASK] sat.", "A [MASK] sat."], [("The cat", "sat.")]
TABLE = pd.DataFrame({"first": TEXTS, "second": TEXTS})
SWAPS = {"pairs": [tuple(MASKED)], "words": [["cat"], ["dog"]]}
NONSENSE = {
    "None": None,
    "an empty text": "",
    "a text": "cat",
    "an empty list": [],
    "a list of None": [None, None],
    "a list of one text": ["zebra"],
    "a set": {"cat", "dog"},
    "a dictionary": {"cat": 1, "dog": 2},
    "an empty table": pd.DataFrame(),
    "minus one": -1,
    "minus a hundred": -100,
    "a large number": 10**4,
    "a fraction": 2.5,
    "nan": float("nan"),
    "infinity": float("inf"),
    "True": True,
    "a tensor": torch.zeros(3),
    "a tensor of nan": torch.full((4, 2), torch.nan),
    "an array": np.zeros((2, 2)),
    "an object": object(),
    "bert.model": torch.nn.Linear(1, 1),
}
RIGHT = {  # what may have a result, by what is given: parameters, or functions and parameters
    "None": "heads layers pair name candidates sets position",
    "an empty text": "evidence.listed.last finetuning.spaced.text masking.proofread.text",
    "a text": "text pair last word",
    "an empty list": "read_all.texts predict.texts sentence_vectors.texts change_of_loss.heads without_heads.heads "
    "head_view.heads model_view.layers model_view.heads",
    "a list of one text": "texts words evidence.listed.names",
    "a dictionary": "sentence_scores.texts",
    "minus one": "layer layers heads axis",
    "a large number": "batch_size seed vocabulary top_k labels count rate contrastive_loss.temperature",
    "a fraction": "temperature cut rate",
    "True": "attention rest_of_word layers",
    "a tensor": "shares hidden a b",
}


def meant(bert):
    """Return what each function is meant to be given, beside a BERT, a reading and a classifier."""
    return {
        "load": {},
        "untrained": {},
        "live": {"view": "heads"},
        "bert.loading.Bert.read": {"text": TEXTS[0]},
        "bert.loading.Bert.read_all": {"texts": TEXTS},
        "data.read": {"name": "short_texts"},
        "embedding.cosine": {"a": torch.ones(2, 3), "b": torch.ones(3)},
        "evidence.listed": {"names": ["a", "b"]},
        "evidence.spearman": {"a": [1, 2, 3.0], "b": [1, 3, 2.0]},
        "pooler.next_sentence": {"pairs": PAIRS},
        "vectors.word_tokens": {"word": "cat"},
        "vectors.word_vector": {"word": "cat"},
        "vectors.leave_one_out": {"vectors": torch.eye(4), "labels": ["a", "a", "b", "b"]},
        "attention.without_heads": {"heads": [(0, 1)]},
        "attention.change_of_loss": {"texts": TEXTS, "heads": [(0, 1)]},
        "attention.measure_heads": {"texts": TEXTS, "measures": ["next"]},
        "attention.head_view": {"heads": [0, 1]},
        "attention.model_view": {"layers": [0, -1], "heads": 1},
        "attention.to_words": {"weights": torch.ones(6, 6), "spans": [(0, 3), (4, 7), (8, 11), (11, 12)]},
        "attention.read_trees": {},
        "paraphrase.sentence_vectors": {"texts": TEXTS},
        "paraphrase.static_vectors": {"texts": TEXTS},
        "paraphrase.mean_of_tokens": {"hidden": torch.ones(2, 3, 4), "mask": torch.ones(2, 3)},
        "paraphrase.similarities": {"pairs": TABLE},
        "paraphrase.baseline_similarities": {"pairs": TABLE},
        "paraphrase.model_similarities": {"pairs": TABLE},
        "paraphrase.word_overlap": {"pairs": TABLE},
        "paraphrase.read_pairs": {},
        "paraphrase.compare_systems": {"systems": {"word overlap": np.arange(10.0)}, "scores": np.arange(10.0)},
        "masking.probabilities": {"texts": MASKED},
        "masking.corrupt": {"ids": torch.tensor([2, 9, 3]), "rate": 0.5, "tokenizer": bert.tokenizer},
        "masking.fill_mask": {"text": MASKED[0], "top_k": 1, "candidates": ["cat"]},
        "masking.word_probabilities": {"texts": MASKED, "words": ["cat", "dog"]},
        "masking.sentence_scores": {"texts": TEXTS},
        "masking.most_probable": {"shares": torch.ones(len(bert.tokenizer)), "words": ["cat", "dog"]},
        "masking.proofread": {"text": "The cat sat.", "sets": [("cat", "dog")]},
        "finetuning.Classifier": {},
        "finetuning.WordClassifier": {},
        "finetuning.ColouredWords": {"words": ["a", "b"], "classes": ["noun", "verb"]},
        "finetuning.contrastive_loss": {"first": torch.eye(3), "second": torch.eye(3)},
        "finetuning.train": {"texts": TEXTS, "labels": [0, 1], "epochs": 1, "batch_size": 2},
        "finetuning.predict": {"texts": TEXTS},
        "finetuning.train_vectors": {"sentences": TEXTS, "partners": TEXTS, "epochs": 1, "batch_size": 2},
        "finetuning.role_pairs": {"count": 2},
        "finetuning.spaced": {"text": "a b"},
        "pretraining.all_sentences": {},
        "pretraining.word_tokenizer": {"words": ["cat", "dog"]},
        "pretraining.encode": {"tokenizer": bert.tokenizer, "sentences": [("the", "cat"), ("cat",)]},
        "pretraining.new_model": {"vocabulary": 9, "layers": 1, "hidden": 8},
        "circuits.patch_heads": SWAPS,
        "circuits.patch_positions": SWAPS,
        "circuits.preference": {"texts": MASKED, "words": [["cat"], ["dog"]]},
        "circuits.scaled": {"factors": {(0, 1): 2.0}},
        "circuits.share_kept": {**SWAPS, "sets": [[(0, 1, [1])]]},
        "circuits.share_lost": SWAPS,
    }


# Tables that a lesson has just made, files of a student's own (tests/data, tests/finetuning), the student's own parts.
ELSEWHERE = (
    "reference.",
    "pretraining.tables.",
    "mine.",
    "finetuning.as_texts",
    "finetuning.is_right",
    "finetuning.save",
)
ELSEWHERE += ("finetuning.load_classifier", "finetuning.read_texts", "masking.marked")
ELSEWHERE += ("paraphrase.glove_similarities",)
CALLED = {name.removeprefix("bertlab.") for name in reference.calls(lessons.paths())}
CALLED = sorted(name for name in CALLED if not name.startswith(ELSEWHERE))
CALLED += ["bert.loading.Bert.read", "bert.loading.Bert.read_all"]
NOT_ASKED = {"self", "progress", "device"}
TAKE_LONG = {"epochs", "layers", "hidden"}


@pytest.fixture
def call(tiny):
    def call(name, /, **changed):
        function = resolve_name(f"bertlab.{name}")
        own = {"bert": tiny, "self": tiny, "reading": tiny.read("The cat sat."), "classifier": Classifier(tiny)}
        given = {each: value for each, value in own.items() if each in inspect.signature(function).parameters}
        result = function(**given | meant(tiny)[name] | changed)
        with result if hasattr(result, "__enter__") else nullcontext():
            return result

    return call


def in_our_words(error):
    """Return whether a line of the package raised the error, or there is no such file: no library, and no slip."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    own = Path(last.filename).is_relative_to(ROOT) and (last.line or "").startswith("raise ")
    return own or isinstance(error, FileNotFoundError | IsADirectoryError)


@pytest.mark.parametrize("name", CALLED)
def test_what_is_meant_is_taken_and_nonsense_is_refused_in_our_words_or_has_a_right_result(call, name):
    call(name)
    unclear = []
    for parameter in inspect.signature(resolve_name(f"bertlab.{name}")).parameters:
        for kind, nonsense in NONSENSE.items() if parameter not in NOT_ASKED else ():
            if kind == "a large number" and parameter in TAKE_LONG:
                continue
            allowed = any(f".{name}.{parameter}".endswith(f".{each}") for each in RIGHT.get(kind, "").split())
            try:
                call(name, **{parameter: nonsense})
            except Exception as error:
                if not in_our_words(error):
                    unclear.append(f"{parameter}, {kind}: {type(error).__name__}: {error}"[:120])
            else:
                unclear += [] if allowed else [f"{parameter}, {kind}: no error"]
    assert unclear == []


HEAD = ("masking.probabilities", "masking.sentence_scores", "attention.change_of_loss", "circuits.patch_positions")
NEEDS = {
    "pooler.next_sentence": "next-sentence head",
    **dict.fromkeys((*HEAD, "circuits.share_lost"), "masked-word head"),
}


@pytest.mark.parametrize(("name", "part"), NEEDS.items())
def test_a_checkpoint_without_the_part_that_is_asked_is_refused(call, tiny, name, part):
    with pytest.raises(MissingPartError, match=f"without its {part}"):
        call(name, bert=replace(tiny, missing_parts=(part,)))


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("finetuning.train", {"labels": [0]}),
        ("finetuning.train_vectors", {"partners": ["One."]}),
        ("masking.word_probabilities", {"words": ["cat"]}),
        ("vectors.leave_one_out", {"labels": ["a", "a", "b", "b", "b"]}),
    ],
)
def test_what_belongs_together_is_as_many(call, name, changed):
    ((parameter, values),) = changed.items()
    with pytest.raises(ValueError, match=rf"as many of each, .*\b{parameter} {len(values)}\b"):
        call(name, **changed)
