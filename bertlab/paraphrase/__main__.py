"""The benchmark from the command line: ``python -m bertlab.paraphrase CHECKPOINT PAIRS``."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tqdm import tqdm

from bertlab import load, untrained
from bertlab.data import files
from bertlab.figures import plots
from bertlab.paraphrase import figures
from bertlab.paraphrase.benchmark import CUT, checked_grades, compare_systems, refuse_few
from bertlab.paraphrase.pairs import read_pairs
from bertlab.paraphrase.similarity import baseline_similarities, glove_similarities, model_similarities

if TYPE_CHECKING:
    from pandas import DataFrame


def main(arguments: list[str] | None = None) -> int:
    """Measure a checkpoint on a file of pairs, and return the exit status.

    Parameters
    ----------
    arguments
        By default those of the process.
    """
    parser = argparse.ArgumentParser(
        prog="python -m bertlab.paraphrase",
        description="How well do a BERT's sentence vectors follow what people said of pairs of sentences?",
    )
    parser.add_argument("checkpoint", help="a folder, a name of the Hugging Face Hub, or bertlab-mini")
    parser.add_argument("pairs", type=Path, nargs="?", help="a file of graded pairs; by default the lessons' own")
    parser.add_argument("--glove", type=Path, metavar="FILE", help="word vectors as text, measured as well")
    parser.add_argument("--layers", action="store_true", help="measure the mean after every layer as well")
    parser.add_argument("--cut", type=float, default=CUT, help="the grade from which on a pair is a paraphrase")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="write the table to a file, unrounded")
    parser.add_argument("--figure", type=Path, metavar="FILE", help="write a picture of the table to a PNG file")
    options = parser.parse_args(arguments)
    try:
        for path in filter(None, (options.csv, options.figure)):
            files.check(path)  # before anything slow
        table = _run(options)
        print(table.round(3).to_string(na_rep="", float_format="%.3f"))
        print(
            f"{table.attrs['pairs']} pairs; one answer for all would have an accuracy of {table.attrs['majority']:.3f}."
        )
        if options.csv:
            files.write(options.csv, table.to_csv())
        if options.figure:
            picture = figures.correlations(table).axes.get_figure(root=True)
            files.write(options.figure, plots.png(picture))  # pyrefly: ignore[bad-argument-type]
    except (OSError, RuntimeError, TypeError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _run(options: argparse.Namespace) -> "DataFrame":
    """Return the table that the command line asks for."""
    pairs = read_pairs(options.pairs) if options.pairs else read_pairs()
    refuse_few(len(checked_grades(pairs["score"], options.cut)))  # before anything slow
    bert = load(options.checkpoint)
    systems = {}
    for model in (bert, untrained(bert)):
        prefix = "" if model is bert else "untrained twin, "
        found = model_similarities(
            model,
            pairs,
            layers=options.layers and model is bert,
            progress=lambda batches, name=model.name: tqdm(batches, desc=name, unit="batch", file=sys.stderr),
        )
        systems |= {prefix + name: values for name, values in found.items()}
    systems |= baseline_similarities(pairs)
    if options.glove:
        systems["GloVe"] = glove_similarities(options.glove, pairs)
    return compare_systems(systems, pairs["score"], cut=options.cut)


if __name__ == "__main__":
    sys.exit(main())
