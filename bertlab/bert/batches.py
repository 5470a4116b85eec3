"""Send encoded texts through BERT in batches, for all rooms."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from bertlab.bert.arguments import require_count

if TYPE_CHECKING:
    from torch import Tensor
    from transformers import BertForPreTraining, BertTokenizer

Encoded = dict[str, list]  # what the tokenizer makes of one text


def forward(
    model: "BertForPreTraining", tokenizer: "BertTokenizer", encoded: Sequence[Encoded], **options: Any
) -> "tuple[Any, Tensor]":
    """Return the output of transformers' ``BertModel`` for one batch, with gradients, and the mask, (texts, tokens)."""
    rows = [{name: encoding[name] for name in ("input_ids", "token_type_ids")} for encoding in encoded]
    inputs: Any = tokenizer.pad(rows, padding_side="right", return_attention_mask=True, return_tensors="pt")
    inputs = inputs.to(model.device)
    return model.bert(**inputs, **options), inputs["attention_mask"]


def in_batches(
    model: "BertForPreTraining",
    tokenizer: "BertTokenizer",
    encoded: Sequence[Encoded],
    batch_size: int,
    progress: Callable[[list], Iterable] = iter,
    **options: Any,
) -> "Iterator[tuple[list[int], Any, Tensor]]":
    """Yield for each batch, shortest texts first, the numbers of its texts, their output without gradients and mask."""
    import torch

    require_count(batch_size=batch_size)
    by_length = sorted(range(len(encoded)), key=lambda number: len(encoded[number]["input_ids"]))
    for numbers in progress([by_length[start : start + batch_size] for start in range(0, len(encoded), batch_size)]):
        with torch.no_grad():
            output, mask = forward(model, tokenizer, [encoded[number] for number in numbers], **options)
        yield numbers, output, mask
