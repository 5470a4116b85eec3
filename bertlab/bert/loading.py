"""Load a BERT: the one that ships with bertlab, a folder, or a checkpoint of the Hugging Face Hub.

What `load` returns holds the tokenizer and transformers' own ``BertForPreTraining``, nothing wrapped, so
everything that works with transformers works here. `untrained` gives its twin with random weights, the
control beside every measurement in the lessons.
"""

import os
import re
import warnings
from collections.abc import Iterable
from copy import deepcopy
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bertlab.bert import hub
from bertlab.bert.checkpoint import PARTS, missing_part, open_folder
from bertlab.bert.errors import CheckpointError, MissingPartError
from bertlab.bert.reading import Reading, read
from bertlab.bert.texts import Text, listed

if TYPE_CHECKING:
    from transformers import BertForPreTraining, BertTokenizer

SHIPPED = "bertlab-mini"
"""The name of the small BERT that was trained for these lessons and ships inside the package."""

VARIABLE = "BERTLAB_MODEL"
"""Environment variable that names another checkpoint for every lesson at once."""

SMALL = 30_000_000
"""A BERT of fewer parameters is read with one thread."""

THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS")
"""Environment variables that say with how many threads to compute; where one is set, it holds."""


@dataclass(frozen=True, eq=False, repr=False)
class Bert:
    """A tokenizer and a BERT that belong together, ready to read.

    Attributes
    ----------
    model
        ``model.bert`` is the embedding layer, the encoder and the pooler, ``model.cls`` the two heads on top.
    tokenizer
    name
        What it was loaded as.
    missing_parts
        Parts that the checkpoint was saved without; using one raises `MissingPartError`.
    """

    model: "BertForPreTraining"
    tokenizer: "BertTokenizer"
    name: str
    missing_parts: tuple[str, ...] = ()

    def read(self, text: str, pair: str | None = None) -> Reading:
        """Read one sentence, or a pair, and keep everything that BERT computes on the way.

        Parameters
        ----------
        text
        pair
            A second sentence: both are read together, as in next-sentence prediction.

        Returns
        -------
        Reading
            With hidden states, attention weights and the pooled vector.

        Raises
        ------
        TypeError, ValueError
            If a sentence is not a string, is empty, holds a typed [CLS], [SEP] or [PAD], or is longer than the model
            reads.

        Examples
        --------
        >>> import bertlab
        >>> bert = bertlab.load("bertlab-mini")
        >>> bert.read("The cat sat on the mat.").tokens
        ['[CLS]', 'the', 'cat', 'sat', 'on', 'the', 'mat', '.', '[SEP]']
        """
        return read(self.model, self.tokenizer, [text if pair is None else (text, pair)], 1, attention=True)[0]

    def read_all(self, texts: Iterable[Text], batch_size: int = 32, attention: bool = False) -> list[Reading]:
        """Read many texts in batches of similar length; the readings come in the order of the texts.

        Parameters
        ----------
        texts
        batch_size
            Texts that pass through the model together: more is faster and takes more memory.
        attention
            Whether to keep attention weights, (layers, heads, tokens, tokens) a text.

        Returns
        -------
        list of Reading

        Raises
        ------
        TypeError, ValueError
            As `read`; the message says which text.
        """
        if isinstance(texts, str):
            raise TypeError("read_all takes a list of texts. For one text use bert.read(text), or put it in [ ].")
        return read(self.model, self.tokenizer, listed(texts), batch_size, attention)

    def require(self, part: str) -> None:
        """Raise `MissingPartError` if the checkpoint was saved without a part.

        Parameters
        ----------
        part : {"pooler", "masked-word head", "next-sentence head"}
        """
        if part not in PARTS:
            raise ValueError(f"There is no part {part!r}; the parts are {', '.join(PARTS)}.")
        if part in self.missing_parts:
            raise missing_part(part)

    def having(self, *parts: str) -> "Bert":
        """Return this BERT, or bertlab-mini in its place, with a warning, if it was saved without one of the parts.

        A lesson calls it where a section needs a part, so that the section, and what follows it, can be run with any
        checkpoint.

        Parameters
        ----------
        *parts : {"pooler", "masked-word head", "next-sentence head"}

        Examples
        --------
        >>> import bertlab
        >>> bertlab.load("bertlab-mini").having("pooler").name
        'bertlab-mini'
        """
        try:
            for part in parts:
                self.require(part)
        except MissingPartError:
            lacking = " and ".join(f"its {part}" for part in parts if part in self.missing_parts)
            warnings.warn(
                f"{self.name} was saved without {lacking}, which this section needs: {SHIPPED}, which has everything, "
                "takes its place.",
                stacklevel=2,
            )
            return load(SHIPPED, device=str(self.model.device))
        return self

    def __repr__(self) -> str:
        """Return a small card: the sizes that the lessons talk about."""
        config = self.model.config
        millions = self.model.num_parameters() / 1e6
        card = [
            f"{self.name}, a BERT",
            f"  {config.num_hidden_layers} layers, {config.num_attention_heads} heads, "
            f"{config.hidden_size} hidden, {millions:.1f} million parameters",
            f"  {config.vocab_size:,} pieces, texts of at most {config.max_position_embeddings} tokens",
        ]
        return "\n".join(card + [f"  saved without its {part}" for part in self.missing_parts])


