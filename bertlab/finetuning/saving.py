"""A trained classifier as a folder: its body as any BERT is saved, and beside it the head and the labels' names."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

from bertlab.bert.loading import load
from bertlab.finetuning.classifier import Classifier

HEAD, LABELS = "head.safetensors", "labels.json"


def save(classifier: Classifier, folder: str | Path, names: list[str]) -> Path:
    """Save a classifier, whole or not at all.

    Parameters
    ----------
    classifier
    folder
        A new one: what is there already is never overwritten.
    names
        Of the labels, in the order of their numbers.

    Returns
    -------
    pathlib.Path

    Raises
    ------
    FileExistsError
        If there is something of that name.
    ValueError
        If there are not as many names as labels.
    OSError
        If it cannot be written.
    """
    from safetensors.torch import save_file

    target = Path(folder)
    if target.exists() or target.is_symlink():
        raise FileExistsError(f"{str(folder)!r} is there already, and nothing is overwritten. Name a new folder.")
    if len(names) != classifier.head.out_features:
        raise ValueError(f"The head has {classifier.head.out_features} labels, and here are {len(names)} names.")
    above = target.absolute().parent
    if not above.is_dir():
        raise FileNotFoundError(f"There is no folder {str(above)!r} to save into. Make it first, or name another.")
    with TemporaryDirectory(dir=above, prefix=f".{target.name}.") as beside:
        made = Path(beside) / "model"
        classifier.bert.model.save_pretrained(made)
        classifier.bert.tokenizer.save_pretrained(made)
        save_file({name: values.cpu() for name, values in classifier.head.state_dict().items()}, made / HEAD)
        (made / LABELS).write_text(json.dumps(list(map(str, names))), encoding="utf-8")
        for file in made.iterdir():
            file.chmod(0o644)  # weights are saved for their owner alone
        made.rename(target)
    return target


def load_classifier(folder: str | Path) -> tuple[Classifier, list[str]]:
    """Return a classifier that was saved, and the names of its labels.

    Parameters
    ----------
    folder

    Raises
    ------
    CheckpointError
        If the body cannot be loaded.
    FileNotFoundError
        If the folder holds a body and no head.
    """
    from safetensors.torch import load_file

    home = Path(folder)
    bert = load(home.absolute())
    if not (home / HEAD).is_file() or not (home / LABELS).is_file():
        raise FileNotFoundError(
            f"{str(folder)!r} holds a BERT and no head of bertlab.finetuning.save. Load it with bertlab.load."
        )
    names = json.loads((home / LABELS).read_text(encoding="utf-8"))
    classifier = Classifier(bert, labels=len(names))
    classifier.head.load_state_dict(load_file(home / HEAD))
    return classifier, names
