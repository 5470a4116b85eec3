"""What holds for tests, examples in docstrings and lessons: their surroundings, and what is said of skipped ones."""

import os
from collections import Counter
from copy import deepcopy

import pytest

# On the shipped model, whatever the shell has set, and with one thread: kernels and other processes inherit it.
for name in ("HF_HUB_OFFLINE", "BERTLAB_MODEL"):
    os.environ.pop(name, None)
os.environ |= {"OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}

# How to get what the reason for a skipped test names.
GET = {
    "bubblewrap": " (apt install bubblewrap)",
    "Chromium": " (apt install chromium)",
    "nbgrader": " (pip install nbgrader)",
}


def pytest_terminal_summary(terminalreporter):
    """Say in a line for each reason how many tests were skipped, and how to get what they need."""
    skipped = terminalreporter.stats.get("skipped", [])
    for reason, count in Counter(report.longrepr[2].removeprefix("Skipped: ") for report in skipped).items():
        tests = "1 test was" if count == 1 else f"{count} tests were"
        how = "".join(way for name, way in GET.items() if name in reason)
        terminalreporter.write_line(f"{tests} skipped: {reason}{how}.")


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
