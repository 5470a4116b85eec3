"""The bar of a loop is gone when the loop is done."""

from bertlab.figures import progress


def test_every_step_is_given_and_nothing_stays_on_the_screen(capsys):
    assert list(progress(range(3))) == [0, 1, 2]
    printed = capsys.readouterr()
    assert printed.err == ""
    assert printed.out.split("\r")[-1].strip() == ""
