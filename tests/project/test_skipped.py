"""The last lines of a test run say what was skipped, and how to get what was missing."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TESTS = """import pytest

@pytest.mark.skip(reason="bubblewrap is not here")
@pytest.mark.parametrize("number", [1, 2])
def test_two(number):
    pass

def test_one():
    pytest.skip("there is no moon")

def test_none():
    pass
"""


@pytest.mark.slow
def test_skipped_tests_are_counted_with_their_reason_and_how_to_run_them(tmp_path):
    shutil.copy(ROOT / "conftest.py", tmp_path)
    (tmp_path / "test_it.py").write_text(TESTS, "utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-n", "1", "-p", "no:cacheprovider", f"--rootdir={tmp_path}"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    *lines, totals = run.stdout.splitlines()
    assert lines[-2:] == [
        "2 tests were skipped: bubblewrap is not here (apt install bubblewrap).",
        "1 test was skipped: there is no moon.",
    ]
    assert totals.startswith("1 passed, 3 skipped")
