"""What lesson 5 says of the STS Benchmark, which it cannot measure, is as bertlab-mini's card has it."""

import re
from pathlib import Path

import bertlab
from bertlab import lessons


def test_the_table_of_the_sts_benchmark_has_the_cards_numbers():
    (path,) = lessons.folder().glob("05_*.ipynb")
    (table,) = [cell.source for cell in lessons.read(path).cells if "by bertlab-mini's card" in cell.source]
    card = (Path(bertlab.__file__).parent / "bertlab-mini" / "README.md").read_text("utf-8")
    for row, name in (("`[CLS]`", "[CLS]"), ("mean", "mean"), ("word overlap", "word overlap"), ("TF-IDF", "TF-IDF")):
        measured = re.search(rf"^\| pairs of stsb-en-dev, Spearman, {re.escape(name)} \|(.*)", card, re.M)[1]
        values = re.findall(r"(\d\.\d+) \[", measured)
        typed = re.search(rf"^\| (?:bertlab-mini, )?{re.escape(row)} \| (\d+\.\d) \|$", table, re.M)[1]
        assert typed in [f"{100 * float(value):.1f}" for value in values]
