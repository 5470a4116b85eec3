"""bertlab: the small package behind the lessons that open BERT up.

``import bertlab`` is cheap: torch and transformers load on first use. Every module is reachable after the
bare import (``bertlab.embedding.cosine``), and so are the two functions that a lesson starts with,
`load` and `untrained`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bertlab.bert import load, untrained

__version__ = "0.3.0"
__all__ = ["__version__", "load", "untrained"]

_AT_THE_DOOR = ("load", "untrained")


def __getattr__(name: str) -> Any:
    """Import a submodule, or `load` and `untrained`, when it is first asked for."""
    if name in _AT_THE_DOOR:
        return getattr(import_module("bertlab.bert"), name)
    try:
        return import_module(f"bertlab.{name}")
    except ModuleNotFoundError as error:
        if error.name != f"bertlab.{name}":
            raise  # a library that the module needs is missing: say so, do not hide it
        raise AttributeError(f"module 'bertlab' has no attribute {name!r}") from None
