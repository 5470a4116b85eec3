"""Compare a checkpoint with untrained twins, simple rules and an earlier model, which it may perhaps replace.

python making/evaluate.py MODEL --texts TEXTS [--beside EARLIER] [--graded FILE]

The rule was fixed in advance: it must be better where a better BERT should be better, by intervals of paired
differences above zero, and must not be shown to be worse on any of the other measures.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from bertlab.bert.loading import Bert, load, untrained
from bertlab.evidence import Interval
from measures import OURS, RULES, Measured, measure, simplest_rules
from prepare import Document, held_out_documents
from results import Measure, Result

TWINS = 5  # with the seeds 0, 1 and so on
GAIN = (Measure("loss"), Measure("senses"), Measure("grammar"))  # and the mean vectors on all graded pairs
HOLD = (Measure("accuracy"), Measure("next"), Measure("agreement"), Measure("facts"), Measure("probes"))
EARLIER = "the earlier model"
BETTER, OPEN = "is better on", "is not significantly better or worse on"
WORSE, LACKING = "is worse on", "could not be compared on"


def verdict(difference: Interval | None) -> str:
    """Return in words what a paired difference from the earlier model shows; None if the items are not the same."""
    if difference is None:
        return LACKING
    return BETTER if difference.low > 0 else WORSE if difference.high < 0 else OPEN


def decide(new: dict[Measure, Result], earlier: dict[Measure, Result]) -> str:
    """Return in words what was shown, and whether the new model may replace the earlier one.

    It takes two sets of graded pairs, ours and another.
    """
    more_pairs = [which for which in new if (which.kind, which.way) == ("graded", "mean") and which.source != OURS]
    gain = [*GAIN, Measure("graded", OURS, "mean"), *(more_pairs or [Measure("graded", "another set", "mean")])]
    shown: dict[str, list[str]] = {verb: [] for verb in (BETTER, OPEN, WORSE, LACKING)}
    in_the_way = []
    for which in [*gain, *HOLD]:
        difference = new[which].ahead_of(earlier[which]) if which in new and which in earlier else None
        verb = verdict(difference)
        shown[verb].append(f"{which} {difference or ''}".strip())
        if verb != BETTER and (verb != OPEN or which in gain):
            in_the_way.append(str(which))
    sentences = [f"This checkpoint {verb}: {'; '.join(measures)}." for verb, measures in shown.items() if measures]
    if in_the_way:
        sentences.append(f"So it may not take the place of {EARLIER}: {', '.join(in_the_way)} stood in the way.")
    else:
        sentences.append(
            f"So it may take the place of {EARLIER}: better wherever that is asked, and shown to be worse on none of "
            "these."
        )
    return " ".join(sentences)


@dataclass(frozen=True, eq=False)
class Comparison:
    """The result of `compare`."""

    table: pd.DataFrame  # one row per measure, each cell with its interval
    model: Measured
    twins: list[Measured]
    decision: str  # empty without an earlier model


def compare(
    bert: Bert, documents: Sequence[Document], graded: Path | None = None, earlier: Bert | None = None
) -> Comparison:
    """Measure a model, its untrained twins, simple rules and an earlier model on the same items."""
    twins = [measure(untrained(bert, seed), documents, graded) for seed in range(TWINS)]
    model, rules = measure(bert, documents, graded), simplest_rules(bert, documents, graded)
    before = measure(earlier, documents, graded).results if earlier else {}
    rows = []
    for which in dict.fromkeys([*model.results, *rules]):
        row = dict.fromkeys(
            ["measure", f"{TWINS} untrained twins", EARLIER, "this checkpoint", "simplest baseline"], ""
        )
        row["measure"] = str(which)
        if result := model.results.get(which):
            of_twins = [twin.results[which] for twin in twins]
            best = max(of_twins, key=lambda twin: twin.value if twin.higher_is_better else -twin.value)
            values = [twin.value for twin in of_twins]
            row[f"{TWINS} untrained twins"] = f"{np.mean(values):z.2f} ({min(values):z.2f} to {max(values):z.2f})"
            row["this checkpoint"] = str(result.figure)
            row["ahead of the best twin"] = str(result.ahead_of(best))
            if which in before:
                row[EARLIER] = str(before[which].figure)
                row[f"ahead of {EARLIER}"] = str(result.ahead_of(before[which]) or "")
        if which in rules:
            row["simplest baseline"] = f"{rules[which].figure} ({RULES.get(which.kind, which.way)})"
        rows.append(row)
    table = pd.DataFrame(rows).fillna("")
    decision = decide(model.results, before) if earlier else ""
    return Comparison(table if earlier else table.drop(columns=EARLIER), model, twins, decision)


def measuring_parser(description: str | None) -> argparse.ArgumentParser:
    """Return a parser with the arguments that measuring a model needs."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path, help="folder of a model: RUN/final, or one of RUN/snapshots")
    parser.add_argument("--texts", type=Path, required=True, help="folder of text; its held-out documents are used")
    parser.add_argument("--graded", type=Path, help="file of graded pairs: sentence 1, sentence 2, score")
    parser.add_argument("--beside", type=Path, help="an earlier model: may MODEL take its place?")
    return parser


def compare_as_asked(arguments: argparse.Namespace) -> Comparison:
    """Load the models that a command names, and compare them."""
    earlier = load(arguments.beside) if arguments.beside else None
    return compare(load(arguments.model), held_out_documents(arguments.texts), arguments.graded, earlier)


if __name__ == "__main__":
    comparison = compare_as_asked(measuring_parser(__doc__).parse_args())
    print(comparison.table.to_string(index=False), comparison.decision, sep="\n\n")
