"""What each pooling makes of the token vectors of one text, (tokens, hidden), by numpy: a new pooling is added here."""

POOLED_BY_HAND = {
    "cls": lambda hidden: hidden[0],
    "mean": lambda hidden: hidden.mean(axis=0),
    "max": lambda hidden: hidden.max(axis=0),
}
