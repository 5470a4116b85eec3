"""bertlab: the small package behind the lessons that open BERT up.

``import bertlab`` is fast: every module (``bertlab.embedding.cosine``), torch and transformers load on first use.
Examples in docstrings assume it.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bertlab.bert import load, untrained

__version__ = "0.3.0"
__all__ = ["__version__", "load", "untrained"]


def __getattr__(name: str) -> Any:
    """Import a submodule, or `load` and `untrained`, on first use."""
    if name in __all__:
        return getattr(import_module("bertlab.bert"), name)
    try:
        return import_module(f"bertlab.{name}")
    except ModuleNotFoundError as error:
        if error.name != f"bertlab.{name}":
            raise  # a library that the module needs is missing
        raise AttributeError(f"module 'bertlab' has no attribute {name!r}") from None
