"""Record the runs of lesson 8: bertlab-mini fine-tuned many times on who did what to whom.

python making/record_finetuning.py bertlab/data/finetuning_runs.csv               # some ten minutes on one core
python making/record_finetuning.py bertlab/data/finetuning_longer.csv --longer   # half an hour: see `longer_runs`
python making/record_finetuning.py bertlab/data/finetuning_kinds.csv --kinds     # ten minutes: see `kinds`
python making/record_finetuning.py bertlab/data/finetuning_constructions.csv --constructions    # the same
"""

import sys
from collections.abc import Iterable
from typing import NamedTuple

import pandas as pd
from tqdm import tqdm

import bertlab
from bertlab.bert.loading import Bert
from bertlab.finetuning import Classifier, as_texts, is_right, role_pairs, train
from bertlab.finetuning.classifier import EPOCHS, RATE
from bertlab.finetuning.roles import VOICES, active, passive
from recording import record

ONE_OF_EACH, *_, MIXED = VOICES
PAIRS = (100, 300, 600)
MIXED_EPOCHS = 24
TO_THE_END = 60  # epochs after which a twin knows its training pairs
SOONER = 14  # and one with an embedding layer that has read
TESTED = 200
TWIN = "untrained twin"
TWIN_WITH_ROWS = "twin with BERT's embedding layer"  # bertlab-mini's; only the layers are untrained
CONSTRUCTIONS = {  # none of which training shows
    "is blamed by": "The {patient} is {verb} by the {agent}.",
    "had been blamed by": "The {patient} had been {verb} by the {agent}.",
    "got blamed by": "The {patient} got {verb} by the {agent}.",
    "had often blamed": "The {agent} had often {verb} the {patient}.",
    "who was old blamed": "The {agent} who was old {verb} the {patient}.",
    "was there and blamed": "The {agent} was there and {verb} the {patient}.",
    "it was ... who blamed": "It was the {agent} who {verb} the {patient}.",
    "it was ... that ... blamed": "It was the {patient} that the {agent} {verb}.",
    "that ... blamed was there": "The {patient} that the {agent} {verb} was there.",
}


class Setting(NamedTuple):
    """One run: the model, the number of pairs and epochs, the learning rate, the seed and the voices."""

    model: str
    pairs: int
    epochs: int
    rate: float
    seed: int
    voices: str = ONE_OF_EACH


