"""Find a checkpoint of the Hugging Face Hub: in the cache, else by one quick request and a download; and errors."""

from pathlib import Path

TIMEOUT = 4.0  # seconds until the Hub must have answered the first question
TOKENIZER_FILES = ("tokenizer.json", "vocab.txt")  # either holds a whole WordPiece vocabulary
WEIGHT_FILES = ("model.safetensors", "model.safetensors.index.json", "pytorch_model.bin")  # the safest first
SMALL_FILES = ("config.json", "tokenizer_config.json", "special_tokens_map.json", *TOKENIZER_FILES)


class CheckpointError(RuntimeError):
    """Raised when a checkpoint cannot be found, opened or trusted."""


class MissingPartError(CheckpointError):
    """Raised when a lesson uses a part of BERT, such as "pooler", that the checkpoint was saved without."""

    def __init__(self, part: str) -> None:
        super().__init__(
            f"This checkpoint was saved without its {part}, so there is nothing trained to use here (transformers "
            "would fill in random numbers). Use a checkpoint that has it: bertlab.load('bertlab-mini') does."
        )


def cached(name: str) -> Path | None:
    """Return the folder of a checkpoint that was downloaded before, or None, without using the network."""
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

    try:
        # Without patterns huggingface_hub would miss the files that `find` leaves out on purpose.
        folder = Path(snapshot_download(name, local_files_only=True, allow_patterns=["config.json"]))
    except (LocalEntryNotFoundError, HFValidationError):
        return None
    # A download that was interrupted leaves a folder with only some of the files.
    needed = (("config.json",), TOKENIZER_FILES, WEIGHT_FILES)
    complete = all(any((folder / file).is_file() for file in alternatives) for alternatives in needed)
    return folder if complete else None


def find(name: str) -> Path:
    """Return the local folder of a Hub checkpoint; download it if the cache does not hold it."""
    folder = cached(name)
    if folder is not None:
        return folder
    from huggingface_hub import snapshot_download

    files = _files(name)
    weights = next((file for file in WEIGHT_FILES if file in files), None)
    if weights is None:
        raise CheckpointError(
            f"The Hub's repository {name!r} holds no PyTorch weights ({' or '.join(WEIGHT_FILES)}). "
            "Choose another checkpoint; its page on the Hub lists its files."
        )
    try:
        return Path(snapshot_download(name, allow_patterns=[*SMALL_FILES, weights, "model-*.safetensors"]))
    except Exception as error:  # the network's, the disk's and the Hub's errors share no kind
        raise CheckpointError(
            f"The download of {name!r} broke off ({' '.join(str(error).split()) or type(error).__name__}). Load it "
            "again: files that came whole are kept. If it happens twice, check the network and the free space on the "
            "disk; on a slow network set HF_HUB_DOWNLOAD_TIMEOUT=60 before Python starts."
        ) from None


def _files(name: str) -> set[str]:
    """Ask the Hub for the files of a repository, with a timeout, which `snapshot_download` does not have."""
    from huggingface_hub import HfApi, constants
    from huggingface_hub.errors import HFValidationError, OfflineModeIsEnabled, RepositoryNotFoundError

    alternative = "Without a network use bertlab.load(), the BERT that ships with bertlab, or a checkpoint's folder."
    try:
        return {sibling.rfilename for sibling in HfApi().model_info(name, timeout=TIMEOUT).siblings or ()}
    except OfflineModeIsEnabled:
        reason = (
            f"{name!r} is not in this machine's cache, and HF_HUB_OFFLINE is set, which forbids asking the "
            f"Hub for it. Unset HF_HUB_OFFLINE and load it once with a network. {alternative}"
        )
    except (RepositoryNotFoundError, HFValidationError):  # covers gated repositories too
        reason = (
            f"The Hub shows no checkpoint named {name!r} to you. Check the spelling on its page there "
            "(owner/name, capitals count); a private or gated one needs `hf auth login` first. "
            "If you meant a folder on this machine, there is none at that path."
        )
    except Exception as error:  # the network's errors share no kind, and the Hub may fail
        reason = (
            f"{name!r} is not in this machine's cache, and the Hub ({constants.ENDPOINT}) cannot be reached "
            f"({str(error) or type(error).__name__}). Check the network (behind a proxy, set HTTPS_PROXY) and try "
            f"again. {alternative} If you meant a folder on this machine, there is none at that path."
        )
    raise CheckpointError(reason)
