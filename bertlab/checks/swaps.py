"""What is right in the gaps of lesson 9, where heads are swapped and turned up, and which mistakes are known there."""

import numpy as np
import torch

from bertlab.checks.line import Line

SWAPS: dict[str, Line] = {
    "9a": Line(
        "torch's narrow",
        lambda joined, mask, features: (
            joined[1].select(0, mask).narrow(0, features.start, features.stop - features.start)
        ),
        lambda joined, mask, features: {
            "this is what the head makes in the hard question: the easy one is joined[1].": joined[0, mask, features],
            "these are all heads: take the columns of this one, features.": joined[1, mask],
            "these are all tokens: take the one at mask.": joined[1, :, features],
            "this is the next token: [MASK] stands at mask.": joined[1, mask + 1, features],
            "this is the token before: [MASK] stands at mask.": joined[1, mask - 1, features],
        },
    ),
    "9b": Line(
        "a straight line through low and high",
        lambda low, moved, high: float(np.polyval(np.polyfit([low, high], [0, 1], 1), moved)),
        lambda low, moved, high: {
            "this is how far it came: divide by how far there was to go, high - low.": moved - low,
            "this is what is still to go: begin at low.": (high - moved) / (high - low),
            "the way begins at low, not at zero: subtract low above, too.": moved / (high - low),
            "the way goes from low to high: divide by high - low.": (moved - low) / high,
            "low counts from zero here: subtract it above and below.": moved / high,
            "the sign is turned: high - low is the whole way.": (moved - low) / (low - high),
        },
    ),
    "9c": Line(
        "a product with a diagonal matrix",
        lambda weight, factor: weight @ torch.diag(factor),
        lambda weight, factor: {
            "the rows are multiplied: a head owns columns.": factor[:, None] * weight,
            "every head is doubled: multiply by factor.": 2 * weight,
            "nothing is louder yet: multiply by factor.": weight,
            "the factors are added: multiply.": weight + factor,
            "this sums over the columns: multiply number by number, with *.": weight @ factor,
        },
    ),
}
