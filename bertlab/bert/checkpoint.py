"""Open a checkpoint's folder, or refuse it in one clear paragraph.

transformers is lenient where a lesson must not be: weights that a file lacks come out random, a folder
without a tokenizer yields one with five tokens, and half-precision files run slowly on a CPU. Here each of
these is an error, or is put right. Which folder it is, is decided in `bertlab.bert.loading`.
"""

import hashlib
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bertlab.bert.errors import CheckpointError, MissingPartError
from bertlab.bert.hub import TOKENIZER_FILES, WEIGHT_FILES

if TYPE_CHECKING:
    from torch import Tensor
    from transformers import BertConfig, BertForPreTraining, BertTokenizer

PARTS = {
    "pooler": "bert.pooler.",
    "masked-word head": "cls.predictions.",
    "next-sentence head": "cls.seq_relationship.",
}
"""The parts that a sound checkpoint may have been saved without, and how their weights' names begin."""

SIZES = {
    "embeddings.word_embeddings.weight": ("vocab_size", "hidden_size"),
    "embeddings.position_embeddings.weight": ("max_position_embeddings", "hidden_size"),
    "embeddings.token_type_embeddings.weight": ("type_vocab_size", "hidden_size"),
    "encoder.layer.0.intermediate.dense.weight": ("intermediate_size", "hidden_size"),
}
"""Where a configuration's sizes show in the weights: how tensors' names end, and the sizes that are their shape."""

CHECKSUMS = "SHA256SUMS"
"""A folder that holds this file (lines of ``sha256sum``) is verified against it before anything is read."""


def open_folder(folder: Path) -> "tuple[BertForPreTraining, BertTokenizer, tuple[str, ...]]":
    """Load model and tokenizer from a folder. Never touches the network, never unpickles objects.

    Parameters
    ----------
    folder
        Holds ``config.json``, ``tokenizer.json`` or ``vocab.txt``, and the weights as safetensors or ``.bin``.

    Returns
    -------
    model : transformers.BertForPreTraining
        float32, on the CPU, in eval mode, with eager attention (the only kind that returns its weights).
    tokenizer : transformers.BertTokenizer
        As many pieces as the model's word table has rows.
    missing_parts : tuple of str
        Which of `PARTS` the file lacks. Those parts raise `MissingPartError` when used.

    Raises
    ------
    CheckpointError
        If the folder is missing, empty, damaged, not a BERT, or if tokenizer and model do not fit.
    OSError
        If the system does not let a file be read.
    """
    _refuse_incomplete(folder)
    _verify_checksums(folder)
    config = _read_config(folder)
    model, missing_parts = _read_weights(folder, config)
    return model, _read_tokenizer(folder, config), missing_parts


def _refuse_incomplete(folder: Path) -> None:
    """Refuse a folder in which a checkpoint's files are not all present."""
    if not folder.is_dir():
        what = "is a file, not a folder" if folder.exists() else "does not exist"
        raise CheckpointError(
            f"The checkpoint folder {str(folder)!r} {what}. Give the folder that holds config.json, the "
            "tokenizer and the weights (as save_pretrained writes them), or bertlab.load() for the shipped BERT."
        )
    for needed, names in (
        ("configuration", ("config.json",)),
        ("tokenizer", TOKENIZER_FILES),
        ("weights", WEIGHT_FILES),
    ):
        if not any((folder / name).is_file() for name in names):
            found = ", ".join(sorted(path.name for path in folder.iterdir())[:8]) or "nothing"
            raise CheckpointError(
                f"The folder {str(folder)!r} holds no {needed} ({' or '.join(names)}); it holds {found}. "
                "Save both halves of a checkpoint into it: model.save_pretrained(folder) and "
                "tokenizer.save_pretrained(folder)."
            )
    for path in folder.iterdir():
        if path.suffix in (".json", ".txt", ".safetensors", ".bin") and path.is_file():
            path.open("rb").close()  # the libraries that read it later call a lack of permission damage


def _verify_checksums(folder: Path) -> None:
    """Compare every file named in the folder's checksum file with its digest there, if there is such a file."""
    sums = folder / CHECKSUMS
    if not sums.is_file():
        return
    for line in filter(str.strip, sums.read_text(encoding="utf-8", errors="replace").splitlines()):
        entry = re.fullmatch(r"([0-9a-f]{64}) [ *](.+)", line)  # the star: sha256sum --binary
        if entry is None:
            raise CheckpointError(
                f"{CHECKSUMS} in {str(folder)!r} is damaged: {line!r:.40} is no line of sha256sum (64 digits, two "
                f"spaces, a file's name). Restore it, or delete it to open the folder unverified."
            )
        expected, name = entry.groups()
        path = folder / name
        if not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest() != expected:
            raise CheckpointError(
                f"{name} in {str(folder)!r} is not the file that {CHECKSUMS} there was written for: it is "
                "damaged or was changed. Restore it (for the shipped BERT: git checkout, or install bertlab "
                f"again). If you changed it on purpose, delete {CHECKSUMS} from that folder."
            )


