"""The model card: what the model is, what it read, how it was trained, and what it measures.

python making/card.py MODEL --texts TEXTS --run RUN --machine "my laptop" [--notes FILE] [--beside EARLIER] ...
python making/card.py MODEL --texts TEXTS ...       # of a model whose run is gone: only what it measures, anew

A figure in the card is never typed by hand; what was tried and dropped comes from a text file, since only people know.
Of a run that began with a model's weights the card tells both stories as one: steps and pieces are added up.
"""

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from bertlab.bert.loading import load
from bertlab.masking import fill_mask
from evaluate import TWINS, Comparison, compare_as_asked, in_words, measuring_parser
from measures import PATTERNS, measure
from prepare import Document, read_documents
from results import Measure
from train import EARLIER, LEARNING, Settings, read_log

HERE = Path(__file__).parent
MEASURES, LEARNT = "## What it measures", "### Watch it learn"  # the headings around what `section` writes
WATCHED = {"held_out_loss": "loss", "held_out_accuracy": "accuracy", "next_sentence_accuracy": "next"}
WATCHED |= {"sense_accuracy": "senses", "sensible_words": "probes"}


def watch_it_learn(run: Path, documents: list[Document]) -> pd.DataFrame:
    """Measure every snapshot of a run and its final model, and go on where the table of an earlier model ends."""
    reports = [line for line in read_log(run / "metrics.jsonl") if "pieces" in line]
    points = [(int(folder.name.removeprefix("step-")), folder) for folder in sorted((run / "snapshots").iterdir())]
    rows = []
    for step, folder in [*points, (reports[-1]["step"], run / "final")]:
        bert = load(folder)
        measured = measure(bert, documents)
        pieces = max((line["pieces"] for line in reports if line["step"] <= step), default=0)
        row: dict[str, Any] = {"step": step, "millions_of_pieces": pieces / 1e6}
        row |= {name: measured.results[Measure(kind)].value for name, kind in WATCHED.items()}
        for pattern in PATTERNS:
            row[f"{pattern.replace(' ', '_')}_head"] = measured.results[Measure("head", way=pattern)].value
        row["dead_layers"] = len(measured.dead)
        rows.append(row | {"the_mat": " ".join(fill_mask(bert, "The [MASK] sat on the mat.", 3)["piece"])})
    learning = pd.DataFrame(rows)
    if (earlier := earlier_table(run)) is not None:
        for column in ("step", "millions_of_pieces"):
            learning[column] += earlier[column].iloc[-1]
        learning = pd.concat([earlier, learning], ignore_index=True)[list(learning.columns)]
    return learning.round({"millions_of_pieces": 2}).round(3).drop_duplicates("step", keep="last", ignore_index=True)


def earlier_table(run: Path) -> pd.DataFrame | None:
    """Return what the model had learnt when that a run began with, or None if there is none, or no table of it."""
    return pd.read_csv(run / EARLIER, keep_default_na=False) if (run / EARLIER).is_file() else None


