"""The model card: what the model is, what it read, how it was trained, and its measures.

python making/card.py MODEL --texts TEXTS --run RUN --machine "my laptop" [--notes FILE] ...
python making/card.py MODEL --texts TEXTS ...       # for a model whose run is gone: only new measures

No number in the card is typed by hand; what was tried and dropped comes from a text file. If a run began with the
weights of an earlier model, the card adds up the steps and pieces of both.
"""

import argparse
import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from bertlab.bert.loading import Bert, load, untrained
from bertlab.masking import fill_mask
from measures import PATTERNS, RULES, Measured, measure, simplest_rules
from model import dead_layers
from prepare import Document, held_out_documents
from results import Measure
from settings import Settings
from train import EARLIER, LEARNING, read_log

HERE = Path(__file__).parent
MEASURES, LEARNT = "## What it measures", "### Watch it learn"  # the headings around what `section` writes
WATCHED = {"held_out_loss": Measure("loss"), "held_out_accuracy": Measure("accuracy")}
WATCHED |= {"next_sentence_accuracy": Measure("next"), "sense_accuracy": Measure("senses")}
WATCHED |= {"sensible_words": Measure("probes")}
WATCHED |= {f"{pattern.replace(' ', '_')}_head": Measure("head", way=pattern) for pattern in PATTERNS}
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
            values = [twin.value for twin in of_twins]
            row[f"{TWINS} untrained twins"] = f"{np.mean(values):z.2f} ({min(values):z.2f} to {max(values):z.2f})"
            row["this checkpoint"] = str(result.figure)
            row["ahead of the best twin"] = str(result.ahead_of(best))
        if which in rules:
            row["simplest baseline"] = f"{rules[which].figure} ({RULES.get(which.kind, which.way)})"
        rows.append(row)
    return Comparison(pd.DataFrame(rows).fillna(""), model, twins)


def reports(run: Path) -> pd.DataFrame:
    """Return the steps, pieces and pieces per second from a run's log, one row per report."""
    return pd.DataFrame([line for line in read_log(run / "metrics.jsonl") if "pieces" in line])


def watch_it_learn(run: Path, documents: Sequence[Document]) -> pd.DataFrame:
    """Measure each snapshot of a run and its final model, and append them to the table of an earlier model."""
    log = reports(run)
    points = [(int(folder.name.removeprefix("step-")), folder) for folder in sorted((run / "snapshots").iterdir())]
    rows = []
    for step, folder in [*points, (log["step"].iloc[-1], run / "final")]:
        bert = load(folder)
        measured = measure(bert, documents)
        row: dict[str, Any] = {"step": step, "millions_of_pieces": log.loc[log["step"] <= step, "pieces"].max() / 1e6}
        row |= {name: measured.results[which].value for name, which in WATCHED.items()}
        row["dead_layers"] = len(dead_layers(measured.heads))
        rows.append(row | {"the_mat": " ".join(fill_mask(bert, "The [MASK] sat on the mat.", 3)["piece"])})
    learning = pd.DataFrame(rows).fillna({"millions_of_pieces": 0})  # before the first report
    if (run / EARLIER).is_file():
        earlier = pd.read_csv(run / EARLIER, keep_default_na=False)
        learning[["step", "millions_of_pieces"]] += earlier[["step", "millions_of_pieces"]].iloc[-1]
        learning = pd.concat([earlier, learning.astype({"step": int})], ignore_index=True)
    return learning.round({"millions_of_pieces": 2}).round(3).drop_duplicates("step", keep="last", ignore_index=True)


def plot_learning(learning: pd.DataFrame, begun_at: float) -> Figure:
    """Draw held-out loss and clearest heads against the pieces read, with a line where a new run began."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained")
    table = learning.set_index("millions_of_pieces")
    heads = [name for name in WATCHED if name.endswith("_head")]
    table["held_out_loss"].plot(ax=left, marker=".", ylabel="nats", title="Masked words, held-out loss")
    table[heads].plot(ax=right, marker=".", ylabel="share of attention", ylim=(0, 1), title="The clearest head for...")
    right.legend(["the previous piece", "the next piece", "the same piece", "[CLS] and [SEP]"], loc="lower right")
    for ax in (left, right):
        ax.set_xlabel("millions of pieces read")
        if begun_at:
            ax.axvline(begun_at, color="0.4", linestyle=":", linewidth=1)
    return figure


def families_read(manifest: Path, weights: dict[str, float]) -> pd.DataFrame:
    """Sum up a manifest (tab-separated: family, repository, title, licence, words_kept) by family."""
    table = pd.read_csv(manifest, sep="\t")
    short = table["licence"].str.extract(r"^([^;(]*?)(?: at commit.*|\s*\(.*|;.*)?$", expand=False).str.strip()
    grouped = table.assign(licence=short).groupby("family")
    families = grouped.agg(words=("words_kept", "sum"), sources=("title", "size"), licence=("licence", "unique"))
    families = families.sort_values("words", ascending=False)
    shares = families.index.to_series().map(weights).fillna(0.0)
    families["words"] = families["words"].map(lambda words: f"{words / 1e6:.2f} M")
    families["licence"] = families["licence"].map(lambda names: "; ".join(sorted(names)))
    families["weight"] = (shares / shares.sum()).map("{:.0%}".format)
    return families.reset_index()


def section(comparison: Comparison) -> str:
    """Return the section of the model's measures in Markdown."""
    model = comparison.model
    special, entropy = model.heads["special"], model.heads["entropy"]
    of_twins = {name: np.array([twin.heads[name].means() for twin in comparison.twins]) for name in model.heads}
    layers = {
        "least of its heads": special.means().min(axis=1),
        "most": special.means().max(axis=1),
        "untrained twins, most": of_twins["special"].max(axis=(0, 2)),
        "uniform": special.uniform_mean(),
        "entropy (nats), least": entropy.means().min(axis=1),
        "untrained twins, least": of_twins["entropy"].min(axis=(0, 2)),
    }
    values = {
        "comparison": markdown(comparison.table),
        "frequency": markdown(model.frequency.round(2)),
        "senses": markdown(model.senses.round(2)),
        "clear": "; ".join(f"{name}: {where}" for name, where in model.clearest.items()),
        "dead": ", ".join(map(str, dead_layers(model.heads))) or "none",
        "special": markdown(pd.DataFrame(layers).round(2).rename_axis("layer").reset_index()),
        "twins": TWINS,
        "words": markdown(model.words[["sentence", "first"]]),
    }
    return (HERE / "card_measures.md").read_text("utf-8").format(**values).strip()


