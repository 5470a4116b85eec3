"""A classifier in a folder: saved, and loaded again (lesson 8)."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

from bertlab.arguments import guarded
from bertlab.bert.hub import CheckpointError
from bertlab.bert.loading import load
from bertlab.finetuning.classifier import Classifier

HEAD, LABELS = "head.safetensors", "labels.json"  # the files beside those of the BERT


@guarded
def save(classifier: Classifier, folder: str | Path, names: Sequence[str]) -> Path:
    """Save a classifier and the names of its labels, in their order, to a new folder, completely or not at all.

    Raises
    ------
    FileExistsError, ValueError
        If the folder exists, or there are not as many different names as labels.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     home = save(Classifier(bertlab.load("bertlab-mini")), Path(folder, "mine"), ["bad", "good"])
    ...     load_classifier(home)[1]
    ['bad', 'good']
    """
    from safetensors.torch import save_file

    labels = classifier.head.out_features
    if len(set(names)) != labels:
        raise ValueError(f"The head has {labels} labels, and here are {len(set(names))} names. Give each its own.")
    home = Path(folder)
    home.mkdir()
    try:
        classifier.bert.model.save_pretrained(home)
        classifier.bert.tokenizer.save_pretrained(home)
        save_file({name: values.cpu() for name, values in classifier.head.state_dict().items()}, home / HEAD)
        (home / LABELS).write_text(json.dumps(names), encoding="utf-8")
        for file in home.iterdir():
            file.chmod(0o644)  # safetensors saves weights for their owner alone
    except BaseException:
        shutil.rmtree(home)
        raise
    return home


def load_classifier(folder: str | Path) -> tuple[Classifier, list[str]]:
    """Load a classifier that `save` has written, and its labels' names; raise `CheckpointError` for a damaged one."""
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    home = Path(folder)
    bert = load(home.absolute())
    try:
        names = json.loads((home / LABELS).read_text(encoding="utf-8"))
        different = len({*map(str, names)}) == len(names)
        if not isinstance(names, list) or not different or not all(isinstance(name, str) for name in names):
            raise ValueError(f"the labels are not that many different strings: {names!r:.60}")
        classifier = Classifier(bert, labels=len(names))
        classifier.head.load_state_dict(load_file(home / HEAD))
        if not all(values.isfinite().all() for values in classifier.head.parameters()):
            raise ValueError("the head holds values that are not finite numbers")
    except (SafetensorError, RuntimeError, TypeError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise CheckpointError(f"{str(folder)!r} holds no whole classifier: {reason}. Save it anew.") from error
    return classifier, names
