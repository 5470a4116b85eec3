"""A checkpoint beside untrained twins, the simplest rules and an earlier model; and whether it may take its place.

python making/evaluate.py MODEL --texts TEXTS [--beside EARLIER] [--graded FILE]

The rule was fixed before: better where a better BERT should be better, by intervals of paired differences above zero,
and nowhere worse.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from bertlab.bert.loading import Bert, load, untrained
from bertlab.evidence import Interval, spread
from measures import OURS, Measured, measure, simplest_rules
from prepare import Document, read_documents
from results import Measure, Result

TWINS = 5  # with the seeds 0, 1 and so on
GAIN = (Measure("loss"), Measure("senses"), Measure("grammar"))  # and the mean vectors of all graded pairs
HOLD = (Measure("accuracy"), Measure("next"), Measure("agreement"), Measure("facts"), Measure("probes"))
THIS, EARLIER = "this checkpoint", "the earlier model"


@dataclass(frozen=True)
class Judged:
    """One measure that counts: the difference from the earlier model, and whether it has to be better there."""

    measure: Measure
    difference: Interval | None  # None: not measured on the same items
    gain: bool

    @property
    def verdict(self) -> str:
        """What the interval says."""
        if self.difference is None:
            return "lacking"
        return "better" if self.difference.low > 0 else "worse" if self.difference.high < 0 else "open"

    @property
    def passed(self) -> bool:
        """Whether the new model may take the earlier one's place as far as this measure goes."""
        return self.verdict in (("better",) if self.gain else ("better", "open"))

    def __str__(self) -> str:
        """Return the measure and the difference."""
        return f"{self.measure}" if self.difference is None else f"{self.measure} {self.difference}"


SAID = {
    "better": "is better on",
    "open": "is shown to be neither better nor worse on",
    "worse": "is worse on",
    "lacking": "could not be compared on",
}


def decide(new: dict[Measure, Result], earlier: dict[Measure, Result]) -> list[Judged]:
    """Judge each measure that counts; two sets of graded pairs are needed, our own and another."""
    graded = [measure for measure in new if measure.kind == "graded" and measure.way == "mean"]
    others = [measure for measure in graded if measure.source != OURS]
    gain = [*GAIN, Measure("graded", OURS, "mean"), *(others or [Measure("graded", "another set", "mean")])]
    judged = []
    for which in [*gain, *HOLD]:
        both = which in new and which in earlier
        judged.append(Judged(which, new[which].ahead_of(earlier[which]) if both else None, which in gain))
    return judged


def in_words(judged: Sequence[Judged], new: str = THIS.capitalize(), earlier: str = EARLIER) -> str:
    """Say what was shown, and whether the new model may take the earlier one's place."""
    sentences = []
    for verdict, verb in SAID.items():
        if those := [str(each) for each in judged if each.verdict == verdict]:
            sentences.append(f"{new} {verb}: {'; '.join(those)}.")
    if in_the_way := [str(each.measure) for each in judged if not each.passed]:
        sentences.append(f"So it may not take the place of {earlier}: {', '.join(in_the_way)} stood in the way.")
    else:
        sentences.append(f"So it may take the place of {earlier}: better wherever that is asked, and nowhere worse.")
    return " ".join(sentences)


@dataclass(frozen=True, eq=False)
class Comparison:
    """What `compare` finds."""

    table: pd.DataFrame  # a row a measure, each cell with its interval
    model: Measured
    twins: list[Measured]
    judged: list[Judged] | None  # None without an earlier model


def compare(
    bert: Bert, documents: Sequence[Document], graded: Path | None = None, earlier: Bert | None = None
) -> Comparison:
    """Measure a model, its untrained twins, the simplest rules, and an earlier model, on the same items."""
    twins = [measure(untrained(bert, seed), documents, graded) for seed in range(TWINS)]
    model, rules = measure(bert, documents, graded), simplest_rules(bert, documents, graded)
    before = measure(earlier, documents, graded).results if earlier else {}
    rows = []
    for which in dict.fromkeys([*model.results, *rules]):
        row = {"measure": str(which)}
        if result := model.results.get(which):
            of_twins = [twin.results[which] for twin in twins]
            best = max(of_twins, key=lambda twin: twin.value if twin.higher_is_better else -twin.value)
            row[f"{TWINS} untrained twins"] = str(spread([twin.value for twin in of_twins]))
            if which in before:
                row[EARLIER] = str(before[which].figure)
            row[THIS] = str(result.figure)
            row["ahead of the best twin"] = str(result.ahead_of(best))
            if which in before and (difference := result.ahead_of(before[which])):
                row[f"ahead of {EARLIER}"] = str(difference)
        if which in rules:
            name, reached = rules[which]
            row["simplest baseline"] = f"{reached.figure} ({name})" if result else f"{reached.figure}"
        rows.append(row)
    columns = ["measure", f"{TWINS} untrained twins", EARLIER, THIS, "simplest baseline", "ahead of the best twin"]
    table = pd.DataFrame(rows).reindex(columns=[*columns, f"ahead of {EARLIER}"]).dropna(axis=1, how="all").fillna("")
    return Comparison(table, model, twins, decide(model.results, before) if earlier else None)


def measuring_parser(description: str | None) -> argparse.ArgumentParser:
    """Return a parser of what measuring a model needs."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path, help="folder of a model: RUN/final, or one of RUN/snapshots")
    parser.add_argument("--texts", type=Path, required=True, help="folder of text; its held-out documents are used")
    parser.add_argument("--graded", type=Path, help="file of graded pairs: sentence 1, sentence 2, score")
    parser.add_argument("--beside", type=Path, help="an earlier model: may MODEL take its place?")
    return parser


def compare_as_asked(arguments: argparse.Namespace) -> Comparison:
    """Load what a command names, and compare."""
    documents = [document for document in read_documents(arguments.texts) if document.held_out]
    earlier = load(arguments.beside) if arguments.beside else None
    return compare(load(arguments.model), documents, arguments.graded, earlier)


if __name__ == "__main__":
    comparison = compare_as_asked(measuring_parser(__doc__).parse_args())
    print(comparison.table.to_string(index=False))
    if comparison.judged:
        print(f"\n{in_words(comparison.judged)}")