def plan(name: str, seeds: int) -> list[Setting]:
    """Return the runs by pairs, with equally many steps, and those of the twin."""
    steps = EPOCHS * PAIRS[-1]
    settings = []
    for seed in range(seeds):
        settings += [Setting(name, pairs, steps // pairs, RATE, seed) for pairs in PAIRS]
        settings += [Setting(TWIN, PAIRS[-1], EPOCHS, RATE, seed)]
    return settings


def longer(seeds: int) -> list[Setting]:
    """Return the runs of twins, also with an embedding layer that has read."""
    settings = []
    for seed in range(seeds):
        settings += [Setting(TWIN, PAIRS[-1], TO_THE_END, RATE, seed)]
        settings += [Setting(TWIN_WITH_ROWS, PAIRS[-1], SOONER, RATE, seed)]
    return settings


def by_kind(name: str, seeds: int) -> list[Setting]:
    """Return the runs on mixed voices whose kinds of pair are counted, and the twin that did best on them."""
    settings = [Setting(name, PAIRS[-1], MIXED_EPOCHS, RATE, seed, MIXED) for seed in range(seeds)]
    return [*settings, Setting(TWIN, PAIRS[-1], TO_THE_END, RATE, 2, MIXED)]


def trained(bert: Bert, setting: Setting) -> tuple[Classifier, pd.DataFrame]:
    """Train a classifier as a setting says; return it and the pairs that it was trained on."""
    model = bertlab.untrained(bert, setting.seed) if setting.model in (TWIN, TWIN_WITH_ROWS) else bert
    if setting.model == TWIN_WITH_ROWS:
        model.model.bert.embeddings.load_state_dict(bert.model.bert.embeddings.state_dict())
    practice = role_pairs(setting.pairs, seed=setting.seed, voices=setting.voices)
    classifier = Classifier(model, seed=setting.seed)
    options = {"epochs": setting.epochs, "rate": setting.rate, "group_size": 2, "seed": setting.seed}
    train(classifier, as_texts(practice), practice["same"], **options)
    return classifier, practice


def asked(tested: int) -> pd.DataFrame:
    """Return the lesson's test, with one pair per event."""
    return role_pairs(2 * tested, "test").iloc[::2]


def six_kinds(count: int) -> dict[str, pd.DataFrame]:
    """Return so many pairs of each of six kinds: both active, both passive or one of each; the same or not."""
    kinds = {}
    for voices in ("both active", "both passive", "one of each"):
        pairs = role_pairs(2 * count, "test", voices=voices)
        for answer, same in (("the same", 1), ("not the same", 0)):
            kinds[f"{voices}, {answer}"] = pairs[pairs["same"] == same]
    return kinds


def measure(bert: Bert, settings: Iterable[Setting], tested: int = TESTED) -> pd.DataFrame:
    """Train each run, and count the right answers on its training pairs, the test and six kinds of pair."""
    test = asked(tested)
    six = six_kinds(tested // 2)
    rows = []
    for setting in tqdm(settings, unit="run", file=sys.stderr):
        classifier, practice = trained(bert, setting)
        row = {**setting._asdict(), "right": is_right(classifier, test).sum(), "of": len(test)}
        row["learned"] = is_right(classifier, practice).sum()
        right_by_kind = {kind: is_right(classifier, pairs) for kind, pairs in six.items()}
        row |= {"six_right": sum(map(sum, right_by_kind.values())), "six_of": sum(map(len, six.values()))}
        rows.append(row | {kind: right.sum() for kind, right in right_by_kind.items()})
    return pd.DataFrame(rows)


def runs(bert: Bert, seeds: int) -> pd.DataFrame:
    """Return the runs by pairs, and those of the twin."""
    return measure(bert, plan(bert.name, seeds)).loc[:, :"of"].drop(columns="voices")


def longer_runs(bert: Bert, seeds: int) -> pd.DataFrame:
    """Return the longer runs."""
    return measure(bert, longer(seeds)).loc[:, :"learned"].drop(columns="voices")


def kinds(bert: Bert, seeds: int) -> pd.DataFrame:
    """Return the longest runs on mixed voices by kind of pair."""
    return measure(bert, by_kind(bert.name, seeds))


def constructions(bert: Bert, seeds: int) -> pd.DataFrame:
    """Return how the longest runs on mixed voices answer pairs of a new construction and an active or passive one."""
    events = role_pairs(TESTED, "test", voices="both active").iloc[::2]
    classifiers = [trained(bert, setting)[0] for setting in by_kind(bert.name, seeds)[:seeds]]
    rows = []
    for name, pattern in CONSTRUCTIONS.items():
        for place in ("first", "second"):
            pairs = beside_known(events, pattern, new_first=place == "first")
            right = {f"seed {seed}": is_right(each, pairs).sum() for seed, each in enumerate(classifiers)}
            rows.append({"construction": name, "place": place, **right, "of": len(pairs)})
    return pd.DataFrame(rows)


def beside_known(events: pd.DataFrame, pattern: str, new_first: bool) -> pd.DataFrame:
    """Return pairs of each event in a new construction and in both known ones, once the same and once not."""
    rows = []
    for agent, verb, patient in events[["agent", "verb", "patient"]].to_numpy().tolist():
        new = pattern.format(agent=agent, verb=verb, patient=patient)
        for known in (active, passive):
            for same in (1, 0):
                doer, other = (agent, patient) if same else (patient, agent)
                pair = (new, known(doer, verb, other))
                rows.append((*(pair if new_first else pair[::-1]), same))
    return pd.DataFrame(rows, columns=["first", "second", "same"])


if __name__ == "__main__":
    record(__doc__, runs, longer=longer_runs, kinds=kinds, constructions=constructions)
