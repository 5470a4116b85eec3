"""Which heads lesson 4 draws: one that looks at one place, and one that shares its weight out."""

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from bertlab.bert.reading import Reading


def clear_head(reading: "Reading") -> tuple[int, int]:
    """Return layer and head of the largest mean weight on the token before."""
    before = reading.attention.diagonal(-1, dim1=2, dim2=3).mean(dim=-1).numpy()  # (layers, heads)
    layer, head = np.unravel_index(before.argmax(), before.shape)
    return int(layer), int(head)


def sharing_head(reading: "Reading", layer: int) -> tuple[int, int]:
    """Return the head of a layer, and the token that looks, of which three tokens get much: the third gets most."""
    third = reading.attention[layer, :, 1:-1].topk(3).values[..., 2].numpy()  # (heads, pieces): [CLS], [SEP] left out
    head, piece = np.unravel_index(third.argmax(), third.shape)
    return int(head), int(piece) + 1
