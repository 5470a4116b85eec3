"""Fixtures of the examples in docstrings, which lie beside no conftest of their own."""

from copy import deepcopy

import pytest


@pytest.fixture(scope="session")
def _shipped():
    import bertlab

    return bertlab.load("bertlab-mini")


@pytest.fixture(autouse=True)
def _examples_load_once(request, monkeypatch):
    """Give each example that loads the shipped BERT a copy of one that was loaded before: that is quicker."""
    if not isinstance(request.node, pytest.DoctestItem):
        return
    import bertlab

    load, shipped = bertlab.load, request.getfixturevalue("_shipped")
    monkeypatch.setattr(bertlab, "load", lambda name=None: deepcopy(shipped) if name == "bertlab-mini" else load(name))
