"""The model card: what the model is, what it read, how it was trained, and what it measures.

`write_card` fills a template with what the run and the evaluation left behind; a figure in the card is never
typed by hand. The words about what was tried and dropped come from a text file, since only people know them.

Of a run that began with a model's weights the card tells both stories as one: steps and pieces are added up.
"""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd

from bertlab.pretraining.card_measures import markdown, section
from bertlab.pretraining.learning import Beginning, beginning, plot_learning, with_earlier
from bertlab.pretraining.recipe import Recipe
from bertlab.pretraining.reports import LEARNING, read_log

CHECKSUMS = "SHA256SUMS"
LOADED = (".json", ".safetensors", ".txt")
"""Endings of the files that loading a model reads; the others are documents."""


@dataclass(frozen=True)
class CardFacts:
    """What a card needs beside the run itself.

    Parameters
    ----------
    comparison
        The first table of `bertlab.pretraining.comparison.compare_checkpoints`.
    tables
        Its other tables.
    learning
        The table of `bertlab.pretraining.learning.watch_it_learn`: of this run alone.
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

    Raises
    ------
    ValueError
        If the recipe gives none of the families a weight.
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
    if not total:
        raise ValueError(
            f"none of the families of {manifest} has a weight in the recipe: {', '.join(families['family'])}. Is it "
            "the manifest of the texts that the run has read?"
        )
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


def write_card(folder: str | Path, run: str | Path, facts: CardFacts) -> Path:
    """Write ``README.md``, ``learning.png`` and ``watch-it-learn.csv`` into a model folder; return the first's path."""
    folder, recipe = Path(folder), Recipe.from_json((Path(run) / "recipe.json").read_text())
    config = json.loads((folder / "config.json").read_text())
    begun = beginning(run, facts.learning)
    learning = with_earlier(run, facts.learning)
    figure = plot_learning(learning, begun)
    figure.savefig(folder / "learning.png", dpi=110, metadata={"Software": None})
    plt.close(figure)
    learning.to_csv(folder / LEARNING, index=False, lineterminator="\n")
    done = run_facts(run)
    families = facts.families.assign(
        words=facts.families["words"].map(lambda n: f"{n / 1e6:.2f} M"),
        weight=facts.families["weight"].map(lambda w: f"{w:.0%}"),
    )
    first, last = learning.iloc[0], learning.iloc[-1]
    alt = (
        f"Left: held-out masked-word loss falls from {first.held_out_loss:.1f} to {last.held_out_loss:.2f} nats. "
        f"Right: the clearest head for the previous piece reaches {last.previous_head:.2f}, for the next piece "
        f"{last.next_head:.2f}, for the same piece {last.same_piece_head:.2f}, for [CLS] and [SEP] "
        f"{last.special_head:.2f}."
    )
    if begun is not None and begun.known:
        alt += (
            f" A dotted line at {begun.pieces / 1e6:.1f} million pieces: there the run began with the earlier weights."
        )
    text = _TEMPLATE.format(
        layers=config["num_hidden_layers"],
        heads=config["num_attention_heads"],
        hidden=config["hidden_size"],
        intermediate=config["intermediate_size"],
        positions=config["max_position_embeddings"],
        vocabulary=f"{config['vocab_size']:,}",
        families=markdown(families),
        origin=_ORIGIN[begun is not None],
        read=_read(done, begun),
        run=_run(done, begun),
        hours=f"{done['hours']:.1f}",
        speed=f"{done['speed']:,.0f}",
        machine=facts.machine,
        precision="bfloat16 autocast" if done["bfloat16"] else "float32",
        compiled="with" if done["compiled"] else "without",
        recipe=_describe(recipe, done, begun),
        alt=alt,
        measured=section(facts.comparison, facts.tables),
        learning=markdown(_marked(learning, begun)),
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


def _read(done: dict[str, Any], begun: Beginning | None) -> str:
    """Return how many pieces were read in training."""
    millions = f"{done['pieces'] / 1e6:.1f} million"
    if begun is None:
        return f"{millions}, drawn by the weights below"
    if not begun.known:
        return f"{millions} in this run, drawn by the weights below, and those of the earlier model"
    total = f"{(done['pieces'] + begun.pieces) / 1e6:.1f} million"
    earlier = f"{begun.pieces / 1e6:.1f} million of them by the earlier model, drawn by weights of its own"
    return f"{total}: {earlier}, and {millions} in this run, drawn by the weights below"


def _run(done: dict[str, Any], begun: Beginning | None) -> str:
    """Return how long the run was, and what it began with."""
    steps = f"{done['steps']:,} steps, {done['pieces'] / 1e6:.1f} million pieces"
    if begun is None:
        return steps
    if not begun.known:
        return f"The run began with the weights of an earlier model, of which no table says what it had read. {steps}"
    total = (
        f"{done['steps'] + begun.steps:,} steps and {(done['pieces'] + begun.pieces) / 1e6:.1f} million pieces in all"
    )
    said = (
        "The run began with the weights of an earlier model, which had taken "
        f"{begun.steps:,} steps and read {begun.pieces / 1e6:.1f} million pieces; that makes {total}. "
    )
    if begun.moved:
        said += (
            f"The held-out loss of the same weights was {begun.loss_then:.3f} nats in the earlier table and is "
            f"{begun.loss_now:.3f} on these texts: the curve has a step there that is no learning. "
        )
    return f"{said}This run: {steps}"


def _marked(learning: pd.DataFrame, begun: Beginning | None) -> pd.DataFrame:
    """Return the table of what was learnt when with a mark at the step where the run began."""
    if begun is None or not begun.known:
        return learning
    steps = [f"{step} (begun again)" if step == begun.steps else str(step) for step in learning["step"]]
    return learning.assign(step=steps)


def _describe(recipe: Recipe, done: dict[str, Any], begun: Beginning | None) -> str:
    """Return the recipe in a few lines."""
    kinds = ", ".join(
        f"{kind.share:.0%} {'pairs' if kind.pair else 'single sentences'} of {kind.length} pieces"
        for kind in recipe.kinds
    )
    later = recipe.doubled_from
    doubled = f", twice that from step {later:,} on" if later and later < done["steps"] else ""
    initial = f"Initial weights with a standard deviation of {recipe.initial_spread:g}. " if begun is None else ""
    mask, random = 100 * recipe.mask_share, 100 * recipe.random_share
    return (
        f"Batches of {recipe.pieces_at(0):,} pieces{doubled}: {kinds}. "
        f"{recipe.masking_rate:.0%} of the pieces were chosen for the masked-word task; of these, {mask:.0f} % became "
        f"[MASK], {random:.0f} % a random piece, {100 - mask - random:.0f} % stayed. "
        "Muon on the layers' matrices with a largest step size of "
        f"{recipe.matrix_rate:g}, AdamW on the rest with {recipe.other_rate:g}; warm-up over {recipe.warmup:,} steps, "
        f"linear fall to zero from step {done['decay_from']:,} on. {initial}"
        f"Weight decay {recipe.weight_decay:g}, gradients clipped at {recipe.clip:g}, "
        f"no dropout, seed {recipe.seed}."
    )


_ORIGIN = {
    False: "pre-trained from random weights for the bertlab lessons",
    True: "pre-trained for the bertlab lessons, last in a run that began with the weights of an earlier model",
}
_TEMPLATE = (Path(__file__).parent / "card_template.md").read_text(encoding="utf-8")
