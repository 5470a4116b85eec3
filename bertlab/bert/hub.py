"""Find a checkpoint of the Hugging Face Hub: the cache first, then one quick request.

`huggingface_hub` does the downloading, and honours proxies, ``HF_ENDPOINT`` and ``HF_HUB_OFFLINE``. What
this module adds is that a student without a network is told so within seconds, in words that help.
"""

import json
import os
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bertlab.bert.errors import CheckpointError

if TYPE_CHECKING:
    from huggingface_hub.hf_api import ModelInfo

TIMEOUT = 4.0
"""Seconds until the Hub must have answered the first request."""

PATIENCE = 5.0
"""Seconds that a download waits for the next bytes, each time it tries; ``HF_HUB_DOWNLOAD_TIMEOUT`` sets others."""

TOKENIZER_FILES = ("tokenizer.json", "vocab.txt")
"""Either of these holds a whole WordPiece vocabulary."""

WEIGHT_FILES = ("model.safetensors", "model.safetensors.index.json", "pytorch_model.bin")
"""Where weights may lie, the safest first."""

_SETTINGS = ["config.json", "tokenizer_config.json"]
_SMALL_FILES = [*_SETTINGS, "special_tokens_map.json", *TOKENIZER_FILES]


def cached(name: str) -> Path | None:
    """Return the folder of a checkpoint that was downloaded before, or None. Never touches the network."""
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

    try:
        # Without patterns huggingface_hub would miss the files that `find` leaves out on purpose.
        folder = Path(snapshot_download(name, local_files_only=True, allow_patterns=_SETTINGS))
    except (LocalEntryNotFoundError, HFValidationError):
        return None
    # A download that was interrupted leaves a folder with only some of the files.
    whole = (
        (folder / "config.json").is_file()
        and any((folder / file).is_file() for file in TOKENIZER_FILES)
        and _has_weights(folder)
    )
    return folder if whole else None


def _has_weights(folder: Path) -> bool:
    """Say whether a file with all weights is there, or an index and every file that it names."""
    index = folder / "model.safetensors.index.json"
    if index.is_file():
        try:
            shards = set(json.loads(index.read_text(encoding="utf-8"))["weight_map"].values())
        except (AttributeError, KeyError, TypeError, ValueError):
            return True  # a damaged index: who opens the folder says so
        return all((folder / shard).is_file() for shard in shards)
    return any((folder / file).is_file() for file in WEIGHT_FILES)


def find(name: str) -> Path:
    """Return the local folder of a Hub checkpoint, downloading it if the cache does not hold it.

    Parameters
    ----------
    name
        A name of the Hub, such as ``"bert-base-uncased"`` or ``"prajjwal1/bert-small"``.

    Returns
    -------
    pathlib.Path
        A folder with ``config.json``, the tokenizer and the weights.

    Raises
    ------
    CheckpointError
        If the Hub cannot be reached (within about `TIMEOUT` seconds), has no such checkpoint, or the
        download breaks off or stalls (for about a minute, in which it is tried again and again).
    """
    folder = cached(name)
    if folder is not None:
        return folder
    from huggingface_hub import snapshot_download

    files = {sibling.rfilename for sibling in _ask(name).siblings or ()}
    weights = next((file for file in WEIGHT_FILES if file in files), None)
    if weights is None:
        raise CheckpointError(
            f"The Hub's repository {name!r} holds no PyTorch weights ({' or '.join(WEIGHT_FILES)}). "
            "Choose another checkpoint; its page on the Hub lists its files."
        )
    shards = ["model-*.safetensors"] if weights.endswith("index.json") else []
    try:
        with _limited_waits():
            return Path(snapshot_download(name, allow_patterns=[*_SMALL_FILES, weights, *shards]))
    except Exception as error:  # the network's, the disk's and the Hub's errors share no kind
        raise CheckpointError(
            f"The download of {name!r} broke off ({' '.join(str(error).split()) or type(error).__name__}). Load it "
            "again: files that came whole are kept. If it happens twice, check the network and the free space on the "
            "disk; on a slow network set HF_HUB_DOWNLOAD_TIMEOUT=60 before Python starts."
        ) from None


@contextmanager
def _limited_waits() -> Iterator[None]:
    """Limit how long huggingface_hub waits for an answer: it asks without any limit, or six times for a minute."""
    from huggingface_hub import constants, get_session

    chosen = "HF_HUB_DOWNLOAD_TIMEOUT" in os.environ
    seconds = float(constants.HF_HUB_DOWNLOAD_TIMEOUT) if chosen else PATIENCE

    def limit(request: Any) -> None:
        request.extensions["timeout"] = dict.fromkeys(("connect", "read", "write", "pool"), seconds)

    hooks = get_session().event_hooks["request"]
    hooks.append(limit)
    try:
        yield
    finally:
        hooks.remove(limit)


def _ask(name: str) -> "ModelInfo":
    """Ask the Hub what a repository holds, and turn every way of failing into one clear paragraph."""
    from huggingface_hub import HfApi, constants
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, OfflineModeIsEnabled, RepositoryNotFoundError

    instead = (
        "Without a network use bertlab.load() for the BERT that ships with bertlab, "
        "or give the path of a checkpoint's folder."
    )
    answer: Future[ModelInfo] = Future()

    def request() -> None:
        try:
            answer.set_result(HfApi().model_info(name, timeout=TIMEOUT))
        except Exception as error:  # handed over to the waiting thread, which sorts it out
            answer.set_exception(error)

    # A thread of its own, because a name server that does not answer is outside the request's timeout; and a daemon,
    # which an executor's threads are not, so that nobody waits for it at the end either.
    threading.Thread(target=request, daemon=True).start()
    try:
        return answer.result(TIMEOUT + 0.5)
    except OfflineModeIsEnabled:
        raise CheckpointError(
            f"{name!r} is not in this machine's cache, and HF_HUB_OFFLINE is set, which forbids asking the "
            f"Hub for it. Unset HF_HUB_OFFLINE and load it once with a network. {instead}"
        ) from None
    except (RepositoryNotFoundError, HFValidationError):  # covers gated repositories too
        raise CheckpointError(
            f"The Hub shows no checkpoint named {name!r} to you. Check the spelling on its page there "
            "(owner/name, capitals count); a private or gated one needs `hf auth login` first. "
            "If you meant a folder on this machine, there is none at that path."
        ) from None
    except HfHubHTTPError as error:
        raise CheckpointError(
            f"The Hub ({constants.ENDPOINT}) answered the question for {name!r} with an error: {error}. "
            f"Try again in a minute. {instead}"
        ) from None
    except Exception as error:  # the network's errors share no kind; the wait's own says nothing
        raise CheckpointError(
            f"{name!r} is not in this machine's cache, and the Hub ({constants.ENDPOINT}) cannot be reached "
            f"({str(error) or f'no answer within {TIMEOUT + 0.5:.1f} s'}). Check the network (behind a proxy, set "
            f"HTTPS_PROXY) and try again. {instead} If you meant a folder on this machine, there is none at that path."
        ) from None
