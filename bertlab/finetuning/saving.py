"""A trained classifier as a folder: its body as any BERT is saved, and beside it the head and the labels' names."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

from bertlab.bert.loading import load
from bertlab.finetuning.classifier import Classifier

HEAD, LABELS = "head.safetensors", "labels.json"


def save(classifier: Classifier, folder: str | Path, names: Sequence[str]) -> Path:
    """Save a classifier, whole or not at all.

    Parameters
    ----------
    classifier
    folder
        A new one: what is there already is never overwritten, but a `FileExistsError`.
    names
        Of the labels, in the order of their numbers.
    """
    from safetensors.torch import save_file

    if len(names) != classifier.head.out_features:  # else it would be known only when it is loaded
        raise ValueError(f"The head has {classifier.head.out_features} labels, and here are {len(names)} names.")
    home = Path(folder)
    home.mkdir()
    try:
        classifier.bert.model.save_pretrained(home)
        classifier.bert.tokenizer.save_pretrained(home)
        save_file({name: values.cpu() for name, values in classifier.head.state_dict().items()}, home / HEAD)
        (home / LABELS).write_text(json.dumps(list(map(str, names))), encoding="utf-8")
        for file in home.iterdir():
            file.chmod(0o644)  # weights are saved for their owner alone
    except BaseException:
        shutil.rmtree(home)
        raise
    return home


def load_classifier(folder: str | Path) -> tuple[Classifier, list[str]]:
    """Return a classifier that was saved, and the names of its labels."""
    from safetensors.torch import load_file

    home = Path(folder)
    names = json.loads((home / LABELS).read_text(encoding="utf-8"))
    classifier = Classifier(load(home.absolute()), labels=len(names))
    classifier.head.load_state_dict(load_file(home / HEAD))
    return classifier, names
