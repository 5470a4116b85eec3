"""bertlab: the small package behind the lessons that open BERT up.

``import bertlab`` is fast: every module (``bertlab.embedding.cosine``), torch and transformers load on first use.
Examples in docstrings assume it.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bertlab.bert import load, untrained
    from bertlab.inline import live

__version__ = "0.3.0"
__all__ = ["__version__", "live", "load", "untrained"]
FROM = {"live": "inline", "load": "bert", "untrained": "bert"}


def __getattr__(name: str) -> Any:
    """Import a submodule, or one of its names that stand here, on first use."""
    if name in FROM:
        return getattr(import_module(f"bertlab.{FROM[name]}"), name)
    try:
        return import_module(f"bertlab.{name}")
    except ModuleNotFoundError as error:
        if error.name != f"bertlab.{name}":
            raise  # a library that the module needs is missing
        raise AttributeError(f"module 'bertlab' has no attribute {name!r}") from None