def plot_learning(learning: pd.DataFrame, begun_at: float | None) -> Figure:
    """Draw held-out loss and clearest heads over the pieces read, with a line where a run was begun again."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained")
    pieces = learning["millions_of_pieces"]
    left.plot(pieces, learning["held_out_loss"], marker=".", color="C0")
    left.set(xlabel="millions of pieces read", ylabel="nats", title="Masked words, held-out loss")
    names = ("the previous piece", "the next piece", "the same piece", "[CLS] and [SEP]")
    for pattern, name, style in zip(PATTERNS, names, ("-", "--", ":", "-."), strict=True):
        right.plot(pieces, learning[f"{pattern.replace(' ', '_')}_head"], style, marker=".", label=name)
    right.set(xlabel="millions of pieces read", ylabel="share of attention", ylim=(0, 1))
    right.set_title("The clearest head for...")
    right.legend(loc="lower right", bbox_to_anchor=(1, 0.1))
    if begun_at is not None:
        for ax in (left, right):
            ax.axvline(begun_at, color="0.4", linestyle=":", linewidth=1)
        place = {"xycoords": ("data", "axes fraction"), "textcoords": "offset points", "va": "top"}
        left.annotate("begun again", (begun_at, 0.95), xytext=(4, 0), **place)
    return figure


def families_read(manifest: Path, weights: dict[str, float]) -> pd.DataFrame:
    """Sum a manifest (tab-separated: family, repository, title, licence, words_kept) up by family."""
    table = pd.read_csv(manifest, sep="\t")
    short = table["licence"].str.extract(r"^([^;(]*?)(?: at commit.*|\s*\(.*|;.*)?$", expand=False).str.strip()
    grouped = table.assign(licence=short).groupby("family")
    families = grouped.agg(words=("words_kept", "sum"), sources=("title", "size"), licence=("licence", "unique"))
    families = families.sort_values("words", ascending=False)
    shares = families.index.to_series().map(weights).fillna(0.0)
    if not shares.sum():
        raise ValueError(f"none of the families of {manifest} has a weight: is it the manifest of the run's texts?")
    families["words"] = families["words"].map(lambda words: f"{words / 1e6:.2f} M")
    families["licence"] = families["licence"].map(lambda names: "; ".join(sorted(names)))
    families["weight"] = (shares / shares.sum()).map(lambda share: f"{share:.0%}")
    return families.reset_index()


def run_facts(run: Path) -> dict[str, Any]:
    """Read from a run's log how it was computed, its steps and pieces, hours at work (without pauses) and speed."""
    lines = read_log(run / "metrics.jsonl")
    reports = pd.DataFrame([line for line in lines if "pieces" in line])
    pieces = reports["pieces"].diff().fillna(reports["pieces"].iloc[0])
    hours = float((pieces / reports["pieces a second"]).sum() / 3600)
    done = {"hours": hours, "speed": reports["pieces a second"].median(), "pieces": int(reports["pieces"].iloc[-1])}
    return [line["begins"] for line in lines if "begins" in line][-1] | done


def section(comparison: Comparison) -> str:
    """Return what the model measures, in Markdown."""
    model = comparison.model
    ours, twins = model.heads.groupby("layer"), pd.concat([twin.heads for twin in comparison.twins]).groupby("layer")
    special = {
        "least of its heads": ours["special"].min(),
        "most": ours["special"].max(),
        "untrained twins, most": twins["special"].max(),
        "uniform": ours["uniform special"].mean(),
        "entropy (nats), least": ours["entropy"].min(),
        "untrained twins, least": twins["entropy"].min(),
    }
    values = {
        "comparison": markdown(comparison.table),
        "frequency": markdown(model.frequency.round(2)),
        "senses": markdown(model.senses.round(2)),
        "clear": "; ".join(f"{name}: {where}" for name, where in model.clearest.items()),
        "dead": ", ".join(map(str, model.dead)) or "none",
        "special": markdown(pd.DataFrame(special).round(2).reset_index()),
        "twins": TWINS,
        "decisions": f"\n\n{in_words(comparison.judged)}\n\n" if comparison.judged else "",
        "words": markdown(model.words[["sentence", "first"]]),
    }
    return (HERE / "card_measures.md").read_text("utf-8").format(**values).strip()


def markdown(table: pd.DataFrame) -> str:
    """Return a table in Markdown."""
    rows = [list(map(str, table.columns)), ["---"] * table.shape[1]]
    rows += [list(map(str, row)) for row in table.astype(object).itertuples(index=False)]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows)


