"""The bar of a loop is seen in a notebook, is gone when the loop is done, and stays out of logs."""

import pytest

from bertlab.figures import progress


@pytest.mark.parametrize("in_notebook", [True, False])
def test_every_step_is_given_and_nothing_stays_on_the_screen(capsys, monkeypatch, in_notebook):
    monkeypatch.setattr("IPython.get_ipython", lambda: object() if in_notebook else None)
    assert list(progress(range(3))) == [0, 1, 2]
    printed = capsys.readouterr()
    assert printed.err == ""
    assert ("0/3" in printed.out) is in_notebook
    assert printed.out.split("\r")[-1].strip() == ""