def markdown(table: pd.DataFrame) -> str:
    """Return a table as Markdown."""
    rows = [list(map(str, table.columns)), ["---"] * table.shape[1]]
    rows += [list(map(str, row)) for row in table.astype(object).itertuples(index=False)]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows)


def compared(arguments: argparse.Namespace) -> Comparison:
    """Load the model that a command names, and compare it."""
    return compare(load(arguments.model), held_out_documents(arguments.texts), arguments.graded)


def write_card(arguments: argparse.Namespace) -> None:
    """Write ``README.md``, ``learning.png``, ``watch-it-learn.csv`` and ``SHA256SUMS`` to a model folder."""
    model, run = arguments.model, arguments.run  # what can fail comes before what is slow
    notes = arguments.notes.read_text("utf-8").strip() if arguments.notes else ""
    settings = Settings(**json.loads((run / "settings.json").read_text()))
    families = families_read(arguments.texts / "MANIFEST.tsv", settings.family_weights)
    learning = watch_it_learn(run, held_out_documents(arguments.texts))
    measured, log = section(compared(arguments)), reports(run)
    begins = [line["begins"] for line in read_log(run / "metrics.jsonl") if "begins" in line]
    begun, shown = {"step": 0, "millions_of_pieces": 0.0}, learning.astype({"step": str})
    beginning = f"random weights with a standard deviation of {settings.initial_spread:g}"
    if settings.begin:
        beginning = "the weights of an earlier model"
    if (run / EARLIER).is_file():
        begun = pd.read_csv(run / EARLIER).iloc[-1]
        beginning += ": the dotted line in the figure"
        shown.loc[learning["step"] == begun["step"], "step"] += " (begun again)"
    plot_learning(learning, begun["millions_of_pieces"]).savefig(model / "learning.png", dpi=110)
    learning.to_csv(model / LEARNING, index=False, lineterminator="\n")
    kinds = [f"{k.share:.0%} {'pairs' if k.pair else 'single sentences'} of {k.length} pieces" for k in settings.kinds]
    steps, pieces, later = log["step"].iloc[-1], log["pieces"].iloc[-1], settings.doubled_from
    worked = log["pieces"].diff().fillna(log["pieces"].iloc[0]) / log["pieces a second"]  # seconds, without pauses
    values = (
        vars(settings)
        | begins[-1]
        | {
            "vocabulary": json.loads((model / "config.json").read_text())["vocab_size"],
            "families": markdown(families),
            "beginning": beginning,
            "millions": pieces / 1e6,
            "hours": worked.sum() / 3600,
            "speed": log["pieces a second"].median(),
            "all_steps": begun["step"] + steps,
            "all_millions": begun["millions_of_pieces"] + pieces / 1e6,
            "doubled": f", twice that from step {later:,} on" if later and later < steps else "",
            "kinds": ", ".join(kinds),
            "kept_share": 1 - settings.mask_share - settings.random_share,
            "machine": arguments.machine,
            "first": learning.iloc[0],
            "last": learning.iloc[-1],
            "measured": measured,
            "learning": markdown(shown),
            "notes": notes,
        }
    )
    (model / "README.md").write_text((HERE / "card.md").read_text("utf-8").format(**values), "utf-8")
    write_checksums(model)


def renew_measures(model: Path, measured: str) -> None:
    """Replace the measures in the card of a model whose run is gone."""
    card = model / "README.md"
    parts = re.split(rf"^(?={MEASURES}$|{LEARNT}$)", card.read_text("utf-8"), flags=re.MULTILINE)
    if [part.splitlines()[0] for part in parts[1:]] != [MEASURES, LEARNT]:
        raise ValueError(f"{card} needs the headings {MEASURES!r} and {LEARNT!r}, once and in this order")
    card.write_text(f"{parts[0]}{measured}\n\n{parts[2]}", "utf-8")


def write_checksums(model: Path) -> None:
    """Write ``SHA256SUMS`` for the files that loading a model reads, in the format of ``sha256sum``."""
    files = sorted(path for path in model.iterdir() if path.suffix in (".json", ".safetensors", ".txt"))
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files]
    (model / "SHA256SUMS").write_text("".join(lines))


def main() -> None:
    """Write a card, or only the measures in it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path, help="folder of a model: RUN/final, or one of RUN/snapshots")
    parser.add_argument("--texts", type=Path, required=True, help="folder of text; its held-out documents are used")
    parser.add_argument("--graded", type=Path, help="file of graded pairs: sentence 1, sentence 2, score")
    parser.add_argument("--run", type=Path, help="folder of the run that made the model")
    parser.add_argument("--machine", default="one machine", help="where it was trained, in words")
    parser.add_argument("--notes", type=Path, help="Markdown: what was tried and dropped, what it cannot do")
    arguments = parser.parse_args()
    if arguments.run:
        write_card(arguments)
    else:
        renew_measures(arguments.model, section(compared(arguments)))


if __name__ == "__main__":
    main()
