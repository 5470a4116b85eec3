"""The model card: what the model is, what it read, how it was trained, and what it measures.

`write_card` fills a template with what the run and the evaluation left behind; a figure in the card is never
typed by hand. The words about what was tried and dropped come from a text file, since only people know them.

`watch_it_learn` measures every snapshot of the run on the same items. Its table ships with the model, so that a lesson
can show when heads for neighbours appear, and what the loss does at that moment, without training anything.
"""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from bertlab.bert.loading import load
from bertlab.masking import fill_mask
from bertlab.pretraining.corpus import Document
from bertlab.pretraining.evaluation import evaluate
from bertlab.pretraining.recipe import Recipe
from bertlab.pretraining.reports import CLEAR, read_log

CHECKSUMS = "SHA256SUMS"
LOADED = (".json", ".safetensors", ".txt")
"""Endings of the files that loading a model reads; the others are documents."""

NAMES = {
    "masked words, held-out loss (nats)": "held_out_loss",
    "masked words, accuracy": "held_out_accuracy",
    "next sentence, accuracy": "next_sentence_accuracy",
    "senses, leave-one-out accuracy": "sense_accuracy",
    "fill-mask: a sensible word in the first five": "sensible_words",
    "clearest head: previous": "previous_head",
    "clearest head: next": "next_head",
    "clearest head: same piece": "same_piece_head",
    "clearest head: special": "special_head",
}
CAT = "The [MASK] sat on the mat."


@dataclass(frozen=True)
class CardFacts:
    """What a card needs beside the run itself.

    Parameters
    ----------
    comparison
        The first table of `bertlab.pretraining.evaluation.compare_checkpoints`.
    tables
        Its other tables.
    learning
        The table of `watch_it_learn`.
    families
        A row a family of the text: ``family``, ``words``, ``licence``, ``weight``.
    machine
        In words.
    notes
        Markdown: what was tried and dropped, what the model cannot do.
    """

    comparison: pd.DataFrame
    tables: dict[str, pd.DataFrame]
    learning: pd.DataFrame
    families: pd.DataFrame
    machine: str
    notes: str


def read_families(manifest: str | Path, recipe: Recipe) -> pd.DataFrame:
    """Sum a manifest (tab-separated: family, repository, title, licence, words_kept) up by family.

    Licences are shortened to their first words; the manifest beside the text has them in full.
    """
    table = pd.read_csv(manifest, sep="\t")
    short = table["licence"].str.extract(r"^([^;(]*?)(?: at commit.*|\s*\(.*|;.*)?$", expand=False).str.strip()
    grouped = table.assign(licence=short).groupby("family")
    families = grouped.agg(
        words=("words_kept", "sum"),
        sources=("title", "size"),
        licence=("licence", lambda all_: "; ".join(sorted(set(all_)))),
    ).reset_index()
    total = sum(recipe.family_weights.get(family, 0.0) for family in families["family"])
    families["weight"] = families["family"].map(lambda family: recipe.family_weights.get(str(family), 0.0) / total)
    return families.sort_values("words", ascending=False, ignore_index=True)


def run_facts(run: str | Path) -> dict[str, Any]:
    """Read from a run's log: steps, pieces, hours at work, median speed, and how the machine computed."""
    lines = list(read_log(Path(run) / "metrics.jsonl"))
    reports = [line for line in lines if "pieces a second" in line]
    begins = [line["begins"] for line in lines if "begins" in line]
    if not reports:
        raise ValueError(f"the log of {run} holds no report yet: train further, a report comes every 50 steps")
    pieces = pd.Series([line["pieces"] for line in reports]).diff().fillna(reports[0]["pieces"])
    speed = pd.Series([line["pieces a second"] for line in reports])
    return {
        "steps": reports[-1]["step"],
        "pieces": reports[-1]["pieces"],
        "hours": float((pieces / speed).sum() / 3600),
        "speed": float(speed.median()),
        "bfloat16": begins[-1]["bfloat16"],
        "compiled": begins[-1]["compiled"],
        "restarts": len(begins) - 1,
        "decay_from": begins[-1]["decay_from"],
    }