def write_card(
    model: Path, run: Path, measured: str, learning: pd.DataFrame, families: pd.DataFrame, machine: str, notes: str
) -> None:
    """Write ``README.md``, ``learning.png`` and ``watch-it-learn.csv`` into a model folder."""
    settings, done = Settings(**json.loads((run / "settings.json").read_text())), run_facts(run)
    begun, shown = {"step": 0, "millions_of_pieces": 0.0}, learning.astype({"step": str})
    beginning = f"random weights with a standard deviation of {settings.initial_spread:g}"
    if settings.begin:
        beginning = "the weights of an earlier model, of which no table says what it had read"
    if (earlier := earlier_table(run)) is not None:
        begun = earlier.iloc[-1]
        beginning = "the weights of an earlier model: the dotted line in the figure"
        shown.loc[learning["step"] == begun["step"], "step"] += " (begun again)"
    figure = plot_learning(learning, begun["millions_of_pieces"] or None)
    figure.savefig(model / "learning.png", dpi=110, metadata={"Software": None})
    plt.close(figure)
    learning.to_csv(model / LEARNING, index=False, lineterminator="\n")
    kinds = [f"{k.share:.0%} {'pairs' if k.pair else 'single sentences'} of {k.length} pieces" for k in settings.kinds]
    later = settings.doubled_from
    values = vars(settings) | done
    values |= {
        "vocabulary": json.loads((model / "config.json").read_text())["vocab_size"],
        "families": markdown(families),
        "beginning": beginning,
        "millions": done["pieces"] / 1e6,
        "all_steps": begun["step"] + done["steps"],
        "all_millions": begun["millions_of_pieces"] + done["pieces"] / 1e6,
        "doubled": f", twice that from step {later:,} on" if later and later < done["steps"] else "",
        "kinds": ", ".join(kinds),
        "kept_share": 1 - settings.mask_share - settings.random_share,
        "machine": machine,
        "precision": "bfloat16 autocast" if settings.bf16 else "float32",
        "compiled": "with" if settings.compile else "without",
        "first": learning.iloc[0],
        "last": learning.iloc[-1],
        "measured": measured,
        "learning": markdown(shown),
        "notes": notes.strip(),
    }
    (model / "README.md").write_text((HERE / "card.md").read_text("utf-8").format(**values), "utf-8")


def renew_measures(model: Path, measured: str) -> None:
    """Write what was measured into the card of a model whose run is gone, and leave the rest as it is."""
    card = model / "README.md"
    parts = re.split(rf"^(?={MEASURES}$|{LEARNT}$)", card.read_text("utf-8"), flags=re.MULTILINE)
    if [part.splitlines()[0] for part in parts[1:]] != [MEASURES, LEARNT]:
        raise ValueError(f"{card} needs the headings {MEASURES!r} and {LEARNT!r}, once and in this order")
    card.write_text(f"{parts[0]}{measured}\n\n{parts[2]}", "utf-8")


def write_checksums(model: Path) -> None:
    """Write ``SHA256SUMS`` of the files that loading a model reads, in the format of ``sha256sum``."""
    files = sorted(path for path in model.iterdir() if path.suffix in (".json", ".safetensors", ".txt"))
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files]
    (model / "SHA256SUMS").write_text("".join(lines))


def main() -> None:
    """Write a card, or what is measured in one."""
    parser = measuring_parser(__doc__)
    parser.add_argument("--run", type=Path, help="folder of the run that made the model")
    parser.add_argument("--machine", default="one machine", help="where it was trained, in words")
    parser.add_argument("--notes", type=Path, help="Markdown: what was tried and dropped, what it cannot do")
    arguments = parser.parse_args()
    if arguments.run is None:
        renew_measures(arguments.model, section(compare_as_asked(arguments)))
    else:  # what can fail does so before what is slow
        notes = arguments.notes.read_text("utf-8") if arguments.notes else ""
        settings = Settings(**json.loads((arguments.run / "settings.json").read_text()))
        families = families_read(arguments.texts / "MANIFEST.tsv", settings.family_weights)
        documents = [document for document in read_documents(arguments.texts) if document.held_out]
        learning = watch_it_learn(arguments.run, documents)
        measured = section(compare_as_asked(arguments))
        write_card(arguments.model, arguments.run, measured, learning, families, arguments.machine, notes)
        write_checksums(arguments.model)


if __name__ == "__main__":
    main()
