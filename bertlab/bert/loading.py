"""Load a BERT: the one that ships with bertlab, a folder, or a checkpoint of the Hugging Face Hub."""

import os
import re
import warnings
from collections.abc import Iterable
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bertlab.arguments import Count, Seed, guarded
from bertlab.bert import hub, versions
from bertlab.bert.checkpoint import PARTS, open_folder
from bertlab.bert.hub import CheckpointError, MissingPartError
from bertlab.bert.reading import Reading, read
from bertlab.bert.texts import Text

if TYPE_CHECKING:
    from transformers import BertForPreTraining, BertTokenizer

SHIPPED = "bertlab-mini"  # the small BERT that was trained for these lessons and ships inside the package
VARIABLE = "BERTLAB_MODEL"  # names another checkpoint for every lesson at once
SMALL = 30_000_000  # a BERT of fewer parameters is read with one thread


@dataclass(frozen=True, eq=False, repr=False)
class Bert:
    """A BERT and its tokenizer, ready to read, as `bertlab.load` returns them.

    Attributes
    ----------
    model : transformers.BertForPreTraining
        ``model.bert`` is the embedding layer, the encoder and the pooler; ``model.cls`` holds the two heads.
    tokenizer : transformers.BertTokenizer
        The tokenizer that the model was trained with.
    name : str
        The name that it was loaded by.
    missing_parts : tuple of str
        Parts that the checkpoint was saved without. Using one raises `MissingPartError`.
    """

    model: "BertForPreTraining"
    tokenizer: "BertTokenizer"
    name: str
    missing_parts: tuple[str, ...] = ()

    @guarded
    def read(self, text: str, pair: str | None = None) -> Reading:
        """Read one sentence, or a pair of them, and return everything that BERT computes on the way.

        A text that is no string is a `TypeError`; one that is empty, too long or contains a typed [CLS], [SEP] or
        [PAD] is a `ValueError`.

        Parameters
        ----------
        text, pair : str
            The sentence, or the two sentences of a pair.

        Returns
        -------
        Reading
            The tokens, and for each token its vectors and attention weights.

        Examples
        --------
        >>> bertlab.load("bertlab-mini").read("The cat sat on the mat.").tokens
        ['[CLS]', 'the', 'cat', 'sat', 'on', 'the', 'mat', '.', '[SEP]']
        """
        return read(self.model, self.tokenizer, [text if pair is None else (text, pair)], 1, attention=True)[0]

    @guarded
    def read_all(self, texts: Iterable[Text], batch_size: Count = 32, attention: bool = False) -> list[Reading]:
        """Read many texts in batches.

        Parameters
        ----------
        texts : list of str or of (str, str)
            Sentences, or pairs of sentences as tuples.
        batch_size : int
            The number of texts that pass through the model together.
        attention : bool
            Whether to keep the attention weights.

        Returns
        -------
        list of Reading
            One reading per text, in the order of the texts.

        Examples
        --------
        >>> [len(reading.tokens) for reading in bertlab.load("bertlab-mini").read_all(["The cat sat.", "It rained."])]
        [6, 6]
        """
        return read(self.model, self.tokenizer, texts, batch_size, attention)

    def require(self, part: str) -> None:
        """Raise `MissingPartError` if the checkpoint lacks "pooler", "masked-word head" or "next-sentence head"."""
        if part not in PARTS:
            raise ValueError(f"There is no part {part!r}; the parts are {', '.join(PARTS)}.")
        if part in self.missing_parts:
            raise MissingPartError(part)

    def having(self, *parts: str) -> "Bert":
        """Return this BERT if it has the parts that a section needs, else bertlab-mini, with a warning.

        Parameters
        ----------
        *parts : {"pooler", "masked-word head", "next-sentence head"}
            The parts that are needed.

        Returns
        -------
        Bert
            This BERT, or bertlab-mini.

        Examples
        --------
        >>> bertlab.load("bertlab-mini").having("pooler").name
        'bertlab-mini'
        """
        try:
            for part in parts:
                self.require(part)
        except MissingPartError:
            lacking = " and ".join(f"its {part}" for part in parts if part in self.missing_parts)
            needed = f"which this section needs: {SHIPPED}, which has everything, takes its place."
            warnings.warn(f"{self.name} was saved without {lacking}, {needed}", stacklevel=2)
            return load(SHIPPED, device=str(self.model.device))
        return self

    def __repr__(self) -> str:
        """Return a card of the sizes that the lessons talk about."""
        config = self.model.config
        card = (
            f"{self.name}, a BERT\n  {config.num_hidden_layers} layers, {config.num_attention_heads} heads, "
            f"{config.hidden_size} hidden, {self.model.num_parameters() / 1e6:.1f} million parameters\n"
            f"  {config.vocab_size:,} pieces, texts of at most {config.max_position_embeddings} tokens"
        )
        return "\n".join([card, *(f"  saved without its {part}" for part in self.missing_parts)])


