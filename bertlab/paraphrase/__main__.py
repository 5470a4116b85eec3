"""Run the benchmark from the command line: ``python -m bertlab.paraphrase CHECKPOINT PAIRS``."""

import argparse
import sys
from functools import partial
from pathlib import Path

from tqdm import tqdm

from bertlab import load, untrained
from bertlab.data import files
from bertlab.data.tables import OUR_PAIRS, read_pairs
from bertlab.paraphrase.benchmark import CUT, Benchmark, compare_systems, paraphrases
from bertlab.paraphrase.similarity import baseline_similarities, glove_similarities, model_similarities


def main(arguments: list[str] | None = None) -> int:
    """Measure a checkpoint on a file of pairs, and return the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m bertlab.paraphrase",
        description="How well do a BERT's sentence vectors follow what people said of pairs of sentences?",
    )
    parser.add_argument("checkpoint", help="a folder, a name of the Hugging Face Hub, or bertlab-mini")
    parser.add_argument("pairs", type=Path, nargs="?", default=OUR_PAIRS, help="graded pairs; by default the lessons'")
    parser.add_argument("--glove", type=Path, metavar="FILE", help="word vectors as text, measured as well")
    parser.add_argument("--layers", action="store_true", help="measure the mean after every layer as well")
    parser.add_argument("--cut", type=float, default=CUT, help="the grade from which on a pair is a paraphrase")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="write the table to a file, unrounded")
    options = parser.parse_args(arguments)
    if Path(options.checkpoint).is_file():
        parser.error(f"{options.checkpoint!r} is a file: name the BERT first, then the file of pairs")
    try:
        if options.csv:  # before anything slow
            files.refuse_other(options.csv)
        benchmark = compared(options)
        print(benchmark.table.round(3).to_string(na_rep="", float_format="%.3f"))
        print(f"{benchmark.pairs} pairs; one answer for all would have an accuracy of {benchmark.majority:.3f}.")
        if options.csv:
            files.write(options.csv, benchmark.table.to_csv())
    except (OSError, RuntimeError, TypeError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def compared(options: argparse.Namespace) -> Benchmark:
    """Return the benchmark of the systems that the command line names."""
    pairs = read_pairs(options.pairs)
    paraphrases(pairs["score"], options.cut)  # refused before anything slow, as is a file that cannot be read
    glove = {"GloVe": glove_similarities(options.glove, pairs)} if options.glove else {}
    bert = load(options.checkpoint)
    bar = partial(tqdm, unit="batch", file=sys.stderr)
    systems = model_similarities(bert, pairs, layers=options.layers, progress=bar)
    for name, cosines in model_similarities(untrained(bert), pairs, progress=bar).items():
        systems[f"untrained twin, {name}"] = cosines
    systems |= baseline_similarities(pairs) | glove
    return compare_systems(systems, pairs["score"], cut=options.cut)


if __name__ == "__main__":
    sys.exit(main())