def _read_config(folder: Path) -> "BertConfig":
    """Read ``config.json`` and refuse every architecture but BERT's encoder."""
    from transformers import BertConfig

    path = folder / "config.json"
    try:
        settings: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        # The first BERT checkpoints were saved without a model_type; their sizes' names give them away.
        kind = settings.get("model_type", "bert" if {"hidden_size", "type_vocab_size"} <= settings.keys() else "?")
        named = settings.get("architectures")
        architecture = named[0] if isinstance(named, list) and named else kind
    except (ValueError, AttributeError, RecursionError) as error:
        raise CheckpointError(
            f"{str(path)!r} is damaged: it is not the JSON object that a configuration is ({error}). "
            "Get the checkpoint again."
        ) from None
    if kind != "bert" or settings.get("is_decoder") or settings.get("add_cross_attention"):
        article = "a decoder" if kind == "bert" else f"of the kind {kind!r} ({architecture})"
        raise CheckpointError(
            f"The checkpoint in {str(folder)!r} is {article}, not a BERT encoder. These lessons open BERT's own "
            "parts (three embedding tables, a pooler, two heads), which other models do not have. Choose a "
            "checkpoint whose config.json says model_type bert."
        )
    try:
        config: BertConfig = BertConfig.from_pretrained(str(folder), local_files_only=True)
    except Exception as error:  # huggingface_hub's checks of each field raise kinds of their own
        raise CheckpointError(
            f"{str(path)!r} is damaged: it holds a setting that no BERT has ({' '.join(str(error).split())}). "
            "Get the checkpoint again."
        ) from None
    fault = _fault(settings, config)
    if fault is not None:
        raise CheckpointError(
            f"The checkpoint in {str(folder)!r} cannot be used: by its config.json {fault}. If the file was changed, "
            "get the checkpoint again; else choose another one."
        )
    return config


def _fault(settings: dict[str, Any], config: "BertConfig") -> str | None:
    """Return what a configuration says that is not BERT's, or that transformers would pass over; None if nothing."""
    from transformers.activations import ACT2FN

    heads, hidden = config.num_attention_heads, config.hidden_size
    if settings.get("quantization_config"):
        return "the weights are quantized, and rounded weights compute other vectors than BERT's"
    if settings.get("position_embedding_type", "absolute") != "absolute":
        return "its positions are relative ones, where BERT adds a row for each place"
    if config.hidden_act not in ACT2FN:
        return f"hidden_act is {config.hidden_act!r}, an activation function that transformers does not know"
    if config.type_vocab_size < 2:
        return "it has one segment (type_vocab_size), so it cannot read a pair of sentences"
    if heads < 1 or hidden % heads:
        return f"hidden_size is {hidden}, which is not a multiple of num_attention_heads, {heads}"
    return None


def _read_weights(folder: Path, config: "BertConfig") -> "tuple[BertForPreTraining, tuple[str, ...]]":
    """Load the weights as float32 and mark the parts that the file lacks."""
    import torch
    from transformers import BertForPreTraining

    damaged = f"The weights in {str(folder)!r} cannot be used: "
    again = " Get the checkpoint again, or save it anew with model.save_pretrained(folder)."
    try:
        misfit = _misfit(_outlines(folder), config)
        if misfit is not None:  # before the model is built: a wrong size could ask for all memory, or for hours
            raise CheckpointError(f"{damaged}{misfit}.{again}")
        loaded: Any = BertForPreTraining.from_pretrained(
            str(folder),
            config=config,
            attn_implementation="eager",
            dtype=torch.float32,
            output_loading_info=True,
            local_files_only=True,
            weights_only=True,
            ignore_mismatched_sizes=True,  # refused below, with the tensor's name
        )
    except CheckpointError:
        raise
    except Exception as error:  # safetensors, pickle, torch and transformers each raise kinds of their own
        reason = str(error).strip().split("\n")[0] or type(error).__name__
        if reason.startswith("Weights only load failed"):  # torch goes on to explain how to open it all the same
            reason = "it holds objects other than tensors, which could run code when opened"
        raise CheckpointError(
            f"{damaged}the file is cut off or damaged, or config.json does not fit it ({reason}).{again}"
        ) from None
    model, report = loaded
    misfits = sorted(report["mismatched_keys"])
    if misfits:
        name, in_file, in_config = misfits[0]
        raise CheckpointError(
            f"{damaged}{name} is {tuple(in_file)} in the file, but {tuple(in_config)} by config.json.{again}"
        )
    missing = set(report["missing_keys"])
    missing_parts = tuple(part for part, begin in PARTS.items() if any(key.startswith(begin) for key in missing))
    unexplained = sorted(key for key in missing if not key.startswith(tuple(PARTS.values())))
    if unexplained:
        raise CheckpointError(
            f"{damaged}the file lacks {len(unexplained)} tensors that every BERT has, {unexplained[0]} "
            f"among them.{again}"
        )
    broken = next((name for name, values in model.named_parameters() if not values.isfinite().all()), None)
    if broken is not None:
        raise CheckpointError(f"{damaged}{broken} holds values that are no finite numbers.{again}")
    _remove(model, missing_parts)
    return model.eval(), missing_parts


