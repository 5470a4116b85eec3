"""What holds for tests, examples in docstrings and lessons: their surroundings."""

import os
from copy import deepcopy

import pytest

# On the shipped model, whatever the shell has set, and with one thread: kernels and other processes inherit it.
for name in ("HF_HUB_OFFLINE", "BERTLAB_MODEL"):
    os.environ.pop(name, None)
os.environ |= {"OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}


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

    request.getfixturevalue("doctest_namespace")["bertlab"] = bertlab  # which examples do not import
    load, shipped = bertlab.load, request.getfixturevalue("_shipped")
    monkeypatch.setattr(bertlab, "load", lambda name=None: deepcopy(shipped) if name == "bertlab-mini" else load(name))