@guarded
def load(name: str | os.PathLike | None = None, *, device: str = "cpu") -> Bert:
    """Load a BERT and its tokenizer: transformers' ``BertForPreTraining`` in eval mode, float32, eager attention.

    It switches off transformers' log lines and, for a small BERT, all threads of torch but one, unless
    ``OMP_NUM_THREADS`` is set.

    Parameters
    ----------
    name : str or path, optional
        A folder, a name on the Hugging Face Hub, or ``"bertlab-mini"``, the BERT that ships with bertlab. By default
        the environment variable ``BERTLAB_MODEL`` decides; if it is not set, bertlab-mini is loaded.
    device : str
        The model's device: ``"cpu"``, ``"cuda"`` or ``"mps"``. Readings are always on the CPU.

    Returns
    -------
    Bert
        The model and its tokenizer.

    Raises
    ------
    CheckpointError
        If the checkpoint cannot be found or read, is damaged, is not a BERT, or does not fit its tokenizer.

    Examples
    --------
    >>> bertlab.load("bertlab-mini")
    bertlab-mini, a BERT
      4 layers, 8 heads, 256 hidden, 7.4 million parameters
      16,000 pieces, texts of at most 128 tokens
    """
    versions.warn()  # before the imports, which may fail with other versions
    import torch
    import transformers

    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    model_name = chosen(name)
    folder = local_folder(model_name)
    torch.empty(0, device=device)  # torch refuses a device that it cannot use: before a download
    try:
        model, tokenizer, missing_parts = open_folder(folder or hub.find(model_name))
    except PermissionError as error:
        raise CheckpointError(
            f"{str(error.filename or model_name)!r} cannot be read ({error.strerror}). You lack the permission. Its "
            "owner can give it: chmod a+r for the files (transformers saves weights for their owner alone), chmod a+rx "
            "for the folder."
        ) from None
    # Threads that wait for each other stall beside other work. Lesson 6 on two cores took 44 s with one thread and 41 s
    # with two when alone; beside one other busy process 45 s with one, and with two it was not done after 290 s.
    if model.num_parameters() < SMALL and not os.environ.get("OMP_NUM_THREADS"):
        torch.set_num_threads(1)
    # A folder is called by its last part: a whole path would differ from machine to machine in lessons' outputs.
    label = model_name if folder is None else Path(os.path.abspath(folder)).name  # noqa: PTH100, a link keeps its name
    return Bert(model.to(device), tokenizer, label, missing_parts)  # pyrefly: ignore[bad-argument-type]


def chosen(name: str | os.PathLike | None = None) -> str:
    """Return the name that `load` would use: `name`, else the environment variable, else bertlab-mini."""
    return os.fspath(name) if name is not None else os.environ.get(VARIABLE, "").strip() or SHIPPED


def local_folder(name: str) -> Path | None:
    """Return the folder that a name refers to on this machine, or None for a name on the Hub."""
    if name == SHIPPED:
        return Path(__file__).parents[1] / SHIPPED
    path = Path(name).expanduser()
    # The Hub's names are "owner/name" or "name" in letters, digits, dots, dashes; all else is meant as a path.
    # Path.exists would raise where a folder above may not be looked into.
    on_the_hub = re.fullmatch(r"\w[\w.-]*(/\w[\w.-]*)?", name) and not os.path.exists(path)  # noqa: PTH110
    return None if on_the_hub else path


@guarded
def untrained(bert: Bert, seed: Seed = 0) -> Bert:
    """Return the untrained twin of a BERT: the same architecture and tokenizer, with random weights.

    If the twin shows something too, training did not cause it.

    Parameters
    ----------
    bert : Bert
        The trained BERT.
    seed : int
        The seed of the random weights.

    Returns
    -------
    Bert
        The twin, on the same device.

    Examples
    --------
    >>> untrained(bertlab.load("bertlab-mini"), seed=1).name
    'untrained twin of bertlab-mini'
    """
    import torch
    from transformers import BertForPreTraining

    with torch.random.fork_rng():
        torch.manual_seed(seed)
        # A configuration of its own: what is switched in the twin must not be switched in the trained model.
        model: Any = BertForPreTraining._from_config(deepcopy(bert.model.config), attn_implementation="eager")
    return Bert(model.to(bert.model.device).eval(), bert.tokenizer, f"untrained twin of {bert.name}")