def _outlines(folder: Path) -> "dict[str, Tensor]":
    """Return the weights by name for the sake of their shapes and kinds of number, at no cost: values are not read."""
    import torch
    from safetensors.torch import load_file

    weights = next(folder / name for name in WEIGHT_FILES if (folder / name).is_file())
    if weights.suffix == ".bin":
        found = torch.load(weights, map_location="meta", weights_only=True)
        return {name: values for name, values in found.items() if isinstance(values, torch.Tensor)}
    shards = {weights.name}
    if weights.suffix == ".json":
        shards = set(json.loads(weights.read_text(encoding="utf-8"))["weight_map"].values())
    # safetensors maps a file into memory; nothing of it is read before it is used.
    return {name: values for shard in shards for name, values in load_file(folder / shard).items()}


def _misfit(tensors: "dict[str, Tensor]", config: "BertConfig") -> str | None:
    """Return in what the weights do not fit the configuration, or None."""
    for name, values in tensors.items():
        if not values.is_floating_point() and not name.endswith("_ids"):  # old files keep the places' numbers too
            return f"{name} holds whole numbers ({values.dtype}), as quantized weights do, which are no BERT's values"
    layers = [int(found[1]) for name in tensors if (found := re.search(r"encoder\.layer\.(\d+)\.", name))]
    depth = max(layers, default=-1) + 1
    if depth != config.num_hidden_layers:
        return f"config.json says {config.num_hidden_layers} layers, but the file holds {depth}"
    for end, sizes in SIZES.items():
        expected = tuple(getattr(config, size) for size in sizes)
        found = {name: tuple(values.shape) for name, values in tensors.items() if name.endswith(end)}
        if not found:
            return f"the file lacks {end}, which every BERT has"
        for name, shape in found.items():
            if shape != expected:
                return f"{name} is {shape} in the file, but {expected} by config.json"
    return None


def _remove(model: "BertForPreTraining", missing_parts: tuple[str, ...]) -> None:
    """Take out parts whose values would be random, so that using one is an error."""
    from torch import nn

    class Missing(nn.Module):
        def __init__(self, part: str) -> None:
            super().__init__()
            self.part = part

        def forward(self, *_: Any) -> None:
            raise missing_part(self.part)

    def refuse(*_: Any) -> None:
        raise missing_part(missing_parts[0])

    heads: Any = model.cls
    if missing_parts:
        model.register_forward_pre_hook(refuse)  # the whole model's output needs every part
    if "pooler" in missing_parts:
        model.bert.pooler = None  # what transformers itself does for a model without a pooler
    if "masked-word head" in missing_parts:
        heads.predictions = Missing("masked-word head")
    if "next-sentence head" in missing_parts:
        heads.seq_relationship = Missing("next-sentence head")
    elif "pooler" in missing_parts:
        heads.seq_relationship = Missing("pooler")  # the head reads the pooler's output


def missing_part(part: str) -> MissingPartError:
    """Return the error that says a checkpoint was saved without `part`, one of `PARTS`."""
    return MissingPartError(
        f"This checkpoint was saved without its {part}, so there is nothing trained to use here (transformers "
        "would fill in random numbers). Use a checkpoint that has it: bertlab.load('bertlab-mini') does."
    )


def _read_tokenizer(folder: Path, config: "BertConfig") -> "BertTokenizer":
    """Load the tokenizer and check that it and the word table belong together."""
    from transformers import AutoTokenizer

    again = "Save the tokenizer that this model was trained with into the folder: tokenizer.save_pretrained(folder)."
    try:
        tokenizer: Any = AutoTokenizer.from_pretrained(
            str(folder), config=config, local_files_only=True, trust_remote_code=False
        )
    except Exception as error:  # tokenizers raises bare Exception for a damaged file
        reason = str(error).strip().split("\n")[0]
        raise CheckpointError(
            f"The tokenizer in {str(folder)!r} cannot be read ({reason}). It may be damaged, or need a package "
            f"that bertlab does not use. {again}"
        ) from None
    if len(tokenizer) != config.vocab_size:
        raise CheckpointError(
            f"Tokenizer and model in {str(folder)!r} do not belong together: the tokenizer has {len(tokenizer):,} "
            f"pieces, the model's word table {config.vocab_size:,} rows. {again}"
        )
    specials = ("pad_token", "unk_token", "cls_token", "sep_token", "mask_token")
    unset = [name for name in specials if getattr(tokenizer, name) is None]
    if unset or not tokenizer.is_fast:
        fault = f"defines no {unset[0]}" if unset else "cannot say where in the text a piece stands"
        raise CheckpointError(f"The tokenizer in {str(folder)!r} {fault}, so it is not BERT's kind. {again}")
    return tokenizer
