"""What is known of a line that a lesson leaves to the student."""

from collections.abc import Callable
from typing import Any, NamedTuple


class Line(NamedTuple):
    """What is right in a gap, from a `source` other than the lesson; and the value that comes of each mistake."""

    source: str
    truth: Callable[..., Any]
    wrong: Callable[..., dict[str, Any]]
