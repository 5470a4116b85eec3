"""Open a checkpoint's folder, or refuse it: transformers would replace missing weights by random numbers."""

import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bertlab.bert.hub import TOKENIZER_FILES, WEIGHT_FILES, CheckpointError, MissingPartError

if TYPE_CHECKING:
    from transformers import BertConfig, BertForPreTraining, BertTokenizer

ALIKE = 0.1  # embeddings that differ by less are as good as the same; those of different tokens differ by 1 or more
ADVICE = "Save the tokenizer that this model was trained with into the folder: tokenizer.save_pretrained(folder)."
PARTS = {  # that a sound checkpoint may have been saved without, and how their weights' names begin
    "pooler": "bert.pooler.",
    "masked-word head": "cls.predictions.",
    "next-sentence head": "cls.seq_relationship.",
}


def open_folder(folder: Path) -> "tuple[BertForPreTraining, BertTokenizer, tuple[str, ...]]":
    """Load the model, its tokenizer and the names of its missing parts, without network or pickled objects."""
    _refuse_incomplete(folder, {"configuration": ("config.json",)})
    config = _read_config(folder)  # before the other files, which another kind of model may name otherwise
    _refuse_incomplete(folder, {"tokenizer": TOKENIZER_FILES, "weights": WEIGHT_FILES})
    model, missing_parts = _read_weights(folder, config)
    tokenizer = _read_tokenizer(folder, config)
    _probe(folder, model, tokenizer)
    return model, tokenizer, missing_parts


def _refuse_incomplete(folder: Path, needed: dict[str, tuple[str, ...]]) -> None:
    """Raise `CheckpointError` unless a folder has one file of each kind, and all its files can be read."""
    files = sorted(path for path in folder.iterdir() if path.is_file()) if folder.is_dir() else []
    names = [path.name for path in files]
    holds = ": it is a file" if folder.is_file() else ": there is no such folder"
    if folder.is_dir():
        holds = f"; it holds {', '.join(names[:8]) or 'nothing'}"
    for kind, alternatives in needed.items():
        if not set(alternatives) & set(names):
            raise CheckpointError(
                f"The folder {str(folder)!r} holds no {kind} ({' or '.join(alternatives)}){holds}. Give the folder "
                "into which both halves of a checkpoint were saved, with model.save_pretrained(folder) and "
                "tokenizer.save_pretrained(folder), or bertlab.load() for the shipped BERT."
            )
    for path in files:
        path.open("rb").close()  # the libraries that read it later call a lack of permission damage


def _read_config(folder: Path) -> "BertConfig":
    """Read ``config.json``; raise `CheckpointError` for every architecture but BERT's encoder."""
    from transformers import BertConfig

    path = folder / "config.json"
    try:
        settings: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        # The first BERT checkpoints were saved without a model_type; their sizes' names give them away.
        kind = settings.get("model_type", "bert" if {"hidden_size", "type_vocab_size"} <= settings.keys() else "?")
        options = {"local_files_only": True, "return_dict": True}  # old checkpoints may say False
        config = BertConfig.from_pretrained(str(folder), **options) if kind == "bert" else None
    except Exception as error:  # json's errors, and huggingface_hub's checks of each field, share no kind
        raise CheckpointError(
            f"{str(path)!r} is damaged: it is no configuration of a BERT ({' '.join(str(error).split())}). "
            "Get the checkpoint again."
        ) from None
    if config is None or config.is_decoder or config.add_cross_attention:
        what = f"of the kind {kind!r}" if config is None else "a decoder"
        raise CheckpointError(
            f"The checkpoint in {str(folder)!r} is {what}, not a BERT encoder. These lessons open BERT's own "
            "parts (three embedding tables, a pooler, two heads), which other models do not have. Choose a "
            "checkpoint whose config.json says model_type bert."
        )
    return config


def _read_weights(folder: Path, config: "BertConfig") -> "tuple[BertForPreTraining, tuple[str, ...]]":
    """Load the weights as float32, and remove the parts that the file lacks."""
    import torch
    from safetensors import safe_open
    from transformers import BertForPreTraining

    whole_numbers = None
    try:
        for file in folder.glob("model*.safetensors"):
            with safe_open(file, "pt") as tensors:
                for name in tensors.keys():  # noqa: SIM118, it is no mapping
                    kind = tensors.get_slice(name).get_dtype()
                    if "F" not in kind and not name.endswith("_ids"):  # old files keep the places' numbers too
                        whole_numbers = f"{name} holds whole numbers ({kind}), as quantized weights do"
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
    except Exception as error:  # safetensors, pickle, torch and transformers each raise kinds of their own
        reason = str(error).strip().split("\n")[0] or type(error).__name__
        if reason.startswith("Weights only load failed"):  # torch goes on to explain how to open it all the same
            reason = "it holds objects other than tensors, which could run code when opened"
        raise _unusable(folder, f"the file is cut off or damaged, or config.json does not fit it ({reason})") from None
    if whole_numbers:
        raise _unusable(folder, whole_numbers)
    model, report = loaded
    for name, in_file, in_config in sorted(report["mismatched_keys"]):
        raise _unusable(folder, f"{name} is {tuple(in_file)} in the file, but {tuple(in_config)} by config.json")
    missing = sorted(report["missing_keys"])
    lacking = [name for name in missing if not name.startswith(tuple(PARTS.values()))]
    if lacking:
        raise _unusable(folder, f"the file lacks {len(lacking)} tensors that every BERT has, {lacking[0]} among them")
    # Further layers, or a table of relative positions, would be left out without a word: another BERT.
    surplus = sorted(name for name in report["unexpected_keys"] if "encoder.layer." in name)
    if surplus:
        raise _unusable(folder, f"the file holds {surplus[0]}, for which the BERT of config.json has no place")
    broken = next((name for name, values in model.named_parameters() if not values.isfinite().all()), None)
    if broken:
        raise _unusable(folder, f"{broken} holds values that are no finite numbers")
    missing_parts = tuple(part for part, begin in PARTS.items() if any(name.startswith(begin) for name in missing))
    _remove(model, missing_parts)
    return model.eval(), missing_parts


