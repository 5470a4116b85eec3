"""Compare a checkpoint with untrained twins and simple rules.

python making/evaluate.py MODEL --texts TEXTS [--graded FILE]
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from bertlab.bert.loading import Bert, load, untrained
from bertlab.evidence import spread
from measures import RULES, Measured, measure, simplest_rules
from prepare import Document, held_out_documents

TWINS = 5  # with the seeds 0, 1 and so on


@dataclass(frozen=True, eq=False)
class Comparison:
    """The result of `compare`."""

    table: pd.DataFrame  # one row per measure, each cell with its interval
    model: Measured
    twins: list[Measured]


def compare(bert: Bert, documents: Sequence[Document], graded: Path | None = None) -> Comparison:
    """Measure a model, its untrained twins and simple rules on the same items."""
    twins = [measure(untrained(bert, seed), documents, graded) for seed in range(TWINS)]
    model, rules = measure(bert, documents, graded), simplest_rules(bert, documents, graded)
    rows = []
    for which in dict.fromkeys([*model.results, *rules]):
        row = {"measure": str(which)}
        if result := model.results.get(which):
            of_twins = [twin.results[which] for twin in twins]
            best = max(of_twins, key=lambda twin: twin.value if twin.higher_is_better else -twin.value)
            row[f"{TWINS} untrained twins"] = str(spread([twin.value for twin in of_twins]))
            row["this checkpoint"] = str(result.figure)
            row["ahead of the best twin"] = str(result.ahead_of(best))
        if which in rules:
            row["simplest baseline"] = f"{rules[which].figure} ({RULES.get(which.kind, which.way)})"
        rows.append(row)
    return Comparison(pd.DataFrame(rows).fillna(""), model, twins)


def measuring_parser(description: str | None) -> argparse.ArgumentParser:
    """Return a parser with the arguments that measuring a model needs."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path, help="folder of a model: RUN/final, or one of RUN/snapshots")
    parser.add_argument("--texts", type=Path, required=True, help="folder of text; its held-out documents are used")
    parser.add_argument("--graded", type=Path, help="file of graded pairs: sentence 1, sentence 2, score")
    return parser


def compare_as_asked(arguments: argparse.Namespace) -> Comparison:
    """Load the model that a command names, and compare it."""
    return compare(load(arguments.model), held_out_documents(arguments.texts), arguments.graded)


if __name__ == "__main__":
    print(compare_as_asked(measuring_parser(__doc__).parse_args()).table.to_string(index=False))
