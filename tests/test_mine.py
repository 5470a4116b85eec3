"""A student's parts are kept in a file of theirs, and stand among the reference's."""

import pytest
import torch

from bertlab import mine, reference
from bertlab.__main__ import main
from cells import written

OWN = "def linear(x, w):\n    return w['bias'] + x @ w['weight'].T\n"


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_a_part_is_kept_in_place_of_one_of_its_name_and_all_else_stays():
    text = mine.with_part("", written(OWN))
    assert text.startswith(mine.BEGINNING)
    mine.keep(f"{text}\n\nNOTE = 'my own'  # a comment\n")
    again = "def linear(x, w):  # better\n    return torch.nn.functional.linear(x, **w)\n"
    text = mine.with_part(mine.written(), written(f"x = 1\n\n{again}\nprint(end='')"))
    assert text == f"{mine.BEGINNING}\n\n{again}\n\nNOTE = 'my own'  # a comment\n"
    pool = "def pool(hidden, w): return 1\n"
    assert mine.with_part(text, written(pool)).endswith(f"\n\n\n{pool}")


def test_each_part_calls_the_version_in_force_of_the_others():
    mine.keep(mine.with_part("", written("def linear(x, w):\n    return x + 100")))
    parts = mine.parts()
    assert parts.own == ["linear"]
    assert parts.pool(torch.zeros(1, 2), {}).tolist() == [1, 1], "the reference's pool calls it"
    assert reference.linear(torch.ones(1, 1), {"weight": torch.ones(1, 1), "bias": torch.ones(1)}).item() == 2


def test_without_a_file_and_with_one_that_does_not_run_the_reference_goes_on():
    assert mine.parts().own == []
    for broken in ("def linear(x, w:\n", "1 / 0\n"):
        mine.FILE.write_text(f"{mine.MARK}\n{broken}", "utf-8")
        with pytest.warns(UserWarning, match=r"my_bert.py does not run \((SyntaxError|ZeroDivisionError)"):
            assert mine.parts().own == []


def test_where_a_part_raises_the_references_goes_on_unless_it_raises_too():
    mine.keep(mine.with_part("", written("def linear(x, w):\n    raise ValueError('edited')")))
    linear = mine.parts().linear
    with pytest.warns(UserWarning, match=r"linear in my_bert.py raised ValueError: edited\. The lesson goes on with"):
        assert linear(torch.ones(1, 1), {"weight": torch.ones(1, 1), "bias": torch.ones(1)}).item() == 2
    with pytest.raises(KeyError):
        linear(torch.ones(1, 1), {})


def test_the_command_prints_the_file_and_how_much_of_bert_it_is(capsys):
    assert main(["mine"]) == 1
    assert "It begins with the first part that you write in lesson 1" in capsys.readouterr().err
    mine.keep(mine.with_part("", written(OWN)))
    assert main(["mine"]) == 0
    said = capsys.readouterr().out
    assert said.startswith(mine.written())
    assert "# 1 of 16 parts are yours. Still ours: layer_norm, embed, cosine, pool, " in said