def _unusable(folder: Path, reason: str) -> CheckpointError:
    """Return the error that says why weights cannot be used."""
    return CheckpointError(
        f"The weights in {str(folder)!r} cannot be used: {reason}. Get the checkpoint again (one of the Hub stays in "
        "its cache until you delete its folder there), or save it anew with model.save_pretrained(folder)."
    )


def _remove(model: "BertForPreTraining", missing_parts: tuple[str, ...]) -> None:
    """Remove parts whose weights would be random, so that using one is an error."""
    from torch import nn

    if missing_parts:
        model.register_forward_pre_hook(partial(_refuse, missing_parts[0]))  # its whole output needs every part
    if "pooler" in missing_parts:
        model.bert.pooler = None  # what transformers itself does for a model without a pooler
    for part, name in (("masked-word head", "predictions"), ("next-sentence head", "seq_relationship")):
        if part in missing_parts:
            empty = nn.Identity()
            empty.register_forward_pre_hook(partial(_refuse, part))
            setattr(model.cls, name, empty)


def _refuse(part: str, *_: Any) -> None:
    """Raise `MissingPartError` in place of computing with a missing part."""
    raise MissingPartError(part)


def _read_tokenizer(folder: Path, config: "BertConfig") -> "BertTokenizer":
    """Load the tokenizer; raise `CheckpointError` unless its ids are the rows of the word table."""
    from transformers import AutoTokenizer

    try:
        tokenizer: Any = AutoTokenizer.from_pretrained(
            str(folder), config=config, local_files_only=True, trust_remote_code=False
        )
    except Exception as error:  # tokenizers raises bare Exception for a damaged file
        reason = str(error).strip().split("\n")[0]
        raise CheckpointError(
            f"The tokenizer in {str(folder)!r} cannot be read ({reason}). It may be damaged, or need a package "
            f"that bertlab does not use. {ADVICE}"
        ) from None
    ids = tokenizer.get_vocab().values()
    if {*ids} != {*range(config.vocab_size)}:  # a line twice in vocab.txt leaves a row without a piece
        raise CheckpointError(
            f"Tokenizer and model in {str(folder)!r} do not belong together: the tokenizer has {len(ids):,} "
            f"pieces with ids up to {max(ids):,}, the model's word table {config.vocab_size:,} rows, from 0. {ADVICE}"
        )
    return tokenizer


def _probe(folder: Path, model: "BertForPreTraining", tokenizer: "BertTokenizer") -> None:
    """Raise `CheckpointError` if what has loaded would read wrongly: its ids, its capitals, one short reading."""
    import torch

    ids = [getattr(tokenizer, f"{name}_token_id") for name in ("cls", "unk", "mask", "sep", "pad")]
    pad, normalizer, reason = model.config.pad_token_id, tokenizer.backend_tokenizer.normalizer, None
    if len({*ids} - {None}) < len(ids):
        reason = "[CLS], [UNK], [MASK], [SEP] and [PAD] are not five different pieces of it"
    elif pad not in (None, ids[-1]):
        reason = f"its [PAD] has the id {ids[-1]:,}, but {pad:,} by config.json, so that no id can be trusted"
    elif (normalizer is None or normalizer.normalize_str("A") == "A") and _has_small_letters_only(tokenizer):
        reason = "it keeps capitals (do_lower_case), which no piece has, so that each word with one would be [UNK]"
    if reason:
        raise CheckpointError(f"The tokenizer in {str(folder)!r} does not fit its model: {reason}. {ADVICE}")
    with torch.no_grad():
        output = model.bert(torch.tensor([ids]), output_hidden_states=True)
    embedded = output.hidden_states[0][0]  # further up, all tokens may be alike in a BERT that was never trained
    if not output.last_hidden_state.isfinite().all() or (embedded - embedded[0]).abs().max() < ALIKE:
        epsilon = f"layer_norm_eps is {model.config.layer_norm_eps}, and in BERT 1e-12"
        raise _unusable(folder, f"with config.json ({epsilon}) vectors are all alike or no finite numbers")


def _has_small_letters_only(tokenizer: "BertTokenizer") -> bool:
    """Return whether most pieces have small letters, as Chinese pieces do not, and none has a capital."""
    pieces = [piece.removeprefix("##") for piece in tokenizer.get_vocab().keys() - {*tokenizer.all_special_tokens}]
    small = sum(piece != piece.capitalize() for piece in pieces)
    return 2 * small > len(pieces) and all(piece == piece.lower() for piece in pieces)