def load(name: str | os.PathLike | None = None, *, device: str = "cpu") -> Bert:
    """Load a BERT and its tokenizer.

    Parameters
    ----------
    name
        A folder, a name of the Hugging Face Hub, or ``"bertlab-mini"``, the BERT that ships with bertlab. Left
        out, the environment variable ``BERTLAB_MODEL`` decides, and without it the shipped one is loaded. Only a
        Hub name that is not in the cache makes bertlab use the network.
    device
        Where the model lives, in torch's words: ``"cpu"``, ``"cuda"``, ``"mps"``. Readings are always on the CPU.

    Returns
    -------
    Bert
        In eval mode, float32, with eager attention. transformers' log lines and progress bars are switched off
        from here on, so that they do not stand between a lesson's results.

    Raises
    ------
    CheckpointError
        If it cannot be found, may not be read, is damaged, is not a BERT, or if tokenizer and model do not fit.
    ValueError
        If torch cannot use the device here.

    Notes
    -----
    A small BERT (under 30 million parameters) is read with one thread, unless ``OMP_NUM_THREADS`` says how many or
    ``torch.set_num_threads`` did: a second one gains little, and threads that wait for each other stall as soon as the
    machine has other work. Call ``torch.set_num_threads`` afterwards for more.

    In processes that are forked off later (``multiprocessing`` does so on Linux), torch uses one thread, as it does in
    a DataLoader's workers: with more it would wait forever for threads that a fork does not copy.

    Examples
    --------
    >>> import bertlab
    >>> bertlab.load("bertlab-mini").model.config.num_hidden_layers
    4
    """
    import transformers

    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    wanted = chosen(name)
    here = local_folder(wanted)
    _refuse_device(device)  # before a download
    try:
        folder = here or hub.find(wanted)
        _survive_forks()
        model, tokenizer, missing_parts = open_folder(folder)
    except OSError as error:
        advice = "Check that the disk that it lies on is there and sound, and load it again."
        if isinstance(error, PermissionError):
            advice = (
                "You lack the permission. Its owner can give it: chmod a+r for the files (transformers saves weights "
                "for their owner alone), chmod a+rx for the folder."
            )
        raise CheckpointError(
            f"{str(error.filename or wanted)!r} cannot be read ({error.strerror or error}). {advice}"
        ) from None
    # A folder is called by its last part: a whole path would differ from machine to machine in lessons' outputs.
    # "." and ".." say nothing; a link keeps its own name, which someone chose.
    shown = wanted if here is None else here.name if here.name.strip(".") else here.resolve().name
    _settle_threads(model.num_parameters())
    return Bert(model.to(device), tokenizer, shown, missing_parts)  # pyrefly: ignore[bad-argument-type]


def _settle_threads(parameters: int) -> None:
    """Compute with one thread where the model is small and nobody has said how many."""
    # Measured on two cores with lesson 6: alone 44 s with one thread and 41 s with two; beside one other busy process
    # 45 s with one, and with two not done after 290 s.
    import torch

    cores = os.cpu_count() or 1
    own_choice = torch.get_num_threads() in (cores, cores // 2)  # torch counts cores, or half of the logical ones
    if parameters < SMALL and own_choice and not any(os.environ.get(name) for name in THREADS):
        torch.set_num_threads(1)


def _refuse_device(device: str) -> None:
    """Refuse a device that torch does not know or cannot use here."""
    import torch

    try:
        torch.empty(0, device=torch.device(device))
    except (RuntimeError, AssertionError, TypeError) as error:
        usable = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
        reason = str(error).split("\n")[0].split(". ")[0].rstrip(".")
        raise ValueError(
            f"torch cannot use the device {device!r} here ({reason}). It can use "
            f"{' and '.join(repr(name) for name, is_usable in usable.items() if is_usable)}; no lesson needs a GPU."
        ) from None


@cache
def _survive_forks() -> None:
    """Let torch work in processes that are forked off this one: its threads' pool is not copied, only waited for."""
    import torch

    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=partial(torch.set_num_threads, 1))


def chosen(name: str | os.PathLike | None = None) -> str:
    """Return the name that `load` would use: `name`, else the environment variable, else the shipped BERT's."""
    return os.fspath(name) if name is not None else os.environ.get(VARIABLE, "").strip() or SHIPPED


def local_folder(name: str) -> Path | None:
    """Return the folder that a name means on this machine, or None if it can only be a name of the Hub."""
    if name == SHIPPED:
        return Path(__file__).parents[1] / SHIPPED
    path = Path(name).expanduser()
    # The Hub's names are "owner/name" or "name" in letters, digits, dots, dashes; all else is meant as a path.
    # Path.exists would raise where a folder above may not be looked into.
    on_the_hub = re.fullmatch(r"\w[\w.-]*(/\w[\w.-]*)?", name) and not os.path.exists(path)  # noqa: PTH110
    return None if on_the_hub else path


def untrained(bert: Bert, seed: int = 0) -> Bert:
    """Return the untrained twin: the same architecture and tokenizer, with random weights.

    What the twin shows too is no evidence of training. It is the control for every measurement in the lessons; several
    seeds show how far a control depends on the draw.

    Parameters
    ----------
    bert
    seed
        Fixes the weights: normal, with the configuration's ``initializer_range`` as standard deviation, and zero for
        biases. That is 0.02 in the configuration of BERT-base, and 0.05 in bertlab-mini's, from which that was trained.

    Returns
    -------
    Bert
        In eval mode, on the same device. The random state outside is left as it was.
    """
    import torch
    from transformers import BertForPreTraining

    with torch.random.fork_rng():
        torch.manual_seed(seed)
        # A configuration of its own: what is switched in the twin must not be switched in the trained model.
        model: Any = BertForPreTraining._from_config(deepcopy(bert.model.config), attn_implementation="eager")
    return Bert(model.to(bert.model.device).eval(), bert.tokenizer, f"untrained twin of {bert.name}")