def watch_it_learn(run: str | Path, held_out: Iterable[Document]) -> pd.DataFrame:
    """Measure every snapshot of a run and its final model.

    Returns
    -------
    pandas.DataFrame
        A row a snapshot: ``step``, ``pieces`` read so far (millions), the measures under the names in `NAMES`,
        ``dead_layers``, and ``the_mat``, the first three words for "The [MASK] sat on the mat."

    Raises
    ------
    FileNotFoundError
        If the folder holds no snapshot.
    """
    run, documents = Path(run), list(held_out)
    reports = [line for line in read_log(run / "metrics.jsonl") if "pieces" in line]
    folders = sorted((run / "snapshots").glob("step-*"))
    if not folders:
        raise FileNotFoundError(f"{run} holds no snapshots: give the folder that `train` wrote, with snapshots/ in it")
    points = [(int(folder.name.removeprefix("step-")), folder) for folder in folders]
    if (run / "final").is_dir():
        points.append((reports[-1]["step"], run / "final"))
    rows = []
    for step, folder in points:
        bert = load(folder)
        measures, tables = evaluate(bert, documents)
        pieces = max((line["pieces"] for line in reports if line["step"] <= step), default=0)
        words = " ".join(fill_mask(bert, CAT, 3)["piece"])
        row = {"step": step, "millions_of_pieces": round(pieces / 1e6, 2)}
        row |= {short: round(measures[name].statistic(*measures[name].columns), 3) for name, short in NAMES.items()}
        rows.append(row | {"dead_layers": len(tables["heads"].attrs["dead layers"]), "the_mat": words})
    return pd.DataFrame(rows).drop_duplicates("step", keep="last")


def plot_learning(learning: pd.DataFrame) -> Figure:
    """Draw the held-out loss and the clearest heads over the pieces read."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained")
    left.plot(learning["millions_of_pieces"], learning["held_out_loss"], marker=".", color="C0")
    left.set(xlabel="millions of pieces read", ylabel="nats", title="Masked words, held-out loss")
    drawn = {"the previous piece": "-", "the next piece": "--", "the same piece": ":", "[CLS] and [SEP]": "-."}
    for (label, style), pattern in zip(drawn.items(), CLEAR, strict=True):
        name = NAMES[f"clearest head: {pattern}"]
        right.plot(learning["millions_of_pieces"], learning[name], style, marker=".", label=label)
    right.set(
        xlabel="millions of pieces read", ylabel="share of attention", title="The clearest head for...", ylim=(0, 1)
    )
    right.legend(loc="lower right", bbox_to_anchor=(1, 0.57))
    return figure


def write_card(folder: str | Path, run: str | Path, facts: CardFacts) -> Path:
    """Write ``README.md``, ``learning.png`` and ``watch-it-learn.csv`` into a model folder; return the first's path."""
    folder, recipe = Path(folder), Recipe.from_json((Path(run) / "recipe.json").read_text())
    config = json.loads((folder / "config.json").read_text())
    figure = plot_learning(facts.learning)
    figure.savefig(folder / "learning.png", dpi=110, metadata={"Software": None})
    plt.close(figure)
    facts.learning.to_csv(folder / "watch-it-learn.csv", index=False, lineterminator="\n")
    done = run_facts(run)
    families = facts.families.assign(
        words=facts.families["words"].map(lambda n: f"{n / 1e6:.2f} M"),
        weight=facts.families["weight"].map(lambda w: f"{w:.0%}"),
    )
    heads = facts.tables["heads"]
    first, last = facts.learning.iloc[0], facts.learning.iloc[-1]
    alt = (
        f"Left: held-out masked-word loss falls from {first.held_out_loss:.1f} to {last.held_out_loss:.2f} nats. "
        f"Right: the clearest head for the previous piece reaches {last.previous_head:.2f}, for the next piece "
        f"{last.next_head:.2f}, for the same piece {last.same_piece_head:.2f}, for [CLS] and [SEP] "
        f"{last.special_head:.2f}."
    )
    text = _TEMPLATE.format(
        layers=config["num_hidden_layers"],
        heads=config["num_attention_heads"],
        hidden=config["hidden_size"],
        intermediate=config["intermediate_size"],
        positions=config["max_position_embeddings"],
        vocabulary=f"{config['vocab_size']:,}",
        families=markdown(families),
        steps=f"{done['steps']:,}",
        millions=f"{done['pieces'] / 1e6:.1f}",
        hours=f"{done['hours']:.1f}",
        speed=f"{done['speed']:,.0f}",
        machine=facts.machine,
        precision="bfloat16 autocast" if done["bfloat16"] else "float32",
        compiled="with" if done["compiled"] else "without",
        recipe=_describe(recipe, done),
        alt=alt,
        comparison=markdown(facts.comparison),
        frequency=markdown(facts.tables["frequency"].astype({"loss": float, "accuracy": float}).round(2)),
        senses=markdown(facts.tables["senses"].round(2)),
        clear="; ".join(f"{name}: {heads.attrs[name]}" for name in CLEAR),
        dead=", ".join(str(layer) for layer in heads.attrs["dead layers"]) or "none",
        special=markdown(_special(facts)),
        learning=markdown(facts.learning),
        words=markdown(facts.tables["words"][["sentence", "first"]]),
        notes=facts.notes.strip(),
    )
    card = folder / "README.md"
    card.write_text(text, encoding="utf-8")
    return card


