"""A file is written whole or not at all, and a command's output over no file that is there."""

import pytest

from bertlab.data import files

LONG = "é" * 4000


@pytest.mark.parametrize("content", [LONG.encode(), "", "é\r\nb\n"])
def test_the_content_is_written_as_it_is_with_the_permissions_that_were_there_or_are_usual(tmp_path, content):
    old, usual, new = tmp_path / "old.txt", tmp_path / "usual.txt", tmp_path / "new.txt"
    old.touch(mode=0o640)
    usual.touch()
    for path in (old, new):
        files.overwrite(path, content)
        assert path.read_bytes() == (content if isinstance(content, bytes) else content.encode())
    assert old.stat().st_mode & 0o777 == 0o640
    assert new.stat().st_mode == usual.stat().st_mode
    assert set(tmp_path.iterdir()) == {old, usual, new}


@pytest.mark.parametrize(("before", "left"), [("old", "It is as it was"), (None, "There is no such file")])
def test_a_full_disk_leaves_the_old_file_and_nothing_else(tmp_path, full_disk, before, left):
    if before:
        (tmp_path / "a.txt").write_text(before)
    with full_disk(), pytest.raises(OSError, match=rf"a.txt' could not be written: .+\. {left}\."):
        files.overwrite(tmp_path / "a.txt", LONG)
    assert [file.read_text() for file in tmp_path.iterdir()] == ([before] if before else [])


def test_an_interrupt_leaves_the_old_file(tmp_path, monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    (tmp_path / "old.txt").write_text("old")
    monkeypatch.setattr(files.os, "fsync", stop)
    with pytest.raises(KeyboardInterrupt):
        files.overwrite(tmp_path / "old.txt", "new")
    assert [file.read_text() for file in tmp_path.iterdir()] == ["old"]


def test_a_link_stays_a_link(tmp_path):
    link, real = tmp_path / "link.txt", tmp_path / "real.txt"
    real.write_text("old")
    link.symlink_to(real)
    files.overwrite(link, "new")
    assert link.is_symlink()
    assert real.read_text() == "new"


@pytest.mark.parametrize("before", ["mine", "", "new", None])
def test_output_goes_over_no_other_content_also_behind_a_link(tmp_path, before):
    link, real = tmp_path / "link.txt", tmp_path / "real.txt"
    link.symlink_to(real)
    if before is not None:
        real.write_text(before)
    if before == "mine":
        with pytest.raises(FileExistsError, match=r"link.txt' is there already, and was left as it is.*another place"):
            files.write(link, "new")
    else:
        files.write(link, "new")
    assert real.read_text() == ("mine" if before == "mine" else "new")