def write_checksums(folder: str | Path) -> Path:
    """Write ``SHA256SUMS``: the digest of every file of a folder that is loaded, in the format of ``sha256sum``."""
    folder = Path(folder)
    files = sorted(path for path in folder.iterdir() if path.suffix in LOADED)
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files]
    (folder / CHECKSUMS).write_text("".join(lines))
    return folder / CHECKSUMS


def markdown(table: pd.DataFrame) -> str:
    """Return a table in Markdown."""
    rows = [[str(value) for value in row] for row in table.itertuples(index=False)]
    lines = [list(map(str, table.columns)), ["---"] * table.shape[1], *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def _special(facts: CardFacts) -> pd.DataFrame:
    """Return by layer the smallest and largest share of a head's attention on special tokens, beside the twin."""
    ours, twin = facts.tables["heads"].groupby("layer"), facts.tables["twin heads"].groupby("layer")
    return pd.DataFrame(
        {
            "layer": np.arange(ours.ngroups),
            "least of its heads": ours["special"].min().round(2).to_numpy(),
            "most": ours["special"].max().round(2).to_numpy(),
            "untrained twin, most": twin["special"].max().round(2).to_numpy(),
            "uniform": ours["uniform special"].mean().round(2).to_numpy(),
            "entropy (nats), least": ours["entropy"].min().round(2).to_numpy(),
            "untrained twin, least": twin["entropy"].min().round(2).to_numpy(),
        }
    )


def _describe(recipe: Recipe, done: dict[str, Any]) -> str:
    """Return the recipe in a few lines."""
    kinds = ", ".join(
        f"{kind.share:.0%} {'pairs' if kind.pair else 'single sentences'} of {kind.length} pieces"
        for kind in recipe.kinds
    )
    later = recipe.doubled_from
    doubled = f", twice that from step {later:,} on" if later is not None and later < done["steps"] else ""
    mask, random = 100 * recipe.mask_share, 100 * recipe.random_share
    return (
        f"Batches of {recipe.pieces_per_step:,} pieces{doubled}: {kinds}. "
        f"{recipe.masking_rate:.0%} of the pieces were chosen for the masked-word task; of these, {mask:.0f} % became "
        f"[MASK], {random:.0f} % a random piece, {100 - mask - random:.0f} % stayed. "
        "Muon on the layers' matrices with a largest step size of "
        f"{recipe.matrix_rate:g}, AdamW on the rest with {recipe.other_rate:g}; warm-up over {recipe.warmup:,} steps, "
        f"linear fall to zero from step {done['decay_from']:,} on. Initial weights with a standard deviation of "
        f"{recipe.initial_spread:g}. Weight decay {recipe.weight_decay:g}, gradients clipped at {recipe.clip:g}, "
        f"no dropout, seed {recipe.seed}."
    )


_TEMPLATE = (Path(__file__).parent / "card_template.md").read_text(encoding="utf-8")
